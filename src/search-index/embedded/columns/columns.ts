/** The columns of one index in memory, indexed by record number: what filters, facets and sorting read. */

import type { IndexSettings } from '../../settings.ts'
import { floatsOf, ordsOf, wordsOf } from './rows.ts'

/** First period of every record; the few records with more keep the others beside. Missing = NaN. */
export type Periods = {
  from: Float64Array
  to: Float64Array
  readonly more: Map<number, readonly (readonly [number, number])[]>
}

type Row = Readonly<Record<string, unknown>>

export class Columns {
  /** Numbers 0 … size − 1 have a place. */
  size = 0
  readonly dates: Periods[]
  readonly numbers: Float64Array[]
  /** 0 missing, 1 false, 2 true. */
  readonly flags: Uint8Array[]
  /** Four numbers per record; missing = NaN. */
  boxes: Float64Array
  readonly moreBoxes = new Map<number, Float64Array>()
  /** Facet numbers of record n: `ords` from `starts[n]` to `ends[n]`. */
  starts: Uint32Array = new Uint32Array(0)
  ends: Uint32Array = new Uint32Array(0)
  ords: Uint32Array = new Uint32Array(0)
  /** Words of the whole text, by which relevance is measured. */
  words: Uint32Array = new Uint32Array(0)
  readonly #hasBoxes: boolean
  #capacity = 0
  /** Places of `ords` that were given. */
  #given = 0

  constructor(settings: IndexSettings) {
    const empty = () => new Float64Array(0)
    this.dates = settings.dates.map(() => ({ from: empty(), to: empty(), more: new Map() }))
    this.numbers = settings.numbers.map(empty)
    this.flags = settings.flags.map(() => new Uint8Array(0))
    this.boxes = empty()
    this.#hasBoxes = settings.boxes
  }

  /** Takes in a row of the `col` table whose number is larger than all before; numbers that were purged have an empty place. */
  append(n: number, row: Row): void {
    this.#reserve(n + 1)
    this.size = n + 1
    this.#appendOrds(n, ordsOf(row['ords']))
    this.words[n] = wordsOf(row['sizes'])
    this.#appendDates(n, floatsOf(row['dates']))
    this.#appendNumbers(n, floatsOf(row['numbers']))
    const flags = row['flags']
    if (flags instanceof Uint8Array) {
      for (const [i, column] of this.flags.entries()) column[n] = flags[i] ?? 0
    }
    const boxes = floatsOf(row['boxes'])
    if (boxes.length === 0) return
    this.boxes.set(boxes.subarray(0, 4), n * 4)
    if (boxes.length > 4) this.moreBoxes.set(n, boxes.slice(4))
  }

  #appendNumbers(n: number, pairs: Float64Array): void {
    for (let i = 0; i < pairs.length; i += 2) {
      const column = this.numbers[pairs[i] ?? -1]
      if (column) column[n] = pairs[i + 1] ?? Number.NaN
    }
  }

  #appendOrds(n: number, ords: Uint32Array): void {
    const end = this.#given + ords.length
    if (end > this.ords.length) this.ords = grown(this.ords, new Uint32Array(room(end)))
    this.ords.set(ords, this.#given)
    this.starts[n] = this.#given
    this.ends[n] = end
    this.#given = end
  }

  #appendDates(n: number, triples: Float64Array): void {
    for (let i = 0; i < triples.length; i += 3) {
      const periods = this.dates[triples[i] ?? -1]
      const [from, to] = [triples[i + 1] ?? Number.NaN, triples[i + 2] ?? Number.NaN]
      if (!periods) continue
      if (Number.isNaN(periods.from[n])) {
        periods.from[n] = from
        periods.to[n] = to
      } else periods.more.set(n, [...(periods.more.get(n) ?? []), [from, to]])
    }
  }

  #reserve(rows: number): void {
    if (rows <= this.#capacity) return
    const capacity = room(rows)
    const floats = (old: Float64Array, width = 1) =>
      grown(old, new Float64Array(capacity * width).fill(Number.NaN))
    for (const periods of this.dates) {
      periods.from = floats(periods.from)
      periods.to = floats(periods.to)
    }
    for (const [i, column] of this.numbers.entries()) this.numbers[i] = floats(column)
    for (const [i, column] of this.flags.entries()) {
      this.flags[i] = grown(column, new Uint8Array(capacity))
    }
    if (this.#hasBoxes) this.boxes = floats(this.boxes, 4)
    this.starts = grown(this.starts, new Uint32Array(capacity))
    this.ends = grown(this.ends, new Uint32Array(capacity))
    this.words = grown(this.words, new Uint32Array(capacity))
    this.#capacity = capacity
  }
}

const room = (wanted: number) => Math.max(1024, Math.ceil(wanted * 1.5))

function grown<T extends Float64Array | Uint32Array | Uint8Array>(old: T, next: T): T {
  next.set(old)
  return next
}
