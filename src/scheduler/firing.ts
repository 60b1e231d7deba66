/** Fires triggers when they are due, in the one process that holds the lease. */

import { unitMs, nextFiring } from './next-firing.ts'
import type { Lease } from '../lease.ts'
import type { Log } from '../log.ts'
import type { Launcher } from '../pipe/running/launcher.ts'
import type { Runs } from '../pipe/runs/run-history.ts'
import type { TriggerFile } from './trigger-file.ts'
import type { KeptTrigger, Timing } from './trigger.ts'

type FiringDeps = {
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
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  readonly log: Log
}

type Firing = {
  /** To be called when the file was changed through the same connection. */
  changed(): void
  /** Whether this process is the one that fires. */
  leads(): boolean
  /** The earliest firing of all; absent where there is none and where another process fires. */
  next(): number | undefined
  /** Resolves when nothing fires any more; the lease is free then. */
  stop(): Promise<void>
}

/** How soon a change by another process, or its end, is noticed. */
const roundMs = 250
const afterFailureMs = 1000
/** What is due so soon after a firing is fired together: each time the file is written once. */
const togetherMs = 20

export function startFiring(deps: FiringDeps): Firing {
  const { lease, log, now, pause } = deps
  const stopping = new AbortController()
  const { signal } = stopping
  const opened = now()
  const state: State = {
    table: undefined,
    isStale: false,
    version: 0,
    opened,
    leads: false,
    failed: new Map(),
  }
  const work = async () => {
    while (!signal.aborted) {
      let wait = afterFailureMs
      try {
        wait = round(deps, state)
      } catch (error) {
        state.isStale = true
        log.error({ err: error }, 'scheduler.failed')
      }
      await pause(wait, signal).catch(() => undefined)
    }
  }
  const working = work()
  return {
    changed: () => {
      state.isStale = true
    },
    leads: () => state.leads,
    next: () => {
      const next = state.leads ? state.table?.next(deps.isMissing) : undefined
      return next === Infinity ? undefined : next
    },
    stop: async () => {
      stopping.abort()
      await working
      lease.release()
    },
  }
}

type State = {
  table: Timetable | undefined
  /** The table has to be made anew; the old one is still good enough to be told about. */
  isStale: boolean
  /** Of the file, when the table was made. */
  version: number
  leads: boolean
  readonly opened: number
  /** What the last launch of a trigger failed with; told once. */
  readonly failed: Map<string, string>
}

/**
 * Fires what is due; answers after how many milliseconds to look again. Three writes however many triggers: who fires, their
 * runs, and that it is done. Ended between the first and the second, the next one to lead launches what has no run.
 */
function round(deps: FiringDeps, state: State): number {
  const { file, isMissing, lease, log, now, runs } = deps
  const leads = lease.held()
  if (leads !== state.leads) log.info({}, 'scheduler.leads')
  state.leads = leads
  if (!leads) return roundMs
  const table = currentTable(deps, state)
  const at = now()
  if (table.earliest() > at) return Math.max(1, Math.min(roundMs, table.earliest() - at))
  const isCurrent = () => file.version() === state.version
  const due = claimed(file, { table, isCurrent, isMissing, now: at })
  if (due.length > 0) {
    runs.together(() => {
      for (const trigger of due) launch(deps, state.failed, trigger)
    })
    file.launched(at)
  }
  return Math.max(togetherMs, Math.min(roundMs, table.earliest() - now()))
}

function currentTable({ file, now, runs }: FiringDeps, state: State): Timetable {
  const { opened } = state
  if (state.table && !state.isStale && state.version === file.version()) return state.table
  // Asked first: a change in between is seen once more and not missed.
  state.version = file.version()
  const isOwed = owed({ file, runs }, now())
  state.table = timetable(file.all(), { opened, now: now(), isOwed })
  state.isStale = false
  return state.table
}

type Claim = {
  readonly table: Timetable
  readonly isCurrent: () => boolean
  readonly isMissing: FiringDeps['isMissing']
  readonly now: number
}

/**
 * What may be launched now: noted as fired before anything starts, so that whatever happens to this process nobody fires it a
 * second time. Nothing when another process has just changed the triggers.
 */
function claimed(file: TriggerFile, claim: Claim): readonly KeptTrigger[] {
  const { table, isCurrent, isMissing, now } = claim
  return file.transaction(() => {
    if (!isCurrent()) return []
    const due = table.take(now).filter(({ pipe }) => !isMissing(pipe))
    for (const trigger of due) file.fired(trigger, now)
    return due
  })
}

