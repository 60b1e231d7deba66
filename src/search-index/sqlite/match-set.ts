/**
 * Match set of a query: FTS5 finds the records of its leaves; operators and filters are computed with bitmaps and columns. Functions
 * named `keep…` remove the records that do not fit from a set and return that set; `keepFacets` may return another one.
 */

import type { Leaf, QueryTree } from '../query-tree.ts'
import { rankingUnits, rarityOf, rarityOfMost } from '../scoring.ts'
import type { Box, FacetFilter, Filter } from '../search-index.ts'
import {
  add,
  bitmapOf,
  intersect,
  membersOf,
  sizeOf,
  subtract,
  unite,
  type Bitmap,
} from './bitmap.ts'
import type { Columns, Periods } from './columns.ts'
import type { FacetDictionary } from './facet-counts.ts'
import type { FullText } from './full-text.ts'
import type { Phrases } from './leaf-phrases.ts'
import type { GenerationView } from './view.ts'

/** Generation and dictionaries in which the leaves and facet values of a tree are looked up. */
export type MatchContext = {
  readonly view: GenerationView
  readonly fullText: FullText
  readonly facets: FacetDictionary
  /** Phrases of a leaf; `undefined` if it can match nothing. */
  readonly phrases: (leaf: Leaf) => Phrases | undefined
}

/** Numbers of the live records that match a tree, as a new set. */
export function matchSetOf(tree: QueryTree, context: MatchContext): Bitmap {
  const { view } = context
  const none = () => bitmapOf(view.columns.size)
  const inner = (part: QueryTree) => matchSetOf(part, context)
  switch (tree.kind) {
    case 'all':
      return view.live.slice()
    case 'none':
      return none()
    case 'and':
      return tree.operands.map(inner).reduce(intersect, view.live.slice())
    case 'or':
      return tree.operands.map(inner).reduce(unite, none())
    case 'not':
      return subtract(view.live.slice(), inner(tree.operand))
    case 'range':
      return inRange(tree, view) ?? none()
    case 'value': {
      const hasFacet = view.generation.settings.facets.some((facet) => facet.id === tree.facet)
      const o = hasFacet ? context.facets.find(tree.facet, tree.value) : undefined
      if (o === undefined) return none()
      return keepWithValues(view.live.slice(), view, { ords: [o], mustHaveAll: false })
    }
    default: {
      const phrases = context.phrases(tree)
      return phrases ? context.fullText.matchAny(view, phrases.expressions) : none()
    }
  }
}

/** Records of a set that have most of the words of a tree (`SearchRequest.words`), as a new set. */
export function withMostWords(set: Bitmap, tree: QueryTree, context: MatchContext): Bitmap {
  const { view, fullText, phrases } = context
  const units = rankingUnits(tree).map((unit) => [unit, phrases(unit)] as const)
  const distinct = new Map(units.map(([unit, found]) => [JSON.stringify(found ?? unit), found]))
  const sums = new Float64Array(view.columns.size)
  const rarities = [...distinct.values()].map((found) => {
    const records = fullText.matchAny(view, found?.expressions ?? [])
    const rarity = rarityOf(view.count, sizeOf(records))
    for (const n of membersOf(intersect(records, set))) sums[n] = (sums[n] ?? 0) + rarity
    return rarity
  })
  const least = rarityOfMost(rarities)
  return keep(set.slice(), (n) => (sums[n] ?? 0) >= least)
}

/** Records with a date or number in the range; `undefined` if the index has no such field. */
function inRange(
  range: Extract<QueryTree, { readonly kind: 'range' }>,
  { live, columns, generation: { settings } }: GenerationView,
): Bitmap | undefined {
  const periods = columns.dates[settings.dates.indexOf(range.name)]
  if (periods) return keepPeriods(live.slice(), periods, range)
  const numbers = columns.numbers[settings.numbers.indexOf(range.name)]
  return numbers && keepNumbers(live.slice(), numbers, range)
}

type Bounds = { readonly from?: number; readonly to?: number }

/** Removes the records that do not meet the filter; all of them if the index lacks a field, facet or flag of the filter. */
export function keepFiltered(
  set: Bitmap,
  filter: Filter,
  view: GenerationView,
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
  if (filter.after !== undefined) intersect(set, view.withIdsAfter(filter.after))
  return filter.facets ? keepFacets(set, filter.facets, view, facets) : set
}

