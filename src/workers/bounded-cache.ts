/**
 * The bounded cache, and how often caches are of use: hits and misses are counted in memory that all threads of the process
 * share, because some caches live in workers and `/metrics` is answered by the main thread.
 */

import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'

/** Every cache that is looked up while requests are served; the label `cache` of its numbers in `/metrics`. */
export const cacheNames = [
  'answer-sizes',
  'bodies',
  'catalogues',
  'concepts',
  'dataset-catalogues',
  'facet-values',
  'id-lists',
  'maps',
  'pages',
  'prose',
  'robots',
  'search-answers',
  'search-scores',
  'search-sets',
  'word-counts',
] as const

/** Name of a cache in `/metrics`. */
export type CacheName = (typeof cacheNames)[number]

const key = 'cartulary.cache-lookups'
const shared = getEnvironmentData(key)
/** Hits and misses by turns, in the order of the names. */
const lookups = new BigUint64Array(
  shared instanceof SharedArrayBuffer ? shared : new SharedArrayBuffer(16 * cacheNames.length),
)
// Workers that are started from now on count into the same memory.
if (shared === undefined) setEnvironmentData(key, lookups.buffer)

/** For caches of another shape than `BoundedCache`: so many lookups found something, so many did not. */
export function countLookups(name: CacheName, hits: number, misses: number): void {
  const at = 2 * cacheNames.indexOf(name)
  if (hits > 0) Atomics.add(lookups, at, BigInt(hits))
  if (misses > 0) Atomics.add(lookups, at + 1, BigInt(misses))
}

/** Since the process started, over all its threads. */
export function lookupsOf(name: CacheName): { readonly hits: number; readonly misses: number } {
  const at = 2 * cacheNames.indexOf(name)
  return {
    hits: Number(Atomics.load(lookups, at)),
    misses: Number(Atomics.load(lookups, at + 1)),
  }
}

/** Keeps the `most` entries that were used last. */
export class BoundedCache<Value extends {} | null> {
  readonly #name: CacheName
  readonly #most: number
  /** The least recently used comes first. */
  readonly #values = new Map<string, Value>()

  constructor(name: CacheName, most: number) {
    this.#name = name
    this.#most = most
  }

  /** Counts as a use, and in the hit rate. An entry that is not `isUsable` is a miss. */
  get(key: string, isUsable: (value: Value) => boolean = () => true): Value | undefined {
    const value = this.#values.get(key)
    const isHit = value !== undefined && isUsable(value)
    countLookups(this.#name, Number(isHit), Number(!isHit))
    if (!isHit) return undefined
    this.set(key, value, Infinity)
    return value
  }

  /** Without counting as a use. */
  peek(key: string): Value | undefined {
    return this.#values.get(key)
  }

  /** `most`: for entries whose size decides how many there may be. */
  set(key: string, value: Value, most = this.#most): void {
    this.#values.delete(key)
    this.#values.set(key, value)
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= most) return
      this.#values.delete(oldest)
    }
  }

  delete(key: string): void {
    this.#values.delete(key)
  }

  clear(): void {
    this.#values.clear()
  }
}
