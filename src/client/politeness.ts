/**
 * Limits the requests of the outbound client per host: few in parallel, with a delay that grows on overload (429, 503), suspended
 * while the host is down. All requests of the client share the states of hosts.
 */

import { Failure } from '../errors.ts'
import type { Log } from '../log.ts'
import { conditionVariable, type ConditionVariable, waitWhile } from '../workers/condition.ts'
import type { Pause } from '../workers/pause.ts'
import type { FairLimiter, Release } from '../workers/fair-limiter.ts'
import { KeyedLock } from '../workers/keyed-lock.ts'
import type { OutboundLimits } from './deadlines.ts'

/** Options of a request that affect when it may be sent to its host. */
export type PolitenessOptions = {
  /** Minimum ms between two starts; the configured delay is the lower bound. */
  readonly delayMs: number
  /** Maximum parallel requests; the configured number is the upper bound. */
  readonly atOnce: number
  /** Behaviour while the host is left alone; see `OutboundRequest`. */
  readonly whenBackedOff: 'wait' | 'fail'
  /** With `fail`: longest time in ms until the host may be requested that is waited for all the same. */
  readonly longestMs?: number
  /** Limit over all hosts. */
  readonly globalLimit?: FairLimiter
}

/** Permission for one request to a host; it must be released by `leave`. */
export type HostPermit = {
  /** Reports that there is a connection, new or reused. */
  connected(): void
  /** Reports that no connection was established. */
  failed(): void
  /** Reports a connection without a response in time. */
  silent(): void
  /**
   * Reports a response. After 429 and 503, a `Retry-After` up to `longestMs` delays all requests, a longer one only those with
   * `fail`.
   */
  answered(status: number, retryAfterMs?: number, longestMs?: number): void
  /** Releases the slot of the host and that of the global limit; a second call does nothing. */
  leave(): void
}

type PolitenessContext = {
  readonly limits: Pick<OutboundLimits, 'hostConcurrency' | 'hostDelayMs'>
  readonly now: () => number
  readonly pause: Pause
  readonly log: Log
}

/** Number of hosts above which the least recently used idle one is forgotten. */
const mostHosts = 10_000

/** States of all hosts that were requested recently. */
export class Hosts {
  readonly #context: PolitenessContext
  readonly #hosts = new Map<string, Host>()

  constructor(context: PolitenessContext) {
    this.#context = context
  }

  /**
   * Waits until the host (name and port) may be requested, in order of arrival unless the global limit has no slot. Rejects with
   * the signal's reason, with the failures of `whenBackedOff: 'fail'`, and as `take` of the global limit.
   */
  async enter(name: string, options: PolitenessOptions, signal: AbortSignal): Promise<HostPermit> {
    const host = this.#hosts.get(name) ?? new Host(name, this.#context)
    this.#hosts.delete(name)
    this.#hosts.set(name, host)
    if (this.#hosts.size > mostHosts) this.#forget()
    const releaseGlobal = await host.admit(options, signal)
    return host.permit(options, releaseGlobal)
  }

  #forget(): void {
    for (const [name, host] of this.#hosts) if (host.isIdle) return void this.#hosts.delete(name)
  }
}

/** Longest delay in ms that overload leads to; a longer configured one stays. */
const slowestMs = 60_000
/** Shortest delay in ms after an overload; when halving leads below half of it, the configured delay applies again. */
const firstSlowMs = 200
/** Number of responses below 500 (other than 429) after which the delay is halved; an overload starts the count anew. */
const answersToRecover = 10
/**
 * Number of consecutive failures after which a host is left alone by all requests, and of time-outs or overloads after which it
 * is by those with `fail`.
 */
const streakLimit = 5
/** Milliseconds for which a host is left alone. */
const backOffMs = 300_000

/** State of one host: its delay, and its recent failures, silences and overloads. */
class Host {
  readonly #name: string
  readonly #context: PolitenessContext
  readonly #turn = new KeyedLock()
  readonly #slotFreed: ConditionVariable = conditionVariable()
  /** Number of requests that wait for their turn or for the host; those that wait for the global limit are not counted. */
  #entering = 0
  #active = 0
  #delayMs: number
  #lastStart = -Infinity
  /** Time before which no request starts. */
  #notBefore = -Infinity
  /** Time until which requests with `fail` are refused, and the reason. */
  #avoided: { readonly until: number; readonly kind: 'source-timeout' | 'source-throttled' } = {
    until: -Infinity,
    kind: 'source-throttled',
  }
  /**
   * Consecutive failed connections, requests without a response in time and overloads (429, 503), and responses below 500 since
   * the last overload or change of the delay.
   */
  readonly #streaks = { failures: 0, silences: 0, overloads: 0, successes: 0 }

  constructor(name: string, context: PolitenessContext) {
    this.#name = name
    this.#context = context
    this.#delayMs = context.limits.hostDelayMs
  }

  get isIdle(): boolean {
    return this.#active === 0 && this.#entering === 0
  }

