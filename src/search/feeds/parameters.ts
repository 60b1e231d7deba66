/** The parameters of a feed: those of a search that say which datasets are in it and in which order. */

import { Failure } from '../../errors.ts'
import { parametersOf, type Parameters } from '../request/parameters.ts'
import type { ParameterLimits } from '../request/limits.ts'
import { entryFields } from './entries.ts'

/** Names that a feed knows, besides `boost.<field>`; all others are ignored. */
export const feedParameters: ReadonlySet<string> = new Set([
  'q',
  'facets',
  'page',
  'limit',
  'fields',
  'minDate',
  'maxDate',
  'dateType',
  'facetOperator',
  'facetGroupOperator',
  'bboxMinLon',
  'bboxMaxLon',
  'bboxMinLat',
  'bboxMaxLat',
  'sort',
  'minScoring',
  'maxScoring',
  'countryData',
  'dataServices',
])

export const boost = 'boost.'

/** A search of datasets, the last changed ones first unless the client sorts. Throws what `parametersOf` throws. */
export function feedSearch(query: URLSearchParams, limits?: ParameterLimits): Parameters {
  const parameters = parametersOf(knownOnly(query), limits)
  if (parameters.limit === 0) throw noEntries()
  return {
    ...parameters,
    filters: ['dataset'],
    aggregation: false,
    includes: [...entryFields],
    sort: parameters.sort ?? ['modified desc'],
  }
}

/** The query as far as it means something, so that addresses of pages repeat nothing else. */
export const knownOnly = (query: URLSearchParams): URLSearchParams =>
  new URLSearchParams(
    [...query].filter(([key, value]) => {
      const name = key.replace(/\[\]$/, '')
      return value.trim() !== '' && (feedParameters.has(name) || name.startsWith(boost))
    }),
  )

function noEntries(): Failure {
  const detail = 'limit must be 1..1000 in a feed, got 0'
  return new Failure('invalid-parameter', detail, { errors: [{ parameter: 'limit', detail }] })
}
