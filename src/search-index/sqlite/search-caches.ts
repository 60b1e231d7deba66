/** The two caches of a reader, for people who go on from search to search with the same words and filters. */

import { BoundedCache } from '../../workers/bounded-cache.ts'
import { type Bitmap, bitmapOf } from './bitmap.ts'

/** Sets per index and reader: a bit for every number each, 16 MB in all at a million. */
const mostSets = 128
const longestKey = 2_000

/**
 * Sets of record numbers that were found: by the words that they match, or by the facet values that they have. What is written
 * down about a version never changes under its number, so that a set stays true for ever; only for numbers that were given
 * later it has to be extended.
 */
export class SetCache {
  readonly #sets = new BoundedCache<{ readonly set: Bitmap; readonly size: number }>(
    'search-sets',
    mostSets,
  )

  has(key: string): boolean {
    return this.#sets.peek(key) !== undefined
  }

  /**
   * The set of a key over the numbers below `size`; it holds dead versions too and is not the caller's to change. `extend` adds
   * the members from a number on.
   */
  of(key: string, size: number, extend: (set: Bitmap, from: number) => void): Bitmap {
    const known = this.#sets.get(key)
    const set = known?.size === size ? known.set : bitmapOf(size)
    if (known?.size !== size) {
      if (known) set.set(known.set)
      extend(set, known?.size ?? 0)
    }
    if (key.length < longestKey) this.#sets.set(key, { set, size })
    return set
  }
}

/** Bytes of all scores that an index and reader keep: four of a million records. */
const mostBytes = 16 * 2 ** 20

/**
 * Scores that were computed since the last write: the next filter, page or order of the same words has them. How many records
 * there are decides every score, so that all are forgotten when something is written.
 */
export class ScoreCache {
  readonly #known = new BoundedCache<{ readonly set: Bitmap; readonly scores: Float32Array }>(
    'search-scores',
    1,
  )

  /** Scores by record number that are complete for `set`. */
  get(key: string, set: Bitmap): Float32Array | undefined {
    return this.#known.get(key, (known) => isWithin(set, known.set))?.scores
  }

  set(key: string, set: Bitmap, scores: Float32Array): void {
    const most = Math.max(1, Math.floor(mostBytes / scores.byteLength))
    this.#known.set(key, { set: set.slice(), scores }, most)
  }

  clear(): void {
    this.#known.clear()
  }
}

const isWithin = (set: Bitmap, other: Bitmap): boolean =>
  set.every((word, i) => (word & ~(other[i] ?? 0)) === 0)
