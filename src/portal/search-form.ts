/** The search form: its fields, their validation, and the search that they describe. */

import { z } from 'zod'
import type { FormEntries } from './addresses.ts'
import type { SearchParams } from './search-result.ts'

/** Facet fields of the form, with the id of the facet where it differs, and the SPARQL property path of its values. */
const facets: Readonly<Record<string, { readonly id?: string; readonly path?: string }>> = {
  format: { path: 'dcat:distribution/dct:format' },
  catalog: { path: '^dcat:dataset' },
  publisher: { path: 'dct:publisher/foaf:name' },
  country: { path: 'dct:spatial' },
  spatial: { path: 'dct:spatial' },
  categories: { path: 'dcat:theme' },
  license: { path: 'dcat:distribution/dct:license' },
  keywords: { path: 'dcat:keyword' },
  hvd: { id: 'is_hvd' },
  quality: { id: 'scoring' },
  subject: { path: 'dct:subject' },
}

/** Whether a field of the form is a facet, which may have several values. */
export const isFacetField = (name: string): boolean => Object.hasOwn(facets, name)

/** Id of a facet in the search API by the name of its field. */
export const searchFacetOf = (name: string): string => facets[name]?.id ?? name

/** Value of the field `sort` → parameter `sort` of the search. */
export const sortOrders: Readonly<Record<string, string | undefined>> = {
  relevance: undefined,
  modified: 'modified+desc',
  issued: 'issued+desc',
  title: 'title.{language}+asc',
  quality: 'quality_meas.scoring+desc',
}

/** Hits of a page, and the number of hits that pages can reach. */
export const [pageSize, lastReachableHit] = [20, 10_000]
const [longestText, mostValues] = [1000, 100]

const text = z.string().trim().max(longestText).catch('')
const day = z.iso.date().catch('')
const longitude = z.number().min(-180).max(180)
const latitude = z.number().min(-90).max(90)
const box = z
  .string()
  .transform((sides) => sides.split(',').map(Number))
  .pipe(z.tuple([longitude, latitude, z.number().min(-180).max(360), latitude]))
  .refine(([west, south, east, north]) => (west < east || west - east >= 180) && south < north)
  .transform(String)
  .catch('')

/** Fields of the form besides its facets; an invalid value becomes an empty text. */
const fields = z.object({
  q: text,
  place: text,
  from: day,
  to: day,
  bbox: box,
  sort: z.enum(Object.keys(sortOrders)).catch(''),
  /** `any` and `false`: the records with any of the words, without near words and related records. */
  words: z.literal('any').or(z.literal('')).catch(''),
  related: z.literal('false').or(z.literal('')).catch(''),
  /** `true`: explains the order of hits. */
  explain: z.literal('true').or(z.literal('')).catch(''),
})
/** Fields for a search by the words alone, each with its value. */
export const wordsAlone: FormEntries = [
  ['words', 'any'],
  ['related', 'false'],
]
const page = z.coerce.number().int().min(1).max(1_000_000).catch(1)

/**
 * Reads the parameters of a request: the fields of the form without empty and invalid values, and the number of the page, from 1.
 */
export function searchForm(parameters: URLSearchParams) {
  const filled = Object.entries(fields.parse(Object.fromEntries(parameters)))
  const facetEntries = Object.keys(facets).flatMap((name) =>
    [...new Set(parameters.getAll(name))]
      .slice(0, mostValues)
      .map((value) => [name, value] as const),
  )
  const query: FormEntries = [...filled, ...facetEntries].filter(([, value]) => value !== '')
  return { query, page: page.parse(parameters.get('page') ?? 1) }
}

/** Values of a field. */
export const formValues = (query: FormEntries, name: string): readonly string[] =>
  query.filter(([entryName]) => entryName === name).map(([, value]) => value)

/** Entries of the named fields. */
export const onlyFields = (query: FormEntries, ...names: readonly string[]): FormEntries =>
  query.filter(([name]) => names.includes(name))

