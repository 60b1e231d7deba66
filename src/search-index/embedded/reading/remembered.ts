/** What the last searches found: further pages, and what many people ask for, cost their records only. */

import type { Facet, SearchRequest } from '../../search-index.ts'
import type { Snapshot } from './snapshot.ts'

/** The first hits of a search, all that there are where it has no more. */
export type Found = {
  readonly count: number
  readonly snapshot: Snapshot
  readonly facets?: readonly Facet[]
  readonly shortened?: readonly string[]
}

/** Searches that are kept; each holds a few hundred bytes, long lists of numbers and facets some hundred KB. */
const most = 64

/** By request without its page; the least recently used goes. */
export class Remembered {
  readonly #found = new Map<string, Found>()

  /** What was found, when it reaches as far as this request. */
  get(request: SearchRequest): Found | undefined {
    const key = keyOf(request)
    const found = this.#found.get(key)
    if (!found || found.snapshot.numbers.length < Math.min(endOf(request), found.count))
      return undefined
    this.#found.delete(key)
    this.#found.set(key, found)
    return found
  }

  set(request: SearchRequest, found: Found): void {
    const key = keyOf(request)
    this.#found.delete(key)
    this.#found.set(key, found)
    const [oldest] = this.#found.keys()
    if (this.#found.size > most && oldest !== undefined) this.#found.delete(oldest)
  }

  /** Something was written. */
  clear(): void {
    this.#found.clear()
  }
}

/** The place behind the last hit that is wanted. */
export const endOf = ({ offset, limit }: SearchRequest): number => (limit > 0 ? offset + limit : 0)

const keyOf = (request: SearchRequest): string =>
  JSON.stringify({ ...request, offset: 0, limit: 0, include: [] })
