/** Restrictions of a search other than `q`: facets, dates, scores, flags, the box. */

import { isJsonObject } from '../../text/json.ts'
import { invalidParameter } from '../../errors.ts'
import { includeFields } from '../../search-index/include.ts'
import type { Box, FacetFilter, Filter } from '../../search-index/search-index.ts'
import type { IndexSettings } from '../../search-index/index-settings.ts'
import type { DateType, Parameters } from './search-parameters.ts'

/** What is limited where the request does not name it. */
type Limited = {
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
    throw invalidParameter('minDate', 'minDate must not be after maxDate')
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
    throw invalidParameter('minScoring', 'minScoring must not be greater than maxScoring')
  }
  return { name, ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
}

const sides = ['bboxMinLon', 'bboxMinLat', 'bboxMaxLon', 'bboxMaxLat'] as const

function boxOf(parameters: Parameters): Box | undefined {
  const missing = sides.filter((side) => parameters[side] === undefined)
  if (missing.length === sides.length) return undefined
  const [west = NaN, south = NaN, east = NaN, north = NaN] = sides.map((side) => parameters[side])
  const [first] = missing
  if (first !== undefined)
    throw invalidParameter(first, `a box needs all four sides, ${first} is missing`)
  if (west >= east) throw invalidParameter('bboxMinLon', 'bboxMinLon must be less than bboxMaxLon')
  if (south >= north)
    throw invalidParameter('bboxMinLat', 'bboxMinLat must be less than bboxMaxLat')
  return [west, south, east, north]
}

// `filterDistributions`: of the parts that a record lists, only those that its facets ask for.

/** Wanted values of parts: in each group one of them has to be there, in every group or in one. */
export type Narrowing = {
  readonly groups: readonly Group[]
  readonly operator: 'AND' | 'OR'
  /** What is left of a record in the end; absent = all of it. */
  readonly include?: readonly string[]
}

type Group = {
  /** Member that lists the parts, and the path of the value inside of each. */
  readonly array: string
  readonly value: string
  readonly values: readonly string[]
}

/** `undefined` when no facet of parts is asked for, or the parts are not shown. */
export function narrowingOf(
  filter: FacetFilter | undefined,
  settings: readonly IndexSettings[],
  include?: readonly string[],
): Narrowing | undefined {
  const places = new Map(
    settings.flatMap(({ facets }) => facets.map(({ id, within }) => [id, within] as const)),
  )
  const groups = (filter?.groups ?? []).flatMap(({ facet, values }): readonly Group[] => {
    const within = places.get(facet)
    return within && shows(within.array, include) ? [{ ...within, values }] : []
  })
  if (groups.length === 0 || !filter) return undefined
  return { groups, operator: filter.groupOperator, ...(include && { include }) }
}

const shows = (array: string, include?: readonly string[]): boolean =>
  include?.some((path) => path === array || path.startsWith(`${array}.`)) ?? true

/** The paths to read so that the parts can be told apart. */
export const narrowedInclude = ({ include, groups }: Narrowing): readonly string[] | undefined =>
  include && [...include, ...groups.map(({ array, value }) => `${array}.${value}`)]

/** JSON text of a record with the parts that are wanted. */
export function narrowed(text: string, { groups, operator, include }: Narrowing): string {
  const record: unknown = JSON.parse(text)
  if (!isJsonObject(record)) return text
  const kept = Object.fromEntries(
    Object.entries(record).map(([name, value]) => {
      const own = groups.filter(({ array }) => array === name)
      if (own.length === 0 || !Array.isArray(value)) return [name, value]
      const holds = (part: unknown) => (group: Group) =>
        group.values.some((wanted) => valuesAt(part, group.value.split('.')).includes(wanted))
      const fits = (part: unknown) =>
        operator === 'AND' ? own.every(holds(part)) : own.some(holds(part))
      return [name, value.filter(fits)]
    }),
  )
  return JSON.stringify(include ? includeFields(kept, include) : kept)
}

function valuesAt(value: unknown, path: readonly string[]): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((one: unknown) => valuesAt(one, path))
  const [step, ...rest] = path
  if (step === undefined) return isScalar(value) ? [String(value)] : []
  return isJsonObject(value) && Object.hasOwn(value, step) ? valuesAt(value[step], rest) : []
}

const isScalar = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value)
