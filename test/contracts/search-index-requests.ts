/** Requests over the corpus: fields, facets, ranges, order and pages, each with what must come back. */

import type { FacetFilter, SearchRequest } from '../../src/search-index/search-index.ts'
import { treeOf } from './search-index-trees.ts'

/** `in order` when the ids are; facets as `facetText` writes them. */
export type RequestCase = {
  readonly no: string
  readonly request: Partial<SearchRequest>
  readonly ids: string
  readonly count?: number
  readonly ordered?: true
  readonly facets?: string
}

const water = treeOf('water')
const at = Date.parse
const size = { size: 50, global: false }
const facets = (groups: Readonly<Record<string, readonly string[]>>, operators = 'OR AND') => {
  const [operator, groupOperator] = operators.split(' ') as ['AND' | 'OR', 'AND' | 'OR']
  const filter: FacetFilter = {
    groups: Object.entries(groups).map(([facet, values]) => ({ facet, values })),
    operator,
    groupOperator,
  }
  return { facets: filter }
}
const sort = (text: string) =>
  text.split(', ').map((key) => {
    const [by, direction] = key.split(' ')
    return { name: by!, direction: direction as 'asc' | 'desc' }
  })
const formats = { format: ['CSV', 'GEOJSON'], theme: ['ENVI', 'TRAN'] }
const everywhere = { indices: ['dataset', 'catalogue', 'vocabulary'] as const }
const date = (name: string, from?: string, to?: string) => ({
  date: { name, ...(from && { from: at(from) }), ...(to && { to: at(to) }) },
})
const score = (from?: number, to?: number) => ({
  numbers: [
    { name: 'scoring', ...(from !== undefined && { from }), ...(to !== undefined && { to }) },
  ],
})

const allFacets =
  'country: DE 3, FR 3, AT 2, GR 1, JP 1, LU 1, eu 1, io 1' +
  ' · format: CSV 6, GEOJSON 2, JSON 2, PDF 2, TXT 1, XLSX 1, XML 1, csv 1' +
  ' · theme: ENVI 7, TRAN 3, ECON 2, GOVE 2, EDUC 1, TECH 1' +
  ' · publisher: uba 3, ec 2, oieau 2, wien 2, bnf 1, statec 1, tokyo 1, ypen 1'

const byModified = 'd13 d02 d05 d01 d03 d14 d06 d04 d10 d08 d07 d12 d11 d09'
const byEnglishTitle = 'd02 d08 d13 d11 d09 d10 d03 d12 d05 d04 d07 d01 d14 d06'

