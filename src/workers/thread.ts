/**
 * One worker thread with the calls that it has. It works on them in order, so the first is in work and the others have not
 * begun; a worker that takes too long over the first, or dies, gives the others back.
 */

import { Worker, type Transferable } from 'node:worker_threads'
import { Failure } from '../errors.ts'
import type { ErrorMessage, WorkerMessage, WorkerStart } from './messages.ts'

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
  /** It runs what strangers wrote: it sees nothing of our environment, and what it prints is dropped. */
  readonly isIsolated?: boolean
}

/** Starts a thread; for pools, and for the few with a protocol of their own. `workerData` is `data`. */
export function startWorker(options: WorkerOptions): Worker {
  const { entry, name, data, transfer = [], nurseryMb = 24, heapMb, isIsolated } = options
  const worker = new Worker(entry, {
    name,
    workerData: data,
    transferList: [...transfer],
    resourceLimits: {
      maxYoungGenerationSizeMb: nurseryMb,
      ...(heapMb !== undefined && { maxOldGenerationSizeMb: heapMb }),
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
  /** Time of one call in work; unbounded when absent. */
  readonly callMs?: number | undefined
  /** Time until the worker is ready; the calls' time counts from then. */
  readonly startMs?: number
  /** A worker without work ends after that. */
  readonly idleMs?: number | undefined
  /** What is posted instead of a payload; `memory` is the worker's own and empty when it starts. */
  readonly prepare?: (payload: unknown, memory: Set<string>) => unknown
  readonly onEvent?: ((event: unknown) => void) | undefined
}

type ThreadEvents = {
  /** It has room for another call. */
  readonly next: () => void
  /** It is gone; `left` are calls that it had not begun. */
  readonly ended: (thread: Thread, left: readonly PendingCall[]) => void
}

export class Thread {
  readonly #options: ThreadOptions
  readonly #on: ThreadEvents
  readonly #worker: Worker
  readonly #cancelled = new Int32Array(new SharedArrayBuffer(4))
  readonly #memory = new Set<string>()
  readonly #calls: { readonly id: number; readonly call: PendingCall }[] = []
  #timer: NodeJS.Timeout | undefined
  #last = 0
  #isReady = false
  #isOver = false

  constructor(options: ThreadOptions, on: ThreadEvents) {
    this.#options = options
    this.#on = on
    const start: WorkerStart = { data: options.data, cancelled: this.#cancelled }
    this.#worker = startWorker({ ...options, data: start })
    this.#worker.on('message', (message: WorkerMessage) => this.#hear(message))
    this.#worker.on('error', (error) => this.#crash(error))
    this.#worker.on('exit', (code) => this.#crash(new Error(`the worker ended with ${code}`)))
    this.#watch()
  }

  get size(): number {
    return this.#calls.length
  }

  post(call: PendingCall): void {
    const id = (this.#last = (this.#last + 1) & 0x7fffffff)
    const { prepare = (payload: unknown) => payload } = this.#options
    this.#calls.push({ id, call })
    // Only a worker that somebody waits for keeps the process alive.
    this.#worker.ref()
    const message = { id, name: call.name, payload: prepare(call.payload, this.#memory) }
    this.#worker.postMessage(message, call.transfer)
    if (this.size === 1) this.#watch()
  }

  /** Tells the worker that nobody waits for the call; it is ended when it is still at it after `graceMs`. */
  cancel(call: PendingCall, graceMs: number): void {
    const own = this.#calls.find((one) => one.call === call)
    if (!own || graceMs === Infinity) return
    Atomics.store(this.#cancelled, 0, own.id)
    const end = () => {
      if (this.#calls[0] === own) this.end(new WorkerLost('closed', 'the call was given up'))
    }
    if (graceMs === 0) end()
    else setTimeout(end, graceMs).unref()
  }

  /** Ends the worker; the call in work is rejected with `cause`. */
  end(cause: WorkerLost): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    const [first, ...left] = this.#calls.splice(0)
    first?.call.reject(cause)
    this.#on.ended(
      this,
      left.map(({ call }) => call),
    )
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

  /** Sets the clock for what comes next: being ready, the first call, or the end of a worker without work. */
  #watch(): void {
    clearTimeout(this.#timer)
    const { callMs, startMs = 60_000, idleMs } = this.#options
    const ms = this.#isReady ? (this.size > 0 ? callMs : idleMs) : startMs
    if (ms === undefined) return
    const late = () => this.end(new WorkerLost('timeout', `no answer within ${ms} ms`))
    this.#timer = setTimeout(late, ms).unref()
  }

  #hear(message: WorkerMessage): void {
    if (this.#isOver) return
    if ('event' in message) return this.#options.onEvent?.(message.event)
    if ('ready' in message) this.#isReady = true
    else this.#settle(message)
    this.#watch()
    if (this.size === 0) this.#worker.unref()
    if (!('ready' in message) && message.retire) void this.terminate()
    this.#on.next()
  }

  #settle(message: Extract<WorkerMessage, { readonly id: number }>): void {
    const call = this.#calls.shift()?.call
    if ('error' in message) call?.reject(errorOf(message.error))
    else call?.resolve(message.value)
  }
}

function errorOf({ kind, text, errors = [], retryAfter, stack }: ErrorMessage): Error {
  const error = kind
    ? new Failure(kind, text, { errors, ...(retryAfter !== undefined && { retryAfter }) })
    : new Error(text)
  if (stack !== undefined) error.stack = stack
  return error
}
