/** Sets of record numbers as bits, and those that were found before. */

import { BoundedCache } from '../../workers/bounded-cache.ts'

/** Bit `n & 31` of word `n >>> 5` says whether `n` is in the set. */
export type Bitmap = Uint32Array<ArrayBuffer>

/** An empty set with room for the numbers below `size`. */
export const bitmapOf = (size: number): Bitmap => new Uint32Array((size + 31) >>> 5)

export const has = (set: Bitmap, n: number): boolean =>
  (((set[n >>> 5] ?? 0) >>> (n & 31)) & 1) === 1

export function add(set: Bitmap, n: number): void {
  set[n >>> 5] = (set[n >>> 5] ?? 0) | (1 << (n & 31))
}

export function remove(set: Bitmap, n: number): void {
  set[n >>> 5] = (set[n >>> 5] ?? 0) & ~(1 << (n & 31))
}

/** `left` narrowed to what is in `right` too. */
export function intersect(left: Bitmap, right: Bitmap): Bitmap {
  for (let i = 0; i < left.length; i++) left[i] = (left[i] ?? 0) & (right[i] ?? 0)
  return left
}

/** `left` widened by `right`. */
export function unite(left: Bitmap, right: Bitmap): Bitmap {
  for (let i = 0; i < left.length; i++) left[i] = (left[i] ?? 0) | (right[i] ?? 0)
  return left
}

/** `left` without what is in `right`. */
export function subtract(left: Bitmap, right: Bitmap): Bitmap {
  for (let i = 0; i < left.length; i++) left[i] = (left[i] ?? 0) & ~(right[i] ?? 0)
  return left
}

/** Number of members of a set: bits are counted in parallel, word by word (Warren, Hacker's Delight, 5-1). */
export function sizeOf(set: Bitmap): number {
  let count = 0
  for (let i = 0; i < set.length; i++) {
    let word = set[i] ?? 0
    if (word === 0) continue
    word -= (word >>> 1) & 0x55555555
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333)
    count += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
  }
  return count
}

/** The members in ascending order. */
export function membersOf(set: Bitmap): Uint32Array<ArrayBuffer> {
  const members = new Uint32Array(sizeOf(set))
  let at = 0
  for (let i = 0; i < set.length; i++) {
    for (let word = set[i] ?? 0; word !== 0; word &= word - 1) {
      members[at++] = (i << 5) + (31 - Math.clz32(word & -word))
    }
  }
  return members
}

/** Sets per index and reader: a bit for every number each, 16 MB in all at a million. */
const maxSets = 128
const longestKey = 2_000

/**
 * Sets of record numbers that were found: by the words that they match, or by the facet values that they have. What is written
 * down about a version never changes under its number, so that a set stays true for ever; only for numbers that were given
 * later it has to be extended.
 */
export class SetCache {
  readonly #sets = new BoundedCache<{ readonly set: Bitmap; readonly size: number }>(
    'search-sets',
    maxSets,
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
