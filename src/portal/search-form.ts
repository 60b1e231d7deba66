/** The search form: its fields, what may stand in them, and the search that they stand for. */

import { z } from 'zod'
import type { FormEntries } from './addresses.ts'
import type { SearchParams } from './search-result.ts'

/** Facets of the form: what the search calls them where that is another name, and where their values stand in RDF. */
const facets: Readonly<Record<string, { readonly id?: string; readonly path?: string }>> = {
  format: { path: 'dcat:distribution/dct:format' },
  catalog: { path: '^dcat:dataset' },
  publisher: { path: 'dct:publisher/foaf:name' },
  country: { path: 'dct:spatial' },
  categories: { path: 'dcat:theme' },
  license: { path: 'dcat:distribution/dct:license' },
  keywords: { path: 'dcat:keyword' },
  hvd: { id: 'is_hvd' },
  quality: { id: 'scoring' },
  subject: { path: 'dct:subject' },
}

/** Whether a field of the form is a facet, which may stand there several times. */
export const isFacetField = (name: string): boolean => Object.hasOwn(facets, name)

/** What the search calls a facet of the form. */
export const searchFacetOf = (name: string): string => facets[name]?.id ?? name

/** Sort of the form → sort of the search. */
export const sortOrders: Readonly<Record<string, string | undefined>> = {
  relevance: undefined,
  modified: 'modified+desc',
  issued: 'issued+desc',
  title: 'title.{language}+asc',
  quality: 'quality_meas.scoring+desc',
}

/** Hits of a page, and the last hit that pages reach. */
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

/** Fields of the form besides its facets; what means nothing is empty. */
const fields = z.object({
  q: text,
  place: text,
  from: day,
  to: day,
  bbox: box,
  sort: z.enum(Object.keys(sortOrders)).catch(''),
})
const page = z.coerce.number().int().min(1).max(1_000_000).catch(1)

/** What a form sent, without what means nothing; and the page of hits that is wanted. */
export function searchForm(parameters: URLSearchParams) {
  const given = Object.entries(fields.parse(Object.fromEntries(parameters)))
  const chosen = Object.keys(facets).flatMap((name) =>
    [...new Set(parameters.getAll(name))]
      .slice(0, mostValues)
      .map((value) => [name, value] as const),
  )
  const query: FormEntries = [...given, ...chosen].filter(([, value]) => value !== '')
  return { query, page: page.parse(parameters.get('page') ?? 1) }
}

export const formValues = (query: FormEntries, name: string): readonly string[] =>
  query.filter(([one]) => one === name).map(([, value]) => value)

export const onlyFields = (query: FormEntries, ...names: readonly string[]): FormEntries =>
  query.filter(([name]) => names.includes(name))

export const withoutFields = (query: FormEntries, ...names: readonly string[]): FormEntries =>
  query.filter(([name]) => !names.includes(name))

/** A search with one value more, or without it. */
export function toggleValue(query: FormEntries, name: string, value: string): FormEntries {
  const rest = query.filter((one) => one[0] !== name || one[1] !== value)
  return rest.length < query.length ? rest : [...query, [name, value]]
}

/** The sort that was chosen, else the one that serves best. */
export const sortNameOf = (query: FormEntries): string =>
  formValues(query, 'sort')[0] ?? (formValues(query, 'q').length > 0 ? 'relevance' : 'modified')

/** Quoted texts, and single parentheses and quotation marks: as the search reads them. */
const marks = /"[^"]*"|[()"]/g

/** A text of the query syntax whose parentheses and quotation marks all have a partner in it; the others separate words. */
function withoutUnpaired(text: string): string {
  const single = [...text.matchAll(marks)].filter(([mark]) => mark.length === 1)
  const open: number[] = []
  const alone = new Set<number>()
  for (const { 0: mark, index } of single) {
    if (mark === '(') open.push(index)
    else if (mark === '"' || open.pop() === undefined) alone.add(index)
  }
  for (const index of open) alone.add(index)
  return text.replace(marks, (mark: string, index: number) => (alone.has(index) ? ' ' : mark))
}

/** The search for datasets that a form stands for. */
export function searchParamsOf(query: FormEntries, language: string, page = 1): SearchParams {
  const { q, place, from, to, bbox }: Partial<Record<string, string>> = Object.fromEntries(query)
  const words = [q, place].filter((one) => one !== undefined)
  const [west, south, east, north] = bbox?.split(',') ?? []
  const chosen = Object.keys(facets)
    .map((name) => [searchFacetOf(name), formValues(query, name)] as const)
    .filter(([, values]) => values.length > 0)
  return {
    filters: 'dataset',
    limit: pageSize,
    page: page - 1,
    q: words.length > 1 ? words.map((one) => `(${withoutUnpaired(one)})`).join(' AND ') : words[0],
    sort: sortOrders[sortNameOf(query)]?.replace('{language}', language),
    facets: chosen.length > 0 ? Object.fromEntries(chosen) : undefined,
    more: {
      facetSelf: 'false',
      dateType: (from ?? to) && 'modified',
      // Days are those of the portal's zone.
      minDate: from,
      maxDate: to,
      bboxMinLon: west,
      bboxMinLat: south,
      bboxMaxLon: east,
      bboxMaxLat: north,
    },
  }
}

/** A query for datasets with the facets of the form: values of the form are the ends of IRIs, or texts. */
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
