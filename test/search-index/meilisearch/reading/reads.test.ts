import { describe, expect, it } from 'vitest'
import { engineIndices } from '../../../../src/search-index/meilisearch/engine-indices.ts'
import { EngineVectors } from '../../../../src/search-index/meilisearch/engine-vectors.ts'
import { uidsOf } from '../../../../src/search-index/meilisearch/attributes.ts'
import { facetCode } from '../../../../src/search-index/remote/names.ts'
import {
  allFacetValues,
  titlesOnEngine,
} from '../../../../src/search-index/meilisearch/facet-values.ts'
import { termFinder } from '../../../../src/search-index/meilisearch/word-lookups.ts'
import { answerSearch } from '../../../../src/search-index/meilisearch/search-answer.ts'
import { DocumentCounts } from '../../../../src/search-index/meilisearch/document-counts.ts'
import { WordTargets } from '../../../../src/search-index/remote/word-targets.ts'
import { refusalFailure } from '../../../../src/search-index/meilisearch/engine-client.ts'
import type { EngineClient } from '../../../../src/search-index/meilisearch/engine-client.ts'
import type { SearchRequest } from '../../../../src/search-index/search-index.ts'
import type { IndexName } from '../../../../src/search-index/index-settings.ts'
import { logger } from '../../../../src/log.ts'
import { languages, request, settings } from '../../../contracts/search-index-corpus.ts'
import { treeOf } from '../../../contracts/search-index-trees.ts'

type Call = { readonly path: string; readonly body: Record<string, unknown> }

type Queries = readonly { readonly indexUid: string; readonly limit?: number }[] | undefined

/**
 * Reads from a server that answers what it is told to, and everything that it was asked but forms of words, of which it has none, and
 * numbers of documents, which are all 1.
 */
function readsFrom(answer: (call: Call) => unknown, isCounting = false) {
  const calls: Call[] = []
  const post: EngineClient['post'] = (path, body) => {
    const call = { path, body: body as Call['body'] }
    const queries = call.body['queries'] as Queries
    if (queries?.every(({ indexUid }) => indexUid === 'term'))
      return Promise.resolve({ results: queries.map(() => ({ hits: [] })) })
    if (queries && path === '/multi-search' && !('federation' in call.body))
      if (queries.every(({ limit }) => limit === 0) && !isCounting)
        return Promise.resolve({ results: queries.map(() => ({ estimatedTotalHits: 1 })) })
    calls.push(call)
    return new Promise((resolve) => resolve(answer(call)))
  }
  const unused = () => Promise.reject(new Error('not to be called'))
  const client: EngineClient = {
    post,
    get: unused,
    patch: unused,
    remove: unused,
    postLines: unused,
    task: unused,
    close: () => undefined,
  }
  const searched = (index: IndexName) => {
    const own = settings.find((one) => one.index === index)
    return (
      own && {
        uid: index,
        instance: '',
        number: 1,
        signature: '',
        settings: own,
        languages,
        isComplete: true,
      }
    )
  }
  const clock = { now: 0, changes: 0 }
  const changes = () => clock.changes
  const context = {
    client,
    uids: uidsOf(''),
    searched,
    changes,
    words: new WordTargets(termFinder({ client, uids: uidsOf('') }), changes),
    counts: new DocumentCounts(client, changes),
    now: () => clock.now,
    wildcardTerms: 1000,
    log: logger('silent'),
  }
  const indices = engineIndices(client, unused)
  const vectors = new EngineVectors({ context, indices, waitForTasks: unused })
  const using = { context, titles: titlesOnEngine(context), vectors }
  const index = {
    search: (wanted: SearchRequest) => answerSearch(wanted, using),
    values: (name: IndexName, facet: string) => allFacetValues(name, facet, using),
  }
  return { index, calls, clock }
}

const nothing = { hits: [], estimatedTotalHits: 0 }

it.each([
  ['page', { hits: 'many' }, {}],
  ['row', { hits: [{ i: 7 }], estimatedTotalHits: 1 }, {}],
  ['federated page', { hits: [] }, { indices: settings.slice(0, 2).map((one) => one.index) }],
])('a %s that is none counts as an engine that is away', async (_, answer, wish) => {
  const { index } = readsFrom(() => answer)
  await expect(index.search(request(wish))).rejects.toMatchObject({ kind: 'engine-unavailable' })
})

