/**
 * Columns of one generation in the memory of a reader, indexed by record number, for filters, facets and sorting. In the file they are
 * narrow rows (table `col`), which a reader scans when it starts.
 */

import type { Row } from '../../sqlite.ts'
import type { IndexSettings } from '../index-settings.ts'
import type { Document } from '../search-index.ts'

/**
 * Periods of a date field by record number. `from` and `to` have the first period of each record, NaN if it has none;
 * `furtherPeriods` has the other periods of the few records with several.
 */
export type Periods = {
  from: Float64Array
  to: Float64Array
  readonly furtherPeriods: Map<number, readonly (readonly [number, number])[]>
}

/** Column arrays. They grow by half of their size when full; values are never removed. */
export class Columns {
  /** Number of rows: those of the record numbers 0 … size − 1. */
  size = 0
  readonly dates: Periods[]
  readonly numbers: Float64Array[]
  /** 0 missing, 1 false, 2 true. */
  readonly flags: Uint8Array[]
  /** Four numbers per record; missing = NaN. */
  boxes: Float64Array
  readonly furtherBoxes = new Map<number, Float64Array>()
  /** Numbers of the facet values of record n: `ords` from `starts[n]` to `ends[n]`, exclusive. */
  starts: Uint32Array = new Uint32Array(0)
  ends: Uint32Array = new Uint32Array(0)
  ords: Uint32Array = new Uint32Array(0)
  /** Number of words of each record. */
  words: Uint32Array = new Uint32Array(0)
  readonly #hasBoxes: boolean
  #capacity = 0
  /** Length of the used part of `ords`. */
  #usedOrds = 0

  constructor(settings: IndexSettings) {
    const empty = () => new Float64Array(0)
    this.dates = settings.dates.map(() => ({
      from: empty(),
      to: empty(),
      furtherPeriods: new Map(),
    }))
    this.numbers = settings.numbers.map(empty)
    this.flags = settings.flags.map(() => new Uint8Array(0))
    this.boxes = empty()
    this.#hasBoxes = settings.boxes
  }

  /** Appends a row of the table `col`. `n` must be greater than all before; rows of purged numbers in between are empty. */
  append(n: number, row: Row): void {
    this.#reserve(n + 1)
    this.size = n + 1
    this.words[n] = Number(row['words'] ?? 0)
    this.#appendOrds(n, ordsOf(row['ords']))
    this.#appendDates(n, floatsOf(row['dates']))
    this.#appendNumbers(n, floatsOf(row['numbers']))
    const flags = row['flags']
    if (flags instanceof Uint8Array) {
      for (const [i, column] of this.flags.entries()) column[n] = flags[i] ?? 0
    }
    const boxes = floatsOf(row['boxes'])
    if (boxes.length === 0) return
    this.boxes.set(boxes.subarray(0, 4), n * 4)
    if (boxes.length > 4) this.furtherBoxes.set(n, boxes.slice(4))
  }

