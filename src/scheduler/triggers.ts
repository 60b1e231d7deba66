/**
 * The triggers of all pipes: durable, changed by requests, fired when they are due, in the one process that holds the lease.
 * A group of firings is three writes however many triggers it has: who fires, their runs, and that it is done. Where the
 * process ends between the first and the second, the next one to lead launches what has no run.
 */

import { isDeepStrictEqual } from 'node:util'
import { Failure, shown } from '../errors.ts'
import { type Lease, openLease } from '../lease.ts'
import type { Log } from '../log.ts'
import { defined } from '../pipe/defined.ts'
import type { Launcher } from '../pipe/running/launcher.ts'
import type { Runs } from '../pipe/runs/run-history.ts'
import { type BackgroundLoop, backgroundLoop } from '../workers/background-loop.ts'
import type { Pause } from '../workers/pause.ts'
import { openTriggerFile, type TriggerFile } from './trigger-file.ts'
import {
  jitter,
  type StoredTrigger,
  nextFiring,
  nextOfInterval,
  type Status,
  type Timing,
  type Trigger,
} from './trigger.ts'
import { dayMs } from '../text/duration.ts'

/** `next` is the coming firing; of a disabled trigger the one that it would have. A trigger with a problem has none. */
export type ScheduledTrigger = StoredTrigger & {
  readonly next?: number
  readonly problem?: 'pipe missing'
}

