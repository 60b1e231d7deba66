/**
 * The bounded cache, and how often caches are of use: hits and misses are counted in memory that all threads of the process
 * share, because some caches live in workers and `/metrics` is answered by the main thread.
 */

import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'

/** Names of the caches whose lookups are counted; each is a value of the label `cache` of the hits and misses in `/metrics`. */
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
  'query-vectors',
  'robots',
  'search-answers',
  'search-counts',
  'search-forms',
  'search-scores',
  'search-sets',
  'unknown-paths',
  'word-counts',
] as const

/** Name of a cache in `/metrics`. */
export type CacheName = (typeof cacheNames)[number]

const key = 'cartulary.cache-lookups'
const shared = getEnvironmentData(key)
/** Two counters per name, hits and misses, in the order of `cacheNames`. */
const lookups = new BigUint64Array(
  shared instanceof SharedArrayBuffer ? shared : new SharedArrayBuffer(16 * cacheNames.length),
)
// Workers that are started from now on count into the same memory.
if (shared === undefined) setEnvironmentData(key, lookups.buffer)

/** Counts lookups of a cache; other code calls it for caches that are no `BoundedCache`. */
export function countLookups(name: CacheName, hits: number, misses: number): void {
  const index = 2 * cacheNames.indexOf(name)
  if (hits > 0) Atomics.add(lookups, index, BigInt(hits))
  if (misses > 0) Atomics.add(lookups, index + 1, BigInt(misses))
}

/** Returns the lookups of a cache since the process started, summed over all threads. */
export function lookupsOf(name: CacheName): { readonly hits: number; readonly misses: number } {
  const index = 2 * cacheNames.indexOf(name)
  return {
    hits: Number(Atomics.load(lookups, index)),
    misses: Number(Atomics.load(lookups, index + 1)),
  }
}

/** Cache of a limited number of entries; the least recently used entry is dropped first. */
export class BoundedCache<Value extends {} | null> {
  readonly #name: CacheName
  readonly #maxEntries: number
  /** The least recently used comes first. */
  readonly #values = new Map<string, Value>()

  constructor(name: CacheName, maxEntries: number) {
    this.#name = name
    this.#maxEntries = maxEntries
  }

  /** Returns an entry, and counts the lookup. An entry that is not `isUsable` is a miss. */
  get(key: string, isUsable: (value: Value) => boolean = () => true): Value | undefined {
    const value = this.#values.get(key)
    const isHit = value !== undefined && isUsable(value)
    countLookups(this.#name, Number(isHit), Number(!isHit))
    if (!isHit) return undefined
    this.set(key, value, Infinity)
    return value
  }

  /** Returns an entry without counting a use or a lookup. */
  peek(key: string): Value | undefined {
    return this.#values.get(key)
  }

  /** Adds or replaces an entry, then drops entries above `limit`, which callers pass where the size of entries decides it. */
  set(key: string, value: Value, limit = this.#maxEntries): void {
    this.#values.delete(key)
    this.#values.set(key, value)
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= limit) return
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
