/** Fires triggers when they are due, in the one process that holds the lease. */

import type { Lease } from '../lease.ts'
import type { Log } from '../log.ts'
import type { Launcher } from '../pipe/running/launcher.ts'
import type { Runs } from '../pipe/runs/run-history.ts'
import type { Pause } from '../workers/retry.ts'
import { nextFiring, unitMs } from './next-firing.ts'
import type { TriggerFile } from './trigger-file.ts'
import type { KeptTrigger, Timing } from './trigger.ts'

export type FiringContext = {
  readonly file: TriggerFile
  readonly lease: Lease
  readonly launcher: Pick<Launcher, 'launch'>
  /** Where the launcher makes its runs. */
  readonly runs: Pick<Runs, 'together' | 'list'>
  /** Whether a pipe is gone: its triggers stay and do not fire. */
  readonly isMissing: (pipe: string) => boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** 0..1; without it every run begins as soon as it is made. */
  readonly random?: () => number
  readonly pause: Pause
  readonly log: Log
}

/** How soon a change by another process, or its end, is noticed. */
const roundMs = 250
const afterFailureMs = 1000
/** What is due so soon after a firing is fired together: each time the file is written once. */
const togetherMs = 20
/** A process that was held up fires late, but not later than this. */
const latestMs = 60_000
/** What a harvest missed longer ago than this is old news, as with runs that were interrupted. */
const oldestMs = 86_400_000
/** More runs than a pipe has had since. */
const mostRuns = 1000

type Row = { readonly trigger: KeptTrigger; due: number }

export class Firing {
  readonly #context: FiringContext
  readonly #stopping = new AbortController()
  readonly #working: Promise<void>
  /** What was due before, when nobody was there to fire it, is not made up for. */
  readonly #opened: number
  /** What the last launch of a trigger failed with; logged once. */
  readonly #failed = new Map<string, string>()
  #leads = false
  /** Enabled triggers with their next firing. */
  #rows: readonly Row[] = []
  /** Of the file, when the rows were read; absent when they have to be read anew. */
  #version: number | undefined

  constructor(context: FiringContext) {
    this.#context = context
    this.#opened = context.now()
    this.#working = this.#work()
  }

  /** To be called when the file was changed through the same connection. */
  changed(): void {
    this.#version = undefined
  }

  /** Whether this process is the one that fires. */
  leads(): boolean {
    return this.#leads
  }

