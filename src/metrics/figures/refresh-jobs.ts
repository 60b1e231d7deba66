/**
 * Refreshes as jobs: one runs, at most one waits; a request joins the one that runs where that includes it, else the one that
 * waits.
 */

import type { JobRunner } from '../../jobs/job-runner.ts'
import type { Job, JobRun } from '../../jobs/job.ts'
import type { Json } from '../../text/json.ts'
import {
  type RefreshContext,
  refreshFigures,
  type RefreshProgress,
  type RefreshScope,
} from './refresh-figures.ts'

const kind = 'refresh-figures'
const key = 'figures'

/**
 * Milliseconds for which the refresh after a run of a pipe waits for further runs, so that they share it. Also the delay of the
 * first daily refresh after the start.
 */
export const soonMs = 20_000
/** Milliseconds before a refresh that failed is tried again; also the least time between two requests of a daily one. */
export const retryMs = 600_000

/** The jobs that refresh the figures of a file. */
export class RefreshJobs {
  readonly #context: RefreshContext
  readonly #jobs: JobRunner
  readonly #registration: { readonly stop: () => Promise<void> }
  #progress: RefreshProgress | undefined

  /** Runs the jobs from now on, also those that an earlier process left. */
  constructor(context: RefreshContext, jobs: JobRunner) {
    this.#context = context
    this.#jobs = jobs
    this.#registration = jobs.register({ kind, atOnce: 1, run: (job, run) => this.#run(job, run) })
  }

  /** Progress of the refresh that runs. */
  get progress(): RefreshProgress | undefined {
    return this.#progress
  }

  /**
   * Submits a refresh, or joins the running one that includes it. `createdBy` is the id of an API key or the name of what
   * requests it.
   */
  request(scope: RefreshScope, createdBy: string): Job {
    const running = this.#jobs.running(kind, key)
    const isIncluded = running && includes(scopeOf(running.payload), scope)
    return isIncluded ? running : this.#submit(scope, createdBy)
  }

  /**
   * Requests a refresh that begins within a minute, or after one that runs. The running one is not joined, because it may have
   * read before what the caller knows of.
   */
  requestSoon(scope: RefreshScope, createdBy: string): void {
    const { now, log } = this.#context
    try {
      this.#submit(scope, createdBy, now() + soonMs)
    } catch (err) {
      // The daily refresh makes up for it.
      log.warn({ err }, 'figures.submit-failed')
    }
  }

  /** Requests a refresh; resolves with its number when it is done. Rejects as `JobRunner.resultOf`. */
  async refresh(scope: RefreshScope, createdBy: string, signal: AbortSignal): Promise<number> {
    return Number(await this.#jobs.resultOf(this.request(scope, createdBy).id, signal))
  }

  /** Aborts the refresh that runs; the next start runs it again from the beginning. */
  stop(): Promise<void> {
    return this.#registration.stop()
  }

  #submit(scope: RefreshScope, createdBy: string, runAt?: number): Job {
    const merge = (queuedPayload: Json) => union(scopeOf(queuedPayload), scope)
    return this.#jobs.submit({ kind, key, payload: scope, createdBy, runAt, merge })
  }

  async #run({ payload, createdBy }: Job, { signal, progress }: JobRun): Promise<number> {
    const scope = scopeOf(payload)
    const onProgress = (refreshProgress: RefreshProgress) => {
      const { catalogues, datasets } = refreshProgress
      this.#progress = refreshProgress
      progress({ done: catalogues.done, of: catalogues.all, note: `${datasets} datasets` })
    }
    try {
      return await refreshFigures(this.#context, scope, { signal, onProgress })
    } catch (error) {
      if (!signal.aborted) this.#submit(scope, createdBy, this.#context.now() + retryMs)
      throw error
    } finally {
      this.#progress = undefined
    }
  }
}

const scopeOf = (payload: Json): RefreshScope =>
  Array.isArray(payload) ? payload.map(String) : 'all'

const includes = (whole: RefreshScope, part: RefreshScope): boolean =>
  whole === 'all' || (part !== 'all' && part.every((id) => whole.includes(id)))

const union = (a: RefreshScope, b: RefreshScope): RefreshScope =>
  a === 'all' || b === 'all' ? 'all' : [...new Set([...a, ...b])].sort()
