/** The triggers of all pipes: durable, changed by requests, fired when they are due. */

import { isDeepStrictEqual } from 'node:util'
import { Failure, shown } from '../errors.ts'
import { openLease } from '../lease.ts'
import type { Log } from '../log.ts'
import type { Launcher } from '../pipe/running/launcher.ts'
import type { Runs } from '../pipe/runs/run-history.ts'
import { startFiring } from './firing.ts'
import { openTriggerFile, type TriggerFile } from './trigger-file.ts'
import { nextFiring, nextOfInterval } from './next-firing.ts'
import type { KeptTrigger, Status, Timing, Trigger } from './trigger.ts'

/** `next` is the coming firing; of a disabled trigger the one that it would have. A trigger with a problem has none. */
export type Scheduled = KeptTrigger & { readonly next?: number; readonly problem?: 'pipe missing' }

/** Pipes are names. What changes something is durable when it returns. */
export type Triggers = {
  /** By pipe, pipes without triggers left out. */
  all(): ReadonlyMap<string, readonly Scheduled[]>
  of(pipe: string): readonly Scheduled[]
  /** All triggers of all pipes; pipes that are not named lose theirs. */
  replaceAll(sets: ReadonlyMap<string, readonly Trigger[]>): void
  replace(pipe: string, triggers: readonly Trigger[]): void
  /** Adds the trigger, or puts it in the place of the one with its id. */
  put(pipe: string, trigger: Trigger): void
  /** Throws `unknown-trigger`. */
  remove(pipe: string, id: string): Scheduled
  /** Throws `unknown-trigger`, and `conflict` when the status is so already. */
  turn(pipe: string, id: string, status: Status): Scheduled
  /** Whether this process is the one that fires. */
  leads(): boolean
  /** When the next trigger fires; absent where none does and where another process fires. */
  next(): number | undefined
  /** Ends the firing and gives the lease away. */
  stop(): Promise<void>
}

export type TriggersOptions = {
  /** The file, made when absent; the lease lies beside it. */
  readonly path: string
  readonly launcher: Pick<Launcher, 'launch'>
  /** Where the launcher makes its runs. */
  readonly runs: Pick<Runs, 'together' | 'list'>
  /** Whether a pipe is gone; without it none is. */
  readonly isMissing?: (pipe: string) => boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** 0..1; without it every run begins as soon as it is made. */
  readonly random?: () => number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  readonly log: Log
}

/** Opens the triggers and begins to fire, as soon as no other process on the same file does. */
export function openTriggers(options: TriggersOptions): Triggers {
  const { path, now, isMissing = () => false } = options
  const file = openTriggerFile(path)
  const firing = startFiring({ ...options, isMissing, file, lease: openLease(`${path}.lease`) })
  const scheduled = (trigger: KeptTrigger): Scheduled => {
    if (isMissing(trigger.pipe)) return { ...trigger, problem: 'pipe missing' }
    const next = nextFiring(trigger.timing, now())
    return next === undefined ? trigger : { ...trigger, next }
  }
  const change = <T>(work: () => T): T => {
    try {
      return file.transaction(work, 'durable')
    } finally {
      firing.changed()
    }
  }
  let stopped: Promise<void> | undefined
  return {
    all: () => Map.groupBy(file.all().map(scheduled), ({ pipe }) => pipe),
    of: (pipe) => kept(file, pipe).map(scheduled),
    replaceAll: (sets) =>
      change(() => {
        const before = Map.groupBy(file.all(), ({ pipe }) => pipe)
        file.clear()
        for (const [pipe, triggers] of sets)
          set(file, { pipe, triggers, before: before.get(pipe) ?? [], now: now() })
      }),
    replace: (pipe, triggers) =>
      change(() => set(file, { pipe, triggers, before: kept(file, pipe), now: now() })),
    put: (pipe, trigger) =>
      change(() => {
        const before = kept(file, pipe)
        const isKnown = before.some(({ id }) => id === trigger.id)
        const after = before.map((one) => (one.id === trigger.id ? trigger : one))
        const triggers = isKnown ? after : [...before, trigger]
        set(file, { pipe, triggers, before, now: now() })
      }),
    remove: (pipe, id) =>
      change(() => {
        const { trigger } = known(file, pipe, id)
        file.remove(pipe, id)
        return scheduled(trigger)
      }),
    turn: (pipe, id, status) =>
      change(() => scheduled(turned(file, { pipe, id, status, now: now() }))),
    leads: () => firing.leads(),
    next: () => firing.next(),
    stop: () => (stopped ??= firing.stop().then(() => file.close())),
  }
}

const kept = (file: TriggerFile, pipe: string): readonly KeptTrigger[] =>
  file.all().filter((one) => one.pipe === pipe)

type Change = {
  readonly pipe: string
  readonly triggers: readonly Trigger[]
  readonly before: readonly KeptTrigger[]
  readonly now: number
}

function set(file: TriggerFile, { pipe, triggers, before, now }: Change): void {
  file.clear(pipe)
  for (const [position, { id, status, timing, configs, startMode }] of triggers.entries()) {
    const asked = { ...(configs && { configs }), ...(startMode && { startMode }) }
    const old = before.find((one) => one.id === id)
    file.put(continued({ pipe, id, status, timing, ...asked, since: now }, old), position)
  }
}

function known(file: TriggerFile, pipe: string, id: string) {
  const all = kept(file, pipe)
  const position = all.findIndex((one) => one.id === id)
  const trigger = all[position]
  if (trigger) return { trigger, position }
  throw new Failure('unknown-trigger', `${shown(pipe)} has no trigger ${shown(id)}`)
}

type Turn = {
  readonly pipe: string
  readonly id: string
  readonly status: Status
  readonly now: number
}

function turned(file: TriggerFile, { pipe, id, status, now }: Turn): KeptTrigger {
  const { trigger, position } = known(file, pipe, id)
  if (trigger.status === status)
    throw new Failure('conflict', `the trigger ${shown(id)} is ${status} already`)
  const next = { ...trigger, status, since: now }
  file.put(next, position)
  return next
}

// What of a trigger goes on when it is sent again.

/** The new trigger with the last firing and, where it means the same, the rhythm of the one in whose place it comes. */
function continued(trigger: KeptTrigger, old: KeptTrigger | undefined): KeptTrigger {
  if (!old) return trigger
  const timing = inRhythm(trigger, old.timing) ? old.timing : trigger.timing
  const goesOn = isDeepStrictEqual(timing, old.timing) && trigger.status === old.status
  const { last } = old
  return {
    ...trigger,
    timing,
    ...(last !== undefined && { last }),
    // What is due at this very moment is not lost by being sent again.
    ...(goesOn && { since: old.since }),
  }
}

/**
 * Whether the first firing of an interval is one of another interval of the same length: that is what comes back when a list
 * of triggers is read and sent again; a later one is a wish to begin later. Counting months from the old anchor keeps the 31st.
 */
function inRhythm({ timing, since }: KeptTrigger, old: Timing): boolean {
  if (timing.kind !== 'interval' || old.kind !== 'interval') return false
  if (timing.unit !== old.unit || timing.value !== old.value) return false
  const [coming = 0, { anchor }] = [nextOfInterval(old, since), timing]
  return anchor <= coming && nextOfInterval(old, anchor - 1) === anchor
}
