/** The search form of the portal and the search service: parameters of one written as those of the other. */

import { z } from 'zod'
import type { SearchQuery } from './addresses.ts'

/** Parameters of the form that are facets, in the order of the configuration; the id of the facet in the search. */
export const facetParameters: Readonly<Record<string, string>> = {
  format: 'format',
  catalog: 'catalog',
  publisher: 'publisher',
  country: 'country',
  categories: 'categories',
  license: 'license',
  keywords: 'keywords',
  hvd: 'is_hvd',
  quality: 'scoring',
  subject: 'subject',
}

/** Sort of the form → sort of the search. */
export const sorts: Readonly<Record<string, string | undefined>> = {
  relevance: undefined,
  modified: 'modified+desc',
  issued: 'issued+desc',
  title: undefined,
  quality: 'quality_meas.scoring+desc',
}

/** Hits of a page, and the last hit that pages reach. */
export const [pageSize, lastHit] = [20, 10_000]
const longest = 1000

const day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/)
  .refine((text) => !Number.isNaN(Date.parse(text)))
  .optional()
  .catch(undefined)
const longitude = z.number().min(-180).max(180)
const latitude = z.number().min(-90).max(90)
const box = z
  .string()
  .transform((text) => text.split(',').map(Number))
  .pipe(z.tuple([longitude, latitude, longitude, latitude]))
  .refine(([, south, , north]) => south <= north)
  .optional()
  .catch(undefined)
const text = z.string().trim().max(longest).default('').catch('')

const shape = z.object({
  q: text,
  place: text,
  from: day,
  to: day,
  bbox: box,
  sort: z.enum(['relevance', 'modified', 'issued', 'title', 'quality']).optional().catch(undefined),
  page: z.coerce.number().int().min(1).max(1_000_000).default(1).catch(1),
})

export type SearchForm = z.output<typeof shape> & {
  /** Facets of the form with their values. */
  readonly facets: ReadonlyMap<string, readonly string[]>
}

/** What a form sent; what means nothing is left out. */
export function searchForm(parameters: URLSearchParams): SearchForm {
  const facets = Object.keys(facetParameters).flatMap((name) => {
    const values = [...new Set(parameters.getAll(name).filter((one) => one !== ''))].slice(0, 100)
    return values.length > 0 ? [[name, values] as const] : []
  })
  return { ...shape.parse(Object.fromEntries(parameters)), facets: new Map(facets) }
}

/** The form as parameters again, without its page; `change` is laid over it. */
export function formQuery(form: SearchForm, change: Partial<SearchForm> = {}): SearchQuery {
  const { q, place, from, to, bbox, sort, facets } = { ...form, ...change }
  const single = { q, place, from, to, bbox: bbox?.join(','), sort }
  return [
    ...Object.entries(single).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, value] as const],
    ),
    ...[...facets].flatMap(([name, values]) => values.map((value) => [name, value] as const)),
  ]
}

/** Facets with one value more or less. */
export function toggled(form: SearchForm, name: string, value: string): SearchForm['facets'] {
  const facets = new Map(form.facets)
  const values = facets.get(name) ?? []
  const changed = values.includes(value)
    ? values.filter((one) => one !== value)
    : [...values, value]
  if (changed.length > 0) facets.set(name, changed)
  else facets.delete(name)
  return facets
}

/** Parameters of the search service; `own` are laid over them. */
export function serviceQuery(
  form: SearchForm,
  language: string,
  own: Readonly<Record<string, string>> = {},
): string {
  const facets = Object.fromEntries(
    [...form.facets].map(([name, values]) => [facetParameters[name] ?? name, values]),
  )
  const words = [form.q, form.place].filter((one) => one !== '')
  const sort = form.sort === 'title' ? `title.${language}+asc` : sorts[form.sort ?? 'relevance']
  const usual = form.q === '' && form.sort === undefined ? 'modified+desc' : sort
  return new URLSearchParams({
    filters: 'dataset',
    locale: language,
    facetSelf: 'false',
    limit: String(pageSize),
    page: String(form.page - 1),
    ...(words.length > 0 && {
      q: words.length > 1 ? words.map((one) => `(${one})`).join(' AND ') : (words[0] ?? ''),
    }),
    ...(form.facets.size > 0 && { facets: JSON.stringify(facets) }),
    ...((form.from ?? form.to) !== undefined && { dateType: 'modified' }),
    ...(form.from !== undefined && { minDate: `${form.from}T00:00:00Z` }),
    ...(form.to !== undefined && { maxDate: `${form.to}T23:59:59Z` }),
    ...(form.bbox && boxOf(form.bbox)),
    ...(usual !== undefined && { sort: usual }),
    ...own,
  }).toString()
}

const boxOf = ([west, south, east, north]: readonly [number, number, number, number]) => ({
  bboxMinLon: String(west),
  bboxMinLat: String(south),
  bboxMaxLon: String(east),
  bboxMaxLat: String(north),
})

/** Facet of the form → path from a dataset to the value, in SPARQL. */
const facetPaths: Readonly<Record<string, string>> = {
  format: 'dcat:distribution/dct:format',
  license: 'dcat:distribution/dct:license',
  catalog: '^dcat:dataset',
  publisher: 'dct:publisher/foaf:name',
  country: 'dct:spatial',
  categories: 'dcat:theme',
  keywords: 'dcat:keyword',
  subject: 'dct:subject',
}

/** A query for datasets with the facets of the form: values of the form are the ends of IRIs, or texts. */
export function facetsAsSparql({ facets }: SearchForm): string {
  const conditions = [...facets].flatMap(([name, values]) => {
    const path = facetPaths[name]
    if (path === undefined) return []
    const ends = values.map((value) => `STRENDS(STR(?${name}), ${JSON.stringify(value)})`)
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
