/**
 * Stores the triggers of all pipes and fires them in the one process that holds the lease. A group of firings takes three
 * writes, whatever its size: claim the firings, create the runs, mark as launched. If the process ends after the claim, the
 * next leader launches the triggers without a run.
 */

import { isDeepStrictEqual } from 'node:util'
import { Failure, shown } from '../errors.ts'
import { type Lease, openLease } from '../lease.ts'
import type { Log } from '../log.ts'
import type { Launcher } from '../pipe/running/launcher.ts'
import type { Runs } from '../pipe/runs/run-history.ts'
import { type BackgroundLoop, backgroundLoop } from '../workers/background-loop.ts'
import { inNewTrace } from '../trace.ts'
import { reportNumber } from '../workers/numbers.ts'
import type { Pause } from '../workers/pause.ts'
import { openTriggerFile, type TriggerFile } from './trigger-file.ts'
import {
  jitter,
  type StoredTrigger,
  nextFiring,
  nextOfInterval,
  type TriggerStatus,
  type Timing,
  type Trigger,
} from './trigger.ts'
import { dayMs } from '../text/duration.ts'

/** A trigger with its coming firing; if disabled, the one that it would have; absent with a problem or if none comes. */
export type ScheduledTrigger = StoredTrigger & {
  readonly next?: number
  readonly problem?: 'pipe missing'
}

/** Storage and dependencies of triggers. */
export type TriggersOptions = {
  /** Path of the SQLite file, which is created if missing; the lease is stored next to it. */
  readonly path: string
  readonly launcher: Pick<Launcher, 'launch'>
  /** History of runs. */
  readonly runs: Pick<Runs, 'transaction' | 'list'>
  /** Whether a pipe is missing: its triggers are kept and do not fire. By default no pipe is. */
  readonly isMissing?: (pipe: string) => boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Random number from 0 to 1; without it there is no jitter. */
  readonly random?: () => number
  readonly pause: Pause
  readonly log: Log
}

/** Maximum time between two rounds, which check for due triggers, changes by other processes, and the lease. */
const roundMs = 250
/** Time in ms between a failed round and the next. */
const afterFailureMs = 1000
/** Least time in ms between two groups; firings within it are launched together, with one write. */
const groupMs = 20
/** Maximum age in ms of a missed firing that is launched when the triggers are read, as after a change or of a new leader. */
const maxDelayMs = 60_000
/** Maximum age in ms of firings that were claimed and not launched, and are launched later. */
const maxMissedMs = dayMs
/** Number of recent runs of a pipe that are searched for a trigger's run. */
const mostRuns = 1000

/** Opens the triggers; they fire as soon as this process holds the lease. */
export const openTriggers = (options: TriggersOptions): Triggers => new Triggers(options)

/** Triggers by pipe name. Changes are durable on return. */
export class Triggers {
  readonly #options: TriggersOptions
  readonly #isMissing: (pipe: string) => boolean
  readonly #file: TriggerFile
  readonly #lease: Lease
  readonly #firing: BackgroundLoop
  /** Start of this process; earlier firings, missed while no scheduler ran, are skipped. */
  readonly #openedAt: number
  /** Last failure of each trigger's launch, to log it once. */
  readonly #lastFailures = new Map<string, string>()
  #isLeader = false
  /** Enabled triggers with their next firing, without those that never fire again. */
  #rows: readonly { readonly trigger: StoredTrigger; due: number }[] = []
  /** Version of the file when the rows were read; `undefined` to force reading. */
  #version: number | undefined
  #stopped: Promise<void> | undefined

