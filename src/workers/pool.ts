/**
 * A pool of worker threads that answer named calls. Workers are started when there is work, replaced when they hang or die, and
 * ended when there has been none for a while. A pool of one is a single worker that comes back after a crash.
 */

import type { Transferable } from 'node:worker_threads'
import { conditionVariable } from './condition.ts'
import type { Signatures } from './serve.ts'
import { Thread, WorkerLost, type PendingCall, type ThreadOptions } from './thread.ts'

export type PoolOptions = ThreadOptions & {
  readonly workers: number
  /** Calls that may wait for a worker; unbounded when absent. */
  readonly waiting?: number
  /**
   * How long the worker of an aborted call may take to notice it before it is ended: 0 ends it at once, Infinity lets it finish
   * (within `callMs`). The caller never waits for that.
   */
  readonly abortGraceMs?: number
  /** Told when a worker has ended, for whatever reason: what only it knew is lost. */
  readonly onEnded?: () => void
}

export type CallOptions = {
  readonly signal?: AbortSignal | undefined
  readonly transfer?: readonly Transferable[]
}

export class WorkerPool<Calls extends Signatures> {
  readonly #options: PoolOptions
  readonly #threads = new Set<Thread>()
  readonly #changed = conditionVariable()
  #waiting: PendingCall[] = []
  /** Works that want the workers out of the way. */
  #exclusive: Promise<unknown> | undefined
  #isEnding = false
  #isClosed = false

  constructor(options: PoolOptions) {
    this.#options = options
  }

  /** Whether there are workers now. */
  get isRunning(): boolean {
    return this.#threads.size > 0
  }

  /**
   * The answer of a worker. Rejects with what the handler threw, with the signal's reason as soon as it is aborted, and with
   * `WorkerLost` when the worker was too late or died in this call, too many calls wait, or the pool is closed.
   */
  call<Name extends keyof Calls & string>(
    name: Name,
    payload: Calls[Name][0],
    { signal, transfer = [] }: CallOptions = {},
  ): Promise<Calls[Name][1]> {
    const { waiting: most = Infinity, abortGraceMs = 0 } = this.#options
    if (signal?.aborted) return Promise.reject<Calls[Name][1]>(signal.reason)
    if (this.#isClosed) return Promise.reject(closed())
    if (this.#waiting.length >= most)
      return Promise.reject(new WorkerLost('queue-full', `${most} calls wait already`))
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const call: PendingCall = { name, payload, transfer, resolve, reject }
    const abort = () => {
      reject(signal?.reason)
      this.#waiting = this.#waiting.filter((other) => other !== call)
      for (const thread of this.#threads) thread.cancel(call, abortGraceMs)
    }
    signal?.addEventListener('abort', abort, { once: true })
    this.#waiting.push(call)
    this.#assign()
    // A signal may outlive thousands of calls: each listener left on it would keep a payload in memory.
    return promise.finally(() => signal?.removeEventListener('abort', abort))
  }

  /** Does `work` while no worker is in a call, one such work after the other; calls wait meanwhile. */
  async exclusive<Result>(work: () => Promise<Result>): Promise<Result> {
    while (this.#exclusive) await Promise.allSettled([this.#exclusive])
    const done = this.#whenIdle(work)
    this.#exclusive = done
    try {
      return await done
    } finally {
      this.#exclusive = undefined
      this.#assign()
    }
  }

  /** Ends all workers, whatever they do; what waits goes to new ones afterwards. */
  async restart(): Promise<void> {
    this.#isEnding = true
    await Promise.all([...this.#threads].map((thread) => thread.terminate()))
    this.#isEnding = false
    if (!this.#isClosed) this.#assign()
  }

  /** Takes no more calls, and resolves when there are none left. */
  async drain(): Promise<void> {
    this.#isClosed = true
    while (this.#waiting.length > 0 || this.#isBusy()) await this.#changed.next()
  }

  /** Ends the workers; all calls are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.restart()
    for (const call of this.#waiting.splice(0)) call.reject(closed())
  }

  #isBusy(): boolean {
    return [...this.#threads].some(({ isBusy }) => isBusy)
  }

  async #whenIdle<Result>(work: () => Promise<Result>): Promise<Result> {
    // Calls must already be held back when the workers are looked at.
    await Promise.resolve()
    while (this.#isBusy()) await this.#changed.next()
    return work()
  }

  #assign(): void {
    this.#changed.notify()
    if (this.#exclusive || this.#isEnding) return
    while (this.#waiting.length > 0) {
      const thread = [...this.#threads].find(({ isBusy }) => !isBusy) ?? this.#started()
      const call = thread && this.#waiting.shift()
      if (!call) return
      thread.post(call)
    }
  }

  #started(): Thread | undefined {
    if (this.#threads.size >= this.#options.workers) return undefined
    const thread = new Thread(this.#options, (changed, cause) => {
      if (cause) this.#threads.delete(changed)
      if (cause) this.#options.onEnded?.()
      this.#assign()
    })
    this.#threads.add(thread)
    return thread
  }
}

const closed = () => new WorkerLost('closed', 'the pool is closed')
