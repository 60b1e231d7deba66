/**
 * Who may ask a host now: few at once, not too fast, more slowly when it is overloaded (429, 503), not at all while it is down.
 * Shared by everything that a process asks of others: runs, exports, checks of URLs.
 */

import { Failure } from '../errors.ts'
import type { Log } from '../log.ts'
import { conditionVariable, type ConditionVariable } from '../workers/condition.ts'
import type { Pause } from '../workers/pause.ts'
import { Semaphore, type Release } from '../workers/semaphore.ts'
import type { OutboundLimits } from './deadlines.ts'

/** How somebody wants to ask a host. */
export type PolitenessOptions = {
  /** Only longer than the configured delay counts. */
  readonly delayMs: number
  /** Only fewer than the configured number counts. */
  readonly atOnce: number
  readonly whenLeftAlone: 'wait' | 'fail'
  /** The longest that who does not wait for a host that is left alone waits all the same. */
  readonly longestMs?: number
  /** Where there must be a place too, over all hosts. */
  readonly room?: Semaphore | undefined
}

/** The right to ask a host once, to be given back by `leave`. */
export type HostPermit = {
  /** There is a connection. */
  connected(): void
  /** There was none. */
  failed(): void
  /** There was one, and no answer in time. */
  silent(): void
  /** The host answered; a `Retry-After` up to `longestMs` is kept from everybody. */
  answered(status: number, retryAfterMs?: number, longestMs?: number): void
  leave(): void
}

type PolitenessContext = {
  readonly limits: Pick<OutboundLimits, 'hostConcurrency' | 'hostDelayMs'>
  readonly now: () => number
  readonly pause: Pause
  readonly log: Log
}

/** Hosts that are remembered; the one that was asked last is forgotten last. */
const mostHosts = 10_000

export class Hosts {
  readonly #context: PolitenessContext
  readonly #hosts = new Map<string, Host>()

  constructor(context: PolitenessContext) {
    this.#context = context
  }

  /** Waits until the host (name and port) may be asked, in order of asking. Rejects with the signal's reason. */
  async enter(name: string, options: PolitenessOptions, signal: AbortSignal): Promise<HostPermit> {
    const host = this.#hosts.get(name) ?? new Host(name, this.#context)
    this.#hosts.delete(name)
    this.#hosts.set(name, host)
    if (this.#hosts.size > mostHosts) this.#forget()
    const leaveRoom = await host.admit(options, signal)
    return host.permit(options, leaveRoom)
  }

  #forget(): void {
    for (const [name, host] of this.#hosts) if (host.isIdle) return void this.#hosts.delete(name)
  }
}

const slowestMs = 60_000
const firstSlowMs = 200
const answersToRecover = 10
const inARow = 5
const leftAloneMs = 300_000

/** What is remembered of one host: how fast it may be asked, and since when it has been failing, silent or overloaded. */
class Host {
  readonly #name: string
  readonly #context: PolitenessContext
  readonly #turn = new Semaphore(1)
  readonly #left: ConditionVariable = conditionVariable()
  /** Who wants to ask, whether it is their turn or not. */
  #entering = 0
  #active = 0
  #delayMs: number
  #lastStart = -Infinity
  /** Nobody asks before. */
  #notBefore = -Infinity
  /** Who does not wait for hosts that are left alone fails until then, for this reason. */
  #avoided: { readonly until: number; readonly because: 'source-timeout' | 'source-throttled' } = {
    until: -Infinity,
    because: 'source-throttled',
  }
  /** In a row: connections that did not come about, requests without an answer in time, answers of 429 or 503, good ones. */
  readonly #row = { failures: 0, silences: 0, overloads: 0, good: 0 }

  constructor(name: string, context: PolitenessContext) {
    this.#name = name
    this.#context = context
    this.#delayMs = context.limits.hostDelayMs
  }

  get isIdle(): boolean {
    return this.#active === 0 && this.#entering === 0
  }

