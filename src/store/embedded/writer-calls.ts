/**
 * Calls from the main thread to the writing worker, with limits, abort signals, and a new worker after a loss.
 *
 * The engine never frees the memory of deleted statements, so a fragmented worker gets a replacement: it builds its own index beside
 * the present worker, follows its writes, and takes its place between two calls.
 */

import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads'
import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { unlessAborted } from '../../workers/condition.ts'
import type { Pause } from '../../workers/pause.ts'
import { terminateWorker } from '../../workers/uninterrupted.ts'
import type { Loading } from '../graph-store.ts'
import {
  fromFailureMessage,
  storeFullOf,
  type JobName,
  type Jobs,
  type WriterOpened,
  type WriterReply,
  type WriterSignal,
} from './messages.ts'

/** Most calls in the worker at once; with more, its queue costs more than the work. */
const maxInFlight = 256

/** Milliseconds between a failed replacement and the next attempt. */
const replacementRetryMs = 30_000

type StoreCallOptions = {
  readonly signal?: AbortSignal
  readonly ports?: readonly MessagePort[]
}

type WriterCallSettings = {
  /** Starts a worker; one with `feed` is a replacement. */
  readonly start: (feed?: MessagePort) => Worker
  /** Most waiting calls. */
  readonly waiting: number
  /** Time limit of one call in ms; a worker that sends no message for so long during a late call is replaced. */
  readonly callMs: number
  readonly log: Log
  /** Waits before another replacement is started. */
  readonly pause: Pause
  /** Called when the present worker is lost, and with it the feed of its followers; not for a replacement. */
  readonly onLost: () => void
  /** Called with the progress while a worker opens. */
  readonly onLoading?: ((now: Loading) => void) | undefined
}

