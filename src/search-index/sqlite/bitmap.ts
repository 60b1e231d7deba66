/** Sets of record numbers as bitmaps, and a cache of them. */

import { hash } from 'node:crypto'
import { BoundedCache } from '../../workers/bounded-cache.ts'

/** Set of numbers: bit `n & 31` of word `n >>> 5` is 1 if `n` is in the set. */
export type Bitmap = Uint32Array<ArrayBuffer>

/** Makes an empty set for the numbers below `size`. */
export const bitmapOf = (size: number): Bitmap => new Uint32Array((size + 31) >>> 5)

/** Whether a number is in a set. */
export const has = (set: Bitmap, n: number): boolean =>
  (((set[n >>> 5] ?? 0) >>> (n & 31)) & 1) === 1

/** Adds a number below the size of the set. */
export function add(set: Bitmap, n: number): void {
  set[n >>> 5] = (set[n >>> 5] ?? 0) | (1 << (n & 31))
}

/** Removes a number below the size of the set. */
export function remove(set: Bitmap, n: number): void {
  set[n >>> 5] = (set[n >>> 5] ?? 0) & ~(1 << (n & 31))
}

/** Removes from `left` what is not in `right`, and returns `left`. */
export function intersect(left: Bitmap, right: Bitmap): Bitmap {
  for (let i = 0; i < left.length; i++) left[i] = (left[i] ?? 0) & (right[i] ?? 0)
  return left
}

/** Adds the numbers of `right` to `left`, and returns `left`. */
export function unite(left: Bitmap, right: Bitmap): Bitmap {
  for (let i = 0; i < left.length; i++) left[i] = (left[i] ?? 0) | (right[i] ?? 0)
  return left
}

/** Removes the numbers of `right` from `left`, and returns `left`. */
export function subtract(left: Bitmap, right: Bitmap): Bitmap {
  for (let i = 0; i < left.length; i++) left[i] = (left[i] ?? 0) & ~(right[i] ?? 0)
  return left
}

/** Counts the numbers in a set, the bits of each word in parallel (Warren, Hacker's Delight, 5-1). */
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

/** Numbers in a set, ascending. */
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

/** Cached sets for each index and reader: 16 MB together for a million records. */
const maxSets = 128
/** Most characters of a key of a cached set; of a longer one the hash is used. */
const longestKey = 200

const shortKey = (key: string): string => (key.length > longestKey ? hash('sha256', key) : key)

/**
 * Cache of the sets of record numbers that match a text query or have facet values. The content of a record number never changes, so
 * that a cached set is only extended by numbers that were added later.
 */
export class SetCache {
  readonly #sets = new BoundedCache<{ readonly set: Bitmap; readonly size: number }>(
    'search-sets',
    maxSets,
  )

  /** Whether a set is cached. */
  has(key: string): boolean {
    return this.#sets.peek(shortKey(key)) !== undefined
  }

  /**
   * Set of a key for the numbers below `size`, computed or extended by `extend`, which adds the members from number `from` on.
   * It contains
   * ended versions too, and must not be changed by the caller.
   */
  getOrExtend(key: string, size: number, extend: (set: Bitmap, from: number) => void): Bitmap {
    const short = shortKey(key)
    const cached = this.#sets.get(short)
    const set = cached?.size === size ? cached.set : bitmapOf(size)
    if (cached?.size !== size) {
      if (cached) set.set(cached.set)
      extend(set, cached?.size ?? 0)
    }
    this.#sets.set(short, { set, size })
    return set
  }
}
