/** The triggers of all pipes: durable, changed by requests, fired when they are due. */

import { isDeepStrictEqual } from 'node:util'
import { Failure, shown } from '../errors.ts'
import { openLease } from '../lease.ts'
import { Firing, type FiringContext } from './firing.ts'
import { nextFiring, nextOfInterval } from './next-firing.ts'
import { openTriggerFile, type TriggerFile } from './trigger-file.ts'
import type { KeptTrigger, Status, Timing, Trigger } from './trigger.ts'

/** `next` is the coming firing; of a disabled trigger the one that it would have. A trigger with a problem has none. */
export type Scheduled = KeptTrigger & { readonly next?: number; readonly problem?: 'pipe missing' }

export type TriggersOptions = Omit<FiringContext, 'file' | 'lease' | 'isMissing'> & {
  /** The file, made when absent; the lease lies beside it. */
  readonly path: string
  /** Whether a pipe is gone; without it none is. */
  readonly isMissing?: (pipe: string) => boolean
}

/** Opens the triggers and begins to fire, as soon as no other process on the same file does. */
export const openTriggers = (options: TriggersOptions): Triggers => new Triggers(options)

/** Pipes are names. What changes something is durable when it returns. */
export class Triggers {
  readonly #now: () => number
  readonly #isMissing: (pipe: string) => boolean
  readonly #file: TriggerFile
  readonly #firing: Firing
  #stopped: Promise<void> | undefined

  constructor({ path, launcher, runs, now, random, pause, log, isMissing }: TriggersOptions) {
    this.#now = now
    this.#isMissing = isMissing ?? (() => false)
    this.#file = openTriggerFile(path)
    this.#firing = new Firing({
      file: this.#file,
      lease: openLease(`${path}.lease`),
      isMissing: this.#isMissing,
      launcher,
      runs,
      now,
      pause,
      log,
      ...(random && { random }),
    })
  }

  /** By pipe, pipes without triggers left out. */
  all(): ReadonlyMap<string, readonly Scheduled[]> {
    return Map.groupBy(
      this.#file.all().map((one) => this.#scheduled(one)),
      ({ pipe }) => pipe,
    )
  }

  of(pipe: string): readonly Scheduled[] {
    return this.#kept(pipe).map((one) => this.#scheduled(one))
  }

  /** All triggers of all pipes; pipes that are not named lose theirs. */
  replaceAll(sets: ReadonlyMap<string, readonly Trigger[]>): void {
    this.#change(() => {
      const before = Map.groupBy(this.#file.all(), ({ pipe }) => pipe)
      this.#file.clear()
      for (const [pipe, triggers] of sets) this.#set(pipe, triggers, before.get(pipe) ?? [])
    })
  }

  replace(pipe: string, triggers: readonly Trigger[]): void {
    this.#change(() => this.#set(pipe, triggers, this.#kept(pipe)))
  }

  /** Adds the trigger, or puts it in the place of the one with its id. */
  put(pipe: string, trigger: Trigger): void {
    this.#change(() => {
      const before = this.#kept(pipe)
      const isNew = before.every(({ id }) => id !== trigger.id)
      const after = before.map((one) => (one.id === trigger.id ? trigger : one))
      this.#set(pipe, isNew ? [...after, trigger] : after, before)
    })
  }

  /** Throws `unknown-trigger`. */
  remove(pipe: string, id: string): Scheduled {
    return this.#change(() => {
      const { trigger } = this.#known(pipe, id)
      this.#file.remove(pipe, id)
      return this.#scheduled(trigger)
    })
  }

  /** Throws `unknown-trigger`, and `conflict` when the status is so already. */
  turn(pipe: string, id: string, status: Status): Scheduled {
    return this.#change(() => {
      const { trigger, position } = this.#known(pipe, id)
      if (trigger.status === status) {
        throw new Failure('conflict', `the trigger ${shown(id)} is ${status} already`)
      }
      const turned = { ...trigger, status, since: this.#now() }
      this.#file.put(turned, position)
      return this.#scheduled(turned)
    })
  }

  /** Whether this process is the one that fires. */
  leads(): boolean {
    return this.#firing.leads()
  }

  /** When the next trigger fires; absent where none does and where another process fires. */
  next(): number | undefined {
    return this.#firing.next()
  }

  /** Ends the firing and gives the lease away. */
  stop(): Promise<void> {
    this.#stopped ??= this.#firing.stop().then(() => this.#file.close())
    return this.#stopped
  }

  #change<T>(work: () => T): T {
    try {
      return this.#file.transaction(work, 'durable')
    } finally {
      this.#firing.changed()
    }
  }

  #kept(pipe: string): readonly KeptTrigger[] {
    return this.#file.all().filter((one) => one.pipe === pipe)
  }

  #known(pipe: string, id: string) {
    const all = this.#kept(pipe)
    const position = all.findIndex((one) => one.id === id)
    const trigger = all[position]
    if (trigger) return { trigger, position }
    throw new Failure('unknown-trigger', `${shown(pipe)} has no trigger ${shown(id)}`)
  }

  #scheduled(trigger: KeptTrigger): Scheduled {
    if (this.#isMissing(trigger.pipe)) return { ...trigger, problem: 'pipe missing' }
    const next = nextFiring(trigger.timing, this.#now())
    return next === undefined ? trigger : { ...trigger, next }
  }

  #set(pipe: string, triggers: readonly Trigger[], before: readonly KeptTrigger[]): void {
    this.#file.clear(pipe)
    for (const [position, { id, status, timing, configs, startMode }] of triggers.entries()) {
      const request = { ...(configs && { configs }), ...(startMode && { startMode }) }
      const trigger = { pipe, id, status, timing, ...request, since: this.#now() }
      const old = before.find((one) => one.id === id)
      this.#file.put(continued(trigger, old), position)
    }
  }
}

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
 * of triggers is read and sent again; a later one means to begin later. Counting months from the old anchor keeps the 31st.
 */
function inRhythm({ timing, since }: KeptTrigger, old: Timing): boolean {
  if (timing.kind !== 'interval' || old.kind !== 'interval') return false
  if (timing.unit !== old.unit || timing.value !== old.value) return false
  const [coming = 0, { anchor }] = [nextOfInterval(old, since), timing]
  return anchor <= coming && nextOfInterval(old, anchor - 1) === anchor
}
