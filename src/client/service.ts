/**
 * The client for services of the operator's own (triplestore, search engine): lasting connections, authentication, limits,
 * another try after broken connections and passing errors, and a circuit breaker, so that calls fail at once while the service
 * is away instead of queueing up for their time limits.
 */

import type { Log } from '../log.ts'
import { Failure } from '../errors.ts'
import type { Pause } from '../workers/pause.ts'
import { retry, type Attempted } from '../workers/retry.ts'
import { Authentication, type Credentials } from './authentication.ts'
import { deadlineClock } from './deadlines.ts'
import { ExchangeFault, type Outgoing } from './exchange.ts'
import {
  serviceExchange,
  type ServiceAnswer,
  type ServiceCall,
  type ServiceConnections,
  type ServiceExchange,
  type ServiceLimits,
  type ServiceName,
  type ServiceRequest,
} from './service-request.ts'

export type ServiceOptions = ServiceConnections & {
  /** Basic or Digest, as the service asks for; absent = none. */
  readonly auth?: Credentials
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

export type ServiceClient = {
  /**
   * The whole answer of any status but 401. Rejects with a `Failure`: the service's `unavailable` (no connection, a broken or
   * cut answer, credentials refused, circuit open), `time-limit`, `too-large`; when `signal` is aborted, with its reason.
   */
  readonly send: (request: ServiceRequest, signal?: AbortSignal) => Promise<ServiceAnswer>
  /** Ends what still runs, with `unavailable`, and closes the connections. */
  readonly close: () => Promise<void>
}

/** Opens nothing yet: the first request makes the first connection. */
export function serviceClient(options: ServiceOptions): ServiceClient {
  const { service, limits, auth, now } = options
  const closing = new AbortController()
  const connections = serviceExchange(options)
  const breaker = new CircuitBreaker(options)
  const exchange = logged(connections.exchange, options)
  const guarded: ServiceExchange = (outgoing, call) => breaker.guard(() => exchange(outgoing, call))
  const proven = new Authentication(guarded, auth, service).exchange
  return {
    send: async (request, signal) => {
      const outgoing = outgoingOf(request)
      const { connectMs, firstByteMs, totalMs, bytes } = { ...limits, ...request.limits }
      const deadlines = { connectMs, firstByteMs, idleMs: totalMs, pageMs: totalMs }
      const call: ServiceCall = {
        clock: deadlineClock(deadlines, now),
        bytes,
        signal: signal ? AbortSignal.any([closing.signal, signal]) : closing.signal,
      }
      const next = delays(call, options)
      return retry(() => proven(outgoing, call), {
        delayMs: (outcome) => {
          const fault = faultOf(outcome)
          const isWorthIt = fault ?? ('value' in outcome && options.retryable(outcome.value))
          return request.idempotent && isWorthIt ? next(fault) : undefined
        },
        pause: async (ms) => {
          const pausing = async () => options.pause(ms, call.signal)
          if (ms > 0) await call.clock.within(Promise.resolve().then(pausing), 'pageMs')
        },
        signal: call.signal,
      }).catch((error: unknown) => {
        throw error instanceof ExchangeFault ? broken(error, service) : error
      })
    },
    close: async () => {
      closing.abort(unavailable(service, `The connection to the ${service.name} is closed.`))
      connections.close()
    },
  }
}

/** `cause` is for the log. */
const unavailable = (service: ServiceName, detail: string, cause?: unknown): Failure =>
  new Failure(service.unavailable, detail, { retryAfter: 2, cause })

/** The failure that a broken connection becomes when nobody tries again. */
const broken = (fault: ExchangeFault, service: ServiceName): Failure =>
  unavailable(
    service,
    fault.stage === 'connecting'
      ? `The ${service.name} cannot be reached.`
      : `The connection to the ${service.name} broke off.`,
    fault,
  )

const faultOf = (outcome: Attempted<ServiceAnswer>): ExchangeFault | undefined =>
  'error' in outcome && outcome.error instanceof ExchangeFault ? outcome.error : undefined

/** Neither message repeats the address: it may hold what must not be told. */
function outgoingOf({ url: address, method, headers, body }: ServiceRequest): Outgoing {
  const url = URL.parse(address)
  if (!url || !/^https?:$/.test(url.protocol)) throw new TypeError('not an HTTP address')
  if (url.username || url.password) throw new TypeError('an address may not hold credentials')
  return { url, method, headers, ...(body !== undefined && { body }) }
}

/** Milliseconds between the tries, before they are spread. */
const pauses = [50, 200, 800]

/** How long to wait before the next try of one call; nothing when its time, or the time to connect, would be over. */
function delays({ clock }: ServiceCall, { random, now }: ServiceOptions) {
  const connectUntil = now() + clock.deadlines.connectMs
  let turn = 0
  let isRaced = false
  return (fault: ExchangeFault | undefined): number | undefined => {
    // The server hung up while the request was on its way: nothing is wrong with it, a new connection will do.
    if (fault?.reused && !isRaced) {
      isRaced = true
      return 0
    }
    const pause = pauses[turn]
    if (pause === undefined) return undefined
    turn += 1
    const ms = pause * (0.5 + random())
    const isInTime = fault?.stage !== 'connecting' || now() + ms < connectUntil
    return isInTime && ms < clock.left() ? ms : undefined
  }
}

/** So many connections in a row must fail before the circuit opens. */
const mostFaults = 5
/** So long it stays open before one call is let through to see. */
const openMs = 2000

/**
 * Counts connections that could not be made or broke, one after the other. Any answer closes the circuit; a connection that had
 * served before says nothing when it breaks, because its other end may have been gone for long.
 */
class CircuitBreaker {
  readonly #options: ServiceOptions
  #faults = 0
  #openUntil: number | undefined
  #last: ExchangeFault | undefined

  constructor(options: ServiceOptions) {
    this.#options = options
  }

  /** Does `work`, or rejects at once with `unavailable` while the circuit is open. */
  async guard<Result>(work: () => Promise<Result>): Promise<Result> {
    const { service, now } = this.#options
    if (this.#openUntil !== undefined) {
      if (now() < this.#openUntil)
        throw unavailable(service, `The ${service.name} is away.`, this.#last)
      // This one looks whether it is back; however slow, it keeps the others out no longer than one that fails.
      this.#openUntil = now() + openMs
    }
    try {
      const result = await work()
      this.#close()
      return result
    } catch (error) {
      if (error instanceof ExchangeFault && !error.reused) this.#count(error)
      throw error
    }
  }

  #close(): void {
    if (this.#openUntil !== undefined) this.#options.log.info({}, this.#event('back'))
    this.#faults = 0
    this.#openUntil = undefined
  }

  #count(err: ExchangeFault): void {
    const { log, now } = this.#options
    this.#last = err
    this.#faults += 1
    if (this.#faults < mostFaults) return
    if (this.#openUntil === undefined) log.warn({ err }, this.#event('away'))
    this.#openUntil = now() + openMs
  }

  #event(name: 'away' | 'back'): string {
    return `${topicOf(this.#options.service)}.${name}`
  }
}

/** `store` or `engine`: the noun of the service's log events. */
const topicOf = ({ unavailable: kind }: ServiceName) => kind.split('-', 1)[0]

/** One line per exchange, and only for those who debug: they are many. */
const logged =
  (exchange: ServiceExchange, { log, now, service }: ServiceOptions): ServiceExchange =>
  async (outgoing, call) => {
    const answering = exchange(outgoing, call)
    if (!log.isLevelEnabled('debug')) return answering
    const started = now()
    const outcome = await answering.then(
      ({ status, text }) => ({ status, chars: text.length }),
      (error: unknown) => ({ fault: String(error) }),
    )
    const line = { method: outgoing.method, path: outgoing.url.pathname, ...outcome }
    log.debug({ ...line, ms: now() - started }, `${topicOf(service)}.exchange`)
    return answering
  }
