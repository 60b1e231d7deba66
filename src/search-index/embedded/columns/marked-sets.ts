/** Which records have some facet values: remembered, because people go on from filter to filter. */

import { bitmapOf, type Bitmap } from './bitmap.ts'
import type { Columns } from './columns.ts'

/** Numbers of facet values: any of them, or all. */
export type Marks = { readonly ords: readonly number[]; readonly all: boolean }

/** Sets that are remembered: a bit for every record each. */
const most = 64
/** Longer lists of values are not remembered. */
const longest = 100

/** Only new numbers are looked at again. */
export class MarkedSets {
  readonly #columns: Columns
  readonly #sets = new Map<string, { readonly set: Bitmap; readonly size: number }>()

  constructor(columns: Columns) {
    this.#columns = columns
  }

  knows(marks: Marks): boolean {
    return this.#sets.has(keyOf(marks))
  }

  /** Living and dead ones; the set is not the caller's to change. */
  of(marks: Marks): Bitmap {
    const key = keyOf(marks)
    const known = this.#sets.get(key)
    const { size } = this.#columns
    if (known?.size === size) return known.set
    const set = bitmapOf(size)
    if (known) set.set(known.set)
    mark(set, this.#columns, { ...marks, from: known?.size ?? 0 })
    this.#sets.delete(key)
    if (marks.ords.length <= longest) this.#sets.set(key, { set, size })
    const [oldest] = this.#sets.keys()
    if (this.#sets.size > most && oldest !== undefined) this.#sets.delete(oldest)
    return set
  }
}

const keyOf = ({ ords, all }: Marks): string => `${all}:${ords.toSorted((a, b) => a - b).join()}`

/** One way through the column; a record has a value at most once. */
function mark(
  set: Bitmap,
  { starts, ends, ords, size }: Columns,
  { ords: wanted, all, from }: Marks & { readonly from: number },
): void {
  const needed = all ? wanted.length : 1
  const marks = marksOf(wanted)
  const [end, known] = [marks.length, size]
  for (let n = from; n < known; n++) {
    const next = ends[n] ?? 0
    let missing = needed
    for (let at = starts[n] ?? 0; at < next; at++) {
      // Reading beyond the end of an array is many times slower than the comparison.
      const o = ords[at] ?? 0
      if (o < end) missing -= marks[o] ?? 0
    }
    if (missing <= 0) set[n >>> 5] = (set[n >>> 5] ?? 0) | (1 << (n & 31))
  }
}

/** 1 at the place of each. */
export function marksOf(ords: readonly number[]): Uint8Array {
  const marks = new Uint8Array(Math.max(...ords) + 1)
  for (const o of ords) marks[o] = 1
  return marks
}
