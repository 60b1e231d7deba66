/** The narrow row of a record: what filters, facets and sorting need, packed for one quick scan at load. */

import type { Document } from '../../search-index.ts'
import type { IndexSettings } from '../../settings.ts'

export type Blob = Uint8Array<ArrayBuffer>

/** Blobs are null where there is nothing. Positions are those of the names in the settings. */
export type PackedRow = {
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

/** Facet numbers of a record, without doubles. */
export const packOrds = (ords: ReadonlySet<number>): Blob | null =>
  ords.size === 0 ? null : new Uint8Array(Uint32Array.from(ords).buffer)

export function floatsOf(blob: unknown): Float64Array {
  return blob instanceof Uint8Array ? new Float64Array(aligned(blob, 8)) : none
}

export function ordsOf(blob: unknown): Uint32Array {
  return blob instanceof Uint8Array ? new Uint32Array(aligned(blob, 4)) : noOrds
}

/** The sizes that FTS5 keeps of the columns of a row, together: big-endian groups of 7 bits each. */
export function wordsOf(blob: unknown): number {
  if (!(blob instanceof Uint8Array)) return 0
  let [sum, size] = [0, 0]
  for (const byte of blob) {
    size = size * 128 + (byte & 127)
    if (byte > 127) continue
    sum += size
    size = 0
  }
  return sum
}

const none = new Float64Array(0)
const noOrds = new Uint32Array(0)

/** SQLite's own buffer where it fits, else a copy. */
function aligned(blob: Uint8Array, width: number): ArrayBufferLike {
  const whole = blob.byteOffset === 0 && blob.byteLength === blob.buffer.byteLength
  return whole && blob.byteLength % width === 0 ? blob.buffer : blob.slice().buffer
}
