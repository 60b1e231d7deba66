/** Queries over a small English corpus, and query strings that real clients send. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parametersOf } from '../../src/search/request/parameters.ts'
import { searchOf } from '../../src/search/request/search-request.ts'
import { documentOf } from './suite/corpus.ts'
import { settings } from './suite/settings.ts'
import { idsOf, station, type Station } from './suite/station.ts'

const corpus = [
  ['Water quality of rivers', 'Nitrate in ground water'],
  ['River levels', 'Hourly gauge readings'],
  ['Forest fires 2023', 'Burnt area, fire by fire'],
  ['Air quality', 'PM10 and ozone'],
  ['Quality of drinking water', 'Tap water tests'],
  ['Waterways', 'Canals and locks'],
] as const

describe('among six datasets', () => {
  let search: Station
  beforeAll(async () => {
    const documents = corpus.map(([title, description], n) =>
      documentOf({
        index: 'dataset',
        id: String(n + 1),
        text: { title: { en: [title] }, description: { en: [description] } },
        facets: {},
      }),
    )
    search = await station(documents)
  })
  afterAll(() => search.close())

  it.each([
    ['', '1 2 3 4 5 6'],
    ['*', '1 2 3 4 5 6'],
    ['water', '1 5'],
    ['WATER', '1 5'],
    ['water quality', '1 4 5'],
    ['water AND quality', '1 5'],
    ['water and quality', '1 4 5 6'],
    ['quality NOT water', '4'],
    ['NOT water', '2 3 4 6'],
    ['water OR air AND ozone', '1 4 5'],
    ['(water OR air) AND quality', '1 4 5'],
    ['(river OR forest) AND (fire OR nitrate)', '1 3'],
    ['river', '1 2'],
    ['rivers*', '1'],
    ['wat?r', '1 5'],
    ['water*', '1 5 6'],
    ['w*er', '1 5'],
    ['*water', '1 5'],
    ['*water*', '1 5 6'],
    ['"water quality"', '1'],
    ['"WATER Quality"', '1'],
    ['"quality water"', ''],
    ['(water', '1 5'],
    ['water) AND quality', '1 5'],
    ['"water quality', '1 4 5'],
    ['water AND', '1 4 5 6'],
    ['AND', '4 6'],
    ['()', ''],
  ])('%s finds %s', async (q, ids) => {
    const answer = await search.get(`/search?q=${encodeURIComponent(q)}`)
    expect(idsOf(answer).split(' ').sort().join(' ')).toBe(ids)
  })
})

describe('query strings of real clients', () => {
  const read = (query: string) =>
    searchOf(parametersOf(new URL(`http://x/search?${query}`).searchParams), { settings }).request

  it.each([
    'q=&filter=catalogue&facetOperator=AND&facetGroupOperator=AND&facets={"superCatalog":[],"country":["xx"]}&limit=20',
    'q=QUERY&filter=dataset&facets={"catalog":["datavejviser"]}&limit=10',
    'q=acidentes+rodoviarios&filter=dataset&facets={"country":["pt"]}',
    'q=environment&facetOperator=OR&facets={"country":["it","es"]}',
    'q=("desempleo juvenil" OR "paro juvenil")',
    'q="renewable energy"~3',
    'q=groundwater AND issued:[2023-01-01 TO *]',
    'q=unemployment NOT agrario',
    'q=x&filter=dataset&limit=10&page=0&sort=relevance+desc,+modified+desc,+title.en+asc&facetOperator=AND&facetGroupOperator=AND&dataServices=false&includes=id,title.en,description.en,languages,modified,issued,catalog.id,catalog.title,catalog.country.id,distributions.id,distributions.format.label,distributions.format.id,distributions.license,categories.label,publisher&facets={"country":["de"]}&minScoring=0&countryData=false',
    'q=&filter=dataset&limit=15&page=3&sort=relevance+desc,+modified+desc,+title.en+asc&facets={"country":[],"catalog":[],"categories":["TRAN"],"publisher":[],"keywords":[],"dataServices":[],"scoring":[],"format":[],"license":[]}',
    'q=2025&filter=dataset&facets={"catalog":["cellar"]}&limit=50&sort=modified-desc',
    'q=policy&filters=catalogue,dataset,resource&limit=100&sort=modified-desc&facets={"country":["eu"],"superCatalog":[],"mostLiked":[]}',
    'includes=id&filters=dataset&aggregationAllFields=false&limit=1000',
    'filters=dataset&limit=0&aggregation=true&aggregationAllFields=false&aggregationFields=catalog&includes=id',
    'q=..&facets=%7B%22country%22%3A%5B%5D%7D&page&limit=15&facetOperator=AND',
    'filters=dataset&q="a-b~~1"&limit=20&includes=id,resource',
  ])('%s', (query) => {
    expect(() => read(query)).not.toThrow()
  })

  it('mean what their senders expect', () => {
    expect(read('q=qualite+eau').tree).toMatchObject({ kind: 'or' })
    expect(read('filter=dataset&sort=modified-desc').order).toEqual([
      { by: 'modified', direction: 'desc' },
    ])
    expect(read('q="a-b~~1"').tree).toEqual({ kind: 'phrase', tokens: ['a', 'b', '1'] })
    expect(read('filter=dataset&sort=relevance+desc,+modified+desc,+title.en+asc').order).toEqual([
      { by: 'relevance', direction: 'desc' },
      { by: 'modified', direction: 'desc' },
      { by: 'title.en', direction: 'asc' },
    ])
  })
})
