/** The main thread's side of one worker: calls, and a new worker in place of one that died. */

import { Worker } from 'node:worker_threads'
import { Failure } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { isDamage } from '../database.ts'
import type { Call, Reply, Start, Trouble } from './messages.ts'

/** Names of calls → [payload, answer]. */
type Signatures = Readonly<Record<string, readonly [unknown, unknown]>>

type Waiting = {
  readonly resolve: (value: never) => void
  readonly reject: (failure: Error) => void
}

export type ThreadOptions = {
  /** For the log: `writer`, `reader 1`. */
  readonly name: string
  readonly entry: URL
  readonly path: string
  /** For what is garbage at once, in MB; 24 when absent. */
  readonly nurseryMb?: number
  /** Terms that one wildcard stands for at most. */
  readonly wildcardTerms: number
  readonly log: Log
  /** Told by whatever found the index file damaged. */
  readonly damaged: () => void
  /** Told when the worker has ended, for whatever reason: what only it knew is lost. */
  readonly ended?: () => void
}

const words: Readonly<Record<Trouble, string>> = {
  stopped: 'the search took too long and was stopped',
  damaged: 'the search index is damaged; it is built again',
  other: 'the search index could not answer',
}

/** A worker that is started by the first call and again by the first call after its death. */
export class Thread<Calls extends Signatures> {
  readonly #options: ThreadOptions
  readonly #stop = new Int32Array(new SharedArrayBuffer(4))
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  #last = 0
  #isSuspended = false

  constructor(options: ThreadOptions) {
    this.#options = options
  }

  /** Rejects with `engine-unavailable` when the worker dies, with `time-limit` after `stop`. */
  call<Name extends keyof Calls & string>(
    name: Name,
    payload: Calls[Name][0],
  ): { readonly id: number; readonly answer: Promise<Calls[Name][1]> } {
    const id = ++this.#last
    if (this.#isSuspended)
      return { id, answer: Promise.reject(unavailable('its file is replaced')) }
    const answer = new Promise<Calls[Name][1]>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#worker ??= this.#start()
      // Only a worker that somebody waits for keeps the process alive.
      this.#worker.ref()
      this.#worker.postMessage({ id, name, payload } satisfies Call, [])
    })
    return { id, answer }
  }

  /** Whether there is a worker now; a call would start one. */
  get running(): boolean {
    return this.#worker !== undefined
  }

  /** Asks the worker to give a call up. */
  stop(id: number): void {
    Atomics.store(this.#stop, 0, id)
  }

  /** Ends the worker whatever it is doing; its calls reject. */
  async terminate(): Promise<void> {
    await this.#worker?.terminate()
  }

  /** Ends the worker, and runs `work` before there is another; calls meanwhile reject. */
  async suspendedFor(work: () => Promise<unknown>): Promise<void> {
    this.#isSuspended = true
    try {
      await this.terminate()
      await work()
    } finally {
      this.#isSuspended = false
    }
  }

  #start(): Worker {
    const { name, entry, path, log, ended, wildcardTerms, damaged } = this.#options
    const start: Start = { path, stop: this.#stop, wildcardTerms }
    const worker = new Worker(entry, {
      workerData: start,
      name: `index ${name}`,
      // A small nursery keeps what is garbage at once from counting as memory.
      resourceLimits: { maxYoungGenerationSizeMb: this.#options.nurseryMb ?? 24 },
    })
    worker.on('message', (reply: Reply<never>) => this.#settle(reply))
    worker.on('error', (err) => {
      log.error({ worker: name, err }, 'index.worker-failed')
      if (isDamage(err)) damaged()
    })
    worker.on('exit', (code) => {
      this.#worker = undefined
      if (this.#waiting.size > 0) log.error({ worker: name, code }, 'index.worker-died')
      for (const { reject } of this.#waiting.values()) reject(unavailable('its worker died'))
      this.#waiting.clear()
      ended?.()
    })
    return worker
  }

  #settle(reply: Reply<never>): void {
    const waiting = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    if (this.#waiting.size === 0) this.#worker?.unref()
    if (!waiting) return
    if (!('trouble' in reply)) return waiting.resolve(reply.value)
    const { trouble, message } = reply
    const { name, log, damaged } = this.#options
    if (trouble !== 'stopped') log.error({ worker: name, trouble, message }, 'index.call-failed')
    if (trouble === 'damaged') damaged()
    const kind = trouble === 'stopped' ? 'time-limit' : 'engine-unavailable'
    waiting.reject(new Failure(kind, words[trouble], { retryAfter: 10, cause: message }))
  }
}

export const unavailable = (why: string, cause?: unknown) =>
  new Failure('engine-unavailable', `the search index is not available: ${why}`, {
    retryAfter: 10,
    cause,
  })