type Call = {
  readonly message: { readonly id: number; readonly name: JobName }
  readonly options: StoreCallOptions
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

const unavailable = (detail: string, cause?: unknown) =>
  new Failure('store-unavailable', detail, { retryAfter: 2, cause })

/** Failure of a call whose worker was lost: `store-full` for a write that may have exceeded the engine's memory. */
const lossFailure = (error: unknown, { message }: Call): Failure =>
  (message.name === 'write' && storeFullOf(error)) ||
  unavailable('The store had to start again; repeat the request.', error)

type Message =
  | readonly WriterReply[]
  | WriterSignal
  | { readonly opened: WriterOpened }
  | { readonly loading: Loading }

/** Queue of calls to the writing worker. */
export class WriterCalls {
  readonly #settings: WriterCallSettings
  readonly #pending = new Map<number, Call>()
  #waiting: Call[] = []
  #worker: Worker | undefined
  #replacement: Worker | undefined
  /** No calls are posted: the replacement waits until the present worker has answered all calls, and then opens. */
  #isHandingOver = false
  #opened = Promise.withResolvers<WriterOpened>()
  readonly #done = Promise.withResolvers<void>()
  #isOpen = false
  readonly #closing = new AbortController()
  /** Start of a replacement, or the wait before it; never rejects. */
  #replacing: Promise<void> = Promise.resolve()
  /** Resolves when the workers that were ended are gone. */
  #terminated: Promise<unknown> = Promise.resolve()
  #isPostScheduled = false
  /** Time of the worker's last message in ms. */
  #lastMessageAt = 0
  #lastId = 0

  constructor(settings: WriterCallSettings) {
    this.#settings = settings
    this.#launch()
  }

  /** Report about the opening of the worker that was last started, replacements excepted; rejects when it cannot open. */
  get opened(): Promise<WriterOpened> {
    return this.#opened.promise
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  get #isClosing(): boolean {
    return this.#closing.signal.aborted
  }

  /**
   * Calls the worker and returns its result. Rejects with its failure, with the signal's reason, with `time-limit`, and with
   * `store-unavailable` when too many calls wait, the store is closed or the worker is lost (`store-full` for a write that took its
   * memory).
   */
  async call<Name extends JobName>(
    name: Name,
    job: Jobs[Name][0],
    options: StoreCallOptions = {},
  ): Promise<Jobs[Name][1]> {
    const { signal } = options
    signal?.throwIfAborted()
    if (this.#isClosing) throw unavailable('The store is closed.')
    if (this.#waiting.length >= this.#settings.waiting) {
      throw unavailable('Too many requests are waiting for the store.')
    }
    if (!this.#worker) this.#launch()
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const call: Call = { message: { ...job, id: ++this.#lastId, name }, options, resolve, reject }
    const timer = setTimeout(() => this.#timeOut(call), this.#settings.callMs).unref()
    this.#waiting.push(call)
    this.#schedulePost()
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each job is answered with the result of its name
      return (await (signal ? unlessAborted(promise, signal) : promise)) as Jobs[Name][1]
    } finally {
      clearTimeout(timer)
    }
  }

  /** Finishes accepted calls, then ends the worker. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#checkDone()
    await this.#done.promise
    await this.#replacing
    this.#dropReplacement()
    await this.#terminated
    const worker = this.#worker
    if (!worker) return
    const ended = new Promise((resolve) => worker.once('exit', resolve))
    worker.postMessage('close', [])
    await ended
  }

  #checkDone(): void {
    if (this.#isClosing && this.#pending.size + this.#waiting.length === 0) this.#done.resolve()
  }

  #launch(): void {
    const worker = this.#settings.start()
    if (this.#isOpen || this.#worker === undefined)
      this.#opened = Promise.withResolvers<WriterOpened>()
    this.#opened.promise.catch((error: unknown) =>
      this.#settings.log.error({ error }, 'store.failed'),
    )
    this.#worker = worker
    this.#isOpen = false
    this.#watch(worker)
  }

  #watch(worker: Worker): void {
    worker.on('message', (message: Message) => {
      if (worker === this.#worker) this.#receive(message)
      else if (worker === this.#replacement && message === 'filled') this.#handOver()
    })
    worker.on('error', (error) => this.#loseWorker(worker, error))
    worker.on('exit', () => this.#loseWorker(worker, undefined))
  }

  #receive(message: Message): void {
    this.#lastMessageAt = performance.now()
    if (message === 'fragmented' || message === 'filled') {
      this.#replace()
      return
    }
    if ('loading' in message) return this.#settings.onLoading?.(message.loading)
    if ('opened' in message) {
      this.#isOpen = true
      if (this.#isHandingOver) this.#settings.log.info({ ...message.opened }, 'store.compacted')
      this.#isHandingOver = false
      this.#opened.resolve(message.opened)
    } else {
      for (const reply of message) this.#settle(reply)
    }
    if (this.#isHandingOver) this.#handOver()
    this.#schedulePost()
    this.#checkDone()
  }

  #settle(reply: WriterReply): void {
    const call = this.#pending.get(reply.id)
    this.#pending.delete(reply.id)
    if ('refusal' in reply) call?.reject(fromFailureMessage(reply.refusal))
    else call?.resolve(reply.result)
  }

  /** Starts a replacement after `delayMs`. */
  #replace(delayMs = 0): void {
    const { pause, log } = this.#settings
    const start = async () => {
      if (delayMs > 0) await pause(delayMs, this.#closing.signal)
      await this.#startReplacement()
    }
    this.#replacing = Promise.all([this.#replacing, start()]).then(
      () => undefined,
      (error: unknown) => {
        if (!this.#isClosing) log.warn({ error }, 'store.compaction-failed')
      },
    )
  }

  #terminate(worker: Worker): void {
    const terminated = terminateWorker(worker).catch((error: unknown) =>
      this.#settings.log.warn({ error }, 'store.worker-end-failed'),
    )
    this.#terminated = Promise.all([this.#terminated, terminated])
  }

  /** Starts a replacement, which signals `filled` when its index is built. */
  async #startReplacement(): Promise<void> {
    if (this.#replacement || this.#isClosing || !this.#isOpen) return
    const { port1, port2 } = new MessageChannel()
    try {
      await this.call('follow', { port: port1, includesSystemGraph: true }, { ports: [port1] })
      if (this.#replacement || this.#isClosing) return port2.close()
      this.#replacement = this.#settings.start(port2)
      this.#watch(this.#replacement)
    } catch (error) {
      port2.close()
      throw error
    }
  }

  /** Holds calls back until the present worker has answered; then makes it hand over to the replacement. */
  #handOver(): void {
    this.#isHandingOver = true
    const [worker, replacement] = [this.#worker, this.#replacement]
    if (!worker || !replacement || this.#pending.size > 0) return
    this.#worker = replacement
    this.#replacement = undefined
    worker.postMessage('hand over', [])
  }

  #dropReplacement(): void {
    const replacement = this.#replacement
    this.#replacement = undefined
    this.#isHandingOver = false
    if (replacement) this.#terminate(replacement)
  }

  /** Posts waiting calls in a microtask, so that simultaneous calls share a message, which costs more than most calls. */
  #schedulePost(): void {
    if (this.#isPostScheduled) return
    this.#isPostScheduled = true
    queueMicrotask(() => {
      this.#isPostScheduled = false
      this.#post()
    })
  }

  #post(): void {
    if (!this.#isOpen || !this.#worker || this.#isHandingOver) return
    this.#waiting = this.#waiting.filter(({ options }) => options.signal?.aborted !== true)
    this.#checkDone()
    const capacity = maxInFlight - this.#pending.size
    if (capacity <= 0 || this.#waiting.length === 0) return
    const calls = this.#waiting.splice(0, capacity)
    for (const call of calls) this.#pending.set(call.message.id, call)
    this.#worker.postMessage(
      calls.map(({ message }) => message),
      calls.flatMap(({ options }) => options.ports ?? []),
    )
  }

  /** Rejects a call at its time limit. The worker may still run it; one that was silent for so long is replaced. */
  #timeOut(call: Call): void {
    const { callMs } = this.#settings
    this.#waiting = this.#waiting.filter((other) => other !== call)
    call.reject(new Failure('time-limit', `The store took more than ${callMs} ms.`))
    const isSilent = performance.now() - this.#lastMessageAt >= callMs
    if (!this.#worker || !this.#isOpen || !isSilent) return this.#checkDone()
    this.#loseWorker(this.#worker, new Error('a call had to be ended'))
  }

  /**
   * Replaces a worker that was lost or is silent; one that could not open is replaced at the next call. The outcome of its writes is not
   * known.
   */
  #loseWorker(worker: Worker, error: unknown): void {
    if (worker === this.#replacement) {
      this.#dropReplacement()
      this.#settings.log.warn({ error }, 'store.compaction-failed')
      this.#replace(replacementRetryMs)
      this.#schedulePost()
    }
    if (worker !== this.#worker) return
    this.#dropReplacement()
    const couldOpen = this.#isOpen
    this.#worker = undefined
    this.#isOpen = false
    this.#settings.onLost()
    this.#terminate(worker)
    const lostCalls = [...this.#pending.values(), ...(couldOpen ? [] : this.#waiting)]
    this.#pending.clear()
    if (!couldOpen) this.#waiting = []
    for (const call of lostCalls) call.reject(lossFailure(error, call))
    this.#checkDone()
    if (this.#isClosing && this.#waiting.length === 0) return
    this.#settings.log.error({ error, calls: lostCalls.length }, 'store.lost')
    if (couldOpen) this.#launch()
    else
      this.#opened.reject(storeFullOf(error) ?? unavailable('The store cannot be opened.', error))
  }
}
