/** Work on catalogues that goes on behind the requests: one at a time per catalogue, a few at once, paused by failures only. */

import type { Log } from '../../../log.ts'
import type { Locks } from '../../writing/locks.ts'

export type BackgroundDeps = {
  readonly locks: Locks
  readonly log: Log
  /** Resolves after so many milliseconds, or when the signal fires. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

export type Job = {
  /** Resolves at the end of the work; never when the process stops before. */
  readonly done: Promise<void>
  /** Datasets that are still to be done, as far as is known. */
  readonly remaining: () => number
}

type Task = {
  readonly catalogue: string
  /** Datasets that are to be done. */
  readonly datasets: number
  /** Done again after a failure, it goes on where it was; `done` counts datasets. */
  readonly work: (done: (datasets: number) => void, signal: AbortSignal) => Promise<void>
}

export type Background = {
  start(task: Task): Job
  /** What is at work on a catalogue. */
  of(catalogue: string): Job | undefined
  /** Ends the work at its next step; it is taken on at the next start of the process. */
  stop(): Promise<void>
}

/** Catalogues that are worked on at once. */
const lanes = 4
/** Datasets between two lines of the log. */
const stride = 1000
/** Milliseconds after a failure, doubled each time up to the last. */
const firstPause = 200
const lastPause = 10_000

/** `name` stands in front of the events of the log: `{name}.progress`, `.paused`, `.finished`. */
export function background(name: string, deps: BackgroundDeps): Background {
  const stopping = new AbortController()
  const jobs = new Map<string, Job & { readonly ended: Promise<void> }>()
  let count = 0

  const start: Background['start'] = (task) => {
    const known = jobs.get(task.catalogue)
    if (known) return known
    const done = Promise.withResolvers<void>()
    let gone = 0
    const tell = (datasets: number) => {
      const steps = Math.floor((gone + datasets) / stride) - Math.floor(gone / stride)
      gone += datasets
      if (steps > 0) log('progress', { done: gone, remaining: remaining() })
    }
    const remaining = () => Math.max(0, task.datasets - gone)
    const log = (event: string, facts: object) =>
      deps.log.info({ catalogue: task.catalogue, ...facts }, `${name}.${event}`)
    const run = async () => {
      const work: Task['work'] = (advance, signal) =>
        task.work((datasets) => (advance(datasets), tell(datasets)), signal)
      await persist(name, deps, { ...task, work }, stopping.signal)
      log('finished', { done: gone })
      jobs.delete(task.catalogue)
      done.resolve()
    }
    const lane = `${name} lane ${(count += 1) % lanes}`
    // Only the end of the process breaks the work off; what is left then stands in the store.
    const ended = deps.locks.run(lane, run, stopping.signal).catch((error: unknown) => {
      if (!stopping.signal.aborted) deps.log.error({ err: error }, `${name}.failed`)
    })
    const job = { done: done.promise, remaining, ended }
    jobs.set(task.catalogue, job)
    return job
  }

  return {
    start,
    of: (catalogue) => jobs.get(catalogue),
    stop: async () => {
      stopping.abort()
      await Promise.all([...jobs.values()].map(({ ended }) => ended))
    },
  }
}

/** Does the work again until it succeeds; throws when the signal fires. */
async function persist(
  name: string,
  { log, pause }: BackgroundDeps,
  { catalogue, work }: Task,
  signal: AbortSignal,
): Promise<void> {
  let wait = firstPause
  for (;;) {
    signal.throwIfAborted()
    let advanced = false
    try {
      await work((datasets) => (advanced ||= datasets > 0), signal)
      return
    } catch (error) {
      if (signal.aborted) throw error
      wait = advanced ? firstPause : Math.min(wait * 2, lastPause)
      log.warn({ catalogue, err: error, retryInMs: wait }, `${name}.paused`)
      await pause(wait, signal)
    }
  }
}
