/**
 * Whether URLs can be reached: asked as seldom and as politely as possible, and remembered between runs. A run comes to its
 * verdict by what is kept, by a check that is under way, or by a new one as far as its budget allows.
 */

import { target } from '../../client/address-guard.ts'
import type { Outbound } from '../../client/outbound.ts'
import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { RunSink } from '../../pipe/runs/run.ts'
import { FairLimiter } from '../../workers/fair-limiter.ts'
import { Semaphore } from '../../workers/semaphore.ts'
import { SingleFlight } from '../../workers/single-flight.ts'
import { pseudoCodes } from '../indicators.ts'
import { check, type CheckContext, type CheckOutcome } from './url-check.ts'
import {
  type KnownUrl,
  openVerdictFile,
  type UrlKey,
  urlKeyOf,
  type VerdictFile,
} from './verdict-file.ts'
import type { Pause } from '../../workers/pause.ts'
import { dayMs } from '../../text/duration.ts'

/** Bounds and clocks of all checks. */
export type ReachOptions = {
  /** File of the verdicts. */
  readonly path: string
  readonly outbound: Outbound
  /** URLs that one run may ask at most. */
  readonly budget: number
  /** Hosts, addresses and ranges inside the institution that may be asked beside public addresses. */
  readonly allow?: readonly string[]
  /** Requests at once, over all hosts. */
  readonly atOnce: number
  /** Milliseconds between two starts at one host. */
  readonly hostDelayMs: number
  /** Days that a verdict is kept, a fifth more or less. */
  readonly recheckDays: number
  /** Days that the verdict `1100` is kept. */
  readonly unreachableDays: number
  readonly now: () => number
  /** 0..1 */
  readonly random: () => number
  readonly pause: Pause
  readonly log: Log
}

/** What is known of a URL, and since when, in ms. */
export type UrlVerdict = {
  /** HTTP status after redirects, 1100 when the host cannot be reached, 1300 when it is not a URL that may be asked. */
  readonly status: number
  readonly at: number
  /** When it failed first since it last worked; absent where it works. */
  readonly since?: number
}

/** Opens the file of verdicts and makes the one place from which URLs of records are asked. */
export const openReach = (options: ReachOptions): UrlReach => new UrlReach(options)

/** Checks at once at one host, and those that wait at all hosts: far more than runs bring at once. */
const [atOneHost, mostWaiting] = [2, 1_000_000]
/** For each attempt, to the head of its answer. */
const attemptMs = 10_000
const deadlines = { connectMs: attemptMs, firstByteMs: attemptMs, pageMs: attemptMs }

/** What all runs share. */
export class UrlReach {
  readonly options: ReachOptions
  readonly file: VerdictFile
  /** Runs, and how many verdicts each is waiting for. */
  readonly waiting = new Map<ReachRun, number>()
  /** How the last run of each catalogue got on, whichever it was. */
  readonly paces = new Map<string, Pace>()
  /** The checks under way, by URL. */
  readonly #checks = new SingleFlight<string, void>()
  /** Limits the checks at each host. */
  readonly #hosts = new FairLimiter({
    perClient: atOneHost,
    waiting: mostWaiting,
    refusal: () => new Failure('queue-full', `more than ${mostWaiting} checks of URLs wait`),
  })
  readonly #context: CheckContext
  #stopped: Promise<void> | undefined

  constructor(options: ReachOptions) {
    const { path, outbound, atOnce, pause, log, now } = options
    const { allow = [], hostDelayMs } = options
    this.options = options
    this.file = openVerdictFile(path, now())
    // What was refused may be on the list by now; what is not is refused again without a request.
    if (allow.length > 0) this.file.expire(pseudoCodes.invalidUrl, now())
    const reach = { kind: 'listed', allow } as const
    const requestDefaults = { reach, deadlines, delayMs: hostDelayMs, room: new Semaphore(atOnce) }
    this.#context = { outbound, requestDefaults, pause, log }
  }

  readonly now = (): number => this.options.now()

  /** Checks for one run. The same id again, also after a restart, goes on where it was: what the run has asked stays asked. */
  begin(run: string, sink: Pick<RunSink, 'alive' | 'request'>): ReachRun {
    return new ReachRun(this, run, sink)
  }

  isUnderWay(url: string): boolean {
    return this.#checks.has(url)
  }

  /** Joins the check of a URL that is under way, or begins this one. */
  join(
    url: string,
    work: (signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    return this.#checks.get(url, work, signal)
  }

  /** Asks a URL when there is a place at its host. */
  check(url: URL, signal: AbortSignal): Promise<CheckOutcome> {
    return this.#hosts.run(url.host, () => check(this.#context, url, signal), signal)
  }

  /** Breaks off what is under way; to be called when the runs have been told to stop. */
  stop(): Promise<void> {
    const ended = this.#checks.stop(new Failure('run-interrupted', 'the process is stopping'))
    this.#stopped ??= ended.then(() => this.file.close())
    return this.#stopped
  }
}

type MetUrl = { readonly url: URL; readonly key: UrlKey; readonly catalogue: string }

/** The checks of one run. */
export class ReachRun {
  readonly #reach: UrlReach
  readonly #id: string
  readonly #sink: Pick<RunSink, 'alive' | 'request'>
  readonly #began: number
  readonly #budget: CheckBudget

