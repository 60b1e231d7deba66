/**
 * Sketches of the vectors of a generation in the memory of a reader: one bit for each component, its sign. Vectors that differ in few
 * bits are close, so that only those of a few candidates are read from the file.
 */

import type { StatementSync } from 'node:sqlite'
import { add, bitmapOf, intersect, membersOf, type Bitmap } from './bitmap.ts'
import { firstOf } from './first-of.ts'
import { vectorOf } from '../vectors.ts'

type Sql = (text: string) => StatementSync

/** Record numbers between two checks whether the call was cancelled. */
const stride = 4096

/** Signs of the components of all vectors of a generation, by record number. */
export class Sketches {
  readonly #sql: Sql
  readonly #table: string
  /** Number of components of a vector. */
  #length = 0
  /** Sketch of each record number, in as many words as a vector needs. */
  #bits = new Uint32Array(0)
  /** Record numbers with a sketch. */
  #known: Bitmap = bitmapOf(0)
  #lastSeq = 0

  constructor(sql: Sql, table: string) {
    this.#sql = sql
    this.#table = table
  }

  /** Reads the vectors that were written since the last call. When `check` throws, the next call continues. */
  refresh(check: () => void): void {
    const rows = this.#sql(`SELECT seq, n, v FROM ${this.#table} WHERE seq > ? ORDER BY seq`)
    for (const { seq, n, v } of rows.iterate(this.#lastSeq)) {
      if (Number(seq) % stride === 0) check()
      if (v instanceof Uint8Array) this.#set(Number(n), vectorOf(v))
      this.#lastSeq = Number(seq)
    }
  }

  /** Numbers of a set with the fewest different bits, at most `count`; equal ones by `ties`. None for a vector of another length. */
  candidates(vector: Int8Array, set: Bitmap, count: number, ties: Float64Array): Uint32Array {
    if (vector.length !== this.#length) return new Uint32Array(0)
    const query = new Uint32Array(wordsOf(vector))
    writeSketch(vector, query, 0)
    const numbers = membersOf(intersect(set.slice(0, this.#known.length), this.#known))
    const distances = new Uint16Array(this.#known.length * 32)
    const bits = this.#bits
    for (const n of numbers) {
      let distance = 0
      for (let i = 0, at = n * query.length; i < query.length; i++, at++) {
        let word = (bits[at] ?? 0) ^ (query[i] ?? 0)
        word -= (word >>> 1) & 0x55555555
        word = (word & 0x33333333) + ((word >>> 2) & 0x33333333)
        distance += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
      }
      distances[n] = distance
    }
    const distanceOf = (n: number) => distances[n] ?? 0
    return firstOf(numbers, count, {
      compare: (a, b) => distanceOf(a) - distanceOf(b) || (ties[a] ?? 0) - (ties[b] ?? 0),
      isAfter: (n, worst) => distanceOf(n) > distanceOf(worst),
    })
  }

  #set(n: number, vector: Int8Array): void {
    const words = wordsOf(vector)
    if (vector.length !== this.#length) {
      this.#length = vector.length
      this.#bits = new Uint32Array(0)
      this.#known = bitmapOf(0)
    }
    if (n >= this.#known.length * 32) {
      const known = bitmapOf(Math.max(1024, Math.ceil(n * 1.5)))
      const bits = new Uint32Array(known.length * 32 * words)
      known.set(this.#known)
      bits.set(this.#bits)
      this.#known = known
      this.#bits = bits
    }
    add(this.#known, n)
    writeSketch(vector, this.#bits, n * words)
  }
}

const wordsOf = ({ length }: Int8Array): number => Math.ceil(length / 32)

function writeSketch(vector: Int8Array, target: Uint32Array, start: number): void {
  for (let from = 0; from < vector.length; from += 32) {
    let word = 0
    for (let i = Math.min(from + 32, vector.length) - 1; i >= from; i--)
      word = (word << 1) | ((vector[i] ?? 0) > 0 ? 1 : 0)
    target[start + (from >>> 5)] = word
  }
}