  /** The earliest firing of all; absent where there is none and where another process fires. */
  next(): number | undefined {
    const { isMissing } = this.#context
    const next = earliestOf(this.#rows.filter(({ trigger }) => !isMissing(trigger.pipe)))
    return this.#leads && next < Infinity ? next : undefined
  }

  /** Resolves when nothing fires any more; the lease is free then. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#working
    this.#context.lease.release()
  }

  async #work(): Promise<void> {
    const { pause, log } = this.#context
    const { signal } = this.#stopping
    while (!signal.aborted) {
      let waitMs = afterFailureMs
      try {
        waitMs = this.#round()
      } catch (err) {
        this.changed()
        log.error({ err }, 'scheduler.failed')
      }
      await pause(waitMs, signal).catch(() => undefined)
    }
  }

  /**
   * Fires what is due; answers after how many milliseconds to look again. Three writes however many triggers: who fires, their
   * runs, and that it is done. Ended between the first and the second, the next one to lead launches what has no run.
   */
  #round(): number {
    const { file, lease, log, now, runs } = this.#context
    const leads = lease.held()
    if (leads !== this.#leads) log.info({}, 'scheduler.leads')
    this.#leads = leads
    if (!leads) return roundMs
    this.#read()
    const at = now()
    const earliest = earliestOf(this.#rows)
    if (earliest > at) return Math.max(1, Math.min(roundMs, earliest - at))
    const due = this.#claimed(at)
    if (due.length > 0) {
      runs.together(() => {
        for (const trigger of due) this.#launch(trigger)
      })
      file.launched(at)
    }
    return Math.max(togetherMs, Math.min(roundMs, earliestOf(this.#rows) - now()))
  }

  #read(): void {
    const { file, now } = this.#context
    if (this.#version === file.version()) return
    // Asked first: a change in between is seen once more and not missed.
    const version = file.version()
    const launchedAt = file.launchedAt()
    this.#rows = file.all().flatMap((trigger) => {
      const { timing, since, last = 0, status } = trigger
      if (status === 'disabled') return []
      const after = Math.max(since, last, this.#opened, now() - latestMs)
      const due = this.#isOwed(trigger, launchedAt) ? last : nextFiring(timing, after)
      return due === undefined ? [] : [{ trigger, due }]
    })
    this.#version = version
  }

  /**
   * Whether the last firing of a trigger was noted and not launched, because the process ended in between. Only firings after
   * the last group that was launched whole are in doubt, and of those the ones that have a run were launched.
   */
  #isOwed({ pipe, id, last = 0 }: KeptTrigger, launchedAt: number): boolean {
    const { runs, now } = this.#context
    if (last <= launchedAt || last < now() - oldestMs) return false
    const later = runs.list({ pipe, offset: 0, limit: mostRuns })
    return !later.some((run) => run.trigger === id && Date.parse(run.created) >= last)
  }

  /**
   * What may be launched now, each trigger once however often it was due: noted as fired before anything starts, so that
   * nobody fires it a second time. Nothing when another process has just changed the triggers.
   */
  #claimed(now: number): readonly KeptTrigger[] {
    const { file, isMissing } = this.#context
    return file.transaction(() => {
      if (file.version() !== this.#version) return []
      const rows = this.#rows.filter(({ due }) => due <= now)
      for (const row of rows) row.due = nextFiring(row.trigger.timing, now) ?? Infinity
      const due = rows.map(({ trigger }) => trigger).filter(({ pipe }) => !isMissing(pipe))
      for (const trigger of due) file.fired(trigger, now)
      return due
    })
  }

  #launch({ pipe, id, configs, startMode, timing }: KeptTrigger): void {
    const { launcher, log, random } = this.#context
    const key = JSON.stringify([pipe, id])
    const waitMs = random ? jitter(timing, random()) : 0
    try {
      const launched = launcher.launch({
        pipe,
        startedBy: 'trigger',
        trigger: id,
        ...(configs && { configs }),
        ...(startMode && { startMode }),
        ...(waitMs > 0 && { waitMs }),
      })
      this.#failed.delete(key)
      const isDropped = 'dropped' in launched
      const run = isDropped ? launched.dropped.id : launched.run.id
      log.debug({ pipe, trigger: id, run }, isDropped ? 'trigger.dropped' : 'trigger.fired')
    } catch (err) {
      if (this.#failed.get(key) === String(err)) return
      this.#failed.set(key, String(err))
      log.warn({ err, pipe, trigger: id }, 'trigger.failed')
    }
  }
}

const earliestOf = (rows: readonly Row[]): number =>
  rows.reduce((first, { due }) => Math.min(first, due), Infinity)

const longestJitterMs = 60_000
/** Part of an interval: a short rhythm is not drowned. */
const jitterShare = 10

/**
 * How long the run of a trigger waits, so that not all of them ask their sources at the same instant: milliseconds from 0 to
 * a minute by `chance` (0..1). Nothing for a cron expression that names seconds: whoever writes six fields means the second.
 * Less than a second is not waited for.
 */
export function jitter(timing: Timing, chance: number): number {
  const ms = Math.floor(chance * longestJitter(timing))
  return ms < 1000 ? 0 : ms
}

function longestJitter(timing: Timing): number {
  if (timing.kind === 'interval') {
    return Math.min(longestJitterMs, (unitMs[timing.unit] * timing.value) / jitterShare)
  }
  const namesSeconds = timing.kind === 'cron' && timing.expression.trim().split(/\s+/).length > 5
  return namesSeconds ? 0 : longestJitterMs
}
