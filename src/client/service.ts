/**
 * HTTP client for services of the operator (triplestore, search engine): keep-alive connections, authentication, limits,
 * retries after broken connections and transient errors, and a circuit breaker that fails calls at once while the service is
 * down.
 */

import type { Log } from '../log.ts'
import { Failure } from '../errors.ts'
import { traceHeaders } from '../trace.ts'
import type { Pause } from '../workers/pause.ts'
import { retry, type Attempted } from '../workers/retry.ts'
import { Authentication, type Credentials } from './authentication.ts'
import { deadlineClock } from './deadlines.ts'
import { certificateProblem, ExchangeFault, type OutgoingRequest } from './exchange.ts'
import {
  serviceExchange,
  type ServiceAnswer,
  type ServiceCall,
  type ConnectionOptions,
  type ServiceExchange,
  type ServiceLimits,
  type ServiceName,
  type ServiceRequest,
} from './service-request.ts'
import { withDefaults } from '../text/defaults.ts'

/** Settings and dependencies of a client. */
export type ServiceOptions = ConnectionOptions & {
  /** Credentials for Basic or Digest; absent for none. */
  readonly auth?: Credentials
  /** Whether an idempotent request is retried after a response. */
  readonly retryable: (answer: ServiceAnswer) => boolean
  readonly log: Log
  readonly pause: Pause
  /** Random number, 0 ≤ x < 1. */
  readonly random: () => number
  /** Monotonic time in ms. */
  readonly now: () => number
  /** Limits of requests that set none. */
  readonly limits: ServiceLimits
}

/** Client for one service. */
export type ServiceClient = {
  /**
   * Sends a request and returns the whole response, whatever its status but 401. Rejects with a `Failure`: the service's
   * `unavailable` (no connection, a broken or truncated response, refused credentials, open circuit), `time-limit`, `too-large`;
   * with the reason of `signal`; or with a `TypeError` for an invalid address.
   */
  readonly send: (request: ServiceRequest, signal?: AbortSignal) => Promise<ServiceAnswer>
  /** Aborts pending calls with `unavailable` and closes the connections. */
  readonly close: () => Promise<void>
}

/** Creates the client; connections are opened on demand. */
export function serviceClient(options: ServiceOptions): ServiceClient {
  const { service, limits, auth, now } = options
  const closing = new AbortController()
  const connections = serviceExchange(options)
  const breaker = new CircuitBreaker(options)
  const exchange = withLogging(connections.exchange, options)
  const guarded: ServiceExchange = (outgoing, call) => breaker.guard(() => exchange(outgoing, call))
  const authenticated = new Authentication(guarded, auth, service).exchange
  return {
    send: async (request, signal) => {
      const outgoing = outgoingOf(request)
      const { connectMs, firstByteMs, totalMs, bytes } = withDefaults(limits, request.limits)
      const deadlines = { connectMs, firstByteMs, idleMs: totalMs, pageMs: totalMs }
      const call: ServiceCall = {
        clock: deadlineClock(deadlines, now),
        bytes,
        signal: signal ? AbortSignal.any([closing.signal, signal]) : closing.signal,
      }
      const nextDelayMs = delays(call, options)
      return retry(() => authenticated(outgoing, call), {
        delayMs: (outcome) => {
          const fault = exchangeFaultOf(outcome)
          const isRetryable = fault ?? ('value' in outcome && options.retryable(outcome.value))
          return request.isIdempotent && isRetryable ? nextDelayMs(fault) : undefined
        },
        pause: async (ms) => {
          const pausing = async () => options.pause(ms, call.signal)
          if (ms > 0) await call.clock.within(Promise.resolve().then(pausing), 'pageMs')
        },
        signal: call.signal,
      }).catch((error: unknown) => {
        throw error instanceof ExchangeFault ? brokenConnection(error, service) : error
      })
    },
    close: async () => {
      closing.abort(unavailable(service, `The connection to the ${service.name} is closed.`))
      connections.close()
    },
  }
}

/** Failure for an unavailable service; `cause` is only logged. */
const unavailable = (service: ServiceName, detail: string, cause?: unknown): Failure =>
  new Failure(service.unavailable, detail, { retryAfter: 2, cause })

/** Failure for a broken connection after the last attempt. */
function brokenConnection(fault: ExchangeFault, service: ServiceName): Failure {
  const problem = certificateProblem(fault)
  const detail =
    problem !== undefined
      ? `The ${service.name} ${problem}.`
      : fault.phase === 'connecting'
        ? `The ${service.name} cannot be reached.`
        : `The connection to the ${service.name} broke off.`
  return unavailable(service, detail, fault)
}

