/**
 * Sets of record numbers that were found: by the words that they match, or by the facet values that they have. People go on from
 * search to search with the same words and filters. What is written down about a version never changes under its number, so
 * that a set stays true for ever; only for numbers that were given later it has to be extended.
 */

import { bitmapOf, type Bitmap } from './bitmap.ts'

/** Sets per index and reader: a bit for every number each, 16 MB in all at a million. */
const mostSets = 128
const longestKey = 2_000

export class SetCache {
  /** The least recently used comes first. */
  readonly #sets = new Map<string, { readonly set: Bitmap; readonly size: number }>()

  has(key: string): boolean {
    return this.#sets.has(key)
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
    this.#sets.delete(key)
    if (key.length < longestKey) this.#sets.set(key, { set, size })
    const [oldest] = this.#sets.keys()
    if (this.#sets.size > mostSets && oldest !== undefined) this.#sets.delete(oldest)
    return set
  }
}