it('counts of facet values that are none count as an engine that is away', async () => {
  const { index } = readsFrom(() => ({ ...nothing, facetDistribution: { '_k.country': 'DE' } }))
  await expect(index.values('dataset', 'country')).rejects.toMatchObject({
    kind: 'engine-unavailable',
  })
})

describe('a search', () => {
  it('without a rank asks one index in plain words', async () => {
    const { index, calls } = readsFrom(() => nothing)
    await index.search(request({ filter: { flags: ['dataServices'] }, limit: 3, offset: 6 }))
    expect(calls).toEqual([
      {
        path: '/indexes/dataset/search',
        body: {
          filter: '_n.dataServices = 1',
          sort: ['_n.modified_st:desc', '_o._index:asc', '_o._id:asc'],
          attributesToRetrieve: ['i', 'r'],
          offset: 6,
          limit: 3,
        },
      },
    ])
  })

  it('for a wildcard that stands for nothing does not look for documents', async () => {
    const { index, calls } = readsFrom(() => ({ results: [], total: 0 }))
    const answer = await index.search(request({ tree: treeOf('wild(w?ter)') }))
    expect(answer).toEqual({ count: 0, hits: [] })
    expect(calls.map(({ path }) => path)).toEqual(['/indexes/term/documents/fetch'])
  })

  /** Records with a title; those asked for by number are found unless they are gone. */
  const library = (titles: readonly string[], isGone: (n: number) => boolean = () => false) => {
    const rows = titles.map((title, n) => {
      return { n, i: `r${n}`, r: `{"title":"${title}"}`, '_t.title': { en: [title] } }
    })
    return readsFrom(({ path, body }) => {
      if (path.endsWith('/search'))
        return {
          hits: rows.slice(Number(body['offset']), Number(body['offset']) + Number(body['limit'])),
          estimatedTotalHits: rows.length,
        }
      const numbers = /^n IN \[(.*)\]$/.exec(String(body['filter']))?.[1]?.split(', ') ?? []
      const results = rows.filter(({ n }) => numbers.includes(String(n)) && !isGone(n))
      return { results, total: results.length }
    })
  }
  const ids = async (reads: ReturnType<typeof library>, wish: Partial<SearchRequest> = {}) => {
    const wanted = request({ tree: treeOf('exact(water)'), score: true, limit: 10, ...wish })
    return (await reads.index.search(wanted)).hits.map(({ id }) => id)
  }

  it('by relevance orders the first hits by their texts, equal ones as the server does', async () => {
    const reads = library(['River water and much more', 'Water', 'Air', 'Water water'])
    expect(await ids(reads)).toEqual(['r3', 'r1', 'r0', 'r2'])
    expect(reads.calls.map(({ path }) => path)).toEqual([
      '/indexes/dataset/search',
      '/indexes/dataset/documents/fetch',
      '/indexes/dataset/documents/fetch',
    ])
    expect(reads.calls[0]!.body).toMatchObject({ q: '"zzz" water', offset: 0, limit: 200 })
    expect(reads.calls[0]!.body['attributesToRetrieve']).toEqual(['n', 'i'])
    expect(await ids(library(['Water rights', 'Water']), { typed: ['water'] })).toEqual([
      'r1',
      'r0',
    ])
  })

  it('has pages that are pieces of one order, and asks for no texts behind the first 200 hits', async () => {
    const titles = Array.from({ length: 250 }, (_, n) => (n === 199 ? 'Water water' : 'Water'))
    const all = await ids(library(titles), { limit: 250 })
    expect([all[0], all[1], all[249], new Set(all).size]).toEqual(['r199', 'r0', 'r249', 250])
    expect(await ids(library(titles), { limit: 20, offset: 190 })).toEqual(all.slice(190, 210))
    const behind = library(titles)
    await ids(behind, { limit: 20, offset: 200 })
    expect(behind.calls.map(({ path }) => path)).toEqual(['/indexes/dataset/search'])
  })

  it('is repeated where records are replaced before their texts are read, and then goes on without them', async () => {
    let reads = 0
    const once = library(['Water', 'Water water'], () => ++reads <= 1)
    expect(await ids(once)).toEqual(['r1', 'r0'])
    const never = library(['Water', 'Water water'], (n) => n === 1)
    expect(await ids(never)).toEqual(['r0'])
    expect(never.calls.filter(({ path }) => path.endsWith('/search'))).toHaveLength(3)
  })

  it.each([
    ['one search', {}, '/indexes/dataset/search'],
    ['several searches', { boosts: { description: 20 } }, '/multi-search'],
  ])('by %s is not ranked where the engine does not know a field yet', async (_, wish, path) => {
    const { index, calls } = readsFrom((call) => {
      if (call.path.startsWith('/indexes') && call.body['q'] === undefined) return nothing
      const code = 'invalid_search_attributes_to_search_on'
      throw refusalFailure(400, JSON.stringify({ code, message: 'not searchable' }))
    })
    const answer = await index.search(request({ tree: treeOf('exact(water)'), ...wish }))
    expect(answer).toEqual({ count: 0, hits: [] })
    expect(calls.map((call) => call.path)).toEqual([path, '/indexes/dataset/search'])
    expect(calls[1]!.body['sort']).toBeUndefined()
  })

  it('tells of every other refusal', async () => {
    const { index } = readsFrom(() => {
      throw refusalFailure(400, JSON.stringify({ code: 'invalid_search_filter', message: 'no' }))
    })
    const search = index.search(request({ tree: treeOf('water') }))
    await expect(search).rejects.toMatchObject({ kind: 'internal' })
  })
})

