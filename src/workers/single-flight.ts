/**
 * Shares the result of one call between all callers with the same key, while it runs and, optionally, for some time afterwards.
 */

import { type CacheName, countLookups } from './bounded-cache.ts'
import { unlessAborted } from './condition.ts'

/** Options of `SingleFlight`. */
export type SingleFlightOptions<Value> = {
  /** Milliseconds for which a result is reused, counted from the start of its call; 0 by default. */
  readonly keepMs?: number | ((value: Value) => number)
  /** Clock in milliseconds with any origin; by default `performance.now`. */
  readonly now?: () => number
  /** Maximum weight of all kept results, 1,000 by default; those used longest ago are dropped first, a single one never. */
  readonly most?: number
  /** Weight of a result, 1 by default. */
  readonly weigh?: (value: Value) => number
  /** Cache whose hit rate in `/metrics` counts the calls; one that joins another is a hit. Not counted when absent. */
  readonly cache?: CacheName
}

type Flight<Value> = {
  readonly startMs: number
  readonly outcome: Promise<Value>
  readonly end: AbortController
  callers: number
  /** Absent while the call is under way. */
  stored?: { readonly value: Value; readonly until: number; readonly weight: number }
}

const monotonicMs = () => performance.now()

/** Runs at most one call per key at a time. Failures are not reused. */
export class SingleFlight<Key, Value> {
  readonly #options: SingleFlightOptions<Value>
  /** Calls that can be joined, and kept results; the least recently used comes first. */
  readonly #flights = new Map<Key, Flight<Value>>()
  /** Calls under way with their ends, including those that can no longer be joined. */
  readonly #running = new Map<Flight<Value>, Promise<void>>()
  #weight = 0

  constructor(options: SingleFlightOptions<Value> = {}) {
    this.#options = options
  }

  /**
   * Resolves with the stored result, with that of the running call, or with that of `make`. Rejects as `make` does, and with the
   * signal's reason. The call is aborted when all its callers have been aborted; a caller without a signal never is.
   */
  async get(
    key: Key,
    make: (signal: AbortSignal) => Promise<Value>,
    signal?: AbortSignal,
  ): Promise<Value> {
    signal?.throwIfAborted()
    const { now = monotonicMs, cache } = this.#options
    const current = this.#flights.get(key)
    const isHit = current !== undefined && (current.stored?.until ?? Infinity) > now()
    if (cache) countLookups(cache, Number(isHit), Number(!isHit))
    if (current && !isHit) this.#drop(key, current)
    const flight = isHit ? current : this.#begin(key, make)
    this.#flights.delete(key)
    this.#flights.set(key, flight)
    flight.callers += 1
    try {
      return await (signal ? unlessAborted(flight.outcome, signal) : flight.outcome)
    } finally {
      flight.callers -= 1
      if (flight.callers === 0 && this.#running.has(flight)) {
        this.#drop(key, flight)
        flight.end.abort(signal?.reason)
      }
    }
  }

  /** Whether there is a call to join or a kept result, even one that is too old. */
  has(key: Key): boolean {
    return this.#flights.has(key)
  }

  /** The kept result, however old; does not count as a use. */
  peek(key: Key): Value | undefined {
    return this.#flights.get(key)?.stored?.value
  }

  /** All kept results, however old. */
  values(): readonly Value[] {
    return [...this.#flights.values()].flatMap(({ stored }) => (stored ? [stored.value] : []))
  }

  /** Drops all results. Running calls still settle for their callers, and new callers do not join them. */
  clear(): void {
    for (const [key, flight] of this.#flights) this.#drop(key, flight)
  }

  /** Aborts the calls under way and resolves when they have ended, in whatever way. */
  async stop(reason: unknown): Promise<void> {
    for (const { end } of this.#running.keys()) end.abort(reason)
    await Promise.all(this.#running.values())
  }

  #begin(key: Key, make: (signal: AbortSignal) => Promise<Value>): Flight<Value> {
    const { now = monotonicMs } = this.#options
    const end = new AbortController()
    const startMs = now()
    const flight: Flight<Value> = { startMs, outcome: make(end.signal), end, callers: 0 }
    const ended = flight.outcome.then(
      (value) => this.#keep(key, flight, value),
      () => {
        this.#running.delete(flight)
        this.#drop(key, flight)
      },
    )
    this.#running.set(flight, ended)
    return flight
  }

  #keep(key: Key, flight: Flight<Value>, value: Value): void {
    this.#running.delete(flight)
    if (this.#flights.get(key) !== flight) return
    const { keepMs = 0, weigh = () => 1, most = 1000 } = this.#options
    const ms = typeof keepMs === 'function' ? keepMs(value) : keepMs
    if (ms <= 0) return this.#drop(key, flight)
    flight.stored = { value, until: flight.startMs + ms, weight: weigh(value) }
    this.#weight += flight.stored.weight
    for (const [oldest, candidate] of this.#flights) {
      if (this.#weight <= most || this.#flights.size === 1) return
      if (candidate.stored) this.#drop(oldest, candidate)
    }
  }

  #drop(key: Key, flight: Flight<Value>): void {
    if (this.#flights.get(key) !== flight) return
    this.#flights.delete(key)
    this.#weight -= flight.stored?.weight ?? 0
  }
}
