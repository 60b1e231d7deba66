/** The workers of the index file, one that writes and a few that read: their calls end in failures that a search may end in. */

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
  /** Called by whatever found the index file damaged. */
  readonly damaged: () => void
}

const workerEvent: z.ZodType<WorkerEvent> = z.object({ damaged: z.boolean(), message: z.string() })

/** Workers of one kind; they are started by the first call. */
export class IndexWorkers<Calls extends Signatures> {
  readonly #pool: WorkerPool<Calls>
  /** Milliseconds of one call, waiting for a worker included. */
  readonly #callMs: number | undefined
  #isClosed = false

  constructor(
    { path, wildcardTerms, log, damaged }: WorkersOptions,
    options: PoolOptions,
    callMs?: number,
  ) {
    this.#callMs = callMs
    const data: WorkerSettings = { path, wildcardTerms }
    const onEvent = (event: unknown) => {
      const { data: failed } = workerEvent.safeParse(event)
      if (!failed) return
      log.error({ worker: options.name, message: failed.message }, 'index.call-failed')
      if (failed.damaged) damaged()
    }
    this.#pool = new WorkerPool({ ...options, data, onEvent })
  }

  /** Whether there is a worker now; a call would start one. */
  get isRunning(): boolean {
    return this.#pool.isRunning
  }

  /** Rejects with `engine-unavailable` when the worker dies, with `time-limit` or the signal's own failure when given up. */
  async call<Name extends keyof Calls & string>(
    name: Name,
    payload: Calls[Name][0],
    signal?: AbortSignal,
  ): Promise<Calls[Name][1]> {
    if (this.#isClosed) throw unavailable('it is closed')
    const limit = new AbortController()
    const ms = this.#callMs
    const timer = ms === undefined ? undefined : setTimeout(() => limit.abort(), ms)
    const either = AbortSignal.any(signal ? [limit.signal, signal] : [limit.signal])
    try {
      return await this.#pool.call(name, payload, { signal: either })
    } catch (error) {
      if (error instanceof Failure) throw error
      if (!either.aborted) throw unavailable('its worker died', error)
      const more = { retryAfter: 10, cause: error }
      throw new Failure('time-limit', 'the search took too long or was given up', more)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Does `work` while no worker is in a call, one such work after the other; calls wait meanwhile. */
  exclusive<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#pool.exclusive(work)
  }

  /** Ends the workers, whatever they do; those that come afterwards know nothing of before. */
  restart(): Promise<void> {
    return this.#pool.restart()
  }

  /** Lets what was begun end, and ends the workers. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#pool.drain()
    await this.#pool.close()
  }
}

/** The failure of calls that cannot be answered now. */
export const unavailable = (why: string, cause?: unknown): Failure =>
  new Failure('engine-unavailable', `the search index is not available: ${why}`, {
    retryAfter: 10,
    cause,
  })

const entry = (name: string) => new URL(`${name}.ts`, import.meta.url)

/** One, because SQLite has one writer. */
export const indexWriter = (options: WorkersOptions): IndexWorkers<WriterCalls> =>
  new IndexWorkers(options, {
    entry: entry('writer'),
    name: 'index writer',
    workers: 1,
    // Two hundred documents at most are parsed, written and forgotten.
    nurseryMb: 6,
    abortGraceMs: Infinity,
  })

type ReaderOptions = { readonly count?: number; readonly searchMs?: number | undefined }

/** By default one reader less than there are cores, at least 1 and at most 2; a search may take `searchMs`. */
export function indexReaders(
  options: WorkersOptions,
  { count, searchMs = 10_000 }: ReaderOptions = {},
): IndexWorkers<ReaderCalls> {
  const workers = count ?? Math.max(1, Math.min(2, availableParallelism() - 1))
  // The grace is how long a worker may take to notice that nobody waits any more; then it is replaced.
  const pool = { entry: entry('reader'), name: 'index reader', workers, abortGraceMs: 2_000 }
  return new IndexWorkers(options, pool, searchMs)
}
