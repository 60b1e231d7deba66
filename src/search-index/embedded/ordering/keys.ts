/** Order keys of a request as numbers per record. */

import type { OrderKey } from '../../search-index.ts'
import type { IndexSettings } from '../../settings.ts'
import type { Periods } from '../columns/columns.ts'
import type { View } from '../reading/view.ts'

export type Key = {
  /** NaN = missing. */
  readonly value: (n: number) => number
  readonly descending: boolean
  /** Where numbers of two indices say nothing about each other: the text itself. */
  readonly text?: (n: number) => string | undefined
}

const languageTag = /^[a-z]{2,3}(-[a-z0-9]+)*$/i

/** `field.language` of a sortable text → `field`; `undefined` when the name means no sortable text. */
function textOrder(name: string, settings: IndexSettings): string | undefined {
  if (settings.orders.includes(name)) return name
  const dot = name.lastIndexOf('.')
  const field = name.slice(0, dot)
  return dot > 0 && settings.orders.includes(field) && languageTag.test(name.slice(dot + 1))
    ? field
    : undefined
}

/** Whether an index can be ordered by a key. */
export const canOrderBy = (name: string, settings: IndexSettings): boolean =>
  name === 'relevance' ||
  settings.dates.includes(name) ||
  settings.numbers.includes(name) ||
  settings.flags.includes(name) ||
  textOrder(name, settings) !== undefined

/** The keys of one index; scores are those of `relevance`. */
export function keysOf(
  order: readonly OrderKey[],
  view: View,
  scores: Float64Array | undefined,
): Key[] {
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

function textKey(name: string, view: View, descending: boolean): Key {
  const field = textOrder(name, view.generation.settings)
  const positions = view.positionsBy(name, field === name ? undefined : field)
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
