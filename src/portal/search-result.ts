/** Requests of the portal to the search service, and its answers. */

import { textAt, valueAt } from '../text/json.ts'
import { listAt, numberAt } from './record.ts'

/** Parameters of a search as pages write them. */
export type SearchParams = {
  /** Kind of record: `dataset`, `catalogue`, `vocabulary` or `resource_{type}`. */
  readonly filters: string
  readonly limit?: number
  /** Number of the page, from 0. */
  readonly page?: number
  readonly sort?: string
  readonly q?: string
  /** Fields of the hits; all of them where it is absent. */
  readonly includes?: readonly string[]
  /** Facet → values, of which each hit has at least one. */
  readonly facets?: Readonly<Record<string, readonly string[]>> | undefined
  /** Facets whose values are counted; none where it is absent. */
  readonly counted?: readonly string[]
  /** Further parameters of the search API. */
  readonly parameters?: Readonly<Record<string, string | undefined>> | undefined
}

/** Value of a facet with the number of hits that have it; `title` is a text or a language map. */
export type CountedFacetValue = {
  readonly id: string
  readonly title: unknown
  readonly count: number
}

/** Answer of a search, as `searchResultOf` reads it. */
export type SearchResult = ReturnType<typeof searchResultOf>

/** Query string of a search; `language` is that of the texts in its answer. */
export function searchQueryString(params: SearchParams, language: string): string {
  const { includes, facets, counted, parameters: further, ...plain } = params
  const parameters = new URLSearchParams({ locale: language })
  const members = {
    ...plain,
    includes: includes?.join(','),
    facets: facets && JSON.stringify(facets),
    ...(counted
      ? { aggregationAllFields: false, aggregationFields: counted.join(',') }
      : { aggregation: false }),
    ...further,
  }
  for (const [name, value] of Object.entries(members))
    if (value !== undefined) parameters.set(name, String(value))
  return parameters.toString()
}

/** Reads the answer of the search service; members of another type are left out. */
export function searchResultOf(answer: unknown) {
  const result = valueAt(answer, 'result')
  const facets = listAt(result, 'facets').map((facet) => {
    const items = listAt(facet, 'items').flatMap(({ id, title, count }) =>
      typeof id === 'string' ? [{ id, title, count: Number(count ?? 0) }] : [],
    )
    return [textAt(facet, 'id') ?? '', items] as const
  })
  return {
    count: numberAt(result, 'count'),
    records: listAt(result, 'results'),
    facets: new Map(facets),
    /** Number of hits that have none of the words. */
    related: numberAt(result, 'related'),
    instead: insteadOf(valueAt(result, 'instead')),
    words: listAt(result, 'completions.words').flatMap(({ q, count }) =>
      typeof q === 'string' && typeof count === 'number' ? [{ q, count }] : [],
    ),
    values: listAt(result, 'completions.values').map(namedValueOf),
    places: listAt(result, 'places').map(namedValueOf),
    suggestions: listAt(result, 'suggestions').flatMap(({ q, count }) =>
      typeof q === 'string' && typeof count === 'number' ? [{ q, count }] : [],
    ),
  }
}

/** Words that no record has, each with the words that were searched in its place. */
const insteadOf = (value: unknown): readonly (readonly [string, readonly string[]])[] =>
  Object.entries(Object(value)).map(([word, near]) => [
    word,
    Array.isArray(near) ? near.filter((each) => typeof each === 'string') : [],
  ])

/** Value of a facet that a text names, and the text without the name, if the service says so. */
const namedValueOf = (value: unknown) => ({
  facet: textAt(value, 'facet') ?? '',
  id: textAt(value, 'id') ?? '',
  title: textAt(value, 'title') ?? '',
  q: textAt(value, 'q') ?? '',
  count: numberAt(value, 'count'),
})
