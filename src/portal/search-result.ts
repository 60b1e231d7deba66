/** What the search service is asked for, and what it answers. */

import { textAt, valueAt } from '../text/json.ts'
import { listAt, numberAt } from './record.ts'

export type SearchParams = {
  /** Index: `dataset`, `catalogue`, `vocabulary` or `resource_{type}`. */
  readonly filters: string
  readonly limit?: number
  /** The first one is 0. */
  readonly page?: number
  readonly sort?: string
  readonly q?: string
  /** Fields of hits that are answered; all of them where it is absent. */
  readonly includes?: readonly string[]
  /** Facet → values, one of which each hit has. */
  readonly facets?: Readonly<Record<string, readonly string[]>> | undefined
  /** Facets whose values are counted; none where it is absent. */
  readonly counted?: readonly string[]
  /** Further parameters of the search (`reference` of the search API). */
  readonly more?: Readonly<Record<string, string | undefined>> | undefined
}

export type CountedFacetValue = {
  readonly id: string
  readonly title: unknown
  readonly count: number
}

export type SearchResult = ReturnType<typeof searchResultOf>

/** Parameters of the search; texts are wanted in a language. */
export function searchQueryString(asked: SearchParams, language: string): string {
  const { includes, facets, counted, more, ...plain } = asked
  const parameters = new URLSearchParams({ locale: language })
  const given = {
    ...plain,
    includes: includes?.join(','),
    facets: facets && JSON.stringify(facets),
    ...(counted
      ? { aggregationAllFields: false, aggregationFields: counted.join(',') }
      : { aggregation: false }),
    ...more,
  }
  for (const [name, value] of Object.entries(given))
    if (value !== undefined) parameters.set(name, String(value))
  return parameters.toString()
}

/** What the search answered; what has another shape is left out. */
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
    suggestions: listAt(result, 'suggestions').flatMap(({ q, count }) =>
      typeof q === 'string' && typeof count === 'number' ? [{ q, count }] : [],
    ),
  }
}
