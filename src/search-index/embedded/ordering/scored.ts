/** Scores that were reckoned since something was written: the next filter, page or order of the same words has them. */

import { membersOf, sizeOf, type Bitmap } from '../columns/bitmap.ts'

type Scores = {
  readonly set: Bitmap
  readonly numbers: Uint32Array
  readonly values: Float64Array
}

/** Records of all that is remembered: 12 bytes each. */
const mostRecords = 1_000_000

export class Scored {
  readonly #known = new Map<string, Scores>()
  #records = 0

  /** Writes the scores of `set` down; false where they are not known. */
  fill(key: string, set: Bitmap, scores: Float64Array): boolean {
    const known = this.#known.get(key)
    if (!known || !isWithin(set, known.set)) return false
    this.#known.delete(key)
    this.#known.set(key, known)
    const { numbers, values } = known
    for (let i = 0; i < numbers.length; i++) scores[numbers[i] ?? 0] = values[i] ?? 0
    return true
  }

  /** What was reckoned for `set`. */
  keep(key: string, set: Bitmap, scores: Float64Array): void {
    this.#drop(key)
    if (sizeOf(set) > mostRecords) return
    const numbers = membersOf(set)
    const values = new Float64Array(numbers.length)
    for (let i = 0; i < numbers.length; i++) values[i] = scores[numbers[i] ?? 0] ?? 0
    this.#known.set(key, { set: set.slice(), numbers, values })
    this.#records += numbers.length
    for (const oldest of this.#known.keys()) {
      if (this.#records <= mostRecords) break
      this.#drop(oldest)
    }
  }

  /** How many records there are decides every score. */
  clear(): void {
    this.#known.clear()
    this.#records = 0
  }

  #drop(key: string): void {
    this.#records -= this.#known.get(key)?.numbers.length ?? 0
    this.#known.delete(key)
  }
}

function isWithin(set: Bitmap, other: Bitmap): boolean {
  for (let i = 0; i < set.length; i++) if (((set[i] ?? 0) & ~(other[i] ?? 0)) !== 0) return false
  return true
}
