/** Workers of the index file: one writer and a few readers. Their calls reject with the failures of a `SearchIndex`. */

import { availableParallelism } from 'node:os'
import { z } from 'zod'
import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Signatures } from '../../workers/serve.ts'
import { WorkerPool, type PoolOptions } from '../../workers/pool.ts'
import type { WorkerEvent } from './index-file.ts'
import type { ReaderCalls, WorkerSettings, WriterCalls } from './worker-messages.ts'

type WorkersOptions = WorkerSettings & {
  readonly log: Log
  /** Called when a worker reports that the index file is damaged. */
  readonly onDamage: () => void
}

const workerEvent: z.ZodType<WorkerEvent> = z.object({ damaged: z.boolean(), message: z.string() })

/** Workers of one kind. The first call starts them. */
export class IndexWorkers<Calls extends Signatures> {
  readonly #pool: WorkerPool<Calls>
  /** Most milliseconds of a call, including the wait for a worker. */
  readonly #callMs: number | undefined
  #isClosed = false

  constructor(
    { path, wildcardTerms, log, onDamage }: WorkersOptions,
    options: PoolOptions,
    callMs?: number,
  ) {
    this.#callMs = callMs
    const data: WorkerSettings = { path, wildcardTerms }
    const onEvent = (event: unknown) => {
      const { data: failure } = workerEvent.safeParse(event)
      if (!failure) return
      log.error({ worker: options.name, message: failure.message }, 'index.call-failed')
      if (failure.damaged) onDamage()
    }
    this.#pool = new WorkerPool({ ...options, data, onEvent })
  }

  /** Whether a worker is running. */
  get isRunning(): boolean {
    return this.#pool.isRunning
  }

  /**
   * Calls a worker. Rejects with `engine-unavailable` if the worker dies, and with `time-limit`, or the failure that is the reason of
   * the signal, if the call is aborted.
   */
  async call<Name extends keyof Calls & string>(
    name: Name,
    payload: Calls[Name][0],
    signal?: AbortSignal,
  ): Promise<Calls[Name][1]> {
    if (this.#isClosed) throw indexUnavailable('it is closed')
    const limit = new AbortController()
    const ms = this.#callMs
    const timer = ms === undefined ? undefined : setTimeout(() => limit.abort(), ms)
    const combined = AbortSignal.any(signal ? [limit.signal, signal] : [limit.signal])
    try {
      return await this.#pool.call(name, payload, { signal: combined })
    } catch (error) {
      if (error instanceof Failure) throw error
      if (!combined.aborted) throw indexUnavailable('its worker died', error)
      const details = { retryAfter: 10, cause: error }
      throw new Failure('time-limit', 'the search took too long or was given up', details)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Runs `work` while no worker is in a call; calls wait meanwhile. Several works run one after another. */
  exclusive<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#pool.exclusive(work)
  }

  /** Terminates the workers, even during a call; later calls start new ones. */
  restart(): Promise<void> {
    return this.#pool.restart()
  }

  /** Refuses further calls, waits for those that run, and ends the workers. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#pool.drain()
    await this.#pool.close()
  }
}

/** Failure `engine-unavailable` of the embedded engine, with the reason. */
export const indexUnavailable = (reason: string, cause?: unknown): Failure =>
  new Failure('engine-unavailable', `the search index is not available: ${reason}`, {
    retryAfter: 10,
    cause,
  })

const entry = (name: string) => new URL(`${name}.ts`, import.meta.url)

/** The writer of the index file; one, because SQLite has one writer. */
export const indexWriter = (options: WorkersOptions): IndexWorkers<WriterCalls> =>
  new IndexWorkers(options, {
    entry: entry('writer'),
    name: 'index writer',
    workers: 1,
    // At most two hundred documents are in memory at a time.
    nurseryMb: 6,
    abortGraceMs: Infinity,
  })

type ReaderOptions = { readonly count?: number; readonly searchMs?: number | undefined }

/** Readers of the index file: by default one less than there are cores, but 1 or 2. A call may take `searchMs`. */
export function indexReaders(
  options: WorkersOptions,
  { count, searchMs = 10_000 }: ReaderOptions = {},
): IndexWorkers<ReaderCalls> {
  const workers = count ?? Math.max(1, Math.min(2, availableParallelism() - 1))
  // After this time a worker that has not noticed that its call was aborted is replaced.
  const pool = { entry: entry('reader'), name: 'index reader', workers, abortGraceMs: 2_000 }
  return new IndexWorkers(options, pool, searchMs)
}