const exchangeFaultOf = (outcome: Attempted<ServiceAnswer>): ExchangeFault | undefined =>
  'error' in outcome && outcome.error instanceof ExchangeFault ? outcome.error : undefined

/** Parses the address. Throws a `TypeError` whose message does not contain it, because it may include secrets. */
function outgoingOf({ url: address, method, headers, body }: ServiceRequest): OutgoingRequest {
  const url = URL.parse(address)
  if (!url || !/^https?:$/.test(url.protocol)) throw new TypeError('not an HTTP address')
  if (url.username || url.password) throw new TypeError('an address may not hold credentials')
  return { url, method, headers: { ...headers, ...traceHeaders() }, body }
}

/** Milliseconds before the retries, before jitter; a retry after a dead reused connection has no pause. */
const pausesMs = [50, 200, 800]

/**
 * Returns a function that returns the pause in ms before the next attempt; `undefined` after the last attempt, or when the total
 * time, or after a failure to connect the connection time, would be exceeded.
 */
function delays({ clock }: ServiceCall, { random, now }: ServiceOptions) {
  const connectUntil = now() + clock.deadlines.connectMs
  let retries = 0
  let hasReconnected = false
  return (fault: ExchangeFault | undefined): number | undefined => {
    // The server may have closed a reused connection at the same moment; a new connection suffices.
    if (fault?.isReused && !hasReconnected) {
      hasReconnected = true
      return 0
    }
    const pauseMs = pausesMs[retries]
    if (pauseMs === undefined) return undefined
    retries += 1
    const ms = pauseMs * (0.5 + random())
    const isInTime = fault?.phase !== 'connecting' || now() + ms < connectUntil
    return isInTime && ms < clock.remainingMs() ? ms : undefined
  }
}

/** Number of consecutive broken exchanges that opens the circuit. */
const mostFaults = 5
/** Time in ms until one call is let through as a test. */
const openMs = 2000

/**
 * Circuit breaker. Opens after consecutive broken exchanges; any complete response closes it. Failures of reused connections do
 * not count, because they may have been dead for long.
 */
class CircuitBreaker {
  readonly #options: ServiceOptions
  #faults = 0
  #openUntil: number | undefined
  #lastFault: ExchangeFault | undefined

  constructor(options: ServiceOptions) {
    this.#options = options
  }

  /** Runs `work`, or rejects at once with `unavailable` while the circuit is open. */
  async guard<Result>(work: () => Promise<Result>): Promise<Result> {
    const { now } = this.#options
    if (this.#openUntil !== undefined) {
      if (now() < this.#openUntil) throw this.#away()
      // This is the test call; while it takes long, another one is let through after `openMs`.
      this.#openUntil = now() + openMs
    }
    try {
      const result = await work()
      this.#close()
      return result
    } catch (error) {
      if (error instanceof ExchangeFault && !error.isReused) this.#count(error)
      throw error
    }
  }

  /** The circuit is open; a bad certificate is named, because it does not become right by waiting. */
  #away(): Failure {
    const { service } = this.#options
    const problem = this.#lastFault && certificateProblem(this.#lastFault)
    return unavailable(service, `The ${service.name} ${problem ?? 'is away'}.`, this.#lastFault)
  }

  #close(): void {
    if (this.#openUntil !== undefined) this.#options.log.info({}, this.#event('back'))
    this.#faults = 0
    this.#openUntil = undefined
  }

  #count(err: ExchangeFault): void {
    const { log, now } = this.#options
    this.#lastFault = err
    this.#faults += 1
    if (this.#faults < mostFaults) return
    if (this.#openUntil === undefined) log.warn({ err }, this.#event('away'))
    this.#openUntil = now() + openMs
  }

  #event(name: 'away' | 'back'): string {
    return `${topicOf(this.#options.service)}.${name}`
  }
}

/** Returns the noun of the service's log events. */
const topicOf = ({ topic, unavailable: kind }: ServiceName) => topic ?? kind.split('-', 1)[0]

/** Logs each exchange at `debug`. */
const withLogging =
  (exchange: ServiceExchange, { log, now, service }: ServiceOptions): ServiceExchange =>
  async (outgoing, call) => {
    const answering = exchange(outgoing, call)
    if (!log.isLevelEnabled('debug')) return answering
    const started = now()
    const outcome = await answering.then(
      ({ status, text }) => ({ status, chars: text.length }),
      (error: unknown) => ({ fault: String(error) }),
    )
    const fields = { method: outgoing.method, path: outgoing.url.pathname, ...outcome }
    log.debug({ ...fields, ms: now() - started }, `${topicOf(service)}.exchange`)
    return answering
  }
