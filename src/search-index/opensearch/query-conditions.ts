/** Conditions in the query language of OpenSearch, simplified while they are built; and those of the filter of a request. */

import { z } from 'zod'
import type { IndexSettings } from '../index-settings.ts'
import type { Leaf, QueryTree } from '../query-tree.ts'
import type { Box, FacetFilter, Filter } from '../search-index.ts'
import { boxPlaces, fieldPaths, storedValue } from './cluster-layout.ts'

/** Query of OpenSearch that filters. */
export type ClusterQuery = Readonly<Record<string, unknown>>

/** Query that every document meets. */
export const everything: ClusterQuery = { match_all: {} }
/** Query that our documents meet, and those that others wrote into an index do not; it costs nothing where there are none. */
export const records: ClusterQuery = { exists: { field: 'i' } }
/** Query that no document meets. */
export const nothing: ClusterQuery = { match_none: {} }

const isEverything = (query: ClusterQuery) => 'match_all' in query
/** Whether certainly no document meets a query. */
export const isNothing = (query: ClusterQuery): boolean => 'match_none' in query

/** Conjunction; `everything` without parts. */
export function allOf(parts: readonly ClusterQuery[]): ClusterQuery {
  if (parts.some(isNothing)) return nothing
  const [first, ...others] = parts.filter((part) => !isEverything(part))
  if (!first) return everything
  return others.length === 0 ? first : { bool: { filter: [first, ...others] } }
}

/** Disjunction; `nothing` without parts. Values in one field are one clause, because the number of clauses is limited. */
export function anyOf(parts: readonly ClusterQuery[]): ClusterQuery {
  if (parts.some(isEverything)) return everything
  const [first, ...others] = withJoinedValues(parts.filter((part) => !isNothing(part)))
  if (!first) return nothing
  if (others.length === 0) return first
  return { bool: { should: [first, ...others], minimum_should_match: 1 } }
}

function withJoinedValues(parts: readonly ClusterQuery[]): readonly ClusterQuery[] {
  const values = new Map<string, string[]>()
  const rest: ClusterQuery[] = []
  for (const part of parts) {
    const valuesOfPart = valuesIn(part)
    if (!valuesOfPart) rest.push(part)
    for (const [path, some] of valuesOfPart ?? [])
      values.set(path, [...(values.get(path) ?? []), ...some])
  }
  return [...[...values].map(([path, some]) => oneOf(path, some)), ...rest]
}

const valuesShape = z.union([
  z.strictObject({
    term: z.record(
      z.string(),
      z.string().transform((value) => [value]),
    ),
  }),
  z.strictObject({ terms: z.record(z.string(), z.array(z.string())) }),
])

/** Values by path of a condition that a field has one of them; `undefined` for other conditions. */
function valuesIn(query: ClusterQuery) {
  const found = valuesShape.safeParse(query).data
  return found && Object.entries('term' in found ? found.term : found.terms)
}

const noneOf = (part: ClusterQuery): ClusterQuery =>
  isNothing(part) ? everything : isEverything(part) ? nothing : { bool: { must_not: [part] } }

/** Condition that a field has one of some values. */
export function oneOf(path: string, values: readonly string[]): ClusterQuery {
  const distinct = [...new Set(values)]
  const [first] = distinct
  if (first === undefined) return nothing
  return distinct.length === 1 ? { term: { [path]: first } } : { terms: { [path]: distinct } }
}

type Bounds = { readonly from?: number; readonly to?: number }

/** Condition of a filter; `nothing` for an index that lacks a field, facet or flag of the filter. */
export function clusterFilter(filter: Filter, settings: IndexSettings): ClusterQuery {
  const { date, numbers = [], flags = [], box, facets, after } = filter
  return allOf([
    facets ? facetsQuery(facets, settings) : everything,
    ...flags.map((name) =>
      settings.flags.includes(name) ? { term: { [fieldPaths.flag(name)]: 1 } } : nothing,
    ),
    ...numbers.map((range) => rangeQuery(range.name, range, { ...settings, dates: [] })),
    date ? rangeQuery(date.name, date, { ...settings, numbers: [] }) : everything,
    box ? (settings.boxes ? boxQuery(box) : nothing) : everything,
    after === undefined ? everything : { range: { i: { gt: after } } },
  ])
}

