/** What records are sorted by: the order keys of a request as numbers per record, and the values that an answer shows of them. */

import type { Row } from '../../sqlite.ts'
import { sortedText } from '../hit-order.ts'
import type { IndexSettings } from '../index-settings.ts'
import type { OrderKey } from '../search-index.ts'
import { floatsOf, type Periods } from './columns.ts'
import type { View } from './view.ts'

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
  return order.map(({ by, direction }) => {
    const descending = direction === 'desc'
    if (by === 'relevance') return { value: (n) => scores?.[n] ?? 0, descending }
    const periods = view.columns.dates[settings.dates.indexOf(by)]
    if (periods) return { value: dateOf(periods, descending), descending }
    const numbers = view.columns.numbers[settings.numbers.indexOf(by)]
    if (numbers) return { value: (n) => numbers[n] ?? Number.NaN, descending }
    const flags = view.columns.flags[settings.flags.indexOf(by)]
    if (flags) return { value: (n) => flags[n] || Number.NaN, descending }
    return textKey(by, view, descending)
  })
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

/** Of several periods the earliest beginning when ascending, the latest end when descending. */
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
export function compareValues(a: number, b: number, descending: boolean): number {
  if (a === b) return 0
  if (Number.isNaN(a)) return Number.isNaN(b) ? 0 : 1
  if (Number.isNaN(b)) return -1
  return descending ? b - a : a - b
}

export type SortColumn = {
  readonly kind: 'dates' | 'numbers' | 'flags'
  /** Position of the name in the settings. */
  readonly at: number
  readonly descending: boolean
}

/** The column of a key; none for relevance and texts. */
export function sortColumn({ by, direction }: OrderKey, settings: IndexSettings) {
  const kinds = ['dates', 'numbers', 'flags'] as const
  const kind = kinds.find((kind) => settings[kind].includes(by))
  if (!kind) return undefined
  return { kind, at: settings[kind].indexOf(by), descending: direction === 'desc' }
}

/** `undefined` when the version has no such value. */
export function sortValue(row: Row, { kind, at, descending }: SortColumn): number | undefined {
  if (kind === 'flags') {
    const flags = row['flags']
    return (flags instanceof Uint8Array && flags[at]) || undefined
  }
  const values = kind === 'dates' ? datesOf(row['dates'], at, descending) : numbersOf(row, at)
  if (values.length === 0) return undefined
  return descending ? Math.max(...values) : Math.min(...values)
}

/** Beginnings of the periods, or their ends. */
function datesOf(blob: unknown, at: number, ends: boolean): number[] {
  const triples = floatsOf(blob)
  const values: number[] = []
  for (let i = 0; i < triples.length; i += 3) {
    if (triples[i] === at) values.push(triples[i + (ends ? 2 : 1)] ?? 0)
  }
  return values
}

function numbersOf(row: Row, at: number): number[] {
  const pairs = floatsOf(row['numbers'])
  const found = pairs.findIndex((number, i) => i % 2 === 0 && number === at)
  return found < 0 ? [] : [pairs[found + 1] ?? 0]
}