/** Entries of all fields but the named ones. */
export const withoutFields = (query: FormEntries, ...names: readonly string[]): FormEntries =>
  query.filter(([name]) => !names.includes(name))

/** Adds a value to a field, or removes it where the field has it. */
export function toggleValue(query: FormEntries, name: string, value: string): FormEntries {
  const remaining = query.filter((entry) => entry[0] !== name || entry[1] !== value)
  return remaining.length < query.length ? remaining : [...query, [name, value]]
}

/** Chosen sort order; by default relevance where there are search words, else the date of change. */
export const sortNameOf = (query: FormEntries): string =>
  formValues(query, 'sort')[0] ?? (formValues(query, 'q').length > 0 ? 'relevance' : 'modified')

/** Quoted texts, parentheses and single quotation marks of the query syntax. */
const pairedMarks = /"[^"]*"|[()"]/g

/**
 * Replaces parentheses and quotation marks without a partner by blanks, so that the text cannot leave the parentheses put around
 * it.
 */
function withoutUnpaired(text: string): string {
  const single = [...text.matchAll(pairedMarks)].filter(([mark]) => mark.length === 1)
  const open: number[] = []
  const unpaired = new Set<number>()
  for (const { 0: mark, index } of single) {
    if (mark === '(') open.push(index)
    else if (mark === '"' || open.pop() === undefined) unpaired.add(index)
  }
  for (const index of open) unpaired.add(index)
  return text.replace(pairedMarks, (mark: string, index: number) =>
    unpaired.has(index) ? ' ' : mark,
  )
}

/** Parameters of the search for datasets that the fields of the form describe. `page` counts from 1. */
export function searchParamsOf(query: FormEntries, language: string, page = 1): SearchParams {
  const { q, place, from, to, bbox, ...chosen }: Partial<Record<string, string>> =
    Object.fromEntries(query)
  const words = [q, place].filter((text) => text !== undefined)
  const [west, south, east, north] = bbox?.split(',') ?? []
  const facetValues = Object.keys(facets)
    .map((name) => [searchFacetOf(name), formValues(query, name)] as const)
    .filter(([, values]) => values.length > 0)
  return {
    filters: 'dataset',
    limit: pageSize,
    page: page - 1,
    q:
      words.length > 1 ? words.map((text) => `(${withoutUnpaired(text)})`).join(' AND ') : words[0],
    sort: sortOrders[sortNameOf(query)]?.replace('{language}', language),
    facets: facetValues.length > 0 ? Object.fromEntries(facetValues) : undefined,
    parameters: {
      facetSelf: 'false',
      words: q && (chosen['words'] ?? 'most'),
      related: q && (chosen['related'] ?? 'true'),
      dateType: (from ?? to) && 'modified',
      // Days are in the time zone of the portal.
      minDate: from,
      maxDate: to,
      bboxMinLon: west,
      bboxMinLat: south,
      bboxMaxLon: east,
      bboxMaxLat: north,
    },
  }
}

/** SPARQL query for datasets with the chosen facet values, which are literals or the ends of IRIs. */
export function sparqlOfFacets(query: FormEntries): string {
  const conditions = Object.entries(facets).flatMap(([name, { path }]) => {
    const ends = formValues(query, name).map(
      (value) => `STRENDS(STR(?${name}), ${JSON.stringify(value)})`,
    )
    if (path === undefined || ends.length === 0) return []
    return [`  ?dataset ${path} ?${name} .\n  FILTER (${ends.join(' || ')})`]
  })
  return `PREFIX dcat: <http://www.w3.org/ns/dcat#>
PREFIX dct: <http://purl.org/dc/terms/>
PREFIX foaf: <http://xmlns.com/foaf/0.1/>

SELECT DISTINCT ?dataset ?title WHERE {
  ?dataset a dcat:Dataset ; dct:title ?title .
${conditions.join('\n')}
}
LIMIT 100`
}
