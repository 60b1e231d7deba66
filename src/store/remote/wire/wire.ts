/** The one door to a triplestore over HTTP: lasting connections, authentication, limits, retries and a circuit breaker. */

import type { Log } from '../../../log.ts'
import type { Fetch } from '../../protocol/client.ts'
import { circuitBreaker } from './breaker.ts'
import { authenticated } from './credentials.ts'
import { exchanges, type Bounds, type Exchange, type Outgoing } from './exchange.ts'
import { unavailable } from './faults.ts'
import { fetching } from './fetching.ts'
import type { WireAnswer, WireLimits, WireRequest } from './messages.ts'
import { retried } from './retries.ts'

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
  const { log, now, limits } = options
  const closing = new AbortController()
  const { exchange, dropIdle } = exchanges({ ...options, closing: closing.signal })
  const breaker = circuitBreaker({ now, onChange: (state, err) => tell(log, state, err) })
  const told = logged(exchange, options)
  const guarded: Exchange = (...request) => breaker.guard(() => told(...request))
  const proven = authenticated(guarded, options.auth)
  const retries = { ...options, onStale: dropIdle }

  const send: Wire['send'] = async (request, signal) => {
    const outgoing = outgoingOf(request)
    const { totalMs, ...parts } = { ...limits, ...request.limits }
    const bounds: Bounds = { ...parts, until: now() + totalMs }
    const signals = signal ? [closing.signal, signal] : [closing.signal]
    const attempt = () => proven(outgoing, bounds, signal)
    return retried({ attempt, idempotent: request.idempotent, bounds, signals }, retries)
  }

  return {
    send,
    fetch: fetching(send),
    state: breaker.state,
    close: () => {
      closing.abort(unavailable('The connection to the store is closed.'))
      return Promise.resolve()
    },
  }
}

/** Neither message repeats the address: it may hold what must not be told. */
function outgoingOf({ url: address, method, headers, body, into }: WireRequest): Outgoing {
  const url = URL.parse(address)
  if (!url || !/^https?:$/.test(url.protocol)) throw new TypeError('not an HTTP address')
  if (url.username || url.password) throw new TypeError('an address may not hold credentials')
  return { url, method, headers, ...(body !== undefined && { body }), ...(into && { into }) }
}

/** One line per exchange, and only for those who debug: they are many. */
function logged(exchange: Exchange, { log, now }: WireOptions): Exchange {
  return async (outgoing, bounds, signal) => {
    if (!log.isLevelEnabled('debug')) return exchange(outgoing, bounds, signal)
    const started = now()
    const line = { method: outgoing.method, path: outgoing.url.pathname }
    try {
      const answer = await exchange(outgoing, bounds, signal)
      const { status, text } = answer
      log.debug({ ...line, status, chars: text.length, ms: now() - started }, 'store.exchange')
      return answer
    } catch (err) {
      log.debug({ ...line, fault: String(err), ms: now() - started }, 'store.exchange')
      throw err
    }
  }
}

function tell(log: Log, state: 'open' | 'closed', err: unknown): void {
  if (state === 'open') log.warn({ err }, 'store.away')
  else log.info({}, 'store.back')
}