/** Bound of a date that fits into a `long`; no date is beyond it. */
const clamped = (bound: number): number => Math.max(-beyondDates, Math.min(beyondDates, bound))
const beyondDates = 9e15

/** Condition that a date or number is between inclusive bounds. */
function rangeQuery(
  name: string,
  { from, to }: Bounds,
  { dates, numbers }: Pick<IndexSettings, 'dates' | 'numbers'>,
): ClusterQuery {
  if ([from, to].some(Number.isNaN)) return nothing
  const isDate = dates.includes(name)
  if (!isDate && !numbers.includes(name)) return nothing
  const path = isDate ? fieldPaths.date(name) : fieldPaths.number(name)
  const finite = (bound: number | undefined) =>
    bound !== undefined && Math.abs(bound) !== Infinity ? bound : undefined
  const [low, high] = [finite(from), finite(to)]
  if (low === undefined && high === undefined) return { exists: { field: path } }
  if (!isDate)
    return low !== undefined && high !== undefined && low > high
      ? nothing
      : { range: { [path]: { gte: low, lte: high } } }
  const [gte, lte] = [
    low === undefined ? low : Math.ceil(clamped(low)),
    high === undefined ? high : Math.floor(clamped(high)),
  ]
  // A period that has both bounds of a reversed range overlaps with it.
  return gte !== undefined && lte !== undefined && gte > lte
    ? { range: { [path]: { gte: lte, lte: gte, relation: 'contains' } } }
    : { range: { [path]: { gte, lte, relation: 'intersects' } } }
}

/** Condition that a box intersects one of the boxes of a document, including borders. */
function boxQuery([west, south, east, north]: Box): ClusterQuery {
  if (south > north || [west, south, east, north].some(Number.isNaN)) return nothing
  const meets = (path: string, gte: number | undefined, lte: number | undefined) => ({
    range: { [path]: { gte, lte, relation: 'intersects' } },
  })
  return anyOf(
    boxPlaces.map((place) => {
      const [x, y] = [`bx${place}`, `by${place}`]
      const widths =
        west > east
          ? anyOf([meets(x, undefined, east), meets(x, west, undefined)])
          : meets(x, west, east)
      return allOf([widths, meets(y, south, north)])
    }),
  )
}

const hasFacet = (facet: string, { facets }: IndexSettings) => facets.some(({ id }) => id === facet)

/** Condition of a facet filter. Groups without values are ignored. */
function facetsQuery(filter: FacetFilter, settings: IndexSettings): ClusterQuery {
  const groups = filter.groups.filter((group) => group.values.length > 0)
  if (groups.length === 0) return everything
  const parts = groups.map(({ facet, values }) => {
    if (!hasFacet(facet, settings)) return nothing
    const kept = [...new Set(values)].map((value) => storedValue(facet, value))
    const path = fieldPaths.facet(facet)
    return filter.operator === 'AND'
      ? allOf(kept.map((value) => oneOf(path, [value])))
      : oneOf(path, kept)
  })
  return filter.groupOperator === 'AND' ? allOf(parts) : anyOf(parts)
}

/** Condition of a query tree; `leaf` returns those of its words, phrases and wildcards. */
export function treeQuery(
  tree: QueryTree,
  settings: IndexSettings,
  leaf: (leaf: Leaf) => ClusterQuery,
): ClusterQuery {
  const inner = (part: QueryTree) => treeQuery(part, settings, leaf)
  switch (tree.kind) {
    case 'all':
      return everything
    case 'none':
      return nothing
    case 'and':
      return allOf(tree.operands.map(inner))
    case 'or':
      return anyOf(tree.operands.map(inner))
    case 'not':
      return noneOf(inner(tree.operand))
    case 'range':
      return rangeQuery(tree.name, tree, settings)
    case 'value':
      return hasFacet(tree.facet, settings)
        ? oneOf(fieldPaths.facet(tree.facet), [storedValue(tree.facet, tree.value)])
        : nothing
    default:
      return leaf(tree)
  }
}
