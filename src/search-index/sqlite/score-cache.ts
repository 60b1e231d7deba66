/**
 * Scores that were computed since the last write: the next filter, page or order of the same words has them. How many records
 * there are decides every score, so that all are forgotten when something is written.
 */

import type { Bitmap } from './bitmap.ts'

/** Bytes of all scores that an index and reader keep: four of a million records. */
const mostBytes = 16 * 2 ** 20

export class ScoreCache {
  /** The least recently used comes first. */
  readonly #known = new Map<string, { readonly set: Bitmap; readonly scores: Float32Array }>()

  /** Scores by record number that are complete for `set`. */
  get(key: string, set: Bitmap): Float32Array | undefined {
    const known = this.#known.get(key)
    if (!known || !isWithin(set, known.set)) return undefined
    this.#known.delete(key)
    this.#known.set(key, known)
    return known.scores
  }

  set(key: string, set: Bitmap, scores: Float32Array): void {
    this.#known.delete(key)
    this.#known.set(key, { set: set.slice(), scores })
    const most = Math.max(1, Math.floor(mostBytes / scores.byteLength))
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= most) return
      this.#known.delete(oldest)
    }
  }

  clear(): void {
    this.#known.clear()
  }
}

const isWithin = (set: Bitmap, other: Bitmap): boolean =>
  set.every((word, i) => (word & ~(other[i] ?? 0)) === 0)
