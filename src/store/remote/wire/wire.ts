/** The one door to a triplestore over HTTP: lasting connections, authentication, limits, retries and a circuit breaker. */

import type { Log } from '../../../log.ts'
import type { Fetch } from '../../protocol/client.ts'
import type { WireAnswer, WireLimits, WireRequest } from './messages.ts'

export type WireOptions = {
  /** Basic or Digest, as the store asks for; absent = none. */
  readonly auth?: { readonly username: string; readonly password: string }
  /** Whether a connection that carried an answer of 400 or more is given up (Virtuoso leaves bodies unread in it). */
  readonly destroyAfterError: boolean
  /** Connections at the same time; requests beyond wait for one. */
  readonly sockets: number
  /** Answers after which an idempotent request is sent again. */
  readonly retryable: (answer: WireAnswer) => boolean
  readonly log: Log
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  /** 0 ≤ x < 1. */
  readonly random: () => number
  /** Milliseconds of any clock that only goes forward. */
  readonly now: () => number
  readonly limits: WireLimits
}

export type Wire = {
  /**
   * The whole answer of any status but 401. Rejects with a `Failure`: `store-unavailable` (no connection, a broken or cut
   * answer, credentials refused, circuit open), `time-limit`, `too-large`; when `signal` is aborted, with its reason.
   */
  readonly send: (request: WireRequest, signal?: AbortSignal) => Promise<WireAnswer>
  /** `send` for a SPARQL client: reads and form-encoded queries count as idempotent. */
  readonly fetch: Fetch
  /** Of the circuit breaker: `open` = the store is away and calls fail at once. */
  readonly state: () => 'closed' | 'open' | 'half-open'
  /** Ends what still runs, with `store-unavailable`, and closes the connections. */
  readonly close: () => Promise<void>
}

/** Opens nothing yet: the first request makes the first connection. */
export function connectWire(options: WireOptions): Wire {
  throw new Error(`not built yet: ${options.sockets} sockets`)
}
