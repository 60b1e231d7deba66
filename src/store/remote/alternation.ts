/**
 * Keeps the queries and updates of this process apart where queries lock what they read: Virtuoso ends the deadlocks between a
 * look-up and the write beside it after 0.2 to 1 s (decision 0015).
 */

import type { StoreEndpoint } from './dialect.ts'

type Side = 'queries' | 'updates'

type WaitingCall = { readonly side: Side; readonly start: () => void }

/** Most milliseconds for which a call waits for the other side: a long query does not stop writes. */
const patienceMs = 250

/**
 * Lets calls run beside those of their side, and after those of the other side that came before them, but waits no longer than
 * `patienceMs` for these.
 */
class Alternation {
  readonly #pause: StoreEndpoint['pause']
  readonly #running = { queries: 0, updates: 0 }
  /** In the order of arrival. */
  readonly #waiting: WaitingCall[] = []

  constructor(pause: StoreEndpoint['pause']) {
    this.#pause = pause
  }

  async run<T>(side: Side, call: () => Promise<T>): Promise<T> {
    await this.#turn(side)
    try {
      return await call()
    } finally {
      this.#running[side] -= 1
      this.#startNext()
    }
  }

  #isBlocked(side: Side): boolean {
    return this.#running[side === 'queries' ? 'updates' : 'queries'] > 0
  }

  /** Resolves when a call may start; it is counted as running then. */
  async #turn(side: Side): Promise<void> {
    if (this.#waiting.length > 0 || this.#isBlocked(side)) {
      const started = Promise.withResolvers<void>()
      const waiting = { side, start: started.resolve }
      this.#waiting.push(waiting)
      // The pause rejects when the store closes.
      await Promise.race([started.promise, this.#pause(patienceMs).catch(() => undefined)])
      const at = this.#waiting.indexOf(waiting)
      if (at < 0) return
      this.#waiting.splice(at, 1)
    }
    this.#running[side] += 1
    this.#startNext()
  }

  /** Starts the calls of one side that have waited longest. */
  #startNext(): void {
    const side = this.#waiting[0]?.side
    if (!side || this.#isBlocked(side)) return
    while (this.#waiting[0]?.side === side) {
      this.#running[side] += 1
      this.#waiting.shift()?.start()
    }
  }
}

/**
 * Returns an endpoint whose queries and updates alternate. Whole graphs are read by `construct`, which waits for writes of the graph
 * alone.
 */
export function alternating(endpoint: StoreEndpoint): StoreEndpoint {
  const alternation = new Alternation(endpoint.pause)
  return {
    ...endpoint,
    ask: (query, signal) => alternation.run('queries', () => endpoint.ask(query, signal)),
    select: (query, signal) => alternation.run('queries', () => endpoint.select(query, signal)),
    update: (text) => alternation.run('updates', () => endpoint.update(text)),
  }
}
