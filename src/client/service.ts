/**
 * The client for services of the operator's own (triplestore, search engine): lasting connections, authentication, limits,
 * another try after broken connections and passing errors, and a circuit breaker, so that calls fail at once while the service
 * is away instead of queueing up for their time limits.
 */

import type { Log } from '../log.ts'
import { Failure } from '../errors.ts'
import { retry, type Attempted, type Pause } from '../workers/retry.ts'
import { Authentication, type Credentials } from './authentication.ts'
import {
  ConnectionError,
  exchanges,
  type Exchange,
  type Outgoing,
  type ServiceAnswer,
  type ServiceBounds,
  type ServiceLimits,
  type ServiceName,
  type ServiceRequest,
} from './service-exchange.ts'

export type ServiceOptions = {
  readonly service: ServiceName
  /** Basic or Digest, as the service asks for; absent = none. */
  readonly auth?: Credentials
  /** Whether a connection that carried an answer of 400 or more is given up (Virtuoso leaves bodies unread in it). */
  readonly destroyAfterError: boolean
  /** Connections at the same time; requests beyond wait for one. */
  readonly sockets: number
  /** Answers after which an idempotent request is sent again. */
  readonly retryable: (answer: ServiceAnswer) => boolean
  readonly log: Log
  readonly pause: Pause
  /** 0 ≤ x < 1. */
  readonly random: () => number
  /** Milliseconds of any clock that only goes forward. */
  readonly now: () => number
  readonly limits: ServiceLimits
}

type Send = (request: ServiceRequest, signal?: AbortSignal) => Promise<ServiceAnswer>

export type ServiceClient = {
  /**
   * The whole answer of any status but 401. Rejects with a `Failure`: the service's `unavailable` (no connection, a broken or
   * cut answer, credentials refused, circuit open), `time-limit`, `too-large`; when `signal` is aborted, with its reason.
   */
  readonly send: Send
  /** Of the circuit breaker: `open` = the service is away and calls fail at once. */
  readonly state: () => 'closed' | 'open' | 'half-open'
  /** Ends what still runs, with `unavailable`, and closes the connections. */
  readonly close: () => Promise<void>
}

/** Opens nothing yet: the first request makes the first connection. */
export function serviceClient(options: ServiceOptions): ServiceClient {
  const { service, sockets, destroyAfterError, now, limits, auth } = options
  const closing = new AbortController()
  const { signal: ending } = closing
  const connections = exchanges({ service, sockets, destroyAfterError, now, closing: ending })
  const breaker = circuitBreaker(options)
  const logged = loggedExchange(connections.exchange, options)
  const guarded: Exchange = (...request) => breaker.guard(() => logged(...request))
  const proven = new Authentication(guarded, auth, service).exchange
  const send: Send = async (request, signal) => {
    const outgoing = outgoingOf(request)
    const { totalMs, ...parts } = { ...limits, ...request.limits }
    const bounds: ServiceBounds = { ...parts, until: now() + totalMs }
    const next = delays(bounds, options)
    const signals = signal ? [ending, signal] : [ending]
    return retry(() => proven(outgoing, bounds, signal), {
      delayMs: (outcome) => {
        const fault = faultOf(outcome)
        if (fault?.reused) connections.dropIdle()
        const isWorthIt = fault ?? ('value' in outcome && options.retryable(outcome.value))
        return request.idempotent && isWorthIt ? next(fault) : undefined
      },
      pause: (ms) => (ms > 0 ? options.pause(ms, AbortSignal.any(signals)) : Promise.resolve()),
      signal,
    }).catch((error: unknown) => {
      throw error instanceof ConnectionError ? broken(error, service) : error
    })
  }
  return {
    send,
    state: breaker.state,
    close: async () => {
      closing.abort(unavailable(service, `The connection to the ${service.name} is closed.`))
    },
  }
}

/** `cause` is for the log. */
const unavailable = (service: ServiceName, detail: string, cause?: unknown): Failure =>
  new Failure(service.unavailable, detail, { retryAfter: 2, cause })

/** The failure that a broken connection becomes when nobody tries again. */
const broken = (fault: ConnectionError, service: ServiceName): Failure =>
  unavailable(
    service,
    fault.stage === 'connecting'
      ? `The ${service.name} cannot be reached.`
      : `The connection to the ${service.name} broke off.`,
    fault,
  )

