/** The search with its parameters as JSON: the same answers as by GET. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parametersOfBody } from '../../src/search/request/body-parameters.ts'
import { parametersOf } from '../../src/search/request/search-parameters.ts'
import { idsOf, searchFixture, type SearchFixture } from './suite/search-fixture.ts'

let search: SearchFixture
beforeAll(async () => {
  search = await searchFixture()
})
afterAll(() => search.close())

const read = (body: unknown) => parametersOfBody(JSON.stringify(body))
const query = (text: string) => parametersOf(new URLSearchParams(text))

describe('a body means what the query string means', () => {
  it.each<[unknown, string]>([
    [{}, ''],
    [{ q: 'water', filters: ['dataset', 'catalogue'] }, 'q=water&filters=dataset,catalogue'],
    [{ filter: 'dataset', filters: 'vocabulary' }, 'filter=dataset&filters=vocabulary'],
    [{ filters: 'dataset, catalogue' }, 'filters=dataset,catalogue'],
    [{ filters: ['dataset,catalogue', 'vocabulary'] }, 'filters=dataset,catalogue,vocabulary'],
    [{ page: 2, limit: 5 }, 'page=2&limit=5'],
    [{ page: '2', limit: '5' }, 'page=2&limit=5'],
    [
      { facets: { country: ['it', 'es'], is_hvd: true } },
      'facets={"country":["it","es"],"is_hvd":true}',
    ],
    [{ facets: '{"country":["it"]}' }, 'facets={"country":["it"]}'],
    [{ facets: { country: [] }, superCatalogue: 'a' }, 'facets={"country":[]}&superCatalogue=a'],
    [{ fields: ['title', 'keywords^2'] }, 'fields=title,keywords^2'],
    [{ boost: { title: 2.5, 'title.en': '3' } }, 'boost.title=2.5&boost.title.en=3'],
    [{ boost: { title: 2 }, 'boost.title': 4 }, 'boost.title=4'],
    [
      { searchParams: { minDate: '2020-01-01', maxDate: '2021-01-01' }, dateType: 'modified' },
      'minDate=2020-01-01&maxDate=2021-01-01&dateType=modified',
    ],
    [{ searchParams: { scoring: { min: 0, max: 120.5 } } }, 'minScoring=0&maxScoring=120.5'],
    [
      { searchParams: { boundingBox: { minLon: -5, maxLon: 8, minLat: 42, maxLat: 51.5 } } },
      'bboxMinLon=-5&bboxMaxLon=8&bboxMinLat=42&bboxMaxLat=51.5',
    ],
    [
      { searchParams: { minDate: '2020', scoring: { min: 1 } }, minScoring: 2, minDate: '2021' },
      'minDate=2021&minScoring=2',
    ],
    [{ searchParams: { minDate: '2020' }, minDate: '' }, 'minDate=2020'],
    [
      {
        globalAggregation: true,
        aggregation: false,
        aggregationAllFields: 'false',
        aggregationFields: ['a'],
      },
      'globalAggregation=true&aggregation=false&aggregationAllFields=false&aggregationFields=a',
    ],
    [{ facetOperator: 'and', facetGroupOperator: 'OR' }, 'facetOperator=AND&facetGroupOperator=OR'],
    [{ sort: ['modified desc', 'title.en asc'] }, 'sort=modified desc,title.en asc'],
    [
      { filterDistributions: true, includes: ['id'], showScore: 1 },
      'filterDistributions=true&includes=id&showScore=1',
    ],
    [
      { searchAfter: true, searchAfterSort: [1.5, 20], pitId: 'x' },
      'searchAfter=true&searchAfterSort=1.5,20&pitId=x',
    ],
    [
      { scroll: true, countryData: true, dataServices: false, autocomplete: true, countOnly: true },
      'scroll=true&countryData=true&dataServices=false&autocomplete=true&countOnly=true',
    ],
    [{ vocabulary: ['themes'], resource: ['x'] }, 'vocabulary=themes&resource=x'],
    [
      { q: null, filters: [], page: '', includes: [null, ' '], boost: null, searchParams: null },
      '',
    ],
    [{ unknown: 'x', another: 1, constructor: 'y' }, 'unknown=1&another=1&constructor=1'],
    [
      { unknown: {}, another: [{ deep: [1] }], more: null, yes: true, __proto__: [] },
      'unknown=1&another=1&yes=1',
    ],
  ])('%j as %s', (body, text) => {
    expect(read(body)).toEqual(query(text))
  })

  it.each<[unknown, string]>([
    [{ limit: 1001 }, 'limit'],
    [{ q: ['a'] }, 'q'],
    [{ includes: { a: 1 } }, 'includes'],
    [{ includes: [['a']] }, 'includes'],
    [{ facets: { a: { b: 1 } } }, 'facets'],
    [{ boost: 'title' }, 'boost'],
    [{ boost: { title: -1 } }, 'boost.title'],
    [{ boost: { title: {} } }, 'boost.title'],
    [{ searchParams: { scoring: { min: 'x' } } }, 'minScoring'],
    [{ fields: Array.from({ length: 101 }, String) }, 'fields'],
  ])('%j is refused by name', (body, parameter) => {
    expect(() => read(body)).toThrow(
      expect.objectContaining({
        kind: 'invalid-parameter',
        errors: [expect.objectContaining({ parameter })],
      }),
    )
  })

  it.each(['', 'q=water', '[]', '"a"', 'null', '{"q":'])('%s is no body', (text) => {
    expect(() => parametersOfBody(text)).toThrow(
      expect.objectContaining({ kind: 'malformed-json' }),
    )
  })
})

describe('POST /search', () => {
  const post = (body: unknown, path = '/search') => search.post(path, JSON.stringify(body))

  it('answers as GET does, whatever the address says', async () => {
    const body = {
      q: 'water',
      filters: ['dataset'],
      facets: { theme: ['ENVI'] },
      sort: ['modified'],
    }
    const answer = await post(body, '/search?q=street&limit=1&page=x')
    const same = await search.get(
      '/search?q=water&filters=dataset&facets={"theme":["ENVI"]}&sort=modified',
    )
    expect([answer.status, answer.body]).toEqual([200, same.body])
    expect(answer.headers.get('ETag')).toBeNull()
    expect(answer.headers.get('Cache-Control')).toBe('no-store')
  })

  it('begins runs of pages', async () => {
    const first = await post({ filters: ['dataset'], scroll: true, limit: 10, sort: 'modified' })
    const second = await search.get(`/scroll?scrollId=${String(first.body.result['scrollId'])}`)
    expect(idsOf(second)).toBe('d07 d12 d11 d09')
    const run = { filters: 'dataset', searchAfter: true, sort: 'modified', limit: 2 }
    const { sort, pitId } = (await post(run)).body.result
    expect(idsOf(await post({ ...run, searchAfterSort: sort, pitId }))).toBe('d05 d01')
  })

  it('refuses what is no JSON object or too large', async () => {
    const bad = await search.post('/search', 'q=water')
    expect([bad.status, bad.body['type']]).toEqual([400, 'urn:cartulary:problem:malformed-json'])
    const large = await post({ q: 'a'.repeat(2 ** 20) })
    expect([large.status, large.body['type']]).toEqual([413, 'urn:cartulary:problem:too-large'])
  })
})
