/** What real clients send, as it stands and percent-encoded: each is answered in the shape that the service documents. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { servedSchemas, type Served } from '../support/served-schemas.ts'
import { idsOf, searchFixture, type Reply, type SearchFixture } from './suite/search-fixture.ts'

let search: SearchFixture
let served: Served
beforeAll(async () => {
  search = await searchFixture()
  served = servedSchemas((await search.get('/openapi.json')).body)
})
afterAll(() => search.close())

const portal =
  'includes=id,title.en,description.en,languages,modified,issued,catalog.id,catalog.title,catalog.country.id,distributions.id,distributions.format.label,distributions.format.id,distributions.license,categories.label,publisher'
const order = 'sort=relevance+desc,+modified+desc,+title.en+asc'
const empty =
  '{"country":[],"catalog":[],"categories":["TRAN"],"publisher":[],"keywords":[],"dataServices":[],"scoring":[],"format":[],"license":[]}'

/** Of the collection of real requests, by number; then the index of the answer, and what is found. */
const requests: readonly (readonly [number, string, string | undefined, string])[] = [
  [
    1,
    'filter=dataset&facets={"catalog":["c02"]}&limit=1000&scroll=true&includes=id,publisher.name,quality_meas.scoring,contact_point',
    'dataset',
    'd03 d06 d09 d12',
  ],
  [
    2,
    'q=&filter=catalogue&facetOperator=AND&facetGroupOperator=AND&facets={"superCatalog":[],"country":["DE"]}&limit=20',
    'catalogue',
    'c01',
  ],
  [3, 'q=water&filter=dataset&facets={"catalog":["c01"]}&limit=10', 'dataset', 'd01 d02 d07 d14'],
  [4, 'q=eau&filter=dataset&facetOperator=OR&facets={"catalog":["c01","c02"]}', 'dataset', 'd03'],
  [5, 'q=bucher+rivieres&filter=dataset&facets={"country":["FR"]}', 'dataset', 'd03'],
  [6, 'q=qualite+eau&filter=dataset&facets={"country":["FR"]}', 'dataset', 'd03'],
  [7, 'q=environment&facetOperator=OR&facets={"country":["DE","FR"]}', undefined, 'c01'],
  [8, 'q=("open data" OR "waste water")', undefined, 'd01 d05 d10 d14'],
  [8, 'q="open data"~3', undefined, 'd01 d05 d10'],
  [8, 'q=water AND issued:[2021-01-01 TO *]', undefined, 'd02 d14'],
  [8, 'q=water NOT tokyo', undefined, 'c01 d01 d02 d14 v01 v03'],
  [
    9,
    `q=water&filter=dataset&limit=10&page=0&${order}&facetOperator=AND&facetGroupOperator=AND&dataServices=false&${portal}&facets={"country":["DE"]}`,
    'dataset',
    'd01 d02',
  ],
  [
    9,
    `q=water&filter=dataset&limit=10&page=0&${order}&facetOperator=AND&facetGroupOperator=AND&dataServices=false&${portal}&facets={}&minScoring=0&countryData=true&bboxMinLat=-90&bboxMaxLat=90&bboxMinLon=-180&bboxMaxLon=180`,
    'dataset',
    'd01 d02 d07 d14',
  ],
  [11, `q=&filter=dataset&limit=15&page=0&${order}&facets=${empty}`, 'dataset', ''],
  [
    11,
    `q=&filter=dataset&limit=15&page=9&${order}&facets=${empty.replace('"TRAN"', '')}`,
    'dataset',
    '',
  ],
  [
    13,
    'filter=dataset&facets={"catalog":["c02"]}&limit=500&scroll=true&includes=id,identifier,landing_page.resource,hvd_category.id,applicable_legislation,keywords.id,distributions.license.id',
    'dataset',
    'd03 d06 d09 d12',
  ],
  [
    20,
    'q=2024&filter=dataset&facets={"catalog":["c01"]}&limit=50&sort=modified-desc',
    'dataset',
    'd13',
  ],
  [
    21,
    'q=data&filters=catalogue,dataset,resource&limit=100&sort=modified-desc&facets={"country":["DE"],"catalog":[],"superCatalog":[],"mostLiked":[]}',
    undefined,
    'c01 d01 d10',
  ],
  [
    23,
    'includes=id&filters=dataset&aggregationAllFields=false&limit=1000',
    'dataset',
    'd01 d02 d03 d04 d05 d06 d07 d08 d09 d10 d11 d12 d13 d14',
  ],
  [
    24,
    'filters=dataset&limit=0&aggregation=true&aggregationAllFields=false&aggregationFields=catalog&includes=id',
    'dataset',
    '',
  ],
  [27, 'filters=dataset&q="d07"&limit=20&includes=id,resource', 'dataset', 'd07'],
  [
    30,
    'filters[]=dataset&filters[]=catalogue&q=water&facets={"country":["DE"]}&includes[]=id',
    undefined,
    'c01 d01 d02',
  ],
]

