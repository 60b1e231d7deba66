/** One worker thread and the call that it works on; a worker that takes too long over it, or dies, is ended. */

import { Worker, type Transferable } from 'node:worker_threads'
import { Failure } from '../errors.ts'
import type { ErrorMessage, WorkerMessage, WorkerStart } from './serve.ts'

export type WorkerOptions = {
  /** Module that the worker runs. */
  readonly entry: URL
  /** For logs and inspectors. */
  readonly name: string
  readonly data?: unknown
  readonly transfer?: readonly Transferable[]
  /** For what is garbage at once, in MB: a small nursery keeps it from counting as memory. */
  readonly nurseryMb?: number
  /** Heap in MB; a worker that needs more dies. */
  readonly heapMb?: number
  readonly stackMb?: number
  /** It runs what strangers wrote: it sees nothing of our environment, and what it prints is dropped. */
  readonly isIsolated?: boolean
}

/** Starts a thread; for pools, and for the few with a protocol of their own. `workerData` is `data`. */
export function startWorker(options: WorkerOptions): Worker {
  const { entry, name, data, transfer = [], nurseryMb = 24, heapMb, stackMb, isIsolated } = options
  const worker = new Worker(entry, {
    name,
    workerData: data,
    transferList: [...transfer],
    resourceLimits: {
      maxYoungGenerationSizeMb: nurseryMb,
      ...(heapMb !== undefined && { maxOldGenerationSizeMb: heapMb }),
      ...(stackMb !== undefined && { stackSizeMb: stackMb }),
    },
    ...(isIsolated && { execArgv: [], env: {}, stdout: true, stderr: true }),
  })
  if (isIsolated) {
    worker.stdout.resume()
    worker.stderr.resume()
  }
  return worker
}

/** Why a call got no answer from its worker. */
export class WorkerLost extends Error {
  readonly reason: 'timeout' | 'crashed' | 'closed' | 'queue-full'

  constructor(reason: WorkerLost['reason'], message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'WorkerLost'
    this.reason = reason
  }
}

export type PendingCall = {
  readonly name: string
  readonly payload: unknown
  readonly transfer: readonly Transferable[]
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

export type ThreadOptions = WorkerOptions & {
  /** Time of one call; unbounded when absent. */
  readonly callMs?: number | undefined
  /** Time until the worker is ready; the calls' time counts from then. */
  readonly startMs?: number
  /** A worker without work ends after that. */
  readonly idleMs?: number | undefined
  /** What is posted instead of a payload; `memory` is the worker's own and empty when it starts. */
  readonly prepare?: (payload: unknown, memory: Set<string>) => unknown
  readonly onEvent?: ((event: unknown) => void) | undefined
}

/** With a cause it has ended; else it is free for another call. */
type ThreadChanged = (thread: Thread, cause?: WorkerLost) => void

export class Thread {
  readonly #options: ThreadOptions
  readonly #changed: ThreadChanged
  readonly #worker: Worker
  readonly #cancelled = new Int32Array(new SharedArrayBuffer(4))
  readonly #memory = new Set<string>()
  #call: PendingCall | undefined
  #id = 0
  #timer: NodeJS.Timeout | undefined
  #isReady = false
  #isOver = false

  constructor(options: ThreadOptions, changed: ThreadChanged) {
    this.#options = options
    this.#changed = changed
    const start: WorkerStart = { data: options.data, cancelled: this.#cancelled }
    this.#worker = startWorker({ ...options, data: start })
    this.#worker.on('message', (message: WorkerMessage) => this.#hear(message))
    this.#worker.on('error', (error) => this.#crash(error))
    this.#worker.on('exit', (code) => {
      if (code === 0) this.end(new WorkerLost('closed', 'the worker has ended'))
      else this.#crash(new Error(`the worker ended with ${code}`))
    })
    this.#watch()
  }

  get isBusy(): boolean {
    return this.#call !== undefined
  }

  post(call: PendingCall): void {
    this.#id = (this.#id + 1) & 0x7fffffff
    this.#call = call
    const { prepare = (payload: unknown) => payload } = this.#options
    // Only a worker that somebody waits for keeps the process alive.
    this.#worker.ref()
    const payload = prepare(call.payload, this.#memory)
    this.#worker.postMessage({ id: this.#id, name: call.name, payload }, call.transfer)
    if (this.#isReady) this.#watch()
  }

  /** Tells the worker that nobody waits for the call; it is ended when it is still at it after `graceMs`. */
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
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#call?.reject(cause)
    this.#call = undefined
    this.#changed(this, cause)
    void this.#worker.terminate()
  }

  /** Ends the worker and waits until it is gone. */
  async terminate(): Promise<void> {
    this.end(new WorkerLost('closed', 'the worker was ended'))
    await this.#worker.terminate()
  }

  #crash(cause: unknown): void {
    this.end(new WorkerLost('crashed', `the worker ${this.#options.name} is gone`, cause))
  }

  /** Sets the clock for what comes next: being ready, the call, or the end of a worker without work. */
  #watch(): void {
    clearTimeout(this.#timer)
    const { callMs, startMs = 60_000, idleMs } = this.#options
    const ms = this.#isReady ? (this.isBusy ? callMs : idleMs) : startMs
    if (ms === undefined) return
    const late = () => this.end(new WorkerLost('timeout', `no answer within ${ms} ms`))
    this.#timer = setTimeout(late, ms).unref()
  }

  #hear(message: WorkerMessage): void {
    if (this.#isOver) return
    if ('event' in message) return this.#options.onEvent?.(message.event)
    if ('ready' in message) {
      this.#isReady = true
      return this.#watch()
    }
    const call = this.#call
    this.#call = undefined
    if ('error' in message) call?.reject(errorOf(message.error))
    else call?.resolve(message.value)
    this.#watch()
    this.#worker.unref()
    if (message.retire) void this.terminate()
    else this.#changed(this)
  }
}

function errorOf({ kind, text, errors = [], retryAfter, stack }: ErrorMessage): Error {
  const error = kind
    ? new Failure(kind, text, { errors, ...(retryAfter !== undefined && { retryAfter }) })
    : new Error(text)
  if (stack !== undefined) error.stack = stack
  return error
}
