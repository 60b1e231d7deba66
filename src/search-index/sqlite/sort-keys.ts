/** What records are sorted by: the order keys of a request as numbers per record. */

import { sortedText } from '../hit-order.ts'
import type { IndexSettings } from '../index-settings.ts'
import type { OrderKey } from '../search-index.ts'
import type { Columns, Periods } from './columns.ts'
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
  return order.map((key) => {
    const descending = key.direction === 'desc'
    if (key.by === 'relevance') return { value: (n) => scores?.[n] ?? 0, descending }
    const value = columnValue(key, view.columns, settings)
    return value ? { value, descending } : textKey(key.by, view, descending)
  })
}

/** What a key reads from the columns, NaN where it is missing; `undefined` for texts. */
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
