/** Work on catalogues in the background: one job at a time per catalogue, a few at once, paused by failures only. */

import type { Log } from '../../log.ts'
import type { Locks } from '../writing/locks.ts'

export type JobDeps = {
  readonly locks: Locks
  readonly log: Log
  /** Resolves after so many milliseconds, or when the signal fires. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

export type CatalogueJob = {
  /** Resolves at the end of the work; never when the process stops before. */
  readonly done: Promise<void>
  /** Members that are still to be done, as far as is known. */
  readonly remaining: () => number
}

type Task = {
  readonly catalogue: string
  /** How many members there are. */
  readonly size: number
  /** Done again after a failure, it goes on where it was; `done` counts members. */
  readonly work: (done: (members: number) => void, signal: AbortSignal) => Promise<void>
}

type CatalogueJobs = {
  start(task: Task): CatalogueJob
  /** The job that is at work on a catalogue. */
  of(catalogue: string): CatalogueJob | undefined
  /** Ends the work at its next step; it is taken on at the next start of the process. */
  stop(): Promise<void>
}

/** Catalogues that are worked on at once, and members between two lines of the log. */
const atOnce = 4
const stride = 1000
/** Milliseconds after a failure, doubled each time up to the last. */
const firstPause = 200
const lastPause = 10_000

/** `name` begins the events of the log: `{name}.progress`, `.paused`, `.finished`. */
export function catalogueJobs(name: string, deps: JobDeps): CatalogueJobs {
  const stopping = new AbortController()
  const jobs = new Map<string, CatalogueJob & { readonly ended: Promise<void> }>()
  let count = 0

  const start: CatalogueJobs['start'] = ({ catalogue, size, work }) => {
    const known = jobs.get(catalogue)
    if (known) return known
    const done = Promise.withResolvers<void>()
    let gone = 0
    const remaining = () => Math.max(0, size - gone)
    const log = (event: string, facts: object) =>
      deps.log.info({ catalogue, ...facts }, `${name}.${event}`)
    const advance = (members: number) => {
      const isStride = Math.floor((gone + members) / stride) > Math.floor(gone / stride)
      gone += members
      if (isStride) log('progress', { done: gone, remaining: remaining() })
    }
    const run = async () => {
      const attempt = (told: (members: number) => void, signal: AbortSignal) =>
        work((members) => (told(members), advance(members)), signal)
      await persist(name, deps, { catalogue, size, work: attempt }, stopping.signal)
      log('finished', { done: gone })
      jobs.delete(catalogue)
      done.resolve()
    }
    const lock = `${name} ${(count += 1) % atOnce}`
    // Only the end of the process breaks the work off; the store says what is left then.
    const ended = deps.locks.run(lock, run, stopping.signal).catch((error: unknown) => {
      if (!stopping.signal.aborted) deps.log.error({ err: error }, `${name}.failed`)
    })
    const job = { done: done.promise, remaining, ended }
    jobs.set(catalogue, job)
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
  { log, pause }: JobDeps,
  { catalogue, work }: Task,
  signal: AbortSignal,
): Promise<void> {
  for (let wait = firstPause; ;) {
    signal.throwIfAborted()
    let advanced = false
    try {
      return await work((members) => (advanced ||= members > 0), signal)
    } catch (error) {
      if (signal.aborted) throw error
      wait = advanced ? firstPause : Math.min(wait * 2, lastPause)
      log.warn({ catalogue, err: error, retryInMs: wait }, `${name}.paused`)
      await pause(wait, signal)
    }
  }
}