describe('the values of a facet', () => {
  const codes = Array.from({ length: 150 }, (_, i) => facetCode('format', `f${i}`))
  const rows = codes.map((id, i) => ({ id, facet: 'format', value: `f${i}`, title: `F${i}` }))
  const counts = (some: readonly string[]) => Object.fromEntries(some.map((code) => [code, 2]))

  it.each([
    [3_000, 'by a search for each', '/multi-search'],
    [2_999, 'in all documents, where these are few', '/indexes/dataset/documents/fetch'],
  ])(
    'are counted when there are more than an answer holds: of %i documents %s',
    async (total, _, path) => {
      const { index, calls } = readsFrom((call) => {
        if (call.path === '/indexes/dataset/search') {
          const facetDistribution = { '_k.format': counts(codes.slice(0, 100)) }
          return { ...nothing, facetDistribution }
        }
        if (call.path === '/indexes/facet/documents/fetch')
          return { results: rows, total: rows.length }
        if (call.path === '/indexes/dataset/documents/fetch') {
          const withoutOne = { '_k.format': codes.toSpliced(7, 1) }
          const results = call.body['offset'] === 0 ? [withoutOne, withoutOne, {}] : []
          return { results, total }
        }
        const queries = call.body['queries'] as readonly { readonly filter: string }[]
        const count = ({ filter }: { readonly filter: string }) =>
          filter.includes(codes[7]!) ? 0 : 2
        return { results: queries.map((query) => ({ estimatedTotalHits: count(query) })) }
      }, true)
      const values = await index.values('dataset', 'format')
      expect(values).toHaveLength(149)
      expect(values.map(({ id }) => id)).toEqual(values.map(({ id }) => id).toSorted())
      expect(values[0]).toEqual({ id: 'f0', title: 'F0', count: 2 })
      const counted = calls.filter((call) => call.path === path && call.body['limit'] !== 0)
      expect(counted).toHaveLength(1)
    },
  )

  it('keep their titles until something is written, for two seconds at most', async () => {
    const { index, calls, clock } = readsFrom(({ path }) =>
      path === '/indexes/dataset/search'
        ? { ...nothing, facetDistribution: { '_k.format': counts(codes.slice(0, 1)) } }
        : { results: rows.slice(0, 1), total: 1 },
    )
    const lookups = async () => {
      await index.values('dataset', 'format')
      return calls.filter(({ path }) => path === '/indexes/facet/documents/fetch').length
    }
    expect([await lookups(), await lookups()]).toEqual([1, 1])
    clock.changes++
    expect([await lookups(), await lookups()]).toEqual([2, 2])
    clock.now += 2001
    expect(await lookups()).toBe(3)
  })

  it('of a facet that an index does not have are none', async () => {
    const { index, calls } = readsFrom(() => nothing)
    expect(await index.values('dataset', 'nope')).toEqual([])
    expect(calls).toEqual([])
  })
})
