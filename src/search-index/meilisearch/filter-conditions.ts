/** The filter of a request, and a whole query tree, as conditions. */

import type { IndexSettings } from '../index-settings.ts'
import type { Leaf, QueryTree } from '../query-tree.ts'
import type { Box, FacetFilter, Filter } from '../search-index.ts'
import {
  attributes,
  boxOf,
  codesOf,
  facetCode,
  numberOf,
  ordered,
  periodOf,
  places,
} from './attributes.ts'
import { all, and, type Condition, is, none, not, or, quoted } from './condition.ts'

type Bounds = { readonly from?: number; readonly to?: number }

/** An index that has no such field, facet or flag has nothing that fits. */
export function filterCondition(filter: Filter, settings: IndexSettings): Condition {
  const { date, numbers = [], flags = [], box, facets, after } = filter
  return and([
    facets ? facetsCondition(facets, settings) : all,
    ...flags.map((name) => (settings.flags.includes(name) ? is(`${numberOf(name)} = 1`) : none)),
    ...numbers.map((range) =>
      settings.numbers.includes(range.name) ? isBetween(range.name, range) : none,
    ),
    date ? (settings.dates.includes(date.name) ? overlaps(date.name, date) : none) : all,
    box ? (settings.boxes ? meets(box) : none) : all,
    after === undefined ? all : isBehind(after),
  ])
}

/** Ids that come later. */
export const isBehind = (id: string): Condition =>
  is(`${attributes.orderedId} > ${quoted(ordered(id))}`)

/** Both bounds inclusive; a record without the number does not fit. */
function isBetween(name: string, bounds: Bounds): Condition {
  const attribute = numberOf(name)
  const parts = [
    ...(isBound(bounds.from) ? [is(`${attribute} >= ${bounds.from}`)] : []),
    ...(isBound(bounds.to) ? [is(`${attribute} <= ${bounds.to}`)] : []),
  ]
  return parts.length === 0 ? is(`${attribute} EXISTS`) : and(parts)
}

/** Any period overlaps; both bounds inclusive. */
function overlaps(name: string, { from, to }: Bounds): Condition {
  return or(
    places.map((place) => {
      const period = periodOf(name, place)
      const parts = [
        ...(isBound(to) ? [is(`${period.from} <= ${to}`)] : []),
        ...(isBound(from) ? [is(`${period.to} >= ${from}`)] : []),
      ]
      return parts.length === 0 ? is(`${period.from} EXISTS`) : and(parts)
    }),
  )
}

/** An infinite bound is none. */
const isBound = (bound: number | undefined): bound is number =>
  bound !== undefined && Math.abs(bound) !== Infinity

/** Any box meets the wanted one, borders included. */
function meets([west, south, east, north]: Box): Condition {
  return or(
    places.map((place) => {
      const [w, s, e, n] = boxOf(place)
      const sides = [is(`${w} <= ${east}`), is(`${e} >= ${west}`)]
      return and([
        west > east ? or(sides) : and(sides),
        is(`${s} <= ${north}`),
        is(`${n} >= ${south}`),
      ])
    }),
  )
}

const hasValue = (facet: string, value: string, settings: IndexSettings): Condition =>
  settings.facets.some(({ id }) => id === facet)
    ? is(`${codesOf(facet)} = ${quoted(facetCode(facet, value))}`)
    : none

/** Groups combine by `groupOperator`, the values of one group by `operator`; empty groups ask for nothing. */
function facetsCondition(filter: FacetFilter, settings: IndexSettings): Condition {
  const groups = filter.groups.filter((group) => group.values.length > 0)
  if (groups.length === 0) return all
  const parts = groups.map(({ facet, values }) => {
    const each = [...new Set(values)]
    if (filter.operator === 'AND') return and(each.map((one) => hasValue(facet, one, settings)))
    if (!settings.facets.some(({ id }) => id === facet)) return none
    const codes = each.map((value) => quoted(facetCode(facet, value))).join(', ')
    return is(`${codesOf(facet)} IN [${codes}]`)
  })
  return filter.groupOperator === 'AND' ? and(parts) : or(parts)
}

/** `leaf` answers for words, phrases and wildcards. */
export function treeCondition(
  tree: QueryTree,
  settings: IndexSettings,
  leaf: (leaf: Leaf) => Condition,
): Condition {
  const inner = (part: QueryTree) => treeCondition(part, settings, leaf)
  switch (tree.kind) {
    case 'all':
      return all
    case 'none':
      return none
    case 'and':
      return and(tree.of.map(inner))
    case 'or':
      return or(tree.of.map(inner))
    case 'not':
      return not(inner(tree.of))
    case 'range':
      return settings.dates.includes(tree.name)
        ? overlaps(tree.name, tree)
        : settings.numbers.includes(tree.name)
          ? isBetween(tree.name, tree)
          : none
    case 'value':
      return hasValue(tree.facet, tree.value, settings)
    default:
      return leaf(tree)
  }
}
