/**
 * The match set of a query: leaves of its tree are answered by FTS5, and what joins and filters them by sets of bits and the columns.
 * Each `keep…` narrows a set to what fits and answers the same set.
 */

import type { Leaf, QueryTree } from '../query-tree.ts'
import type { Box, FacetFilter, Filter } from '../search-index.ts'
import { add, bitmapOf, intersect, sizeOf, subtract, unite, type Bitmap } from './bitmap.ts'
import type { Columns, Periods } from './columns.ts'
import type { FacetDictionary } from './facet-counts.ts'
import type { FullText } from './full-text.ts'
import type { Phrases } from './leaf-phrases.ts'
import type { View } from './view.ts'

/** Where leaves and facet values of a tree are looked up. */
export type MatchContext = {
  readonly view: View
  readonly fullText: FullText
  readonly facets: FacetDictionary
  /** `undefined` for a leaf that can match nothing. */
  readonly phrases: (leaf: Leaf) => Phrases | undefined
}

/** A fresh set of living record numbers. */
export function matchSet(tree: QueryTree, context: MatchContext): Bitmap {
  const { view } = context
  const none = () => bitmapOf(view.columns.size)
  const inner = (part: QueryTree) => matchSet(part, context)
  switch (tree.kind) {
    case 'all':
      return view.live.slice()
    case 'none':
      return none()
    case 'and':
      return tree.of.map(inner).reduce(intersect, view.live.slice())
    case 'or':
      return tree.of.map(inner).reduce(unite, none())
    case 'not':
      return subtract(view.live.slice(), inner(tree.of))
    case 'range':
      return inRange(tree, view) ?? none()
    case 'value': {
      const known = view.generation.settings.facets.some((facet) => facet.id === tree.facet)
      const o = known ? context.facets.find(tree.facet, tree.value) : undefined
      if (o === undefined) return none()
      return keepMarked(view.live.slice(), view, { ords: [o], all: false })
    }
    default: {
      const phrases = context.phrases(tree)
      return phrases ? context.fullText.match(view, phrases.text) : none()
    }
  }
}

/** A name is a date, a number or nothing of this index. */
function inRange(
  range: Extract<QueryTree, { readonly kind: 'range' }>,
  { live, columns, generation: { settings } }: View,
): Bitmap | undefined {
  const periods = columns.dates[settings.dates.indexOf(range.name)]
  if (periods) return keepPeriods(live.slice(), periods, range)
  const numbers = columns.numbers[settings.numbers.indexOf(range.name)]
  return numbers && keepNumbers(live.slice(), numbers, range)
}

type Bounds = { readonly from?: number; readonly to?: number }

/** An index that has no such field, facet or flag keeps nothing. */
export function keepFiltered(
  set: Bitmap,
  filter: Filter,
  view: View,
  facets: FacetDictionary,
): Bitmap {
  const { columns } = view
  const { settings } = view.generation
  if (filter.date) {
    const periods = columns.dates[settings.dates.indexOf(filter.date.name)]
    keepPeriods(set, periods, filter.date)
  }
  for (const range of filter.numbers ?? []) {
    keepNumbers(set, columns.numbers[settings.numbers.indexOf(range.name)], range)
  }
  for (const name of filter.flags ?? []) {
    const flags = columns.flags[settings.flags.indexOf(name)]
    keep(set, (n) => flags?.[n] === 2)
  }
  if (filter.box) keepBoxes(set, columns, settings.boxes ? filter.box : undefined)
  if (filter.after !== undefined) intersect(set, view.after(filter.after))
  return filter.facets ? keepFacets(set, filter.facets, view, facets) : set
}

function keep(set: Bitmap, fits: (n: number) => boolean): Bitmap {
  for (let i = 0; i < set.length; i++) {
    let kept = 0
    for (let word = set[i] ?? 0; word !== 0; word &= word - 1) {
      const bit = word & -word
      if (fits((i << 5) + (31 - Math.clz32(bit)))) kept |= bit
    }
    set[i] = kept
  }
  return set
}

