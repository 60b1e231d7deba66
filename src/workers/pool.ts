/**
 * A pool of worker threads that answer named calls. Workers are started when there is work, replaced when they hang or die, and
 * with `idleMs` ended when there has been none for a while. A pool of one is a single worker that comes back after a crash.
 */

import { type Transferable, Worker } from 'node:worker_threads'
import { Failure } from '../errors.ts'
import { conditionVariable } from './condition.ts'
import type { ErrorMessage, Signatures, WorkerMessage, WorkerStart } from './serve.ts'
import { terminateWorker, withTerminationLock } from './uninterrupted.ts'

/** Options of one worker thread. */
export type WorkerOptions = {
  /** Module that the worker runs. */
  readonly entry: URL
  /** For logs and inspectors. */
  readonly name: string
  readonly data?: unknown
  readonly transfer?: readonly Transferable[]
  /** Size of V8's young generation in MB, 24 by default; a small one keeps short-lived garbage from counting as memory. */
  readonly nurseryMb?: number
  /** Maximum heap (old generation) in MB; a worker that needs more crashes. */
  readonly heapMb?: number
  /** Size of the stack in MB. */
  readonly stackMb?: number
  /** True for workers that process content of third parties: they get no environment variables, and their output is dropped. */
  readonly isIsolated?: boolean
  /** True for a worker of a worker, which ends with the one that starts it: they have one termination lock. */
  readonly isPart?: boolean
}

/** Starts a thread, for pools and for workers with their own protocol. Its `workerData` is `data`. */
export function startWorker(options: WorkerOptions): Worker {
  const {
    entry,
    name,
    data,
    transfer = [],
    nurseryMb = 24,
    heapMb,
    stackMb,
    isIsolated,
    isPart,
  } = options
  const start = () =>
    new Worker(entry, {
      name,
      workerData: data,
      transferList: [...transfer],
      resourceLimits: {
        maxYoungGenerationSizeMb: nurseryMb,
        maxOldGenerationSizeMb: heapMb,
        stackSizeMb: stackMb,
      },
      ...(isIsolated && { execArgv: [], env: {}, stdout: true, stderr: true }),
    })
  const worker = isPart ? start() : withTerminationLock(start)
  if (isIsolated) {
    worker.stdout.resume()
    worker.stderr.resume()
  }
  return worker
}

/**
 * Error of a call that got no answer from its worker, with the reason; `closed` = the pool or the worker was ended, or the call
 * given up.
 */
export class WorkerLost extends Error {
  readonly reason: 'timeout' | 'crashed' | 'closed' | 'queue-full'

  constructor(reason: WorkerLost['reason'], message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'WorkerLost'
    this.reason = reason
  }
}