const faultOf = (outcome: Attempted<ServiceAnswer>): ConnectionError | undefined =>
  'error' in outcome && outcome.error instanceof ConnectionError ? outcome.error : undefined

/** Neither message repeats the address: it may hold what must not be told. */
function outgoingOf({ url: address, method, headers, body }: ServiceRequest): Outgoing {
  const url = URL.parse(address)
  if (!url || !/^https?:$/.test(url.protocol)) throw new TypeError('not an HTTP address')
  if (url.username || url.password) throw new TypeError('an address may not hold credentials')
  return { url, method, headers, ...(body !== undefined && { body }) }
}

/** Milliseconds between the tries, before they are spread. */
const pauses = [50, 200, 800]

type DelayOptions = { readonly random: () => number; readonly now: () => number }

/** How long to wait before the next try of one call; nothing when its time, or the time to connect, would be over. */
function delays(bounds: ServiceBounds, { random, now }: DelayOptions) {
  const connectUntil = now() + bounds.connectMs
  let turn = 0
  let isRaced = false
  return (fault: ConnectionError | undefined): number | undefined => {
    // The server hung up while the request was on its way: nothing is wrong with it, a new connection will do.
    if (fault?.reused && !isRaced) {
      isRaced = true
      return 0
    }
    const pause = pauses[turn]
    if (pause === undefined) return undefined
    turn += 1
    const ms = pause * (0.5 + random())
    const until = Math.min(bounds.until, fault?.stage === 'connecting' ? connectUntil : Infinity)
    return now() + ms < until ? ms : undefined
  }
}

/** So many connections in a row must fail before the circuit opens. */
const mostFaults = 5
/** So long it stays open before one call is let through to see. */
const openMs = 2000

type BreakerOptions = Pick<ServiceOptions, 'service' | 'log' | 'now'>

/**
 * Counts connections that could not be made or broke, one after the other. Any answer closes the circuit; a connection that had
 * served before says nothing when it breaks, because its other end may have been gone for long.
 */
function circuitBreaker({ service, log, now }: BreakerOptions) {
  const events = service.unavailable.split('-', 1)[0]
  let [faults, probes] = [0, 0]
  let openUntil: number | undefined
  let last: ConnectionError | undefined
  const fail = (err: ConnectionError): void => {
    last = err
    faults += 1
    if (faults < mostFaults) return
    if (openUntil === undefined) log.warn({ err }, `${events}.away`)
    openUntil = now() + openMs
  }
  const run = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      const result = await work()
      if (openUntil !== undefined) log.info({}, `${events}.back`)
      faults = 0
      openUntil = undefined
      return result
    } catch (error) {
      if (error instanceof ConnectionError && !error.reused) fail(error)
      throw error
    }
  }
  return {
    /** Does `work`, or rejects at once with `unavailable` while the circuit is open. */
    guard: async <Result>(work: () => Promise<Result>): Promise<Result> => {
      if (openUntil === undefined) return run(work)
      if (now() < openUntil) throw unavailable(service, `The ${service.name} is away.`, last)
      // A slow probe keeps the others out no longer than a failed one.
      openUntil = now() + openMs
      probes += 1
      return run(work).finally(() => (probes -= 1))
    },
    state: (): 'closed' | 'open' | 'half-open' => {
      if (openUntil === undefined) return 'closed'
      return probes > 0 || now() >= openUntil ? 'half-open' : 'open'
    },
  }
}

/** One line per exchange, and only for those who debug: they are many. */
function loggedExchange(exchange: Exchange, { log, now, service }: BreakerOptions): Exchange {
  const event = `${service.unavailable.split('-', 1)[0]}.exchange`
  return async (outgoing, bounds, signal) => {
    if (!log.isLevelEnabled('debug')) return exchange(outgoing, bounds, signal)
    const started = now()
    const line = { method: outgoing.method, path: outgoing.url.pathname }
    try {
      const answer = await exchange(outgoing, bounds, signal)
      const { status, text } = answer
      log.debug({ ...line, status, chars: text.length, ms: now() - started }, event)
      return answer
    } catch (err) {
      log.debug({ ...line, fault: String(err), ms: now() - started }, event)
      throw err
    }
  }
}