export const requestCases: readonly RequestCase[] = [
  { no: 'P01', request: { tree: water, fields: ['title'] }, ids: 'd01 d07' },
  { no: 'P02', request: { tree: water, fields: ['title', 'nope'] }, ids: 'd01 d07' },
  { no: 'P03', request: { tree: water, fields: ['nope'] }, ids: '' },
  { no: 'P04', request: { tree: water, fields: ['title.de'] }, ids: '' },
  { no: 'P05', request: { tree: treeOf('station'), fields: ['title.de'] }, ids: 'd02' },
  { no: 'P06', request: { tree: treeOf('station'), fields: ['title.en'] }, ids: 'd02' },
  {
    no: 'P07',
    request: { tree: treeOf('phrase(open data)'), fields: ['keywords'] },
    ids: 'd01 d10',
  },
  {
    no: 'P08',
    request: { tree: treeOf('phrase(open data)'), fields: ['description'] },
    ids: 'd05 d10',
  },
  { no: 'P09', request: { tree: treeOf('prefix(wat)'), fields: ['title'] }, ids: 'd01 d07 d14' },
  {
    no: 'P10',
    request: { tree: treeOf('and(prefix(street), prefix(tr))'), fields: ['title'] },
    ids: 'd05',
  },
  { no: 'P11', request: { tree: treeOf('prefix(str)'), fields: ['title'] }, ids: 'd04 d05' },
  {
    no: 'P12',
    request: { tree: treeOf('prefix(qual)'), fields: ['title'] },
    ids: 'd01 d02 d03 d07',
  },
  {
    no: 'P13',
    request: { filter: facets({ country: ['DE'] }), facets: size },
    ids: 'd01 d02 d10',
    facets:
      'country: DE 3 · format: CSV 2, JSON 1, csv 1 · theme: ENVI 2, TECH 1 · publisher: uba 3',
  },
  { no: 'P14', request: { filter: facets({ format: ['csv'] }) }, ids: 'd10' },
  {
    no: 'P15',
    request: { filter: facets({ format: ['CSV', 'JSON'] }) },
    ids: 'd01 d02 d03 d05 d07 d12 d14',
  },
  { no: 'P16', request: { filter: facets({ format: ['CSV', 'JSON'] }, 'AND AND') }, ids: 'd01' },
  { no: 'P17', request: { filter: facets(formats) }, ids: 'd01 d02 d03 d04 d05 d14' },
  {
    no: 'P18',
    request: { filter: facets(formats, 'OR OR') },
    ids: 'd01 d02 d03 d04 d05 d06 d07 d12 d14',
  },
  { no: 'P19', request: { filter: facets(formats, 'AND AND') }, ids: 'd05' },
  { no: 'P20', request: { filter: facets(formats, 'AND OR') }, ids: 'd05 d14' },
  { no: 'P21', request: { filter: facets({ nope: ['x'] }) }, ids: '' },
  {
    no: 'P22',
    request: { filter: facets({ nope: ['x'], country: ['AT'] }, 'OR OR') },
    ids: 'd04 d05',
  },
  { no: 'P23', request: { filter: facets({ nope: [], country: [] }) }, ids: '*' },
  {
    no: 'P24',
    request: { tree: water, facets: size },
    ids: 'd01 d02 d07 d14',
    facets:
      'country: DE 2, FR 1, JP 1 · format: CSV 3, JSON 2 · theme: ENVI 4, TRAN 1 · publisher: uba 2, oieau 1, tokyo 1',
  },
  {
    no: 'P25',
    request: { tree: water, filter: facets({ country: ['FR'] }), facets: size },
    ids: 'd14',
    facets: 'country: FR 1 · format: CSV 1 · theme: ENVI 1, TRAN 1 · publisher: oieau 1',
  },
  {
    no: 'P26',
    request: {
      tree: water,
      filter: facets({ country: ['FR'] }),
      facets: { ...size, global: true },
    },
    ids: 'd14',
    facets: allFacets,
  },
  {
    no: 'P27',
    request: { tree: water, facets: { ...size, ids: ['theme', 'nope'] } },
    ids: 'd01 d02 d07 d14',
    facets: 'theme: ENVI 4, TRAN 1',
  },
  {
    no: 'P29',
    request: { tree: treeOf('zzzz'), facets: size },
    ids: '',
    facets: 'country: · format: · theme: · publisher:',
  },
  {
    no: 'P30',
    request: { filter: date('issued', '2020-01-15T00:00:00Z', '2020-12-31T23:59:59Z') },
    ids: 'd01 d07 d12',
  },
  {
    no: 'P31',
    request: { filter: date('issued', '2020-01-15T13:00:00+01:00', '2020-01-15T13:00:00+01:00') },
    ids: 'd07',
  },
  {
    no: 'P32',
    request: { filter: date('issued', '2021-06-01T00:00:00Z') },
    ids: 'd02 d05 d06 d10 d14',
  },
  { no: 'P33', request: { filter: score(280, 350) }, ids: 'd01 d02 d05 d07' },
  { no: 'P34', request: { filter: score(undefined, 120) }, ids: 'd04 d08 d09' },
  {
    no: 'P35',
    request: { filter: { flags: ['countryData'] } },
    ids: 'd01 d02 d03 d04 d05 d06 d07 d10 d11 d12 d14',
  },
  { no: 'P36', request: { filter: { flags: ['dataServices'] } }, ids: 'd02 d04 d07 d10' },
  {
    no: 'P37',
    request: { tree: water, filter: { flags: ['dataServices', 'countryData'] } },
    ids: 'd02 d07',
  },
  { no: 'P38', request: { filter: { box: [16.2, 48.1, 16.6, 48.3] } }, ids: 'd04 d05 d09' },
  { no: 'P39', request: { filter: { box: [17, 49, 18, 50] } }, ids: 'd04 d05 d09' },
  { no: 'P40', request: { filter: { box: [9, 48, 10, 49] } }, ids: 'd01 d09 d14' },
  { no: 'P41', request: { filter: { box: [10, 54, 11, 55] } }, ids: 'd01 d09' },
  {
    no: 'P42',
    request: { filter: { box: [-180, -90, 180, 90] } },
    ids: 'd01 d02 d03 d04 d05 d07 d09 d11 d12 d14',
  },
  { no: 'P43', request: { order: sort('modified desc') }, ids: byModified, ordered: true },
  { no: 'P44', request: { order: sort('title.en asc') }, ids: byEnglishTitle, ordered: true },
  {
    no: 'P45',
    request: { order: sort('title.de desc') },
    ids: 'd07 d06 d14 d01 d05 d04 d08 d03 d10 d09 d02 d11 d13 d12',
    ordered: true,
  },
  {
    no: 'P46',
    request: { order: sort('scoring asc, modified desc') },
    ids: 'd09 d08 d04 d10 d11 d03 d14 d02 d05 d07 d01 d12 d13 d06',
    ordered: true,
  },
  {
    no: 'P47',
    request: { tree: water, order: sort('issued desc') },
    ids: 'd02 d14 d07 d01',
    ordered: true,
  },
  {
    no: 'P48',
    request: { tree: water, order: sort('nope asc, issued desc') },
    ids: 'd02 d14 d07 d01',
    ordered: true,
  },
  {
    no: 'P49',
    request: { order: sort('issued desc') },
    ids: 'd06 d05 d10 d02 d14 d08 d12 d07 d01 d03 d04 d11 d09 d13',
    ordered: true,
  },
  {
    no: 'P50',
    request: {
      tree: treeOf('or(water, street)'),
      filter: {
        ...facets({ theme: ['ENVI'] }),
        ...date('issued', '2020-01-01T00:00:00Z'),
        ...score(250),
      },
      order: sort('issued asc'),
      facets: size,
    },
    ids: 'd01 d07 d02 d05',
    ordered: true,
    facets:
      'country: DE 2, AT 1, JP 1 · format: CSV 3, JSON 2, GEOJSON 1 · theme: ENVI 4, TRAN 1 · publisher: uba 2, tokyo 1, wien 1',
  },
  {
    no: 'P51',
    request: { order: sort('modified desc'), limit: 3, offset: 3 },
    ids: 'd01 d03 d14',
    count: 14,
    ordered: true,
  },
  { no: 'P52', request: { limit: 0, facets: size }, ids: '', count: 14, facets: allFacets },
  { no: 'P54', request: { offset: 10_000 }, ids: '', count: 14 },
  { no: 'P56', request: { ...everywhere, tree: water }, ids: 'c01 d01 d02 d07 d14 v01 v03' },
  {
    no: 'P57',
    request: { ...everywhere, filter: facets({ country: ['DE'] }) },
    ids: 'c01 d01 d02 d10',
  },
  { no: 'P58', request: { ...everywhere, filter: score(280) }, ids: 'd01 d02 d05 d07 d12' },
  { no: 'P59', request: { ...everywhere, tree: treeOf('street') }, ids: 'd04 d05 v02' },
  {
    no: 'P60',
    request: { indices: ['dataset', 'catalogue'], tree: water, order: sort('modified desc') },
    ids: 'd02 c01 d01 d14 d07',
    ordered: true,
  },
  {
    no: 'P61',
    request: {
      indices: ['dataset', 'catalogue'],
      tree: water,
      order: sort('scoring desc'),
      facets: size,
    },
    ids: 'c01 d01 d02 d07 d14',
    ordered: true,
    facets:
      'country: DE 3, FR 1, JP 1 · format: CSV 3, JSON 2 · theme: ENVI 4, TRAN 1 · publisher: uba 3, oieau 1, tokyo 1',
  },
  {
    no: 'P62',
    request: { indices: ['catalogue'], tree: treeOf('catalogue'), facets: size },
    ids: 'c01 c02',
    facets: 'country: DE 1, FR 1 · publisher: oieau 1, uba 1',
  },
  {
    no: 'P63',
    request: { indices: ['vocabulary'], tree: water, facets: size },
    ids: 'v01 v03',
    facets: 'vocabulary: agencies 1, themes 1',
  },
  {
    no: 'P64',
    request: { indices: ['vocabulary'], filter: facets({ vocabulary: ['agencies'] }) },
    ids: 'v01 v02',
  },
  {
    no: 'P65',
    request: { indices: ['vocabulary'], filter: facets({ vocabulary: ['nope'] }) },
    ids: '',
  },
  { no: 'R01', request: {}, ids: byModified, ordered: true },
  {
    no: 'R07',
    request: { tree: treeOf('not(water)') },
    ids: 'd13 d05 d03 d06 d04 d10 d08 d12 d11 d09',
    ordered: true,
  },
]