  /**
   * Waits for a slot of the host and of the global limit; returns the release of the latter. Waiting for the global limit
   * does not block other requests to the host, nor the reverse.
   */
  async admit(options: PolitenessOptions, signal: AbortSignal): Promise<Release> {
    const { globalLimit } = options
    for (;;) {
      const release = await this.#inTurn(signal, async () => {
        do await this.#waitUntilFree(options, signal)
        while (this.#obstacle(options) !== undefined)
        const releaseGlobal = globalLimit ? globalLimit.tryTake(this.#name) : noRelease
        if (releaseGlobal) this.#start()
        return releaseGlobal
      })
      if (release) return release
      const releaseGlobal = (await globalLimit?.take(this.#name, signal)) ?? noRelease
      if (this.#entering === 0 && this.#obstacle(options) === undefined) {
        this.#start()
        return releaseGlobal
      }
      // While waiting for the global limit, the host became busy again.
      releaseGlobal()
    }
  }

  permit({ delayMs }: PolitenessOptions, releaseGlobal: Release): HostPermit {
    let isReleased = false
    return {
      connected: () => {
        this.#streaks.failures = 0
      },
      failed: () => this.#failed(),
      silent: () => this.#silent(),
      answered: (status, retryAfterMs = 0, longestMs = Infinity) => {
        this.#streaks.silences = 0
        if (status === 429 || status === 503)
          return this.#overloaded({ retryAfterMs, longestMs, delayMs })
        this.#streaks.overloads = 0
        if (status < 500) this.#recover()
      },
      leave: () => {
        if (isReleased) return
        isReleased = true
        this.#active -= 1
        releaseGlobal()
        this.#slotFreed.notify()
      },
    }
  }

  async #inTurn<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    this.#entering += 1
    try {
      return await this.#turn.run([this.#name], work, signal)
    } finally {
      this.#entering -= 1
    }
  }

  #start(): void {
    this.#active += 1
    this.#lastStart = this.#context.now()
  }

  /**
   * Resolves when a request may start. Rejects with the signal's reason, or if the request does not wait and the host is left
   * alone.
   */
  #waitUntilFree(options: PolitenessOptions, signal: AbortSignal): Promise<void> {
    const obstacle = () => {
      if (options.whenBackedOff === 'fail') this.#check(options.longestMs ?? Infinity)
      return this.#obstacle(options)
    }
    return waitWhile(obstacle, this.#context.pause, signal)
  }

  /**
   * Remaining ms before a request may start, or the end of another request that must come first; `undefined` if it may start now.
   */
  #obstacle({ atOnce, delayMs }: PolitenessOptions): number | ConditionVariable | undefined {
    const { limits, now } = this.#context
    if (this.#active >= Math.max(1, Math.min(limits.hostConcurrency, atOnce)))
      return this.#slotFreed
    const earliestStart = this.#lastStart + Math.max(this.#delayMs, delayMs)
    const remainingMs = Math.max(earliestStart, this.#notBefore) - now()
    return remainingMs > 0 ? remainingMs : undefined
  }

  /**
   * Refuses a request that does not wait: `source-unreachable` while the host is suspended, `source-timeout` after it has
   * repeatedly not answered, `source-throttled` after repeated overload or while it wants a longer pause than `longestMs`. All
   * have `retryAfter`.
   */
  #check(longestMs: number): void {
    const now = this.#context.now()
    const refusal = (kind: Failure['kind'], text: string, until: number) =>
      new Failure(kind, `${this.#name} ${text}`, { retryAfter: Math.ceil((until - now) / 1000) })
    if (this.#streaks.failures >= streakLimit && now < this.#notBefore)
      throw refusal('source-unreachable', 'could not be reached and is left alone', this.#notBefore)
    const { until, kind } = this.#avoided
    if (now < until) {
      const text = kind === 'source-timeout' ? 'does not answer' : 'has too much to do'
      throw refusal(kind, `${text} and is left alone`, until)
    }
    if (this.#notBefore - now > longestMs)
      throw refusal('source-throttled', 'wants to be left alone', this.#notBefore)
  }

  #failed(): void {
    const { now, log } = this.#context
    this.#streaks.failures += 1
    if (this.#streaks.failures < streakLimit) return
    this.#notBefore = now() + backOffMs
    log.warn({ host: this.#name, failures: this.#streaks.failures }, 'outbound.left-alone')
  }

  #silent(): void {
    const { now, log } = this.#context
    this.#streaks.silences += 1
    if (this.#streaks.silences >= streakLimit) this.#avoid('source-timeout', now() + backOffMs)
    log.debug({ host: this.#name, silences: this.#streaks.silences }, 'outbound.silent')
  }

  /**
   * Doubles the delay after 429 or 503 and notes `Retry-After`. `delayMs` is the request's own minimum delay, at which the host
   * was overloaded.
   */
  #overloaded(overload: {
    readonly retryAfterMs: number
    readonly longestMs: number
    readonly delayMs: number
  }): void {
    const { now, log } = this.#context
    const { retryAfterMs, longestMs, delayMs } = overload
    this.#streaks.successes = 0
    this.#streaks.overloads += 1
    const slower = Math.max(this.#delayMs, delayMs, firstSlowMs / 2) * 2
    this.#delayMs = Math.max(this.#delayMs, Math.min(slowestMs, slower))
    const until = now() + retryAfterMs
    // A longer `Retry-After` only affects requests that do not wait.
    if (retryAfterMs <= longestMs) this.#notBefore = Math.max(this.#notBefore, until)
    else this.#avoid('source-throttled', until)
    if (this.#streaks.overloads >= streakLimit) this.#avoid('source-throttled', now() + backOffMs)
    log.debug({ host: this.#name, delayMs: this.#delayMs, retryAfterMs }, 'outbound.slower')
  }

  #avoid(kind: 'source-timeout' | 'source-throttled', until: number): void {
    if (until > this.#avoided.until) this.#avoided = { until, kind }
  }

  /** Counts a response below 500; halves the delay after `answersToRecover` of them, down to the configured one. */
  #recover(): void {
    const { hostDelayMs } = this.#context.limits
    this.#streaks.successes += 1
    if (this.#streaks.successes < answersToRecover) return
    this.#streaks.successes = 0
    const faster = this.#delayMs / 2
    this.#delayMs = faster < firstSlowMs / 2 ? hostDelayMs : Math.max(hostDelayMs, faster)
  }
}

const noRelease: Release = () => undefined
