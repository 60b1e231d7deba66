/** The search station on real servers: the same answers through the door as on the embedded engine. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { languages } from '../../contracts/search-index-corpus.ts'
import { wordCases } from '../../contracts/search-index-words.ts'
import { requests } from '../../search/suite/requests.ts'
import {
  facetText,
  idsOf,
  searchFixture,
  type SearchFixture,
} from '../../search/suite/search-fixture.ts'
import { isSearchMissing, onMeilisearch } from './meilisearch-under-test.ts'
import { isClusterMissing, onOpensearch } from './opensearch-under-test.ts'

const facetNames = ['country', 'format', 'theme', 'publisher', 'vocabulary']
const sorted = (ids: string) => ids.split(' ').sort().join(' ')

const engines = [
  ['Meilisearch', isSearchMissing, onMeilisearch(languages)],
  ['OpenSearch', isClusterMissing, onOpensearch(languages)],
] as const

describe.each(engines.filter(([, isMissing]) => !isMissing))('over %s', (_name, _, engine) => {
  let search: SearchFixture
  beforeAll(async () => {
    search = await searchFixture(undefined, { engine })
  })
  afterAll(() => search.close())
  const get = (query: string) => search.get(`/search?${query}`)

  it.each(wordCases.map(([no, q, , ids]) => [no, q, ids]))('%s %s', async (_, q, ids) => {
    expect(sorted(idsOf(await get(`filters=dataset&limit=100&q=${encodeURIComponent(q)}`)))).toBe(
      ids,
    )
  })

  it.each(requests)('$no $query', async ({ query, count, ids, ordered, facets }) => {
    const answer = await get(query.includes('limit=') ? query : `${query}&limit=100`)
    expect(answer.body.result.count).toBe(count)
    expect(ordered ? idsOf(answer) : sorted(idsOf(answer))).toBe(ids)
    expect(facets === undefined ? undefined : facetText(answer, facetNames)).toBe(facets)
  })

  it.each([
    ['filters=dataset,vocabulary&vocabulary=themes&q=water', 'd01 d02 d07 d14 v03'],
    ['filters=dataset&autocomplete=true&q=street+t', 'd04 d05'],
    ['filters=vocabulary&autocomplete=true&q=wasserb', 'v01'],
  ])('%s', async (query, ids) => {
    expect(sorted(idsOf(await get(`${query}&limit=100`)))).toBe(ids)
  })

  it.each([
    ['/catalogues', ['c01', 'c02']],
    ['/vocabularies', ['agencies', 'themes']],
    ['/datasets?catalogue=c02', ['d03', 'd06', 'd09', 'd12']],
  ])('%s', async (path, ids) => {
    expect((await search.get(path)).body).toEqual(ids)
  })

  it('reads snapshots page by page, both ways', async () => {
    const query = 'filters=dataset&sort=modified desc&includes=id'
    const first = await get(`${query}&limit=10&scroll=true`)
    const rest = await search.get(`/scroll?scrollId=${String(first.body.result['scrollId'])}`)
    const all = 'd13 d02 d05 d01 d03 d14 d06 d04 d10 d08 d07 d12 d11 d09'
    expect(`${idsOf(first)} ${idsOf(rest)}`).toBe(all)
    const { sort, pitId } = (await get(`${query}&limit=2&searchAfter=true`)).body.result
    const place = `searchAfterSort=${String(sort)}&pitId=${String(pitId)}`
    for (let i = 0; i < 2; i++)
      expect(idsOf(await get(`${query}&limit=2&${place}`))).toBe('d05 d01')
  })

  it('says that a client has an answer already, until something is written', async () => {
    const tag = (await get('q=water')).headers.get('ETag') ?? ''
    const again = () => search.get('/search?q=water', { 'If-None-Match': tag })
    expect((await again()).status).toBe(304)
    await search.index.write([{ remove: { index: 'dataset', id: 'd09', version: 2 } }])
    expect((await again()).status).toBe(200)
  })
})