  #appendNumbers(n: number, pairs: Float64Array): void {
    for (let i = 0; i < pairs.length; i += 2) {
      const column = this.numbers[pairs[i] ?? -1]
      if (column) column[n] = pairs[i + 1] ?? Number.NaN
    }
  }

  #appendOrds(n: number, ords: Uint32Array): void {
    const end = this.#usedOrds + ords.length
    if (end > this.ords.length) this.ords = copyInto(this.ords, new Uint32Array(capacityFor(end)))
    this.ords.set(ords, this.#usedOrds)
    this.starts[n] = this.#usedOrds
    this.ends[n] = end
    this.#usedOrds = end
  }

  #appendDates(n: number, triples: Float64Array): void {
    for (let i = 0; i < triples.length; i += 3) {
      const periods = this.dates[triples[i] ?? -1]
      const [from, to] = [triples[i + 1] ?? Number.NaN, triples[i + 2] ?? Number.NaN]
      if (!periods) continue
      if (Number.isNaN(periods.from[n])) {
        periods.from[n] = from
        periods.to[n] = to
      } else periods.furtherPeriods.set(n, [...(periods.furtherPeriods.get(n) ?? []), [from, to]])
    }
  }

  #reserve(rows: number): void {
    if (rows <= this.#capacity) return
    const capacity = capacityFor(rows)
    const floats = (source: Float64Array, width = 1) =>
      copyInto(source, new Float64Array(capacity * width).fill(Number.NaN))
    for (const periods of this.dates) {
      periods.from = floats(periods.from)
      periods.to = floats(periods.to)
    }
    for (const [i, column] of this.numbers.entries()) this.numbers[i] = floats(column)
    for (const [i, column] of this.flags.entries()) {
      this.flags[i] = copyInto(column, new Uint8Array(capacity))
    }
    if (this.#hasBoxes) this.boxes = floats(this.boxes, 4)
    this.starts = copyInto(this.starts, new Uint32Array(capacity))
    this.ends = copyInto(this.ends, new Uint32Array(capacity))
    this.words = copyInto(this.words, new Uint32Array(capacity))
    this.#capacity = capacity
  }
}

const capacityFor = (rows: number) => Math.max(1024, Math.ceil(rows * 1.5))

function copyInto<T extends Float64Array | Uint32Array | Uint8Array>(source: T, target: T): T {
  target.set(source)
  return target
}

type Blob = Uint8Array<ArrayBuffer>

/** Values of a row of the table `col`; null = no value. Positions are those of the names in the settings. */
type PackedRow = {
  /** Float64 triples: position, from, to. */
  readonly dates: Blob | null
  /** Float64 pairs: position, value. */
  readonly numbers: Blob | null
  /** One byte per flag: 0 missing, 1 false, 2 true. */
  readonly flags: Blob | null
  /** Float64 quadruples: west, south, east, north. */
  readonly boxes: Blob | null
}

type Packed = Pick<Document, 'dates' | 'numbers' | 'flags' | 'boxes'>

/** Packs a document as a row of the table `col`. */
export function packRow(document: Packed, settings: IndexSettings): PackedRow {
  const dates = settings.dates.flatMap((name, i) =>
    (document.dates[name] ?? []).flatMap(([from, to]) => [i, from, to]),
  )
  const numbers = settings.numbers.flatMap((name, i) => {
    const value = document.numbers[name]
    return value === undefined ? [] : [i, value]
  })
  const flags = settings.flags.map((name) => {
    const value = document.flags[name]
    return value === undefined ? 0 : value ? 2 : 1
  })
  return {
    dates: bytesOf(dates),
    numbers: bytesOf(numbers),
    flags: flags.some((flag) => flag > 0) ? Uint8Array.from(flags) : null,
    boxes: settings.boxes ? bytesOf(document.boxes.flat()) : null,
  }
}

const bytesOf = (numbers: readonly number[]): Blob | null =>
  numbers.length === 0 ? null : new Uint8Array(Float64Array.from(numbers).buffer)

/** Packs the numbers of the facet values of a record; null = none. */
export const packOrds = (ords: ReadonlySet<number>): Blob | null =>
  ords.size === 0 ? null : new Uint8Array(Uint32Array.from(ords).buffer)

function floatsOf(blob: unknown): Float64Array {
  return blob instanceof Uint8Array ? new Float64Array(aligned(blob, 8)) : noFloats
}

function ordsOf(blob: unknown): Uint32Array {
  return blob instanceof Uint8Array ? new Uint32Array(aligned(blob, 4)) : noOrds
}

const noFloats = new Float64Array(0)
const noOrds = new Uint32Array(0)

/** Buffer of a blob: its own if it has the blob only and a multiple of `width` bytes, else a copy. */
function aligned(blob: Uint8Array, width: number): ArrayBufferLike {
  const isOwnBuffer = blob.byteOffset === 0 && blob.byteLength === blob.buffer.byteLength
  return isOwnBuffer && blob.byteLength % width === 0 ? blob.buffer : blob.slice().buffer
}