/** Where triggers are stored, and what a firing needs. */
export type TriggersOptions = {
  /** The file, made when absent; the lease lies beside it. */
  readonly path: string
  readonly launcher: Pick<Launcher, 'launch'>
  /** Where the launcher makes its runs. */
  readonly runs: Pick<Runs, 'together' | 'list'>
  /** Whether a pipe is gone: its triggers stay and do not fire. Without it none is. */
  readonly isMissing?: (pipe: string) => boolean
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
const oldestMs = dayMs
/** More runs than a pipe has had since. */
const mostRuns = 1000

/** Opens the triggers and begins to fire, as soon as no other process on the same file does. */
export const openTriggers = (options: TriggersOptions): Triggers => new Triggers(options)

/** Pipes are names. What changes something is durable when it returns. */
export class Triggers {
  readonly #options: TriggersOptions
  readonly #isMissing: (pipe: string) => boolean
  readonly #file: TriggerFile
  readonly #lease: Lease
  readonly #firing: BackgroundLoop
  /** Firings that were due before this time, while no scheduler ran, are left out. */
  readonly #opened: number
  /** What the last launch of a trigger failed with; logged once. */
  readonly #failed = new Map<string, string>()
  #leads = false
  /** Enabled triggers with their next firing. */
  #rows: readonly { readonly trigger: StoredTrigger; due: number }[] = []
  /** Of the file, when the rows were read; absent when they have to be read anew. */
  #version: number | undefined
  #stopped: Promise<void> | undefined

  constructor(options: TriggersOptions) {
    const { path, now, isMissing, log, pause } = options
    this.#options = options
    this.#isMissing = isMissing ?? (() => false)
    this.#file = openTriggerFile(path)
    this.#lease = openLease(`${path}.lease`)
    this.#opened = now()
    const round = () => this.#round()
    this.#firing = backgroundLoop('scheduler.failed', roundMs, round, {
      log,
      pause,
      firstMs: 0,
      retryMs: afterFailureMs,
      longestRetryMs: afterFailureMs,
    })
  }

  /** By pipe, pipes without triggers left out. */
  all(): ReadonlyMap<string, readonly ScheduledTrigger[]> {
    const all = this.#file.all().map((one) => this.#scheduled(one))
    return Map.groupBy(all, ({ pipe }) => pipe)
  }

  /** In the order in which they were sent; none for a pipe that nobody knows. */
  of(pipe: string): readonly ScheduledTrigger[] {
    return this.#file.all(pipe).map((one) => this.#scheduled(one))
  }

  /** All triggers of all pipes; pipes that are not named lose theirs. */
  replaceAll(sets: ReadonlyMap<string, readonly Trigger[]>): void {
    this.#change(() => {
      const before = Map.groupBy(this.#file.all(), ({ pipe }) => pipe)
      this.#file.clear()
      for (const [pipe, triggers] of sets) this.#set(pipe, triggers, before.get(pipe) ?? [])
    })
  }

  /** All triggers of one pipe; none ends its firings. */
  replace(pipe: string, triggers: readonly Trigger[]): void {
    this.#change(() => this.#set(pipe, triggers, this.#file.all(pipe)))
  }

  /** Adds the trigger, or puts it in the place of the one with its id. */
  put(pipe: string, trigger: Trigger): void {
    this.#change(() => {
      const before = this.#file.all(pipe)
      const isNew = before.every(({ id }) => id !== trigger.id)
      const after = before.map((one) => (one.id === trigger.id ? trigger : one))
      this.#set(pipe, isNew ? [...after, trigger] : after, before)
    })
  }

  /** Throws `unknown-trigger`. */
  remove(pipe: string, id: string): ScheduledTrigger {
    return this.#change(() => {
      const { trigger } = this.#stored(pipe, id)
      this.#file.remove(pipe, id)
      return this.#scheduled(trigger)
    })
  }

  /** Throws `unknown-trigger`, and `conflict` when the status is so already. */
  turn(pipe: string, id: string, status: Status): ScheduledTrigger {
    return this.#change(() => {
      const { trigger, position } = this.#stored(pipe, id)
      if (trigger.status === status) {
        throw new Failure('conflict', `the trigger ${shown(id)} is already ${status}`)
      }
      const turned = { ...trigger, status, since: this.#options.now() }
      this.#file.put(turned, position)
      return this.#scheduled(turned)
    })
  }

  /** Whether this process is the one that fires. */
  leads(): boolean {
    return this.#leads
  }

  /** When the next trigger fires; absent where none does and where another process fires. */
  next(): number | undefined {
    const next = this.#earliest(({ pipe }) => !this.#isMissing(pipe))
    return this.#leads && next < Infinity ? next : undefined
  }

  /** Resolves when nothing fires any more; the lease is free then. */
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

  /** The trigger and its place among those of its pipe. Throws `unknown-trigger`. */
  #stored(pipe: string, id: string) {
    const all = this.#file.all(pipe)
    const position = all.findIndex((one) => one.id === id)
    const trigger = all[position]
    if (trigger) return { trigger, position }
    throw new Failure('unknown-trigger', `${shown(pipe)} has no trigger ${shown(id)}`)
  }

  /** With its coming firing, which is not stored: it follows from the timing. */
  #scheduled(trigger: StoredTrigger): ScheduledTrigger {
    return this.#isMissing(trigger.pipe)
      ? { ...trigger, problem: 'pipe missing' }
      : { ...trigger, ...defined({ next: nextFiring(trigger.timing, this.#options.now()) }) }
  }

  /** Writes the triggers of a pipe in place of those before, each going on with the rhythm of the one with its id. */
  #set(pipe: string, triggers: readonly Trigger[], before: readonly StoredTrigger[]): void {
    this.#file.clear(pipe)
    for (const [position, { id, status, timing, configs, startMode }] of triggers.entries()) {
      const request = defined({ configs, startMode })
      const trigger = { pipe, id, status, timing, ...request, since: this.#options.now() }
      const old = before.find((one) => one.id === id)
      this.#file.put(old ? continued(trigger, old) : trigger, position)
    }
  }

  // Firing.

  /** One round. After a failure the triggers are read anew. */
  #round(): number {
    try {
      return this.#fire()
    } catch (error) {
      this.#version = undefined
      throw error
    }
  }

  /** Fires what is due; answers after how many milliseconds to look again. */
  #fire(): number {
    const { log, now, runs } = this.#options
    const leads = this.#lease.held()
    if (leads !== this.#leads) log.info({}, 'scheduler.leads')
    this.#leads = leads
    if (!leads) return roundMs
    this.#read()
    const at = now()
    const earliest = this.#earliest()
    if (earliest > at) return Math.max(1, Math.min(roundMs, earliest - at))
    const due = this.#claimed(at)
    if (due.length > 0) {
      runs.together(() => {
        for (const trigger of due) this.#launch(trigger)
      })
      this.#file.launched(at)
    }
    return Math.max(togetherMs, Math.min(roundMs, this.#earliest() - now()))
  }

  /** When the first trigger that counts is due, ms of the clock; `Infinity` when none is. */
  #earliest(counts: (trigger: StoredTrigger) => boolean = () => true): number {
    return this.#rows.reduce(
      (first, { trigger, due }) => (due < first && counts(trigger) ? due : first),
      Infinity,
    )
  }

  /** Reads the triggers again when the file has changed since. */
  #read(): void {
    const { now } = this.#options
    // Asked first: a change in between is seen once more and not missed.
    const version = this.#file.version()
    if (this.#version === version) return
    const launchedAt = this.#file.launchedAt()
    this.#rows = this.#file.all().flatMap((trigger) => {
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
  #isOwed({ pipe, id, last = 0 }: StoredTrigger, launchedAt: number): boolean {
    const { runs, now } = this.#options
    if (last <= launchedAt || last < now() - oldestMs) return false
    const later = runs.list({ pipe, offset: 0, limit: mostRuns })
    return !later.some((run) => run.trigger === id && Date.parse(run.created) >= last)
  }

  /**
   * What may be launched now, each trigger once however often it was due: noted as fired before anything starts, so that
   * nobody fires it a second time. Nothing when another process has just changed the triggers.
   */
  #claimed(now: number): readonly StoredTrigger[] {
    return this.#file.transaction(() => {
      if (this.#file.version() !== this.#version) return []
      const rows = this.#rows.filter(({ due }) => due <= now)
      for (const row of rows) row.due = nextFiring(row.trigger.timing, now) ?? Infinity
      const due = rows.map(({ trigger }) => trigger).filter(({ pipe }) => !this.#isMissing(pipe))
      for (const trigger of due) this.#file.fired(trigger, now)
      return due
    })
  }

  /** A launch that fails is logged once for the same reason; the trigger fires again at its next time. */
  #launch({ pipe, id, configs, startMode, timing }: StoredTrigger): void {
    const { launcher, log, random } = this.#options
    const key = JSON.stringify([pipe, id])
    const waitMs = (random && jitter(timing, random())) || undefined
    try {
      const request = defined({ configs, startMode, waitMs })
      const launched = launcher.launch({ pipe, startedBy: 'trigger', trigger: id, ...request })
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

/** The new trigger with the last firing and, where it means the same, the rhythm of the one in whose place it comes. */
function continued(trigger: StoredTrigger, old: StoredTrigger): StoredTrigger {
  const timing = isInRhythm(trigger, old.timing) ? old.timing : trigger.timing
  const goesOn = isDeepStrictEqual(timing, old.timing) && trigger.status === old.status
  // What is due at this very moment is not lost by being sent again.
  const since = goesOn ? old.since : trigger.since
  return { ...trigger, timing, since, ...defined({ last: old.last }) }
}

/**
 * Whether the first firing of an interval is one of another interval of the same length: that is what comes back when a list
 * of triggers is read and sent again; a later one means to begin later. Counting months from the old anchor keeps the 31st.
 */
function isInRhythm({ timing, since }: StoredTrigger, old: Timing): boolean {
  if (timing.kind !== 'interval' || old.kind !== 'interval') return false
  if (timing.unit !== old.unit || timing.value !== old.value) return false
  const [coming = 0, { anchor }] = [nextOfInterval(old, since), timing]
  return anchor <= coming && nextOfInterval(old, anchor - 1) === anchor
}
