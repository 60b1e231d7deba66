/**
 * Runs the jobs of the table in the order in which they are due: one per key, and per kind as many as `atOnce` permits.
 *
 *     waiting ──▶ running ──▶ done | failed
 *        ▲  └──▶ cancelled ◀──┤
 *        └── stop or crash ───┘
 */

import { randomUUID } from 'node:crypto'
import { Failure, shown } from '../errors.ts'
import { failureOfProblem, problemOf } from '../http/problem.ts'
import type { Log } from '../log.ts'
import type { Json } from '../text/json.ts'
import { backgroundLoop, type BackgroundLoop } from '../workers/background-loop.ts'
import { conditionVariable, unlessAborted } from '../workers/condition.ts'
import type { Pause } from '../workers/pause.ts'
import { retry } from '../workers/retry.ts'
import type { Job, JobKind, JobProgress, JobSource } from './job.ts'
import { type JobEnd, type JobFilter, JobTable } from './job-table.ts'

type RunnerOptions = {
  /** The file of the table. */
  readonly path: string
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly pause: Pause
}

/** Job to submit. */
export type JobRequest = Pick<Job, 'kind' | 'key' | 'payload' | 'createdBy'> & {
  /** Milliseconds since 1970; at once where absent. */
  readonly runAt?: number | undefined
  readonly progress?: JobProgress
  /** Merges the payload into that of a waiting job of the same kind and key; absent: that stays. The earlier `runAt` counts. */
  readonly merge?: (waiting: Json) => Json
}

/** Milliseconds between two checks for due jobs. */
const checkMs = 1000
/** Milliseconds between two writes of the progress of a job. */
const saveMs = 1000

/** A job that runs in this process. */
type RunningJob = {
  job: Job
  /** Whether the last attempt has made progress. */
  hasAdvanced: boolean
  /** Time of the last write of the progress, in milliseconds since 1970. */
  savedAt: number
  readonly cancel: AbortController
  ended: Promise<void>
}

/** Code of a kind, and the controller that aborts its jobs. */
type RegisteredKind = { readonly code: JobKind; readonly stopping: AbortController }

/** Reason with which running jobs and callers that wait for one are aborted when the service stops. */
const stopped = () => new Failure('starting', 'the platform stops', { retryAfter: 5 })

/** Jobs of this process; opened once, and stopped after the services that register kinds. */
export class JobRunner {
  readonly #options: RunnerOptions
  readonly #table: JobTable
  readonly #kinds = new Map<string, RegisteredKind>()
  readonly #running = new Map<string, RunningJob>()
  readonly #sources: JobSource[] = []
  readonly #changed = conditionVariable()
  readonly #end = new AbortController()
  readonly #loop: BackgroundLoop

  /** Opens the table; jobs that a process left running wait again. Throws what `openSqlite` throws. */
  constructor(options: RunnerOptions) {
    this.#options = options
    this.#table = new JobTable(options.path, options.now)
    this.#loop = backgroundLoop('job.look-failed', checkMs, () => this.#beginDue(), options)
  }

