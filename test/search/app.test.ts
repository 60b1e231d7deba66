/** Searching through the door: sets, counts, facets, envelope, over the embedded engine. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formCases, wordCases } from '../contracts/search-index-words.ts'
import { requests } from './suite/requests.ts'
import { facetText, idsOf, searchFixture, type SearchFixture } from './suite/search-fixture.ts'

let search: SearchFixture
beforeAll(async () => {
  search = await searchFixture()
})
afterAll(() => search.close())

const facetNames = ['country', 'format', 'theme', 'publisher', 'vocabulary']
const sorted = (ids: string) => ids.split(' ').sort().join(' ')
const get = (query: string) => search.get(`/search?${query}`)

describe('a query finds its datasets', () => {
  it.each([...wordCases, ...formCases].map(([no, q, , ids]) => [no, q, ids]))(
    '%s %s',
    async (_, q, ids) => {
      const answer = await get(`filters=dataset&limit=100&q=${encodeURIComponent(q)}`)
      expect(answer.status).toBe(200)
      expect(sorted(idsOf(answer))).toBe(ids)
      expect(answer.body.result.count).toBe(ids === '' ? 0 : ids.split(' ').length)
    },
  )
})

describe('a request is answered', () => {
  it.each(requests)('$no $query', async ({ query, count, ids, ordered, facets }) => {
    const answer = await get(query.includes('limit=') ? query : `${query}&limit=100`)
    expect(answer.status).toBe(200)
    expect(answer.body.result.count).toBe(count)
    expect(ordered ? idsOf(answer) : sorted(idsOf(answer))).toBe(ids)
    expect(facets === undefined ? undefined : facetText(answer, facetNames)).toBe(facets)
  })

  it('in the order of relevance when there is a word, else of modification', async () => {
    expect(idsOf(await get('filters=dataset&q=street trees'))).toMatch(/^d05 /)
    const boosted = await get('filters=dataset&q=water&boost.title=20')
    expect(sorted(idsOf(boosted).slice(0, 7))).toBe('d01 d07')
    const weighted = await get('filters=dataset&q="open data"&fields=description^20,keywords')
    expect(idsOf(weighted)).toMatch(/ d01$/)
    const plain = await get('filters=dataset&q=NOT water')
    expect(idsOf(plain)).toBe('d13 d05 d03 d06 d04 d10 d08 d12 d11 d09')
  })
})

describe('a vocabulary', () => {
  it('limits concepts and leaves the records of other indices', async () => {
    const both = await get('filters=dataset,vocabulary&vocabulary=themes&q=water&limit=100')
    expect(sorted(idsOf(both))).toBe('d01 d02 d07 d14 v03')
    const all = await get('filters=catalogue,vocabulary&vocabulary=agencies&limit=100')
    expect(sorted(idsOf(all))).toBe('c01 c02 v01 v02')
    const none = await get('filters=catalogue,vocabulary&vocabulary=nope&limit=100')
    expect(sorted(idsOf(none))).toBe('c01 c02')
    expect((await get('vocabulary=nope')).body.result.count).toBe(19)
  })
})

describe('the envelope', () => {
  it('holds nothing but result; index only when one was named, facets only when any was', async () => {
    const { body } = await get('q=water')
    expect(Object.keys(body)).toEqual(['result'])
    expect(Object.keys(body.result)).toEqual(['count', 'results'])
    const one = await get('filters=dataset')
    expect(Object.keys(one.body.result)).toEqual(['index', 'count', 'facets', 'results'])
    expect(one.body.result.index).toBe('dataset')
    const two = await get('filters=dataset,catalogue')
    expect(Object.keys(two.body.result)).toEqual(['count', 'facets', 'results'])
  })

  it('is empty for indices that do not exist', async () => {
    const { status, body } = await get('filters=resource')
    expect([status, body]).toEqual([200, { result: { count: 0, facets: [], results: [] } }])
  })

  it('is a count alone with countOnly', async () => {
    const { body } = await get('filters=dataset&q=water&countOnly=true')
    expect(body).toEqual({ result: { index: 'dataset', count: 4 } })
    expect((await get('countOnly=1')).body).toEqual({ result: { count: 19 } })
  })

  it('shows every band of a range facet with its bounds', async () => {
    const { body } = await get('filters=dataset&q=water')
    expect(body.result.facets?.find(({ id }) => id === 'quality')?.items).toEqual([
      { id: 'goodScoring', title: 'Good', count: 3, from: 221, to: 350 },
      { id: 'sufficientScoring', title: 'Sufficient', count: 1, from: 121, to: 220 },
      { id: 'badScoring', title: 'Bad', count: 0, from: 0, to: 120 },
      { id: 'excellentScoring', title: 'Excellent', count: 0, from: 351, to: 405 },
    ])
  })
})

describe('a hit', () => {
  const hit = async (query: string) => (await get(query)).body.result.results[0]

  it('carries its index, a concept its vocabulary, a catalogue its number of datasets', async () => {
    expect(await hit('filters=dataset&q=d01')).toMatchObject({ index: 'dataset', id: 'd01' })
    const concept = await hit('filters=vocabulary&q=street')
    expect(concept).toMatchObject({ index: 'vocabulary', vocabulary: 'agencies', id: 'v02' })
    const catalogue = await hit('filters=catalogue&q=c02')
    expect(catalogue).toMatchObject({ index: 'catalogue', id: 'c02', count: 4 })
  })

  it('is reduced to what includes names, without adding anything', async () => {
    expect(await hit('filters=dataset&q=tokyo&includes=id,title.en')).toEqual({
      id: 'd07',
      title: { en: 'Tokyo water quality data' },
    })
    expect(await hit('filters=dataset&q=tokyo&includes=nope')).toEqual({})
    expect(await hit('filters=dataset&q=tokyo&includes=index,nope')).toEqual({ index: 'dataset' })
    expect(await hit('filters=catalogue&q=c02&includes[]=id&includes[]=count')).toEqual({
      id: 'c02',
      count: 4,
    })
    expect(await hit('filters=vocabulary&q=street&includes=vocabulary')).toEqual({
      vocabulary: 'agencies',
    })
  })

  it('has a falling score when it is wanted', async () => {
    const { body } = await get('filters=dataset&q=water&showScore=true')
    const scores = body.result.results.map(({ score }) => Number(score))
    expect(scores).toHaveLength(4)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    expect((await get('filters=dataset&q=water')).body.result.results[0]).not.toHaveProperty(
      'score',
    )
  })
})

describe('what cannot be answered', () => {
  it.each([
    ['limit=1001', 'invalid-parameter', 'limit'],
    ['facets=x', 'malformed-json', 'facets'],
    ['filters=catalogue&scroll=x', 'invalid-parameter', 'scroll'],
    ['searchAfter=true', 'filters-required', 'filters'],
    ['pitId=a&searchAfterSort=1,2', 'filters-required', 'filters'],
    [`q=${'a '.repeat(257)}`, 'query-too-complex', 'q'],
  ])('%s is a problem that names the parameter', async (query, kind, parameter) => {
    const { status, headers, body } = await get(query)
    expect(status).toBe(400)
    expect(headers.get('Content-Type')).toContain('application/problem+json')
    expect(body).toMatchObject({ type: `urn:cartulary:problem:${kind}`, instance: '/search' })
    expect(body.errors?.[0]?.parameter).toBe(parameter)
  })
})
