/**
 * Checks whether URLs can be reached, and stores their statuses between runs. A run takes the stored status, joins a check that
 * is running, or starts one within its budget.
 */

import { parseTarget } from '../../client/address-guard.ts'
import type { Outbound } from '../../client/outbound.ts'
import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { RunSink } from '../../pipe/runs/run.ts'
import { FairLimiter } from '../../workers/fair-limiter.ts'
import { SingleFlight } from '../../workers/single-flight.ts'
import { pseudoCodes } from '../indicators.ts'
import { checkUrl, type CheckContext, type CheckOutcome } from './url-check.ts'
import {
  type UrlStatusRow,
  openUrlStatusFile,
  type UrlKey,
  urlKeyOf,
  type UrlStatusFile,
} from './url-status-file.ts'
import type { Pause } from '../../workers/pause.ts'
import { dayMs } from '../../text/duration.ts'

/** Bounds, clocks and dependencies of all checks. */
export type ReachOptions = {
  /** Path of the file of statuses. */
  readonly path: string
  readonly outbound: Outbound
  /** Most URLs that one run may check. */
  readonly budget: number
  /** Hosts, addresses and ranges inside the institution that may be requested beside public addresses. */
  readonly allow?: readonly string[]
  /** Requests at once, over all hosts. */
  readonly atOnce: number
  /** Milliseconds between two starts at one host. */
  readonly hostDelayMs: number
  /** Days after which a URL is checked again, randomly a fifth more or less. */
  readonly recheckDays: number
  /** Days after which a URL with the status 1100 is checked again, without a random part. */
  readonly unreachableDays: number
  readonly now: () => number
  /** 0..1 */
  readonly random: () => number
  readonly pause: Pause
  readonly log: Log
}

/** Status of a URL; times in milliseconds since 1970. */
export type UrlStatus = {
  /**
   * HTTP status after redirects, 1100 when the host cannot be reached or gives no usable answer, 1300 when it is not a URL that
   * may be asked.
   */
  readonly status: number
  /** When the URL got this status. */
  readonly at: number
  /** When it failed first since it last worked; absent where it works. */
  readonly since?: number
}

/** Opens the file of statuses and starts checks of URLs. */
export const openReach = (options: ReachOptions): UrlReach => new UrlReach(options)

/** Checks at once at one host, and most checks that wait at all hosts, which is far more than runs start at once. */
const [atOneHost, maxWaiting] = [2, 1_000_000]
/** Milliseconds for each attempt, to the head of its answer. */
const attemptMs = 10_000
const deadlines = { connectMs: attemptMs, firstByteMs: attemptMs, pageMs: attemptMs }

/** Statuses and checks that all runs share. */
export class UrlReach {
  readonly options: ReachOptions
  readonly file: UrlStatusFile
  /** Runs with the number of checks that each waits for. */
  readonly waitingRuns = new Map<ReachRun, number>()
  /** Budget window of the last run of each catalogue. */
  readonly windows = new Map<string, BudgetWindow>()
  /** Running checks by the key of the URL. */
  readonly #checks = new SingleFlight<string, void>()
  /** Limits the checks at each host. */
  readonly #hosts = new FairLimiter({
    perClient: atOneHost,
    waiting: maxWaiting,
    refusal: () => new Failure('queue-full', `more than ${maxWaiting} checks of URLs wait`),
  })
  readonly #context: CheckContext
  #stopped: Promise<void> | undefined

  constructor(options: ReachOptions) {
    const { path, outbound, atOnce, pause, log, now } = options
    const { allow = [], hostDelayMs } = options
    this.options = options
    this.file = openUrlStatusFile(path, now())
    // What was refused may be on the list by now; what is not is refused again without a request.
    if (allow.length > 0) this.file.expire(pseudoCodes.invalidUrl, now())
    const reach = { kind: 'listed', allow } as const
    const globalLimit = new FairLimiter({ atOnce, waiting: maxWaiting })
    const requestDefaults = { reach, deadlines, delayMs: hostDelayMs, globalLimit }
    this.#context = { outbound, requestDefaults, pause, log }
  }

  /** Milliseconds since 1970. */
  readonly now = (): number => this.options.now()

  /** Starts the checks of one run. With the id of an earlier run, also after a restart, its spent budget counts. */
  begin(run: string, sink: Pick<RunSink, 'alive' | 'request'>): ReachRun {
    return new ReachRun(this, run, sink)
  }

  /** Whether a check of a URL is running; `url` is its key in base64. */
  isChecking(url: string): boolean {
    return this.#checks.has(url)
  }

  /** Joins the check of a URL that is under way, or starts one by `work`; `url` is its key in base64. */
  join(
    url: string,
    work: (signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    return this.#checks.get(url, work, signal)
  }

  /** Checks a URL in the turn of its host. Rejects with the signal's reason, and with `queue-full` when too many checks wait. */
  check(url: URL, signal: AbortSignal): Promise<CheckOutcome> {
    return this.#hosts.run(url.host, () => checkUrl(this.#context, url, signal), signal)
  }

  /** Aborts running checks and closes the file. Call it after the runs have been stopped. */
  stop(): Promise<void> {
    const ended = this.#checks.stop(new Failure('run-interrupted', 'the process is stopping'))
    this.#stopped ??= ended.then(() => this.file.close())
    return this.#stopped
  }
}