  constructor(reach: UrlReach, id: string, sink: Pick<RunSink, 'alive' | 'request'>) {
    const { began, asked } = reach.file.run(id, reach.now())
    this.#reach = reach
    this.#id = id
    this.#sink = sink
    this.#began = began
    this.#budget = new CheckBudget(reach, reach.options.budget - asked)
  }

  /**
   * The verdict on a URL that was met in a catalogue: the one that is kept as long as it is fresh, else a new one;
   * the last known when there is none to be had now, nothing when there never was one. Throws the signal's reason only.
   */
  async verdict(
    text: string,
    catalogue = '',
    signal: AbortSignal,
  ): Promise<UrlVerdict | undefined> {
    const { file, now } = this.#reach
    const url = askable(text)
    if (!url) return { status: pseudoCodes.invalidUrl, at: now() }
    const key = urlKeyOf(url)
    const name = key.toString('base64')
    if (!this.#reach.isUnderWay(name)) {
      const known = file.known(key)
      if (known && (known.due > now() || known.tried >= this.#began)) return verdictOf(known)
      if (!this.#budget.take(known, catalogue)) {
        const never = { status: undefined, checked: 0, due: now(), tried: 0 }
        // So that the next run can foresee it.
        if (known?.catalogue !== catalogue) file.keep(key, { ...never, ...known, catalogue })
        return verdictOf(known)
      }
    }
    this.#count(1)
    try {
      await this.#reach.join(name, (stop) => this.#ask({ url, key, catalogue }, stop), signal)
    } finally {
      this.#count(-1)
    }
    return verdictOf(file.known(key))
  }

  #count(by: 1 | -1): void {
    const { waiting } = this.#reach
    const left = (waiting.get(this) ?? 0) + by
    if (left > 0) waiting.set(this, left)
    else waiting.delete(this)
  }

  async #ask({ url, key, catalogue }: MetUrl, signal: AbortSignal): Promise<void> {
    const { file, waiting } = this.#reach
    let outcome: CheckOutcome | undefined
    try {
      outcome = await this.#reach.check(url, signal)
    } finally {
      if (outcome?.asked !== true) this.#budget.giveBack()
    }
    const { status, asked, answered } = outcome
    const known = { ...this.#renewed(file.known(key), status), catalogue }
    file.keep(key, known, asked ? this.#id : undefined)
    if (asked) this.#sink.request({ host: url.host, status: answered ?? 'error' })
    // Also runs that wait for a check of another run, or after one, are making progress.
    for (const one of waiting.keys()) one.#sink.alive()
  }

  #renewed(known: KnownUrl | undefined, status: number | undefined): Omit<KnownUrl, 'catalogue'> {
    const { recheckDays, unreachableDays, now, random } = this.#reach.options
    const tried = now()
    if (status === undefined)
      return { status: known?.status, checked: known?.checked ?? 0, due: tried, tried }
    const days =
      status === pseudoCodes.connectionFailure
        ? unreachableDays
        : recheckDays * (0.8 + 0.4 * random())
    return { status, checked: tried, due: tried + Math.round(days * dayMs), tried }
  }
}

/** Without user info and fragment, or nothing: such a URL is not even looked up. */
function askable(text: string): URL | undefined {
  try {
    return target(text)
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

const verdictOf = (known: KnownUrl | undefined): UrlVerdict | undefined =>
  known?.status === undefined
    ? undefined
    : { status: known.status, at: known.checked, since: known.since }

/** How a run got on with a catalogue: what the next one learns from. */
type Pace = {
  /** How many times its budget it has looked ahead. */
  readonly stretch: number
  /** URLs tried later than that are passed over. */
  readonly limit: number
  /** URLs that were due, and too young. */
  withheld: number
  readonly budget: CheckBudget
}

/**
 * How many URLs a run may ask, and which come first when there are more. A stream of records cannot be sorted, but the file
 * knows what the stream will bring: at the first URL of a catalogue the run looks how old the oldest are that its budget reaches
 * for, and passes over younger ones. URLs never asked before come first, known ones by their age; those that were passed over
 * are the older ones of the next run. New URLs are not foreseen: they are asked as they come, as long as there is budget.
 */
class CheckBudget {
  readonly #reach: UrlReach
  readonly #own = new Map<string, Pace>()
  #left: number

  constructor(reach: UrlReach, left: number) {
    this.#reach = reach
    this.#left = left
  }

  /** Whether this URL may be asked now, and if so, counts it. */
  take(known: KnownUrl | undefined, catalogue: string): boolean {
    if (this.#left <= 0) return false
    const pace = this.#paceOf(catalogue)
    if (known && known.tried > pace.limit) {
      pace.withheld += 1
      return false
    }
    this.#left -= 1
    return true
  }

  /** It was not asked after all. */
  giveBack(): void {
    this.#left += 1
  }

  #paceOf(catalogue: string): Pace {
    const { paces, file, now } = this.#reach
    const own = this.#own.get(catalogue)
    if (own) return own
    const last = paces.get(catalogue)
    const stretch = last ? last.budget.#stretchAfter(last) : 1
    const limit = file.nthDue(catalogue, this.#left * stretch, now()) ?? Infinity
    const pace = { stretch, limit, withheld: 0, budget: this }
    paces.set(catalogue, pace)
    this.#own.set(catalogue, pace)
    return pace
  }

  /** The oldest may stand in no dataset any more: a run that kept its budget for them in vain makes the next look further. */
  #stretchAfter({ stretch, withheld }: Pace): number {
    if (this.#left <= 0) return Math.max(1, stretch / 2)
    return withheld >= this.#left ? stretch * 2 : stretch
  }
}