  constructor(options: TriggersOptions) {
    const { path, now, isMissing, log, pause } = options
    this.#options = options
    this.#isMissing = isMissing ?? (() => false)
    this.#file = openTriggerFile(path)
    this.#lease = openLease(`${path}.lease`)
    this.#openedAt = now()
    const round = () => this.#round()
    this.#firing = backgroundLoop('scheduler.failed', roundMs, round, {
      log,
      pause,
      firstMs: 0,
      retryMs: afterFailureMs,
      longestRetryMs: afterFailureMs,
    })
  }

  /** Triggers by pipe, without pipes that have none. */
  all(): ReadonlyMap<string, readonly ScheduledTrigger[]> {
    const scheduled = this.#file.all().map((stored) => this.#scheduled(stored))
    return Map.groupBy(scheduled, ({ pipe }) => pipe)
  }

  /** Triggers of a pipe, in the order of the request; empty for an unknown pipe. */
  of(pipe: string): readonly ScheduledTrigger[] {
    return this.#file.all(pipe).map((stored) => this.#scheduled(stored))
  }

  /** Replaces the triggers of all pipes; pipes that are not named lose theirs. */
  replaceAll(sets: ReadonlyMap<string, readonly Trigger[]>): void {
    this.#change(() => {
      const before = Map.groupBy(this.#file.all(), ({ pipe }) => pipe)
      this.#file.clear()
      for (const [pipe, triggers] of sets) this.#set(pipe, triggers, before.get(pipe) ?? [])
    })
  }

  /** Replaces the triggers of one pipe. */
  replace(pipe: string, triggers: readonly Trigger[]): void {
    this.#change(() => this.#set(pipe, triggers, this.#file.all(pipe)))
  }

  /** Adds a trigger, or replaces the one with its id. */
  put(pipe: string, trigger: Trigger): void {
    this.#change(() => {
      const before = this.#file.all(pipe)
      const isNew = before.every(({ id }) => id !== trigger.id)
      const after = before.map((stored) => (stored.id === trigger.id ? trigger : stored))
      this.#set(pipe, isNew ? [...after, trigger] : after, before)
    })
  }

  /** Removes a trigger. Throws `unknown-trigger`. */
  remove(pipe: string, id: string): ScheduledTrigger {
    return this.#change(() => {
      const { trigger } = this.#stored(pipe, id)
      this.#file.remove(pipe, id)
      return this.#scheduled(trigger)
    })
  }

  /** Enables or disables a trigger. Throws `unknown-trigger`, or `conflict` if it already has the status. */
  setStatus(pipe: string, id: string, status: TriggerStatus): ScheduledTrigger {
    return this.#change(() => {
      const { trigger, position } = this.#stored(pipe, id)
      if (trigger.status === status) {
        throw new Failure('conflict', `the trigger ${shown(id)} is already ${status}`)
      }
      const changed = { ...trigger, status, since: this.#options.now() }
      this.#file.put(changed, position)
      return this.#scheduled(changed)
    })
  }

  /** Whether this process holds the lease. */
  isLeader(): boolean {
    return this.#isLeader
  }

  /** Time of the next firing; `undefined` if there is none or another process fires. */
  next(): number | undefined {
    const earliest = this.#earliest(({ pipe }) => !this.#isMissing(pipe))
    return this.#isLeader && earliest < Infinity ? earliest : undefined
  }

  /** Stops firing and releases the lease. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  async #stop(): Promise<void> {
    await this.#firing.stop()
    this.#lease.release()
    this.#file.close()
  }

  #change<T>(work: () => T): T {
    try {
      return this.#file.transaction(work, 'durable')
    } finally {
      this.#version = undefined
    }
  }

  /** Finds a trigger and its index in the list of its pipe. Throws `unknown-trigger`. */
  #stored(pipe: string, id: string) {
    const triggers = this.#file.all(pipe)
    const position = triggers.findIndex((stored) => stored.id === id)
    const trigger = triggers[position]
    if (trigger) return { trigger, position }
    throw new Failure('unknown-trigger', `${shown(pipe)} has no trigger ${shown(id)}`)
  }

  /** Adds the coming firing, which is computed from the schedule, or the problem. */
  #scheduled(trigger: StoredTrigger): ScheduledTrigger {
    return this.#isMissing(trigger.pipe)
      ? { ...trigger, problem: 'pipe missing' }
      : { ...trigger, next: nextFiring(trigger.timing, this.#options.now()) }
  }

  /** Replaces the triggers of a pipe; each continues the schedule of the one with its id. */
  #set(pipe: string, triggers: readonly Trigger[], before: readonly StoredTrigger[]): void {
    this.#file.clear(pipe)
    for (const [position, { id, status, timing, configs, startMode }] of triggers.entries()) {
      const request = { configs, startMode }
      const trigger = { pipe, id, status, timing, ...request, since: this.#options.now() }
      const previous = before.find((stored) => stored.id === id)
      this.#file.put(previous ? withHistory(trigger, previous) : trigger, position)
    }
  }

  // Firing.

  /** Runs one round of the loop; after a failure the triggers are read again. */
  #round(): number {
    try {
      return this.#fire()
    } catch (error) {
      this.#version = undefined
      throw error
    }
  }

  /** Fires due triggers; returns the delay in ms until the next round. */
  #fire(): number {
    const { log, now, runs } = this.#options
    const isLeader = this.#lease.held()
    if (isLeader !== this.#isLeader) log.info({}, 'scheduler.leads')
    this.#isLeader = isLeader
    if (!isLeader) return roundMs
    this.#read()
    const time = now()
    const earliest = this.#earliest()
    if (earliest > time) return Math.max(1, Math.min(roundMs, earliest - time))
    const due = this.#claimDue(time)
    if (due.length > 0) {
      runs.transaction(() => {
        for (const trigger of due) inNewTrace(() => this.#launch(trigger))
      })
      this.#file.markLaunched(time)
    }
    return Math.max(groupMs, Math.min(roundMs, this.#earliest() - now()))
  }

  /** Earliest firing of the triggers that `isCounted` selects, in ms; `Infinity` if there is none. */
  #earliest(isCounted: (trigger: StoredTrigger) => boolean = () => true): number {
    return this.#rows.reduce(
      (first, { trigger, due }) => (due < first && isCounted(trigger) ? due : first),
      Infinity,
    )
  }

  /** Reads the triggers if the file has changed. */
  #read(): void {
    const { now } = this.#options
    // Read first: a concurrent change is then seen twice instead of never.
    const version = this.#file.version()
    if (this.#version === version) return
    const launchedAt = this.#file.launchedAt()
    this.#rows = this.#file.all().flatMap((trigger) => {
      const { timing, since, last = 0, status } = trigger
      if (status === 'disabled') return []
      const after = Math.max(since, last, this.#openedAt, now() - maxDelayMs)
      const due = this.#isUnlaunched(trigger, launchedAt) ? last : nextFiring(timing, after)
      return due === undefined ? [] : [{ trigger, due }]
    })
    this.#version = version
  }

  /**
   * Whether the last firing of a trigger was claimed but not launched, because the process ended in between. Only firings
   * after the last complete group are in question; those that have a run were launched.
   */
  #isUnlaunched({ pipe, id, last = 0 }: StoredTrigger, launchedAt: number): boolean {
    const { runs, now } = this.#options
    if (last <= launchedAt || last < now() - maxMissedMs) return false
    const recentRuns = runs.list({ pipe, offset: 0, limit: mostRuns })
    return !recentRuns.some((run) => run.trigger === id && Date.parse(run.created) >= last)
  }

  /**
   * Claims the due triggers, each once, by storing the firing before the launch, so that no other process fires them again.
   * Those of missing pipes are passed over. Empty if the triggers have just changed.
   */
  #claimDue(now: number): readonly StoredTrigger[] {
    return this.#file.transaction(() => {
      if (this.#file.version() !== this.#version) return []
      const rows = this.#rows.filter(({ due }) => due <= now)
      for (const { due } of rows)
        reportNumber('cartulary_trigger_lateness_seconds', [], (now - due) / 1000)
      for (const row of rows) row.due = nextFiring(row.trigger.timing, now) ?? Infinity
      const due = rows.map(({ trigger }) => trigger).filter(({ pipe }) => !this.#isMissing(pipe))
      for (const trigger of due) this.#file.markFired(trigger, now)
      return due
    })
  }

  /** Launches the pipe of a trigger. A repeated failure is logged once; the trigger fires again at its next time. */
  #launch({ pipe, id, configs, startMode, timing }: StoredTrigger): void {
    const { launcher, log, random } = this.#options
    const key = JSON.stringify([pipe, id])
    const waitMs = (random && jitter(timing, random())) || undefined
    try {
      const request = { configs, startMode, waitMs }
      const launched = launcher.launch({ pipe, startedBy: 'trigger', trigger: id, ...request })
      this.#lastFailures.delete(key)
      const isDropped = 'dropped' in launched
      const run = isDropped ? launched.dropped.id : launched.run.id
      log.debug({ pipe, trigger: id, run }, isDropped ? 'trigger.dropped' : 'trigger.fired')
    } catch (err) {
      if (this.#lastFailures.get(key) === String(err)) return
      this.#lastFailures.set(key, String(err))
      log.warn({ err, pipe, trigger: id }, 'trigger.failed')
    }
  }
}

/** Carries the last firing, for an equivalent interval the anchor, and if nothing changes `since` over from `previous`. */
function withHistory(trigger: StoredTrigger, previous: StoredTrigger): StoredTrigger {
  const timing = isSameSchedule(trigger, previous.timing) ? previous.timing : trigger.timing
  const isUnchanged =
    isDeepStrictEqual(timing, previous.timing) && trigger.status === previous.status
  // A firing that is due right now must not be lost when the trigger is sent again.
  const since = isUnchanged ? previous.since : trigger.since
  return { ...trigger, timing, since, last: previous.last }
}

/**
 * Whether the first firing of an interval is one of the old interval of the same length, as in a list of triggers that is
 * read and sent back. A later first firing is a new start. Months keep the old anchor, so that the 31st is kept.
 */
function isSameSchedule({ timing, since }: StoredTrigger, previous: Timing): boolean {
  if (timing.kind !== 'interval' || previous.kind !== 'interval') return false
  if (timing.unit !== previous.unit || timing.value !== previous.value) return false
  const [nextFiring = 0, { anchor }] = [nextOfInterval(previous, since), timing]
  return anchor <= nextFiring && nextOfInterval(previous, anchor - 1) === anchor
}