function keep(set: Bitmap, test: (n: number) => boolean): Bitmap {
  for (let i = 0; i < set.length; i++) {
    let matches = 0
    for (let word = set[i] ?? 0; word !== 0; word &= word - 1) {
      const bit = word & -word
      if (test((i << 5) + (31 - Math.clz32(bit)))) matches |= bit
    }
    set[i] = matches
  }
  return set
}

/** Keeps records of which a period overlaps; bounds are inclusive. */
function keepPeriods(set: Bitmap, periods: Periods | undefined, bounds: Bounds): Bitmap {
  if (!periods) return set.fill(0)
  const { from = -Infinity, to = Infinity } = bounds
  return keep(
    set,
    (n) =>
      ((periods.from[n] ?? Number.NaN) <= to && (periods.to[n] ?? Number.NaN) >= from) ||
      (periods.furtherPeriods.get(n)?.some((period) => period[0] <= to && period[1] >= from) ??
        false),
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

/** Keeps records of which a box intersects `box`, including borders. */
function keepBoxes(set: Bitmap, columns: Columns, box: Box | undefined): Bitmap {
  if (!box) return set.fill(0)
  const [west, south, east, north] = box
  const meetsSides = (from: number, to: number) =>
    west > east ? from <= east || to >= west : from <= east && to >= west
  const meets = (boxes: Float64Array, at: number) =>
    meetsSides(boxes[at] ?? Number.NaN, boxes[at + 2] ?? Number.NaN) &&
    (boxes[at + 1] ?? Number.NaN) <= north &&
    (boxes[at + 3] ?? Number.NaN) >= south
  return keep(set, (n) => {
    if (meets(columns.boxes, n * 4)) return true
    const furtherBoxes = columns.furtherBoxes.get(n) ?? noBoxes
    for (let at = 0; at < furtherBoxes.length; at += 4) if (meets(furtherBoxes, at)) return true
    return false
  })
}

/** Keeps records that meet a facet filter. Groups without values are ignored. */
function keepFacets(
  set: Bitmap,
  filter: FacetFilter,
  view: GenerationView,
  facets: FacetDictionary,
): Bitmap {
  const groups = filter.groups.filter((group) => group.values.length > 0)
  if (groups.length === 0) return set
  const facetIds = new Set(view.generation.settings.facets.map((facet) => facet.id))
  const matches = groups.map(({ facet, values }) => {
    const numbers = [...new Set(values)].map((value) => facets.find(facet, value))
    const ords = numbers.filter((o) => o !== undefined)
    const mustHaveAll = filter.operator === 'AND'
    const isImpossible = !facetIds.has(facet) || (mustHaveAll && ords.length < numbers.length)
    return keepWithValues(set.slice(), view, { ords: isImpossible ? [] : ords, mustHaveAll })
  })
  return matches.reduce(filter.groupOperator === 'AND' ? intersect : unite)
}

/** Facet values by number, of which a record must have all, or any. */
type RequiredValues = { readonly ords: readonly number[]; readonly mustHaveAll: boolean }

/** A set smaller than 1/8 of the index is tested record by record; else the result for the whole index is computed and cached. */
const scanDivisor = 8

/** Keeps records with any, or all, of some facet values. A record has a value at most once. */
function keepWithValues(
  set: Bitmap,
  { columns, sets }: GenerationView,
  required: RequiredValues,
): Bitmap {
  if (required.ords.length === 0) return set.fill(0)
  const hasValues = valueTest(columns, required)
  const key = `${required.mustHaveAll}:${required.ords.toSorted((a, b) => a - b).join()}`
  if (!sets.has(key) && sizeOf(set) * scanDivisor < columns.size) return keep(set, hasValues)
  const matching = sets.getOrExtend(key, columns.size, (numbers, from) => {
    for (let n = from; n < columns.size; n++) if (hasValues(n)) add(numbers, n)
  })
  return intersect(set, matching)
}

function valueTest(
  { starts, ends, ords }: Columns,
  { ords: requiredOrds, mustHaveAll }: RequiredValues,
) {
  const marks = new Uint8Array(Math.max(...requiredOrds) + 1)
  for (const o of requiredOrds) marks[o] = 1
  const needed = mustHaveAll ? requiredOrds.length : 1
  return (n: number): boolean => {
    let missing = needed
    const end = ends[n] ?? 0
    for (let at = starts[n] ?? 0; at < end && missing > 0; at++) {
      // Reading beyond the end of a typed array is many times slower than this comparison.
      const o = ords[at] ?? 0
      if (o < marks.length) missing -= marks[o] ?? 0
    }
    return missing === 0
  }
}
