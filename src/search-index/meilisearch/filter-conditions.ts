/** Translation of the filter of a request, and of a query tree, to conditions. */

import type { IndexSettings } from '../index-settings.ts'
import type { Leaf, QueryTree } from '../query-tree.ts'
import { facetCode } from '../remote/names.ts'
import type { Box, FacetFilter, Filter } from '../search-index.ts'
import {
  attributes,
  boxAttributes,
  facetAttribute,
  numberAttribute,
  periodAttributes,
  slots,
  sortableText,
} from './attributes.ts'
import {
  and,
  comparison,
  type Condition,
  everyDocument,
  noDocument,
  not,
  or,
  quoted,
} from './condition.ts'

type Bounds = { readonly from?: number; readonly to?: number }

/** Condition of a filter; `noDocument` for an index that lacks a field, facet or flag of the filter. */
export function filterCondition(filter: Filter, settings: IndexSettings): Condition {
  const { date, numbers = [], flags = [], box, facets, after } = filter
  return and([
    facets ? facetsCondition(facets, settings) : everyDocument,
    ...flags.map((name) =>
      settings.flags.includes(name) ? comparison(`${numberAttribute(name)} = 1`) : noDocument,
    ),
    ...numbers.map((range) =>
      settings.numbers.includes(range.name) && !hasNaN([range.from, range.to])
        ? between(range.name, range)
        : noDocument,
    ),
    date
      ? settings.dates.includes(date.name) && !hasNaN([date.from, date.to])
        ? overlaps(date.name, date)
        : noDocument
      : everyDocument,
    box ? (settings.boxes && !hasNaN(box) ? intersects(box) : noDocument) : everyDocument,
    after === undefined ? everyDocument : idAfter(after),
  ])
}

/** Number as the server reads it: without the `+` of an exponent. */
const numeral = (value: number): string => String(value).replace('+', '')

/** Whether a bound is no number: nothing is between such bounds, and the server refuses them. */
const hasNaN = (bounds: readonly (number | undefined)[]): boolean => bounds.some(Number.isNaN)

/** Condition that the id is greater, in the order of code points. */
export const idAfter = (id: string): Condition =>
  comparison(`${attributes.orderedId} > ${quoted(sortableText(id))}`)

/** Condition that a document has one of some numbers. */
export const hasNumberAmong = (numbers: readonly number[]): Condition =>
  numbers.length === 0 ? noDocument : comparison(`${attributes.number} IN [${numbers.join(', ')}]`)

/** Condition that a number exists and is between inclusive bounds. */
function between(name: string, bounds: Bounds): Condition {
  const attribute = numberAttribute(name)
  const parts = [
    ...(isBound(bounds.from) ? [comparison(`${attribute} >= ${numeral(bounds.from)}`)] : []),
    ...(isBound(bounds.to) ? [comparison(`${attribute} <= ${numeral(bounds.to)}`)] : []),
  ]
  return parts.length === 0 ? comparison(`${attribute} EXISTS`) : and(parts)
}

/** Condition that one of the periods overlaps; bounds are inclusive. */
function overlaps(name: string, { from, to }: Bounds): Condition {
  return or(
    slots.map((slot) => {
      const period = periodAttributes(name, slot)
      const parts = [
        ...(isBound(to) ? [comparison(`${period.from} <= ${numeral(to)}`)] : []),
        ...(isBound(from) ? [comparison(`${period.to} >= ${numeral(from)}`)] : []),
      ]
      return parts.length === 0 ? comparison(`${period.from} EXISTS`) : and(parts)
    }),
  )
}

/** Whether a bound is set and finite. */
const isBound = (bound: number | undefined): bound is number =>
  bound !== undefined && Math.abs(bound) !== Infinity

/** Condition that one of the boxes intersects a box, including borders. */
function intersects([west, south, east, north]: Box): Condition {
  return or(
    slots.map((slot) => {
      const [w, s, e, n] = boxAttributes(slot)
      const sides = [comparison(`${w} <= ${numeral(east)}`), comparison(`${e} >= ${numeral(west)}`)]
      return and([
        west > east ? or(sides) : and(sides),
        comparison(`${s} <= ${numeral(north)}`),
        comparison(`${n} >= ${numeral(south)}`),
      ])
    }),
  )
}

const hasValue = (facet: string, value: string, settings: IndexSettings): Condition =>
  settings.facets.some(({ id }) => id === facet)
    ? comparison(`${facetAttribute(facet)} = ${quoted(facetCode(facet, value))}`)
    : noDocument

/** Condition of a facet filter. Groups without values are ignored. */
function facetsCondition(filter: FacetFilter, settings: IndexSettings): Condition {
  const groups = filter.groups.filter((group) => group.values.length > 0)
  if (groups.length === 0) return everyDocument
  const parts = groups.map(({ facet, values }) => {
    const distinct = [...new Set(values)]
    if (filter.operator === 'AND')
      return and(distinct.map((value) => hasValue(facet, value, settings)))
    if (!settings.facets.some(({ id }) => id === facet)) return noDocument
    const codes = distinct.map((value) => quoted(facetCode(facet, value))).join(', ')
    return comparison(`${facetAttribute(facet)} IN [${codes}]`)
  })
  return filter.groupOperator === 'AND' ? and(parts) : or(parts)
}

/** Condition of a query tree; `leaf` returns those of its words, phrases and wildcards. */
export function treeCondition(
  tree: QueryTree,
  settings: IndexSettings,
  leafCondition: (leaf: Leaf) => Condition,
): Condition {
  const inner = (part: QueryTree) => treeCondition(part, settings, leafCondition)
  switch (tree.kind) {
    case 'all':
      return everyDocument
    case 'none':
      return noDocument
    case 'and':
      return and(tree.operands.map(inner))
    case 'or':
      return or(tree.operands.map(inner))
    case 'not':
      return not(inner(tree.operand))
    case 'range':
      return settings.dates.includes(tree.name)
        ? overlaps(tree.name, tree)
        : settings.numbers.includes(tree.name)
          ? between(tree.name, tree)
          : noDocument
    case 'value':
      return hasValue(tree.facet, tree.value, settings)
    default:
      return leafCondition(tree)
  }
}
