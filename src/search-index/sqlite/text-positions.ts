/** Texts of records as numbers in their order, so that sorting by text compares numbers. */

import type { Row } from '../../sqlite.ts'
import { compareCodePoints } from '../../text/code-points.ts'

type TextSource = {
  /** Rows with `n` and `text` in the order of the texts' UTF-8 bytes. */
  readonly scan: () => Iterable<Row>
  /** The text of one record; something else when it has none or is gone. */
  readonly textOf: (n: number) => unknown
}

/** Records that are placed one by one before it is better to scan all again. */
const maxLate = (size: number) => Math.max(2_000, size >>> 6)

/**
 * Built by one scan when it is first needed. Later records are placed between the scanned ones by binary search and get
 * fractions; when there are many, the scan is done again.
 */
export class Positions {
  readonly #source: TextSource
  /** Number → position; NaN = no text. */
  #places = new Float64Array(0)
  /** One record per different text, in order. */
  #ranks: number[] = []
  #between = new Map<number, Map<string, number[]>>()
  #built = false
  #placed = 0
  #late = 0
  #size = 0

  constructor(source: TextSource) {
    this.#source = source
  }

  /** Numbers below `size` exist. */
  extend(size: number): void {
    this.#size = size
  }

  /** Positions by number, complete for this snapshot; NaN = no text. */
  places(): Float64Array {
    if (this.#built && this.#placed === this.#size) return this.#places
    const late = this.#size - this.#placed
    if (!this.#built || this.#late + late > maxLate(this.#size)) this.#scan()
    else this.#placeLate()
    return this.#places
  }

  textOf(n: number): string | undefined {
    const text = this.#source.textOf(n)
    return typeof text === 'string' ? text : undefined
  }

  #scan(): void {
    this.#places = new Float64Array(this.#size + maxLate(this.#size)).fill(Number.NaN)
    this.#ranks = []
    this.#between = new Map()
    let last: unknown
    for (const row of this.#source.scan()) {
      const n = Number(row['n'])
      if (this.#ranks.length === 0 || row['text'] !== last) this.#ranks.push(n)
      last = row['text']
      this.#places[n] = this.#ranks.length - 1
    }
    this.#built = true
    this.#placed = this.#size
    this.#late = 0
  }

  #placeLate(): void {
    if (this.#size > this.#places.length) return this.#scan()
    for (let n = this.#placed; n < this.#size; n++) {
      const text = this.textOf(n)
      if (text === undefined) continue
      const rank = this.#rankOf(text)
      // The record that stood for a rank was purged: nothing to compare with any more.
      if (rank === undefined) return this.#scan()
      if (Number.isInteger(rank)) this.#places[n] = rank
      else this.#squeeze(rank + 0.5, text, n)
    }
    this.#late += this.#size - this.#placed
    this.#placed = this.#size
  }

  /** The rank of an equal text, or half of a step before the next greater one. */
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

  /** Spreads all late texts of one gap evenly over it. */
  #squeeze(next: number, text: string, n: number): void {
    const texts = this.#between.get(next) ?? new Map<string, number[]>()
    this.#between.set(next, texts)
    const equal = texts.get(text)
    if (equal) equal.push(n)
    else texts.set(text, [n])
    const sorted = [...texts.keys()].sort(compareCodePoints)
    for (const [i, key] of sorted.entries()) {
      const place = next - 1 + (i + 1) / (sorted.length + 1)
      for (const member of texts.get(key) ?? []) this.#places[member] = place
    }
  }
}