type UrlInCatalogue = { readonly url: URL; readonly key: UrlKey; readonly catalogue: string }

/** Checks of one run, bounded by its budget. */
export class ReachRun {
  readonly #reach: UrlReach
  readonly #id: string
  readonly #sink: Pick<RunSink, 'alive' | 'request'>
  readonly #startMs: number
  readonly #budget: CheckBudget

  constructor(reach: UrlReach, id: string, sink: Pick<RunSink, 'alive' | 'request'>) {
    const { startMs, requestCount } = reach.file.run(id, reach.now())
    this.#reach = reach
    this.#id = id
    this.#sink = sink
    this.#startMs = startMs
    this.#budget = new CheckBudget(reach, reach.options.budget - requestCount)
  }

  /**
   * Status of a URL of a catalogue: 1300 for a text that is no URL, the stored one until it is due, else that of a new check; the
   * stored one also when the run has tried the URL or the budget or the host permits no check, `undefined` when there is none.
   * Rejects with the signal's reason, `run-interrupted` at the stop, and `queue-full`.
   */
  async statusOf(
    text: string,
    catalogue = '',
    signal: AbortSignal,
  ): Promise<UrlStatus | undefined> {
    const { file, now } = this.#reach
    const url = requestableUrl(text)
    if (!url) return { status: pseudoCodes.invalidUrl, at: now() }
    const key = urlKeyOf(url)
    const name = key.toString('base64')
    if (!this.#reach.isChecking(name)) {
      const row = file.read(key)
      if (row && (row.due > now() || row.tried >= this.#startMs)) return urlStatusOf(row)
      if (!this.#budget.take(row, catalogue)) {
        const emptyRow = { status: undefined, checked: 0, due: now(), tried: 0 }
        // Stored with its catalogue, so that the next run includes it in its limit.
        if (row?.catalogue !== catalogue) file.store(key, { ...emptyRow, ...row, catalogue })
        return urlStatusOf(row)
      }
    }
    this.#count(1)
    try {
      await this.#reach.join(name, (stop) => this.#check({ url, key, catalogue }, stop), signal)
    } finally {
      this.#count(-1)
    }
    return urlStatusOf(file.read(key))
  }

  #count(by: 1 | -1): void {
    const { waitingRuns } = this.#reach
    const remaining = (waitingRuns.get(this) ?? 0) + by
    if (remaining > 0) waitingRuns.set(this, remaining)
    else waitingRuns.delete(this)
  }

  async #check({ url, key, catalogue }: UrlInCatalogue, signal: AbortSignal): Promise<void> {
    const { file, waitingRuns } = this.#reach
    let outcome: CheckOutcome | undefined
    try {
      outcome = await this.#reach.check(url, signal)
    } finally {
      if (outcome?.wasRequested !== true) this.#budget.release()
    }
    const { status, wasRequested, lastStatus } = outcome
    const updatedRow = { ...this.#updatedRow(file.read(key), status), catalogue }
    file.store(key, updatedRow, wasRequested ? this.#id : undefined)
    if (wasRequested) this.#sink.request({ host: url.host, status: lastStatus ?? 'error' })
    // Also runs that wait for a check of another run, or after one, are making progress.
    for (const run of waitingRuns.keys()) run.#sink.alive()
  }

  #updatedRow(
    row: UrlStatusRow | undefined,
    status: number | undefined,
  ): Omit<UrlStatusRow, 'catalogue'> {
    const { recheckDays, unreachableDays, now, random } = this.#reach.options
    const tried = now()
    if (status === undefined)
      return { status: row?.status, checked: row?.checked ?? 0, due: tried, tried }
    const days =
      status === pseudoCodes.connectionFailure
        ? unreachableDays
        : recheckDays * (0.8 + 0.4 * random())
    return { status, checked: tried, due: tried + Math.round(days * dayMs), tried }
  }
}

/** URL without user info and fragment; `undefined` where it may not be requested. */
function requestableUrl(text: string): URL | undefined {
  try {
    return parseTarget(text)
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

const urlStatusOf = (row: UrlStatusRow | undefined): UrlStatus | undefined =>
  row?.status === undefined ? undefined : { status: row.status, at: row.checked, since: row.since }

/** Budget of a run in one catalogue, from which the next run derives its own. */
type BudgetWindow = {
  /** Factor of the budget by which the run looked ahead. */
  readonly stretch: number
  /** URLs that were tried after this time (ms) are left to the next run. */
  readonly limit: number
  /** Due URLs that were left to the next run because of `limit`. */
  withheld: number
  readonly budget: CheckBudget
}

/**
 * Budget of a run: the number of URLs that it may check, those tried longest ago first. Records come in the order of a stream, so
 * the run reads from the file, at the first URL of a catalogue, up to which time its budget lasts, and leaves URLs tried later to
 * the next run:
 *
 *     first URL of a catalogue → limit = time of the n-th oldest due URL (n = budget left × stretch)
 *     new URL                  → checked while budget is left
 *     tried until the limit    → checked while budget is left
 *     tried after the limit    → withheld; its stored status counts
 *     next run, no budget left → half the stretch, at least 1
 *     next run, budget left    → twice the stretch if at least as many URLs were withheld, else the same
 */
class CheckBudget {
  readonly #reach: UrlReach
  readonly #windows = new Map<string, BudgetWindow>()
  #remaining: number

  constructor(reach: UrlReach, remaining: number) {
    this.#reach = reach
    this.#remaining = remaining
  }

  /** Whether a URL may be checked now; counts it if so. */
  take(row: UrlStatusRow | undefined, catalogue: string): boolean {
    if (this.#remaining <= 0) return false
    const window = this.#windowOf(catalogue)
    if (row && row.tried > window.limit) {
      window.withheld += 1
      return false
    }
    this.#remaining -= 1
    return true
  }

  /** Returns the place of a URL that was not requested. */
  release(): void {
    this.#remaining += 1
  }

  #windowOf(catalogue: string): BudgetWindow {
    const { windows, file, now } = this.#reach
    const cachedWindow = this.#windows.get(catalogue)
    if (cachedWindow) return cachedWindow
    const previous = windows.get(catalogue)
    const stretch = previous ? previous.budget.#stretchAfter(previous) : 1
    const limit = file.nthDue(catalogue, this.#remaining * stretch, now()) ?? Infinity
    const window = { stretch, limit, withheld: 0, budget: this }
    windows.set(catalogue, window)
    this.#windows.set(catalogue, window)
    return window
  }

  /** Stretch of the next run. The oldest URLs may be in no dataset any more; then budget was kept for them in vain. */
  #stretchAfter({ stretch, withheld }: BudgetWindow): number {
    if (this.#remaining <= 0) return Math.max(1, stretch / 2)
    return withheld >= this.#remaining ? stretch * 2 : stretch
  }
}
