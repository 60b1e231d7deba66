/** A worker that does one job at a time and may be ended at any moment; the next job gets a new one. */

import { Worker, type ResourceLimits } from 'node:worker_threads'
import { Failure } from '../../../errors.ts'

/** `spent`: the worker is not to be used again, because of what the job has left behind. */
export type Reply<Result> =
  | { readonly ready: true }
  | { readonly result: Result; readonly spent: boolean }

export type Bench<Job, Result> = {
  /** Rejects with `Failure` transform-timeout or transform-failed, or with the signal's reason; the worker is gone then. */
  run(job: Job, signal: AbortSignal): Promise<Result>
  close(): Promise<void>
}

export type BenchSettings = {
  readonly entry: URL
  readonly workerData: unknown
  readonly resourceLimits: ResourceLimits
  /** Time of one job. */
  readonly jobMs: number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

/** A worker that has not begun by then never will. */
const startMs = 60_000

/** Nothing is started before the first job. */
export function bench<Job, Result>(settings: BenchSettings): Bench<Job, Result> {
  const { jobMs, pause } = settings
  let present: Heard<Result> | undefined
  const end = async () => {
    const { worker } = present ?? {}
    present = undefined
    await worker?.terminate()
  }
  const within = async <Value>(promise: Promise<Value>, ms: number, signal: AbortSignal) => {
    const over = new AbortController()
    const either = AbortSignal.any([signal, over.signal])
    const expired = pause(ms, either).then(
      () => {
        throw new Failure('transform-timeout', `the record took more than ${ms} ms`)
      },
      () => {
        signal.throwIfAborted()
        return promise
      },
    )
    try {
      return await Promise.race([promise, expired])
    } finally {
      over.abort()
      expired.catch(() => undefined)
    }
  }
  return {
    run: async (job, signal) => {
      signal.throwIfAborted()
      try {
        if (!present) {
          present = heard<Result>(settings)
          await within(present.next(), startMs, signal)
        }
        const reply = present.next()
        present.worker.postMessage(job, [])
        const done = await within(reply, jobMs, signal)
        if ('ready' in done) throw new Error('a worker was ready twice')
        if (done.spent) await end()
        return done.result
      } catch (error) {
        await end()
        throw error
      }
    },
    close: end,
  }
}

type Heard<Result> = { readonly worker: Worker; next(): Promise<Reply<Result>> }

/** A new worker: sees nothing of our environment, and what ends it ends the wait for its reply. */
function heard<Result>({ entry, workerData, resourceLimits }: BenchSettings): Heard<Result> {
  const closed = { execArgv: [], env: {}, stdout: true, stderr: true }
  const worker = new Worker(entry, { workerData, resourceLimits, ...closed })
  // An interpreter that breaks says so on its own; what we need to know of it comes by message.
  worker.stdout.resume()
  worker.stderr.resume()
  let waiting: PromiseWithResolvers<Reply<Result>> | undefined
  worker.on('message', (reply: Reply<Result>) => waiting?.resolve(reply))
  const lost = (cause: unknown) => {
    waiting?.reject(
      new Failure('transform-failed', 'the transformation needs more than it may have', { cause }),
    )
  }
  worker.on('error', lost)
  worker.on('exit', lost)
  return {
    worker,
    next: () => {
      waiting = Promise.withResolvers()
      return waiting.promise
    },
  }
}
