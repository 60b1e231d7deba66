/** Work on catalogues in the background: one job at a time per catalogue, a few at once, paused by failures only. */

import type { Log } from '../../log.ts'
import type { Pause } from '../../workers/pause.ts'
import { retry, type Attempted } from '../../workers/retry.ts'
import { Semaphore } from '../../workers/semaphore.ts'

/** The log and the clock of the jobs. */
type JobContext = {
  readonly log: Log
  readonly pause: Pause
}

/** Work that goes on without the request that began it; others may wait for it, or ask how far it is. */
export type CatalogueJob = {
  /** Resolves at the end of the work; never when the process stops before. */
  readonly done: Promise<void>
  /** Members that are still to be done, as far as is known. */
  readonly remaining: () => number
}

/** Work that can be done again from the beginning and then finds what is left. */
type Task = {
  readonly catalogue: string
  /** How many members there are. */
  readonly size: number
  /** Done again after a failure, it goes on where it was; `done` counts members. */
  readonly work: (done: (members: number) => void, signal: AbortSignal) => Promise<void>
}

/** Catalogues that are worked on at once. */
const atOnce = 4
/** Milliseconds after a failure, doubled each time up to the last. */
const firstPause = 200
const lastPause = 10_000

/** The name begins the events of the log: `{name}.paused`, `.finished`. */
export class CatalogueJobs {
  readonly #name: string
  readonly #context: JobContext
  readonly #stopping = new AbortController()
  readonly #semaphore = new Semaphore(atOnce)
  readonly #jobs = new Map<string, CatalogueJob & { readonly ended: Promise<void> }>()

  constructor(name: string, context: JobContext) {
    this.#name = name
    this.#context = context
  }

  /** The job that is at work on a catalogue. */
  of(catalogue: string): CatalogueJob | undefined {
    return this.#jobs.get(catalogue)
  }

  /** The job that is at work on the catalogue already, else the one that begins. */
  start({ catalogue, size, work }: Task): CatalogueJob {
    const known = this.#jobs.get(catalogue)
    if (known) return known
    const { log, pause } = this.#context
    const { signal } = this.#stopping
    const finished = Promise.withResolvers<void>()
    let [gone, before, wait] = [0, 0, firstPause]
    const advance = (members: number) => void (gone += members)
    const delayMs = (outcome: Attempted<void>) => {
      if (!('error' in outcome)) return undefined
      wait = gone > before ? firstPause : Math.min(wait * 2, lastPause)
      before = gone
      log.warn({ catalogue, err: outcome.error, retryInMs: wait }, `${this.#name}.paused`)
      return wait
    }
    const run = async () => {
      await retry(() => work(advance, signal), {
        delayMs,
        pause: (ms) => pause(ms, signal),
        signal,
      })
      log.info({ catalogue, done: gone }, `${this.#name}.finished`)
      this.#jobs.delete(catalogue)
      finished.resolve()
    }
    // Only the end of the process breaks the work off; the store says what is left then.
    const ended = this.#semaphore.run(run, signal).catch((error: unknown) => {
      if (!signal.aborted) log.error({ err: error }, `${this.#name}.failed`)
    })
    const remaining = () => Math.max(0, size - gone)
    const job = { done: finished.promise, remaining, ended }
    this.#jobs.set(catalogue, job)
    return job
  }

  /** Ends the work at its next step; it is taken on at the next start of the process. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all([...this.#jobs.values()].map(({ ended }) => ended))
  }
}