const sorted = (reply: Reply) => idsOf(reply).split(' ').sort().join(' ')

/** Every character that may be encoded is. */
const encoded = (query: string): string =>
  [...new URLSearchParams(query)].map((pair) => pair.map(encodeURIComponent).join('=')).join('&')

describe.each([
  ['raw', (query: string) => query],
  ['encoded', encoded],
])('%s', (_, written) => {
  it.each(requests)('no. %i: %s', async (_no, query, index, ids) => {
    const answer = await search.get(`/search?${written(query)}`, { Accept: '*/*' })
    expect(answer.status).toBe(200)
    expect(served.answer('/search', answer.body)).toEqual([])
    const { result } = answer.body
    expect(result.index).toBe(index)
    expect(sorted(answer)).toBe(ids)
    expect(Array.isArray(result.facets)).toBe(/filters?(\[\])?=/.test(query))
  })

  it('no. 1 goes on until a page is empty', async () => {
    const query = 'filter=dataset&facets={"catalog":["c02"]}&limit=3&scroll=true&includes=id'
    const { body } = await search.get(`/search?${written(query)}`)
    const pages = []
    for (let i = 0; i < 2; i++) {
      const page = await search.get(`/scroll?scrollId=${String(body.result['scrollId'])}`)
      expect(served.answer('/scroll', page.body)).toEqual([])
      pages.push(page.body.result.results.length)
    }
    expect(pages).toEqual([1, 0])
  })

  it('no. 26, a feed with an empty page', async () => {
    const query = 'q=water&facets={"country":["DE"]}&page&limit=15&facetOperator=AND'
    const feed = await search.get(`/en/feeds/datasets.rss?${written(query)}`)
    expect(feed.status).toBe(200)
    expect(feed.headers.get('Content-Type')).toContain('application/rss+xml')
  })
})

describe('clients', () => {
  it('get an empty list of facets where they asked for none', async () => {
    const { body } = await search.get(
      '/search?includes=id&filters=dataset&aggregationAllFields=false',
    )
    expect(body.result.facets).toEqual([])
  })

  it('count by catalogue without reading hits', async () => {
    const query = 'filters=dataset&limit=0&aggregationAllFields=false&aggregationFields=catalog'
    const [facet, ...others] = (await search.get(`/search?${query}`)).body.result.facets ?? []
    expect(others).toEqual([])
    expect(facet?.items.map(({ id, count }) => `${id} ${count}`)).toEqual(['c01 10', 'c02 4'])
  })

  it('list the datasets of a catalogue, and end an address with a slash', async () => {
    const { body } = await search.get('/datasets/?catalogue=c02')
    expect(body).toEqual(['d03', 'd06', 'd09', 'd12'])
    expect((await search.get('/search/?limit=1')).status).toBe(200)
  })

  it('page through searches after a hit in the documented shape', async () => {
    const first = await search.get('/search?filters=dataset&q=water&limit=2&searchAfter=true')
    expect(served.answer('/search', first.body)).toEqual([])
    const { sort, pitId } = first.body.result
    const query = `filters=dataset&q=water&limit=2&searchAfterSort=${String(sort)}&pitId=${String(pitId)}`
    const second = await search.get(`/search?${query}`)
    expect(served.answer('/search', second.body)).toEqual([])
    expect(`${idsOf(first)} ${idsOf(second)}`.split(' ').sort()).toEqual([
      'd01',
      'd02',
      'd07',
      'd14',
    ])
  })

  it('no. 30 sends everything that a body may hold', async () => {
    const body = {
      q: 'water',
      filter: 'dataset',
      filters: ['dataset'],
      facets: { country: ['DE'], catalog: [] },
      page: 0,
      limit: 10,
      fields: ['title', 'description'],
      boost: { title: 3 },
      searchParams: {
        minDate: '2000-01-01T00:00:00Z',
        maxDate: '2030-01-01T00:00:00Z',
        boundingBox: { minLon: -180, maxLon: 180, minLat: -90, maxLat: 90 },
        scoring: { min: 0, max: 405 },
      },
      dateType: 'issued',
      globalAggregation: false,
      aggregation: true,
      aggregationAllFields: true,
      aggregationFields: [],
      facetOperator: 'OR',
      facetGroupOperator: 'AND',
      sort: ['relevance desc', 'modified desc'],
      filterDistributions: true,
      includes: ['id', 'title.en', 'index'],
      showScore: true,
      scroll: false,
      searchAfter: false,
      searchAfterSort: [],
      pitId: '',
      countryData: true,
      dataServices: false,
      autocomplete: false,
      countOnly: false,
      vocabulary: [],
    }
    const answer = await search.post('/search', JSON.stringify(body))
    expect(answer.status).toBe(200)
    expect(served.answer('/search', answer.body)).toEqual([])
    expect(sorted(answer)).toBe('d01 d02')
  })
})
