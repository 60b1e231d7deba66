/** The value that a stored version is sorted by, without the columns in memory. */

import type { OrderKey } from '../../search-index.ts'
import type { IndexSettings } from '../../settings.ts'
import { floatsOf } from '../columns/rows.ts'

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
export function sortValue(
  row: Readonly<Record<string, unknown>>,
  { kind, at, descending }: SortColumn,
): number | undefined {
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

function numbersOf(row: Readonly<Record<string, unknown>>, at: number): number[] {
  const pairs = floatsOf(row['numbers'])
  const found = pairs.findIndex((number, i) => i % 2 === 0 && number === at)
  return found < 0 ? [] : [pairs[found + 1] ?? 0]
}
