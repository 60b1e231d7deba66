/**
 * Order of hits: sort keys as numbers by record, selection of the first records of a set without sorting the rest, and merging of the
 * hits of several indices.
 */

import { compareCodePoints } from '../../text/code-points.ts'
import { type Bitmap, membersOf } from './bitmap.ts'
import { firstOf } from './first-of.ts'
import type { GenerationView, MatchedPart } from './view.ts'
import { sortedText } from '../hit-order.ts'
import type { IndexSettings } from '../index-settings.ts'
import type { OrderKey } from '../search-index.ts'
import type { Columns, Periods } from './columns.ts'

/** The first `count` numbers of a set, sorted by the keys, then by `ties` (position by record number). */
export function topHits(
  set: Bitmap,
  count: number,
  keys: readonly SortKey[],
  ties: Float64Array,
): Uint32Array {
  const compare = (a: number, b: number): number => {
    for (const key of keys) {
      const order = compareValues(key.value(a), key.value(b), key.descending)
      if (order !== 0) return order
    }
    return compareValues(ties[a] ?? Number.NaN, ties[b] ?? Number.NaN, false)
  }
  const [first] = keys
  return firstOf(membersOf(set), count, {
    compare,
    // A quick comparison by the first key decides for most numbers; it is false for missing and equal values.
    isAfter: (n, worst) => {
      if (!first) return false
      const [value, other] = [first.value(n), first.value(worst)]
      return first.descending ? value < other : value > other
    },
  })
}

/** Hits of one index in their order, with their sort keys and scores. */
export type OrderedHits = {
  readonly view: GenerationView
  readonly numbers: Uint32Array
  readonly keys: readonly SortKey[]
  readonly scores: Float32Array | undefined
} & Pick<MatchedPart, 'related' | 'closeness'>

/** Hits of several indices in one order. */
export type MergedHits = {
  readonly lists: readonly OrderedHits[]
  readonly numbers: Uint32Array
  /** Position in `lists` of each hit; absent if there is one list. */
  readonly listIndexes?: Uint16Array
}

/** Hit of one of several lists, with its value for each sort key, read once. */
type MergeEntry = {
  readonly n: number
  readonly listIndex: number
  readonly values: readonly (number | string | undefined)[]
}

/** Merges lists and returns the first `count` hits. Hits with equal keys are ordered by the name of the index, then as in the list. */
export function mergeHits(
  unsorted: readonly OrderedHits[],
  count: number,
  check: () => void,
): MergedHits {
  const lists = unsorted.toSorted((a, b) =>
    compareCodePoints(a.view.generation.index, b.view.generation.index),
  )
  const [first] = lists
  if (first && lists.length === 1) return { lists, numbers: first.numbers }
  const entries = lists.flatMap(({ keys, numbers }, listIndex) => {
    check()
    return Array.from(numbers, (n): MergeEntry => {
      const values = keys.map((key) => (key.text ? key.text(n) : key.value(n)))
      return { n, listIndex, values }
    })
  })
  // The sort is stable, so that equal hits stay in the order of the lists.
  const hits = entries.sort((a, b) => compare(a, b, first?.keys ?? [])).slice(0, count)
  return {
    lists,
    numbers: Uint32Array.from(hits, ({ n }) => n),
    listIndexes: Uint16Array.from(hits, ({ listIndex }) => listIndex),
  }
}

function compare(a: MergeEntry, b: MergeEntry, keys: readonly SortKey[]): number {
  for (const [i, { descending }] of keys.entries()) {
    const [left, right] = [a.values[i], b.values[i]]
    const order =
      typeof left === 'string' && typeof right === 'string'
        ? compareCodePoints(left, right) * (descending ? -1 : 1)
        : compareValues(rankOf(left), rankOf(right), descending)
    if (order !== 0) return order
  }
  return 0
}

/** Number for the comparison of a text with a missing one, which comes last. */
const rankOf = (value: number | string | undefined): number =>
  typeof value === 'number' ? value : value === undefined ? Number.NaN : 0

/** Sort key of an index. */
export type SortKey = {
  /** Sort value by record number; NaN = missing. */
  readonly value: (n: number) => number
  readonly descending: boolean
  /** Text by record number, because positions of texts cannot be compared between indices. */
  readonly text?: (n: number) => string | undefined
}

/** Whether an index can be sorted by a name. */
export const canOrderBy = (name: string, settings: IndexSettings): boolean =>
  name === 'relevance' ||
  settings.dates.includes(name) ||
  settings.numbers.includes(name) ||
  settings.flags.includes(name) ||
  sortedText(name, settings) !== undefined

/** Sort keys for one index; `scores` are the values of `relevance`. */
export function keysOf(
  order: readonly OrderKey[],
  view: GenerationView,
  scores: Float32Array | undefined,
): SortKey[] {
  const { settings } = view.generation
  return order.map((key) => {
    const descending = key.direction === 'desc'
    if (key.name === 'relevance') return { value: (n) => scores?.[n] ?? 0, descending }
    const value = columnValue(key, view.columns, settings)
    return value ? { value, descending } : textKey(key.name, view, descending)
  })
}

/** Makes a function that returns the sort value by record number, NaN if it is missing; `undefined` for texts. */
export function columnValue(
  { name, direction }: OrderKey,
  columns: Columns,
  settings: IndexSettings,
): ((n: number) => number) | undefined {
  const periods = columns.dates[settings.dates.indexOf(name)]
  if (periods) return dateReader(periods, direction === 'desc')
  const numbers = columns.numbers[settings.numbers.indexOf(name)]
  if (numbers) return (n) => numbers[n] ?? Number.NaN
  const flags = columns.flags[settings.flags.indexOf(name)]
  return flags && ((n) => flags[n] || Number.NaN)
}

function textKey(name: string, view: GenerationView, descending: boolean): SortKey {
  const positions = view.positionsBy(name, sortedText(name, view.generation.settings)?.field)
  const positionByNumber = positions.positions()
  return {
    value: (n) => positionByNumber[n] ?? Number.NaN,
    descending,
    text: (n) => positions.textOf(n),
  }
}

/**
 * Makes a function that returns the date of a record: of several periods the earliest start when ascending, the latest end when
 * descending.
 */
function dateReader(periods: Periods, descending: boolean): (n: number) => number {
  const { from, to, furtherPeriods: more } = periods
  return (n) => {
    const first = (descending ? to : from)[n] ?? Number.NaN
    const others = more.size > 0 ? more.get(n) : undefined
    if (!others) return first
    return descending
      ? Math.max(first, ...others.map((period) => period[1]))
      : Math.min(first, ...others.map((period) => period[0]))
  }
}

/** Compares numbers; NaN comes last in both directions. */
function compareValues(a: number, b: number, descending: boolean): number {
  if (a === b) return 0
  if (Number.isNaN(a)) return Number.isNaN(b) ? 0 : 1
  if (Number.isNaN(b)) return -1
  return descending ? b - a : a - b
}
