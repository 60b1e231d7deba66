/** Filters of a search besides `q`: facets, dates, scores, flags, the box. */

import { z } from 'zod'
import { invalidParameter } from '../../errors.ts'
import { includeFields } from '../../search-index/include.ts'
import type { IndexSettings } from '../../search-index/index-settings.ts'
import type { Box, FacetFilter, Filter } from '../../search-index/search-index.ts'
import { isJsonObject } from '../../text/json.ts'
import { spanIn } from '../query/instants.ts'
import { boxOnGlobe } from '../../vocabularies/geometry.ts'
import type { DateType, Parameters } from './search-parameters.ts'

/**
 * Makes the filter. `names` has the score field, the default date field and the time zone of days. Throws `invalid-parameter`.
 */
export function filterOf(
  parameters: Parameters,
  names: { readonly score: string; readonly date: DateType; readonly zone?: string | undefined },
): Filter {
  const { minDate, maxDate, dateType, minScoring: from, maxScoring: to } = parameters
  if (minDate && maxDate && minDate.from > maxDate.to)
    throw invalidParameter('minDate', 'minDate must not be after maxDate')
  if (from !== undefined && to !== undefined && from > to)
    throw invalidParameter('minScoring', 'minScoring must not be greater than maxScoring')
  const facets = facetFilter(parameters)
  const date = {
    name: dateType ?? names.date,
    ...(minDate && { from: spanIn(minDate, names.zone).from }),
    ...(maxDate && { to: spanIn(maxDate, names.zone).to }),
  }
  // Portals send minScoring=0 for "any score or none".
  const isScored = to !== undefined || (from !== undefined && from > 0)
  const lowerBound = from === undefined ? {} : { from }
  const number = { name: names.score, ...lowerBound, to }
  const box = boxOf(parameters)
  const flags = (['countryData', 'dataServices'] as const).filter((name) => parameters[name])
  return {
    facets,
    ...((minDate ?? maxDate) && { date }),
    ...(isScored && { numbers: [number] }),
    ...(flags.length > 0 && { flags }),
    box,
  }
}

/** Makes the filter of facets. Groups without values are ignored; an unknown facet with values matches nothing. */
function facetFilter(parameters: Parameters): FacetFilter | undefined {
  const { facets = {}, superCatalogue, facetOperator, facetGroupOperator } = parameters
  const valuesByFacet = new Map(Object.entries(facets))
  if (superCatalogue !== undefined)
    valuesByFacet.set('superCatalog', [
      ...(valuesByFacet.get('superCatalog') ?? []),
      superCatalogue,
    ])
  const groups = [...valuesByFacet]
    .filter(([, values]) => values.length > 0)
    .map(([facet, values]) => ({ facet, values: [...new Set(values)] }))
  if (groups.length === 0) return undefined
  return { groups, operator: facetOperator ?? 'OR', groupOperator: facetGroupOperator ?? 'AND' }
}

const sides = ['bboxMinLon', 'bboxMinLat', 'bboxMaxLon', 'bboxMaxLat'] as const

function boxOf(parameters: Parameters): Box | undefined {
  const [first, ...missing] = sides.filter((side) => parameters[side] === undefined)
  if (missing.length === sides.length - 1) return undefined
  if (first !== undefined)
    throw invalidParameter(first, `a box needs all four sides, ${first} is missing`)
  const [west = NaN, south = NaN, east = NaN, north = NaN] = sides.map((side) => parameters[side])
  if (west === east || (west > east && west - east < 180))
    throw invalidParameter('bboxMinLon', 'bboxMinLon must be less than bboxMaxLon')
  if (south >= north)
    throw invalidParameter('bboxMinLat', 'bboxMinLat must be less than bboxMaxLat')
  return boxOnGlobe([west, south, east, north])
}

// `filterDistributions`: keeps only the parts of a record that match the requested facets.

const texts = z.array(z.string()).readonly()

/**
 * Required values of parts: one of each group has to be present, in every group or in one. `array` is the member with the parts,
 * `value` the path inside each. `include`: the members of the record to return; absent = all.
 */
export const partFilterSchema = z.object({
  groups: z.array(z.object({ array: z.string(), value: z.string(), values: texts })).readonly(),
  operator: z.enum(['AND', 'OR']),
  include: texts.optional(),
})

/** Parsed `partFilterSchema`, which cursors store as JSON. */
export type PartFilter = Readonly<z.output<typeof partFilterSchema>>

/** Returns the filter of parts of a request; `undefined` when no facet of parts is requested, or the parts are not shown. */
export function partFilterOf(
  filter: FacetFilter | undefined,
  settings: readonly IndexSettings[],
  include?: readonly string[],
): PartFilter | undefined {
  const isShown = (array: string) =>
    include?.some((path) => path === array || path.startsWith(`${array}.`)) ?? true
  const facets = settings.flatMap(({ facets }) => facets)
  const groups = (filter?.groups ?? []).flatMap(({ facet, values }) => {
    const location = facets.findLast(({ id }) => id === facet)?.within
    return location && isShown(location.array) ? [{ ...location, values }] : []
  })
  if (groups.length === 0 || !filter) return undefined
  return { groups, operator: filter.groupOperator, include }
}

/** Returns the paths that have to be read to filter the parts. */
export const pathsToRead = ({ include, groups }: PartFilter): readonly string[] | undefined =>
  include && [...include, ...groups.map(({ array, value }) => `${array}.${value}`)]

/** Returns the JSON text of a record with the matching parts. */
export function keepMatchingParts(text: string, { groups, operator, include }: PartFilter): string {
  const record: unknown = JSON.parse(text)
  if (!isJsonObject(record)) return text
  const entries = Object.entries(record).map(([name, value]) => {
    const groupsOfMember = groups.filter(({ array }) => array === name)
    if (groupsOfMember.length === 0 || !Array.isArray(value)) return [name, value]
    const parts = value.filter((part: unknown) => {
      const results = groupsOfMember.map((group) => {
        const values = valuesAt(part, group.value.split('.'))
        return group.values.some((value) => values.includes(value))
      })
      return operator === 'AND' ? !results.includes(false) : results.includes(true)
    })
    return [name, parts]
  })
  const filtered: Record<string, unknown> = Object.fromEntries(entries)
  return JSON.stringify(include ? includeFields(filtered, include) : filtered)
}

/** Returns the scalar values at a path, through arrays. */
function valuesAt(value: unknown, path: readonly string[]): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => valuesAt(item, path))
  const [step, ...deeperPath] = path
  if (step !== undefined)
    return isJsonObject(value) && Object.hasOwn(value, step)
      ? valuesAt(value[step], deeperPath)
      : []
  return ['string', 'number', 'boolean'].includes(typeof value) ? [String(value)] : []
}
