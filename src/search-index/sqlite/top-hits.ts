/**
 * The order of hits: the keys of a request as numbers per record, the first records of a set by them without sorting the rest, and the
 * lists of several indices as one.
 */

import { compareCodePoints } from '../../text/code-points.ts'
import { type Bitmap, membersOf } from './bitmap.ts'
import type { View } from './view.ts'
import { sortedText } from '../hit-order.ts'
import type { IndexSettings } from '../index-settings.ts'
import type { OrderKey } from '../search-index.ts'
import type { Columns, Periods } from './columns.ts'

type Numbers = Uint32Array<ArrayBuffer>

/** The first `count` members by the keys, then by `ties`. */
export function top(
  set: Bitmap,
  count: number,
  keys: readonly SortKey[],
  ties: Float64Array,
): Numbers {
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
    // Most are told apart by one look; what is missing, and what is equal, compares as neither.
    isAfter: (n, worst) => {
      if (!first) return false
      const [value, other] = [first.value(n), first.value(worst)]
      return first.descending ? value < other : value > other
    },
  })
}

type Order = {
  readonly compare: (a: number, b: number) => number
  /** A quick test: whether the one certainly comes after the other. */
  readonly isAfter?: (a: number, b: number) => boolean
}

/**
 * The first `count` of some numbers in their order. A heap with the last kept one on top: most of many are compared once, with
 * that one.
 */
export function firstOf(all: Numbers, count: number, { compare, isAfter }: Order): Numbers {
  if (all.length <= count) return all.sort(compare)
  if (count === 0) return new Uint32Array(0)
  const heap = all.slice(0, count)
  for (let i = (count >>> 1) - 1; i >= 0; i--) sink(heap, i, compare)
  for (let i = count; i < all.length; i++) {
    const [n, worst] = [all[i] ?? 0, heap[0] ?? 0]
    if (isAfter?.(n, worst) || compare(n, worst) >= 0) continue
    heap[0] = n
    sink(heap, 0, compare)
  }
  return heap.sort(compare)
}

function sink(heap: Numbers, from: number, compare: Order['compare']): void {
  const moved = heap[from] ?? 0
  let at = from
  for (;;) {
    let child = 2 * at + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && compare(heap[child + 1] ?? 0, heap[child] ?? 0) > 0) child++
    if (compare(heap[child] ?? 0, moved) <= 0) break
    heap[at] = heap[child] ?? 0
    at = child
  }
  heap[at] = moved
}

/** The hits of one index in their order, with what they were ordered by. */
export type Ordered = {
  readonly view: View
  readonly numbers: Uint32Array
  readonly keys: readonly SortKey[]
  readonly scores: Float32Array | undefined
}

/** One list out of several: numbers, and which of the lists each is from. */
export type Merged = {
  readonly lists: readonly Ordered[]
  readonly numbers: Uint32Array
  /** Absent when there is one list. */
  readonly of?: Uint16Array
}

/** A hit of one of several lists: its values by key, texts as texts, read once and not for every comparison. */
type Listed = {
  readonly n: number
  readonly of: number
  readonly values: readonly (number | string | undefined)[]
}

/** The first `count` of all lists by their keys; ties by the name of the index, then as in the list. */
export function merge(unsorted: readonly Ordered[], count: number, check: () => void): Merged {
  const lists = unsorted.toSorted((a, b) =>
    compareCodePoints(a.view.generation.index, b.view.generation.index),
  )
  const [first] = lists
  if (first && lists.length === 1) return { lists, numbers: first.numbers }
  const all = lists.flatMap(({ keys, numbers }, of) => {
    check()
    return Array.from(numbers, (n): Listed => {
      const values = keys.map((key) => (key.text ? key.text(n) : key.value(n)))
      return { n, of, values }
    })
  })
  // What is equal stays in the order of the lists.
  const hits = all.sort((a, b) => compare(a, b, first?.keys ?? [])).slice(0, count)
  return {
    lists,
    numbers: Uint32Array.from(hits, ({ n }) => n),
    of: Uint16Array.from(hits, ({ of }) => of),
  }
}

function compare(a: Listed, b: Listed, keys: readonly SortKey[]): number {
  for (const [i, { descending }] of keys.entries()) {
    const [one, other] = [a.values[i], b.values[i]]
    const order =
      typeof one === 'string' && typeof other === 'string'
        ? compareCodePoints(one, other) * (descending ? -1 : 1)
        : compareValues(rankOf(one), rankOf(other), descending)
    if (order !== 0) return order
  }
  return 0
}

/** A text comes before none. */
const rankOf = (value: number | string | undefined): number =>
  typeof value === 'number' ? value : value === undefined ? Number.NaN : 0

export type SortKey = {
  /** NaN = missing. */
  readonly value: (n: number) => number
  readonly descending: boolean
  /** Where numbers of two indices say nothing about each other: the text itself. */
  readonly text?: (n: number) => string | undefined
}

/** Whether an index can be ordered by a key. */
export const canOrderBy = (name: string, settings: IndexSettings): boolean =>
  name === 'relevance' ||
  settings.dates.includes(name) ||
  settings.numbers.includes(name) ||
  settings.flags.includes(name) ||
  sortedText(name, settings) !== undefined

/** The keys of one index; scores are those of `relevance`. */
export function keysOf(
  order: readonly OrderKey[],
  view: View,
  scores: Float32Array | undefined,
): SortKey[] {
  const { settings } = view.generation
  return order.map((key) => {
    const descending = key.direction === 'desc'
    if (key.by === 'relevance') return { value: (n) => scores?.[n] ?? 0, descending }
    const value = columnValue(key, view.columns, settings)
    return value ? { value, descending } : textKey(key.by, view, descending)
  })
}

/** Reads a sort key from the columns, NaN where it is missing; `undefined` for texts. */
export function columnValue(
  { by, direction }: OrderKey,
  columns: Columns,
  settings: IndexSettings,
): ((n: number) => number) | undefined {
  const periods = columns.dates[settings.dates.indexOf(by)]
  if (periods) return dateOf(periods, direction === 'desc')
  const numbers = columns.numbers[settings.numbers.indexOf(by)]
  if (numbers) return (n) => numbers[n] ?? Number.NaN
  const flags = columns.flags[settings.flags.indexOf(by)]
  return flags && ((n) => flags[n] || Number.NaN)
}

function textKey(name: string, view: View, descending: boolean): SortKey {
  const positions = view.positionsBy(name, sortedText(name, view.generation.settings)?.field)
  const places = positions.places()
  return {
    value: (n) => places[n] ?? Number.NaN,
    descending,
    text: (n) => positions.textOf(n),
  }
}

/** Date of a record with several periods: the earliest beginning when ascending, the latest end when descending. */
function dateOf(periods: Periods, descending: boolean): (n: number) => number {
  const { from, to, more } = periods
  return (n) => {
    const first = (descending ? to : from)[n] ?? Number.NaN
    const others = more.size > 0 ? more.get(n) : undefined
    if (!others) return first
    return descending
      ? Math.max(first, ...others.map((period) => period[1]))
      : Math.min(first, ...others.map((period) => period[0]))
  }
}

/** Missing values are last in both directions. */
function compareValues(a: number, b: number, descending: boolean): number {
  if (a === b) return 0
  if (Number.isNaN(a)) return Number.isNaN(b) ? 0 : 1
  if (Number.isNaN(b)) return -1
  return descending ? b - a : a - b
}
