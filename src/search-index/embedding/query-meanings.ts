/**
 * Meaning of queries: asks the embedder for the vector of each, for as long as a search may wait, and not at all for a while after
 * failures. Queries are neither logged nor stored.
 */

import type { Log } from '../../log.ts'
import { BoundedCache } from '../../workers/bounded-cache.ts'
import type { Pause } from '../../workers/pause.ts'
import { SingleFlight } from '../../workers/single-flight.ts'
import type { Meaning } from '../search-index.ts'
import type { Embedder, EmbedderSettings } from './embedder.ts'

/** Queries whose vectors are kept, and calls at a time. */
const [mostKept, mostCalls] = [2000, 6]
/** Number of failures in a row after which queries are not embedded for `offMs` milliseconds. */
const mostFailures = 5
const offMs = 30_000
/**
 * Milliseconds of a call. It may last longer than a search waits: an embedder that loads its model gets the time for that, and the
 * answer is kept for the next search.
 */
const callMs = 10_000

type QueryMeaningsOptions = {
  readonly embedder: Pick<Embedder, 'embed'>
  readonly settings: Pick<EmbedderSettings, 'queryPrefix' | 'queryMs' | 'weight' | 'most'>
  readonly log: Log
  /** Milliseconds that never decrease. */
  readonly now: () => number
  readonly pause: Pause
  /** Called after each query that was not kept, with the milliseconds that its search waited. */
  readonly onQuery: (ms: number, isAnswered: boolean) => void
}

/** Makes meanings of queries, with a cache and a memory of failures, until `stop`. */
export class QueryMeanings {
  readonly #options: QueryMeaningsOptions
  readonly #kept = new BoundedCache<Int8Array>('query-vectors', mostKept)
  readonly #flights = new SingleFlight<string, Int8Array>()
  /** Texts of the calls under way, with whether each has counted as a failure because a search did not wait for it. */
  readonly #calls = new Map<string, { isLate: boolean }>()
  #failures = 0
  #offUntil = -Infinity

  constructor(options: QueryMeaningsOptions) {
    this.#options = options
  }

  /** Whether the last queries all failed. */
  get isAway(): boolean {
    return this.#failures >= mostFailures
  }

  /** Makes the meaning of a query; `undefined` when there is none in time. Rejects with the reason of the signal only. */
  async meaningOf(q: string, signal: AbortSignal): Promise<Meaning | undefined> {
    const { settings, now, onQuery } = this.#options
    const { weight, most } = settings
    const text = q.trim()
    const kept = this.#kept.get(text)
    if (kept) return { vector: kept, weight, most }
    const isFull = this.#calls.size >= mostCalls && !this.#calls.has(text)
    if (text === '' || isFull || now() < this.#offUntil) return undefined
    const startedMs = now()
    const vector = await this.#vectorInTime(text, signal)
    onQuery(now() - startedMs, vector !== undefined)
    return vector && { vector, weight, most }
  }

  /** Aborts the calls under way and resolves when they have ended. */
  stop(): Promise<void> {
    return this.#flights.stop(new Error('the platform stops'))
  }

  /** Waits for the vector at most `queryMs`; `undefined` without one. */
  async #vectorInTime(text: string, signal: AbortSignal): Promise<Int8Array | undefined> {
    const { settings, pause } = this.#options
    const done = new AbortController()
    const vector = this.#flights
      .get(text, (ending) => this.#embed(text, ending))
      .catch(() => undefined)
    const waiting = pause(settings.queryMs, AbortSignal.any([signal, done.signal])).then(
      () => true,
      () => false,
    )
    const isLate = await Promise.race([waiting, vector.then(() => false)])
    done.abort()
    signal.throwIfAborted()
    if (!isLate) return vector
    const call = this.#calls.get(text)
    if (call?.isLate === false) {
      call.isLate = true
      this.#fail(new Error(`The embedder took longer than ${settings.queryMs} ms for a query.`))
    }
    return undefined
  }

  async #embed(text: string, signal: AbortSignal): Promise<Int8Array> {
    const { embedder, settings } = this.#options
    const call = { isLate: false }
    this.#calls.set(text, call)
    try {
      const texts = [settings.queryPrefix + text]
      const [vector = new Int8Array()] = await embedder.embed(texts, { limitMs: callMs, signal })
      this.#kept.set(text, vector)
      if (!call.isLate) this.#failures = 0
      return vector
    } catch (error) {
      if (!call.isLate && !signal.aborted) this.#fail(error)
      throw error
    } finally {
      this.#calls.delete(text)
    }
  }

  #fail(err: unknown): void {
    const { log, now } = this.#options
    this.#failures += 1
    if (this.#failures < mostFailures) return
    this.#offUntil = now() + offMs
    if (this.#failures === mostFailures)
      log.warn({ err, retryInMs: offMs }, 'embedder.queries-paused')
  }
}
