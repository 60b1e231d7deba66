/** Positions of the records of a generation in the order of a text (title, id), so that a reader sorts by text by comparing numbers. */

import type { Row } from '../../sqlite.ts'
import { compareCodePoints } from '../../text/code-points.ts'

/** Access to the texts of the records of a generation. */
type TextSource = {
  /** Reads rows with `n` and `text`, sorted by the UTF-8 bytes of the text. */
  readonly scan: () => Iterable<Row>
  /** Reads the text of one record; the result is no string if the record has none or was purged. */
  readonly textOf: (n: number) => unknown
}

/** Number of records that are inserted one by one before all are scanned again: 2,000, or 1/64 of the index. */
const maxLate = (size: number) => Math.max(2_000, size >>> 6)

/**
 * Positions of records by number. They are computed by one scan when first needed. Later records are inserted by binary search and get
 * fractional positions between the scanned ones; when there are many, the scan is repeated.
 */
export class TextPositions {
  readonly #source: TextSource
  /** Position by record number; NaN = no text. */
  #positions = new Float64Array(0)
  /** Number of one record with each distinct text, in the order of the texts. */
  #ranks: number[] = []
  /** Texts inserted after the scan: rank of the next greater scanned text → text → record numbers. */
  #lateTexts = new Map<number, Map<string, number[]>>()
  #isBuilt = false
  /** Number of records that have been given a position, and how many of them were inserted after the scan. */
  #placedSize = 0
  #lateCount = 0
  /** Number of records, set by `extend`. */
  #size = 0

  constructor(source: TextSource) {
    this.#source = source
  }

  /** Sets the number of records: those with numbers below `size` exist. */
  extend(size: number): void {
    this.#size = size
  }

  /** Positions by record number, complete for the records below the size; NaN = no text. */
  positions(): Float64Array {
    if (this.#isBuilt && this.#placedSize === this.#size) return this.#positions
    const late = this.#size - this.#placedSize
    if (!this.#isBuilt || this.#lateCount + late > maxLate(this.#size)) this.#scan()
    else this.#placeLateRecords()
    return this.#positions
  }

  /** Text of a record, if it has one. */
  textOf(n: number): string | undefined {
    const text = this.#source.textOf(n)
    return typeof text === 'string' ? text : undefined
  }

  #scan(): void {
    this.#positions = new Float64Array(this.#size + maxLate(this.#size)).fill(Number.NaN)
    this.#ranks = []
    this.#lateTexts = new Map()
    let lastText: unknown
    for (const row of this.#source.scan()) {
      const n = Number(row['n'])
      if (this.#ranks.length === 0 || row['text'] !== lastText) this.#ranks.push(n)
      lastText = row['text']
      this.#positions[n] = this.#ranks.length - 1
    }
    this.#isBuilt = true
    this.#placedSize = this.#size
    this.#lateCount = 0
  }

  #placeLateRecords(): void {
    if (this.#size > this.#positions.length) return this.#scan()
    for (let n = this.#placedSize; n < this.#size; n++) {
      const text = this.textOf(n)
      if (text === undefined) continue
      const rank = this.#rankOf(text)
      // The record that represents a text was purged, so that there is nothing to compare with.
      if (rank === undefined) return this.#scan()
      if (Number.isInteger(rank)) this.#positions[n] = rank
      else this.#interpolate(rank + 0.5, text, n)
    }
    this.#lateCount += this.#size - this.#placedSize
    this.#placedSize = this.#size
  }

  /** Rank of an equal text, or that of the next greater text minus 0.5; `undefined` if a record to compare with was purged. */
  #rankOf(text: string): number | undefined {
    let [low, high] = [0, this.#ranks.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      const other = this.textOf(this.#ranks[middle] ?? -1)
      if (other === undefined) return undefined
      const order = compareCodePoints(other, text)
      if (order === 0) return middle
      if (order < 0) low = middle + 1
      else high = middle
    }
    return low - 0.5
  }

  /** Adds a text before rank `next` and spreads all later texts of that gap evenly over it. */
  #interpolate(next: number, text: string, n: number): void {
    const texts = this.#lateTexts.get(next) ?? new Map<string, number[]>()
    this.#lateTexts.set(next, texts)
    const numbers = texts.get(text)
    if (numbers) numbers.push(n)
    else texts.set(text, [n])
    const sorted = [...texts.keys()].sort(compareCodePoints)
    for (const [i, key] of sorted.entries()) {
      const position = next - 1 + (i + 1) / (sorted.length + 1)
      for (const member of texts.get(key) ?? []) this.#positions[member] = position
    }
  }
}