  /** Runs the jobs of a kind from now on, also those that wait; `stop` aborts the running ones, which wait for the next start. */
  register(code: JobKind): { readonly stop: () => Promise<void> } {
    const registered = { code, stopping: new AbortController() }
    this.#kinds.set(code.kind, registered)
    this.#loop.wake()
    return {
      stop: async () => {
        if (this.#kinds.get(code.kind) === registered) this.#kinds.delete(code.kind)
        registered.stopping.abort(stopped())
        const runningJobs = [...this.#running.values()].filter(({ job }) => job.kind === code.kind)
        await Promise.all(runningJobs.map(({ ended }) => ended))
      },
    }
  }

  /**
   * Adds the jobs of another part of the platform to `get`, `list` and `cancel`. Submitting, `active`, `running` and `counts`
   * know the jobs of the table only, and changes of other jobs do not wake `waitFor`.
   */
  addSource(source: JobSource): void {
    this.#sources.push(source)
  }

  /** Adds a job to the table, or merges it into the waiting job of the same kind and key. */
  submit({ merge, ...request }: JobRequest): Job {
    const { kind, key, payload, createdBy, progress } = request
    const now = this.#options.now()
    const runAt = request.runAt ?? now
    const waiting = this.#table.find(kind, key, 'waiting')
    const id = waiting?.id ?? randomUUID()
    if (waiting) {
      const joined = merge ? merge(waiting.payload) : waiting.payload
      this.#table.amend(id, { payload: joined, runAt: Math.min(runAt, waiting.runAt) })
    } else {
      this.#table.insert({ id, kind, key, payload, progress, runAt, createdBy, createdAt: now })
    }
    this.#loop.wake()
    return this.#require(id)
  }

  /** The job with this id, with the progress of this moment. */
  get(id: string): Job | undefined {
    const job = this.#running.get(id)?.job ?? this.#table.get(id)
    if (job) return job
    for (const source of this.#sources) {
      const job = source.get(id)
      if (job) return job
    }
    return undefined
  }

  /** The job of a kind and key that runs, else the one that waits. */
  active(kind: string, key: string): Job | undefined {
    return this.running(kind, key) ?? this.#table.find(kind, key, 'waiting')
  }

  /** The job of a kind and key that runs. */
  running(kind: string, key: string): Job | undefined {
    const runningJobs = [...this.#running.values()]
    return runningJobs.find(({ job }) => job.kind === kind && job.key === key)?.job
  }

  /** Jobs of the table and of the sources, newest first. */
  list(filter: JobFilter): readonly Job[] {
    const { kind, state, limit, offset } = filter
    const sources = this.#sources.filter((source) => kind === undefined || source.kind === kind)
    if (sources.length === 0) return this.#table.list(filter).map((job) => this.#withProgress(job))
    const end = offset + limit
    const tableJobs = this.#table
      .list({ kind, state, limit: end, offset: 0 })
      .map((job) => this.#withProgress(job))
    return [...tableJobs, ...sources.flatMap((source) => source.list(state, end))]
      .toSorted((a, b) => b.createdAt - a.createdAt)
      .slice(offset, end)
  }

  /** Numbers of jobs of the table in the states that operators look after. */
  counts(): { readonly running: number; readonly waiting: number; readonly failed: number } {
    const { running = 0, waiting = 0, failed = 0 } = this.#table.counts()
    return { running, waiting, failed }
  }

  /**
   * Cancels a job: one that waits has ended with the answer, one that runs ends at its next step. Throws `unknown-job`,
   * and `conflict` for a job that has ended or whose kind is not cancellable.
   */
  cancel(id: string): Job {
    const job = this.#require(id)
    if (job.endedAt !== undefined)
      throw new Failure('conflict', `the job has ended: it is ${job.state}`)
    if (this.#kinds.get(job.kind)?.code.isCancellable === false)
      throw new Failure('conflict', `a job of the kind ${job.kind} cannot be cancelled`)
    const source = this.#sources.find(({ kind }) => kind === job.kind)
    if (source) {
      source.cancel(id)
      return this.#require(id)
    }
    const running = this.#running.get(id)
    if (running) {
      this.#table.noteCancelled(id)
      running.cancel.abort(new Failure('conflict', 'the job was cancelled'))
    } else {
      this.#table.end({ id, state: 'cancelled', attempts: job.attempts })
      this.#changed.notify()
    }
    return this.#require(id)
  }

  /**
   * Resolves with the job when it has ended, with `undefined` when there is no such job; rejects when the signal fires or the runner
   * stops. Calls `progress` until then.
   */
  async waitFor(
    id: string,
    signal: AbortSignal,
    progress?: (progress: JobProgress) => void,
  ): Promise<Job | undefined> {
    for (;;) {
      const job = this.get(id)
      if (job?.progress) progress?.(job.progress)
      if (job?.endedAt !== undefined || !job) return job
      await unlessAborted(this.#changed.next(signal), this.#end.signal)
    }
  }

  /**
   * Result of a job when it has ended. Throws the failure of one that has failed, `conflict` for one that was cancelled,
   * `unknown-job` without such a job, and what `waitFor` throws.
   */
  async resultOf(
    id: string,
    signal: AbortSignal,
    progress?: (progress: JobProgress) => void,
  ): Promise<Json | undefined> {
    const job = (await this.waitFor(id, signal, progress)) ?? this.#require(id)
    if (job.state === 'done') return job.result
    throw (
      failureOfProblem(job.problem) ?? new Failure('conflict', `the job ${shown(id)} was cancelled`)
    )
  }

  /** Aborts the running jobs, which wait for the next start; resolves when all have ended and the file is closed. */
  async stop(): Promise<void> {
    this.#end.abort(stopped())
    await this.#loop.stop()
    for (const { stopping } of this.#kinds.values()) stopping.abort(stopped())
    await Promise.all([...this.#running.values()].map(({ ended }) => ended))
    this.#table.close()
  }

  #require(id: string): Job {
    const job = this.get(id)
    if (!job) throw new Failure('unknown-job', `there is no job ${shown(id)}`)
    return job
  }

  /** The job with the progress of this moment. */
  #withProgress(job: Job): Job {
    return this.#running.get(job.id)?.job ?? job
  }

  #beginDue(): void {
    for (;;) {
      const free = [...this.#kinds.values()].filter(
        ({ code }) => this.#runningOf(code.kind) < code.atOnce,
      )
      const job = free.length > 0 && this.#table.take(free.map(({ code }) => code.kind))
      const registered = job && this.#kinds.get(job.kind)
      if (!job || !registered) return
      this.#begin(job, registered)
    }
  }

  #runningOf(kind: string): number {
    return [...this.#running.values()].filter(({ job }) => job.kind === kind).length
  }

  #begin(job: Job, { code, stopping }: RegisteredKind): void {
    const cancel = new AbortController()
    const savedAt = this.#options.now()
    const ended = Promise.resolve()
    const running: RunningJob = { job, hasAdvanced: false, savedAt, cancel, ended }
    this.#running.set(job.id, running)
    const work = async () => {
      const end = await this.#outcome(running, code, stopping.signal)
      await this.#record(end, stopping.signal)
      this.#running.delete(job.id)
      this.#changed.notify()
      this.#loop.wake()
    }
    // Never rejects; `stop` of the kind and of the runner await it.
    running.ended = work()
  }

  /** Runs a job with the retries of its kind; resolves with its end. Never rejects. */
  async #outcome(running: RunningJob, code: JobKind, stopping: AbortSignal): Promise<JobEnd> {
    const { log, pause } = this.#options
    const { id, kind, key } = running.job
    const { cancel } = running
    const signal = AbortSignal.any([cancel.signal, stopping])
    const progress = (next: JobProgress) => this.#advance(running, next)
    let waitMs: number | undefined
    const work = async (attempt: number) => {
      if (attempt > 1) running.job = { ...running.job, attempts: running.job.attempts + 1 }
      running.hasAdvanced = false
      return code.run(running.job, { progress, signal })
    }
    const end = (state: Job['state'], details: Pick<JobEnd, 'problem' | 'result'> = {}): JobEnd => {
      const { attempts, progress: last } = running.job
      // The last report of work that is done may be a step behind.
      const isBehind = state === 'done' && last?.of !== undefined
      return {
        id,
        state,
        attempts,
        progress: isBehind ? { ...last, done: last.of } : last,
        ...details,
      }
    }
    try {
      const result = await retry(work, {
        delayMs: (outcome) => {
          if (!('error' in outcome) || !code.retry) return undefined
          const { firstMs, longestMs } = code.retry
          const isFirst = waitMs === undefined || running.hasAdvanced
          waitMs = isFirst ? firstMs : Math.min((waitMs ?? firstMs) * 2, longestMs)
          log.warn({ id, kind, key, err: outcome.error, retryInMs: waitMs }, 'job.attempt-failed')
          return waitMs
        },
        pause: (ms) => pause(ms, signal),
        signal,
      })
      log.info({ id, kind, key, progress: running.job.progress }, 'job.finished')
      return end('done', { result: result ?? undefined })
    } catch (err) {
      if (cancel.signal.aborted) return end('cancelled')
      if (stopping.aborted) return end('waiting')
      log.warn({ id, kind, key, err }, 'job.failed')
      return end('failed', { problem: problemOf(err, `urn:cartulary:job:${id}`).body })
    }
  }

  /**
   * Records the end of a job, and retries until that succeeds or the kind stops. A job whose end is not recorded runs again after
   * the next start, unless it was cancelled.
   */
  async #record(end: JobEnd, stopping: AbortSignal): Promise<void> {
    const { log, pause } = this.#options
    const record = async () => this.#table.end(end)
    await retry(record, {
      delayMs: (outcome) => {
        if (!('error' in outcome) || stopping.aborted) return undefined
        log.error({ id: end.id, err: outcome.error, retryInMs: checkMs }, 'job.record-failed')
        return checkMs
      },
      pause: (ms) => pause(ms, stopping),
    }).catch((err: unknown) => {
      log.error({ id: end.id, err }, 'job.record-failed')
    })
  }

  #advance(running: RunningJob, progress: JobProgress): void {
    const { job } = running
    if (progress.done > (job.progress?.done ?? 0)) running.hasAdvanced = true
    running.job = { ...job, progress }
    this.#changed.notify()
    const now = this.#options.now()
    if (Math.abs(now - running.savedAt) < saveMs) return
    running.savedAt = now
    try {
      this.#table.saveProgress(job.id, progress)
    } catch (err) {
      // The work goes on: only a crash would show that its progress is behind.
      this.#options.log.warn({ id: job.id, err }, 'job.progress-save-failed')
    }
  }
}