/** Any period overlaps; both bounds inclusive. */
function keepPeriods(set: Bitmap, periods: Periods | undefined, bounds: Bounds): Bitmap {
  if (!periods) return set.fill(0)
  const { from = -Infinity, to = Infinity } = bounds
  return keep(
    set,
    (n) =>
      ((periods.from[n] ?? Number.NaN) <= to && (periods.to[n] ?? Number.NaN) >= from) ||
      (periods.more.get(n)?.some((period) => period[0] <= to && period[1] >= from) ?? false),
  )
}

function keepNumbers(set: Bitmap, numbers: Float64Array | undefined, bounds: Bounds): Bitmap {
  if (!numbers) return set.fill(0)
  const { from = -Infinity, to = Infinity } = bounds
  return keep(set, (n) => {
    const value = numbers[n] ?? Number.NaN
    return value >= from && value <= to
  })
}

const noBoxes = new Float64Array(0)

/** Any box of the record meets the wanted one, borders included. */
function keepBoxes(set: Bitmap, columns: Columns, wanted: Box | undefined): Bitmap {
  if (!wanted) return set.fill(0)
  const [west, south, east, north] = wanted
  const meetsSides = (from: number, to: number) =>
    west > east ? from <= east || to >= west : from <= east && to >= west
  const meets = (boxes: Float64Array, at: number) =>
    meetsSides(boxes[at] ?? Number.NaN, boxes[at + 2] ?? Number.NaN) &&
    (boxes[at + 1] ?? Number.NaN) <= north &&
    (boxes[at + 3] ?? Number.NaN) >= south
  return keep(set, (n) => {
    if (meets(columns.boxes, n * 4)) return true
    const more = columns.moreBoxes.get(n) ?? noBoxes
    for (let at = 0; at < more.length; at += 4) if (meets(more, at)) return true
    return false
  })
}

/** Groups combine by `groupOperator`, the values of one group by `operator`. */
function keepFacets(set: Bitmap, filter: FacetFilter, view: View, facets: FacetDictionary): Bitmap {
  const groups = filter.groups.filter((group) => group.values.length > 0)
  if (groups.length === 0) return set
  const known = new Set(view.generation.settings.facets.map((facet) => facet.id))
  const kept = groups.map(({ facet, values }) => {
    const found = [...new Set(values)].map((value) => facets.find(facet, value))
    const ords = found.filter((o) => o !== undefined)
    const all = filter.operator === 'AND'
    const hopeless = !known.has(facet) || (all && ords.length < found.length)
    return keepMarked(set.slice(), view, { ords: hopeless ? [] : ords, all })
  })
  return kept.reduce(filter.groupOperator === 'AND' ? intersect : unite)
}

/** Numbers of facet values: a record has any of them, or all. */
type Marks = { readonly ords: readonly number[]; readonly all: boolean }

/** Divisor below which each record is looked at instead of the whole column. */
const fewOf = 8

/** Records with any, or with all, of some facet values; a record has a value at most once. */
function keepMarked(set: Bitmap, { columns, sets }: View, marks: Marks): Bitmap {
  if (marks.ords.length === 0) return set.fill(0)
  const isMarked = markTest(columns, marks)
  const key = `${marks.all}:${marks.ords.toSorted((a, b) => a - b).join()}`
  if (!sets.has(key) && sizeOf(set) * fewOf < columns.size) return keep(set, isMarked)
  const marked = sets.of(key, columns.size, (found, from) => {
    for (let n = from; n < columns.size; n++) if (isMarked(n)) add(found, n)
  })
  return intersect(set, marked)
}

function markTest({ starts, ends, ords }: Columns, { ords: wanted, all }: Marks) {
  const marks = new Uint8Array(Math.max(...wanted) + 1)
  for (const o of wanted) marks[o] = 1
  const needed = all ? wanted.length : 1
  return (n: number): boolean => {
    let missing = needed
    const end = ends[n] ?? 0
    for (let at = starts[n] ?? 0; at < end && missing > 0; at++) {
      // Reading beyond the end of an array is many times slower than the comparison.
      const o = ords[at] ?? 0
      if (o < marks.length) missing -= marks[o] ?? 0
    }
    return missing === 0
  }
}