  /** What it gives is called to leave the room. Who waits for a place there holds nobody up here, nor the other way round. */
  async admit(options: PolitenessOptions, signal: AbortSignal): Promise<Release> {
    const { room } = options
    for (;;) {
      const leave = await this.#inTurn(signal, async () => {
        do await this.#free(options, signal)
        while (this.#obstacle(options) !== undefined)
        const leave = room ? room.tryAcquire() : nothing
        if (leave) this.#start()
        return leave
      })
      if (leave) return leave
      const later = (await room?.acquire(signal)) ?? nothing
      if (this.#entering === 0 && this.#obstacle(options) === undefined) {
        this.#start()
        return later
      }
      // While there was no place, others came, or the host asked for more time.
      later()
    }
  }

  permit({ delayMs }: PolitenessOptions, leaveRoom: Release): HostPermit {
    let hasLeft = false
    return {
      connected: () => {
        this.#row.failures = 0
      },
      failed: () => this.#failed(),
      silent: () => this.#silent(),
      answered: (status, retryAfterMs = 0, longestMs = Infinity) => {
        this.#row.silences = 0
        if (status === 429 || status === 503)
          return this.#overloaded({ retryAfterMs, longestMs, delayMs })
        this.#row.overloads = 0
        if (status < 500) this.#recover()
      },
      leave: () => {
        if (hasLeft) return
        hasLeft = true
        this.#active -= 1
        leaveRoom()
        this.#left.notify()
      },
    }
  }

  async #inTurn<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    this.#entering += 1
    try {
      return await this.#turn.run(work, signal)
    } finally {
      this.#entering -= 1
    }
  }

  #start(): void {
    this.#active += 1
    this.#lastStart = this.#context.now()
  }

  async #free(options: PolitenessOptions, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted()
      if (options.whenLeftAlone === 'fail') this.#check(options.longestMs ?? Infinity)
      const met = this.#obstacle(options)
      if (met === undefined) return
      await (met === 'crowded' ? this.#left.next(signal) : this.#context.pause(met, signal))
    }
  }

  /** Milliseconds before the host may be asked; `crowded` when others must leave first. */
  #obstacle({ atOnce, delayMs }: PolitenessOptions): number | 'crowded' | undefined {
    const { limits, now } = this.#context
    if (this.#active >= Math.max(1, Math.min(limits.hostConcurrency, atOnce))) return 'crowded'
    const delayed = this.#lastStart + Math.max(this.#delayMs, delayMs)
    const left = Math.max(delayed, this.#notBefore) - now()
    return left > 0 ? left : undefined
  }

  /**
   * For who does not wait: `source-unreachable` while the host is left alone because it cannot be reached, `source-timeout`
   * while it has not been answering, `source-throttled` while it wants to be left alone for longer than `longestMs`. All with
   * `retryAfter`: the request was not made.
   */
  #check(longestMs: number): void {
    const now = this.#context.now()
    const say = (kind: Failure['kind'], words: string, until: number) =>
      new Failure(kind, `${this.#name} ${words}`, { retryAfter: Math.ceil((until - now) / 1000) })
    if (this.#row.failures >= inARow && now < this.#notBefore)
      throw say('source-unreachable', 'could not be reached and is left alone', this.#notBefore)
    const { until, because } = this.#avoided
    if (now < until) {
      const words = because === 'source-timeout' ? 'does not answer' : 'has too much to do'
      throw say(because, `${words} and is left alone`, until)
    }
    if (this.#notBefore - now > longestMs)
      throw say('source-throttled', 'wants to be left alone', this.#notBefore)
  }

  #failed(): void {
    const { now, log } = this.#context
    this.#row.failures += 1
    if (this.#row.failures < inARow) return
    this.#notBefore = now() + leftAloneMs
    log.warn({ host: this.#name, failures: this.#row.failures }, 'outbound.left-alone')
  }

  #silent(): void {
    const { now, log } = this.#context
    this.#row.silences += 1
    if (this.#row.silences >= inARow) this.#avoid('source-timeout', now() + leftAloneMs)
    log.debug({ host: this.#name, silences: this.#row.silences }, 'outbound.silent')
  }

  /** `delayMs`: what who asked kept between two requests by itself; the host was overloaded at that pace. */
  #overloaded(said: {
    readonly retryAfterMs: number
    readonly longestMs: number
    readonly delayMs: number
  }): void {
    const { now, log } = this.#context
    const { retryAfterMs, longestMs, delayMs } = said
    this.#row.good = 0
    this.#row.overloads += 1
    const slower = Math.max(this.#delayMs, delayMs, firstSlowMs / 2) * 2
    this.#delayMs = Math.max(this.#delayMs, Math.min(slowestMs, slower))
    const until = now() + retryAfterMs
    // A longer `Retry-After` counts for those only who do not wait.
    if (retryAfterMs <= longestMs) this.#notBefore = Math.max(this.#notBefore, until)
    else this.#avoid('source-throttled', until)
    if (this.#row.overloads >= inARow) this.#avoid('source-throttled', now() + leftAloneMs)
    log.debug({ host: this.#name, delayMs: this.#delayMs, retryAfterMs }, 'outbound.slower')
  }

  #avoid(because: 'source-timeout' | 'source-throttled', until: number): void {
    if (until > this.#avoided.until) this.#avoided = { until, because }
  }

  /** Ten good answers undo one doubling, down to the configured delay. */
  #recover(): void {
    const { hostDelayMs } = this.#context.limits
    this.#row.good += 1
    if (this.#row.good < answersToRecover) return
    this.#row.good = 0
    const faster = this.#delayMs / 2
    this.#delayMs = faster < firstSlowMs / 2 ? hostDelayMs : Math.max(hostDelayMs, faster)
  }
}

const nothing: Release = () => undefined
