/** Which records of an index are alive, and how often each facet value occurs among them. */

import { add, bitmapOf, has, remove, sizeOf, type Bitmap } from './bitmap.ts'
import type { Columns } from './columns.ts'

/** Counted along with every birth and death: the facets of a whole index cost nothing. */
export class Living {
  bits: Bitmap = bitmapOf(0)
  /** By number of the facet value; it may be shorter than the dictionary. */
  counts = new Uint32Array(1024)
  /** Of all texts together. */
  words = 0
  readonly #columns: Columns

  constructor(columns: Columns) {
    this.#columns = columns
  }

  get size(): number {
    return sizeOf(this.bits)
  }

  /** A record whose columns are there. */
  add(n: number): void {
    this.#reserve(n)
    if (has(this.bits, n)) return
    add(this.bits, n)
    this.#count(n, 1)
  }

  remove(n: number): void {
    if (!has(this.bits, n)) return
    remove(this.bits, n)
    this.#count(n, -1)
  }

  clear(): void {
    this.bits.fill(0)
    this.counts.fill(0)
    this.words = 0
  }

  #count(n: number, by: 1 | -1): void {
    const { starts, ends, ords, words } = this.#columns
    this.words += by * (words[n] ?? 0)
    const end = ends[n] ?? 0
    for (let at = starts[n] ?? 0; at < end; at++) {
      const o = ords[at] ?? 0
      if (o >= this.counts.length) {
        const wider = new Uint32Array(o * 2)
        wider.set(this.counts)
        this.counts = wider
      }
      this.counts[o] = (this.counts[o] ?? 0) + by
    }
  }

  #reserve(n: number): void {
    if (this.bits.length * 32 > n) return
    const wider = bitmapOf(Math.max(1024, (n + 1) * 2))
    wider.set(this.bits)
    this.bits = wider
  }
}