type PendingCall = {
  readonly name: string
  readonly payload: unknown
  readonly transfer: readonly Transferable[]
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

type ThreadOptions = WorkerOptions & {
  /** Maximum milliseconds of one call; unbounded when absent. */
  readonly callMs?: number
  /** Maximum milliseconds until the worker is ready, 60,000 by default; `callMs` counts from then. */
  readonly startMs?: number
  /** Milliseconds after which a worker without work ends; never when absent. */
  readonly idleMs?: number
  /** Creates the message that is posted instead of a payload; `memory` belongs to the worker and is empty when it starts. */
  readonly prepare?: (payload: unknown, memory: Set<string>) => unknown
  /** Called with the events that the worker emits. */
  readonly onEvent?: ((event: unknown) => void) | undefined
}

/** Options of a pool and its workers. */
export type PoolOptions = ThreadOptions & {
  /** Maximum number of workers. */
  readonly workers: number
  /** Maximum number of calls that wait for a worker; unbounded when absent. */
  readonly waiting?: number
  /**
   * Milliseconds between the abort of a call and the end of its worker, in which the handler can notice the abort: 0, the
   * default, ends it at once; Infinity lets it finish within `callMs` and tells the handler nothing. The caller never waits for
   * that.
   */
  readonly abortGraceMs?: number
  /** Called when a worker has ended for any reason; its state is lost. */
  readonly onEnded?: () => void
}

/** Options of a call. */
export type CallOptions = {
  readonly signal?: AbortSignal
  /** Objects of the payload that move to the worker. */
  readonly transfer?: readonly Transferable[]
}

/** Pool of workers. Each call goes to the first free worker, in the order of the calls. */
export class WorkerPool<Calls extends Signatures> {
  readonly #options: PoolOptions
  readonly #threads = new Set<Thread>()
  readonly #changed = conditionVariable()
  #waiting: PendingCall[] = []
  /** Running or waiting work of `exclusive`. */
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
   * Resolves with the answer of a worker. Rejects with the error of the handler, with the signal's reason as soon as it is
   * aborted, and with `WorkerLost` when the worker times out, crashes or is ended in this call, too many calls wait, or the pool
   * is closed.
   */
  call<Name extends keyof Calls & string>(
    name: Name,
    payload: Calls[Name][0],
    { signal, transfer = [] }: CallOptions = {},
  ): Promise<Calls[Name][1]> {
    const { waiting: maxWaiting = Infinity, abortGraceMs = 0 } = this.#options
    if (signal?.aborted) return Promise.reject<Calls[Name][1]>(signal.reason)
    if (this.#isClosed) return Promise.reject(closed())
    if (this.#waiting.length >= maxWaiting)
      return Promise.reject(new WorkerLost('queue-full', `${maxWaiting} calls wait already`))
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

  /** Runs `work` while no worker is in a call; several run one after the other, and calls wait meanwhile. */
  async exclusive<Result>(work: () => Promise<Result>): Promise<Result> {
    while (this.#exclusive) await Promise.allSettled([this.#exclusive])
    const result = this.#whenIdle(work)
    this.#exclusive = result
    try {
      return await result
    } finally {
      this.#exclusive = undefined
      this.#assign()
    }
  }

  /** Ends all workers and rejects their calls; waiting calls go to new workers afterwards. */
  async restart(): Promise<void> {
    this.#isEnding = true
    await Promise.all([...this.#threads].map((thread) => thread.terminate()))
    this.#isEnding = false
    if (!this.#isClosed) this.#assign()
  }

  /** Accepts no more calls; resolves when all have ended. */
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
    // `#exclusive` must be set before the workers are checked, so that no new call starts.
    await Promise.resolve()
    while (this.#isBusy()) await this.#changed.next()
    return work()
  }

  #assign(): void {
    this.#changed.notify()
    if (this.#exclusive || this.#isEnding) return
    while (this.#waiting.length > 0) {
      const thread = [...this.#threads].find(({ isBusy }) => !isBusy) ?? this.#startThread()
      const call = thread && this.#waiting.shift()
      if (!call) return
      thread.post(call)
    }
  }

  #startThread(): Thread | undefined {
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

// One worker thread and the call that it processes.

/** Called when a thread is free for another call, or, with a cause, has ended. */
type ThreadChanged = (thread: Thread, cause?: WorkerLost) => void

/**
 * Worker thread with at most one call; it is ended when its start or a call takes too long, or when it is without work too long.
 */
export class Thread {
  readonly #options: ThreadOptions
  readonly #changed: ThreadChanged
  readonly #worker: Worker
  /** Resolves when the worker is gone, once it is told to end. */
  #terminated: Promise<void> = Promise.resolve()
  readonly #cancelled = new Int32Array(new SharedArrayBuffer(4))
  readonly #memory = new Set<string>()
  #call: PendingCall | undefined
  #id = 0
  #timer: NodeJS.Timeout | undefined
  #isReady = false
  #hasEnded = false

  constructor(options: ThreadOptions, changed: ThreadChanged) {
    this.#options = options
    this.#changed = changed
    const start: WorkerStart = { data: options.data, cancelled: this.#cancelled }
    this.#worker = startWorker({ ...options, data: start })
    this.#worker.on('message', (message: WorkerMessage) => this.#receive(message))
    this.#worker.on('error', (error) => this.#crash(error))
    this.#worker.on('exit', (code) => {
      if (code === 0) this.end(new WorkerLost('closed', 'the worker has ended'))
      else this.#crash(new Error(`the worker ended with ${code}`))
    })
    this.#resetTimer()
  }

  get isBusy(): boolean {
    return this.#call !== undefined
  }

  post(call: PendingCall): void {
    this.#id = (this.#id + 1) & 0x7fffffff
    this.#call = call
    const { prepare = (payload: unknown) => payload } = this.#options
    // Only a worker with a call keeps the process alive.
    this.#worker.ref()
    const payload = prepare(call.payload, this.#memory)
    this.#worker.postMessage({ id: this.#id, name: call.name, payload }, call.transfer)
    if (this.#isReady) this.#resetTimer()
  }

  /**
   * Marks the call as cancelled for the worker, and ends the worker when it has not finished after `graceMs`; does nothing for
   * Infinity.
   */
  cancel(call: PendingCall, graceMs: number): void {
    if (this.#call !== call || graceMs === Infinity) return
    Atomics.store(this.#cancelled, 0, this.#id)
    const end = () => {
      if (this.#call === call) this.end(new WorkerLost('closed', 'the call was given up'))
    }
    if (graceMs === 0) end()
    else setTimeout(end, graceMs).unref()
  }

  /** Ends the worker; its call is rejected with `cause`. */
  end(cause: WorkerLost): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    clearTimeout(this.#timer)
    this.#call?.reject(cause)
    this.#call = undefined
    this.#changed(this, cause)
    this.#terminated = terminateWorker(this.#worker)
  }

  /** Ends the worker and waits until it is gone. */
  async terminate(): Promise<void> {
    this.end(new WorkerLost('closed', 'the worker was ended'))
    await this.#terminated
  }

  #crash(cause: unknown): void {
    this.end(new WorkerLost('crashed', `the worker ${this.#options.name} is gone`, cause))
  }

  /** Restarts the timer for the current state: starting, in a call, or without work. */
  #resetTimer(): void {
    clearTimeout(this.#timer)
    const { callMs, startMs = 60_000, idleMs } = this.#options
    const ms = this.#isReady ? (this.isBusy ? callMs : idleMs) : startMs
    if (ms === undefined) return
    const onTimeout = () => this.end(new WorkerLost('timeout', `no answer within ${ms} ms`))
    this.#timer = setTimeout(onTimeout, ms).unref()
  }

  #receive(message: WorkerMessage): void {
    if (this.#hasEnded) return
    if ('event' in message) return this.#options.onEvent?.(message.event)
    if ('ready' in message) {
      this.#isReady = true
      return this.#resetTimer()
    }
    const call = this.#call
    this.#call = undefined
    if ('error' in message) call?.reject(errorOf(message.error))
    else call?.resolve(message.value)
    this.#resetTimer()
    this.#worker.unref()
    if (message.retire) this.end(new WorkerLost('closed', 'the worker was ended'))
    else this.#changed(this)
  }
}

function errorOf({ kind, text, errors = [], retryAfter, stack }: ErrorMessage): Error {
  const error = kind ? new Failure(kind, text, { errors, retryAfter }) : new Error(text)
  if (stack !== undefined) error.stack = stack
  return error
}
