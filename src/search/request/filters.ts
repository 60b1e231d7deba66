/** Restrictions of a search other than `q`: facets, dates, scores, flags, the box. */

import { Failure } from '../../errors.ts'
import type { Box, FacetFilter, Filter } from '../../search-index/search-index.ts'
import type { DateType } from '../date-types.ts'
import type { Parameters } from './parameters.ts'

/** What is limited where the request does not name it. */
export type Limited = {
  /** By `minScoring` and `maxScoring`. */
  readonly score: string
  /** By `minDate` and `maxDate`. */
  readonly date: DateType
}

/** Throws `invalid-parameter`. */
export function filterOf(parameters: Parameters, limited: Limited): Filter {
  const facets = facetFilter(parameters)
  const date = dateFilter(parameters, limited.date)
  const number = scoreFilter(parameters, limited.score)
  const box = boxOf(parameters)
  const flags = (['countryData', 'dataServices'] as const).filter((name) => parameters[name])
  return {
    ...(facets && { facets }),
    ...(date && { date }),
    ...(number && { numbers: [number] }),
    ...(flags.length > 0 && { flags }),
    ...(box && { box }),
  }
}

/** Groups without values restrict nothing; an unknown facet with values is the engine's to match with nothing. */
function facetFilter(parameters: Parameters): FacetFilter | undefined {
  const { facets = {}, superCatalogue, facetOperator, facetGroupOperator } = parameters
  const wanted = new Map(Object.entries(facets))
  if (superCatalogue !== undefined) {
    wanted.set('superCatalog', [...(wanted.get('superCatalog') ?? []), superCatalogue])
  }
  const groups = [...wanted]
    .filter(([, values]) => values.length > 0)
    .map(([facet, values]) => ({ facet, values: [...new Set(values)] }))
  if (groups.length === 0) return undefined
  return { groups, operator: facetOperator ?? 'OR', groupOperator: facetGroupOperator ?? 'AND' }
}

function dateFilter(
  { minDate, maxDate, dateType }: Parameters,
  standard: DateType,
): Filter['date'] {
  if (!minDate && !maxDate) return undefined
  if (minDate && maxDate && minDate.from > maxDate.to) {
    throw invalid('minDate', 'minDate must not be after maxDate')
  }
  return {
    name: dateType ?? standard,
    ...(minDate && { from: minDate.from }),
    ...(maxDate && { to: maxDate.to }),
  }
}

type NumberFilter = NonNullable<Filter['numbers']>[number]

function scoreFilter(parameters: Parameters, name: string): NumberFilter | undefined {
  const { minScoring: from, maxScoring: to } = parameters
  // Portals send minScoring=0 for "any score or none".
  if (to === undefined && (from === undefined || from <= 0)) return undefined
  if (from !== undefined && to !== undefined && from > to) {
    throw invalid('minScoring', 'minScoring must not be greater than maxScoring')
  }
  return { name, ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
}

const sides = ['bboxMinLon', 'bboxMinLat', 'bboxMaxLon', 'bboxMaxLat'] as const

function boxOf(parameters: Parameters): Box | undefined {
  const missing = sides.filter((side) => parameters[side] === undefined)
  if (missing.length === sides.length) return undefined
  const [west = NaN, south = NaN, east = NaN, north = NaN] = sides.map((side) => parameters[side])
  const [first] = missing
  if (first !== undefined) throw invalid(first, `a box needs all four sides, ${first} is missing`)
  if (west >= east) throw invalid('bboxMinLon', 'bboxMinLon must be less than bboxMaxLon')
  if (south >= north) throw invalid('bboxMinLat', 'bboxMinLat must be less than bboxMaxLat')
  return [west, south, east, north]
}

const invalid = (parameter: string, detail: string): Failure =>
  new Failure('invalid-parameter', detail, { errors: [{ parameter, detail }] })