function launch(
  { launcher, log, random }: FiringDeps,
  failed: Map<string, string>,
  { pipe, id, configs, startMode, timing }: KeptTrigger,
): void {
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
    failed.delete(key)
    const dropped = 'dropped' in launched
    const run = dropped ? launched.dropped.id : launched.run.id
    log.debug({ pipe, trigger: id, run }, dropped ? 'trigger.dropped' : 'trigger.fired')
  } catch (error) {
    if (failed.get(key) === String(error)) return
    failed.set(key, String(error))
    log.warn({ err: error, pipe, trigger: id }, 'trigger.failed')
  }
}

// How long the runs of triggers wait, so that not all of them ask their sources at the same instant.

const mostMs = 60_000

/** A share of an interval: a short rhythm is not drowned. */
const share = 10

/**
 * Milliseconds from 0 to a minute by `chance` (0..1). Nothing for a cron expression that names seconds: whoever writes six
 * fields means the second. Less than a second is not waited for.
 */
export function jitter(timing: Timing, chance: number): number {
  const ms = Math.floor(chance * mostOf(timing))
  return ms < 1000 ? 0 : ms
}

function mostOf(timing: Timing): number {
  if (timing.kind === 'cron') return timing.expression.trim().split(/\s+/).length > 5 ? 0 : mostMs
  if (timing.kind === 'specific') return mostMs
  return Math.min(mostMs, (unitMs[timing.unit] * timing.value) / share)
}

// Firings that were noted and not launched, because the process ended in between.

/** What a harvest missed longer ago than this is old news, as with runs that were interrupted. */
const oldestMs = 86_400_000

/** More runs than a pipe has had since. */
const mostRuns = 1000

type Deps = {
  readonly file: Pick<TriggerFile, 'launchedAt'>
  readonly runs: Pick<Runs, 'list'>
}

/**
 * Whether the last firing of a trigger still has to be launched. Only firings after the last group that was launched whole
 * are in doubt, and of those the ones that have a run were launched.
 */
function owed({ file, runs }: Deps, now: number): (trigger: KeptTrigger) => boolean {
  const launched = file.launchedAt()
  return ({ pipe, id, last = 0 }) => {
    if (last <= launched || last < now - oldestMs) return false
    const later = runs.list({ pipe, offset: 0, limit: mostRuns })
    return !later.some((run) => run.trigger === id && Date.parse(run.created) >= last)
  }
}

// Which triggers are due: all of them with their next firing.

type Timetable = {
  /** The earliest firing of all; `Infinity` when there is none. */
  earliest(): number
  /** The same of the pipes that are not left out. */
  next(isLeftOut: (pipe: string) => boolean): number
  /** What is due now, each trigger once however often it was due, and moves it to its next firing. */
  take(now: number): readonly KeptTrigger[]
}

/** A process that was held up fires late, but not later than this. */
const latestMs = 60_000

type Beginning = {
  readonly opened: number
  readonly now: number
  /** Whether the last firing of a trigger still has to be launched. */
  readonly isOwed: (trigger: KeptTrigger) => boolean
}

/** What was due before `opened`, when nobody was there to fire it, is not made up for; what somebody began to fire is. */
function timetable(
  triggers: readonly KeptTrigger[],
  { opened, now, isOwed }: Beginning,
): Timetable {
  const rows = triggers.flatMap((trigger) => {
    if (trigger.status === 'disabled') return []
    const { timing, since, last = 0 } = trigger
    const due = isOwed(trigger)
      ? last
      : nextFiring(timing, Math.max(since, last, opened, now - latestMs))
    return due === undefined ? [] : [{ trigger, due }]
  })
  let earliest = earliestOf(rows)
  return {
    earliest: () => earliest,
    next: (isLeftOut) => earliestOf(rows.filter(({ trigger }) => !isLeftOut(trigger.pipe))),
    take: (now) => {
      const due = rows.filter((row) => row.due <= now)
      for (const row of due) row.due = nextFiring(row.trigger.timing, now) ?? Infinity
      earliest = earliestOf(rows)
      return due.map(({ trigger }) => trigger)
    },
  }
}

const earliestOf = (rows: readonly { readonly due: number }[]): number =>
  rows.reduce((first, { due }) => Math.min(first, due), Infinity)
