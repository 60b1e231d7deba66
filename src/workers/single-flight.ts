/** Shares the result of one call between all who ask for the same key meanwhile, and for some time afterwards where wanted. */

import { type CacheName, countLookups } from './bounded-cache.ts'
import { unlessAborted } from './condition.ts'

export type SingleFlightOptions<Value> = {
  /** Milliseconds for which a result is kept, counted from the beginning of its call; 0 by default. */
  readonly keepMs?: number | ((value: Value) => number)
  /** Clock in milliseconds, any origin; that of the process by default. */
  readonly now?: () => number
  /** Sum of the weights of kept results, 1,000 by default; those that were used longest ago are dropped first, the only one never. */
  readonly most?: number
  /** Weight of a result, 1 by default. */
  readonly weigh?: (value: Value) => number
  /** Row of the hit rate in `/metrics`; a call that joins another one is a hit. */
  readonly cache?: CacheName
}

type Flight<Value> = {
  readonly since: number
  readonly outcome: Promise<Value>
  readonly end: AbortController
  callers: number
  /** Absent while the call is under way. */
  kept?: { readonly value: Value; readonly until: number; readonly weight: number }
}

const monotonicMs = () => performance.now()

/** One call at a time for a key. Failures are not kept. */
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
   * The kept result, that of the call under way, or that of `make`. Rejects as `make` does, and with the signal's reason. The call
   * is aborted when the last of its callers has given up; a caller without a signal never does.
   */
  async get(
    key: Key,
    make: (signal: AbortSignal) => Promise<Value>,
    signal?: AbortSignal,
  ): Promise<Value> {
    signal?.throwIfAborted()
    const { now = monotonicMs, cache } = this.#options
    const known = this.#flights.get(key)
    const isHit = known !== undefined && (known.kept?.until ?? Infinity) > now()
    if (cache) countLookups(cache, Number(isHit), Number(!isHit))
    if (known && !isHit) this.#drop(key, known)
    const flight = isHit ? known : this.#begin(key, make)
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
    return this.#flights.get(key)?.kept?.value
  }

  /** All kept results, however old. */
  values(): readonly Value[] {
    return [...this.#flights.values()].flatMap(({ kept }) => (kept ? [kept.value] : []))
  }

  /** Drops all results. Calls under way end for those who wait for them, and are no longer joined. */
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
    const since = now()
    const flight: Flight<Value> = { since, outcome: make(end.signal), end, callers: 0 }
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
    flight.kept = { value, until: flight.since + ms, weight: weigh(value) }
    this.#weight += flight.kept.weight
    for (const [oldest, one] of this.#flights) {
      if (this.#weight <= most || this.#flights.size === 1) return
      if (one.kept) this.#drop(oldest, one)
    }
  }

  #drop(key: Key, flight: Flight<Value>): void {
    if (this.#flights.get(key) !== flight) return
    this.#flights.delete(key)
    this.#weight -= flight.kept?.weight ?? 0
  }
}
