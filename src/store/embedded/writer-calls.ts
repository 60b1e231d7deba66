/**
 * The main thread's side of the writing worker: bounded calls, signals, limits, and a new worker when one is lost.
 *
 * The engine never frees what was deleted, so a worker that is crowded by dead statements gets a successor: it builds its own
 * index beside the present worker, follows its writes, and takes its place between two calls.
 */

import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads'
import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { unlessAborted } from '../../workers/condition.ts'
import { terminateWorker } from '../../workers/uninterrupted.ts'
import type { Loading } from '../graph-store.ts'
import {
  fromFailureMessage,
  fullOf,
  type JobName,
  type Jobs,
  type WriterOpened,
  type WriterReply,
  type Sign,
} from './messages.ts'

/** Calls in the worker at once; more makes it slower (its queue costs more than its work). */
const inFlight = 256

/** After a successor that came to nothing. */
const successorRetryMs = 30_000

type StoreCallOptions = {
  readonly signal?: AbortSignal
  readonly ports?: readonly MessagePort[]
}

type Settings = {
  /** `feed` makes it a successor. */
  readonly start: (feed?: MessagePort) => Worker
  /** Calls that may wait for a place. */
  readonly waiting: number
  /** Time limit of one call in ms; a worker that says nothing for so long during a late call is replaced. */
  readonly callMs: number
  readonly log: Log
  /** A worker is gone, and with it what followed it. */
  readonly lost: () => void
  /** Hears how far a worker is that opens. */
  readonly loading?: ((now: Loading) => void) | undefined
}

type Call = {
  readonly message: { readonly id: number; readonly name: JobName }
  readonly options: StoreCallOptions
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

const gone = (detail: string, cause?: unknown) =>
  new Failure('store-unavailable', detail, { retryAfter: 2, cause })

/** What a call is told whose worker is gone: a write that may have been too much for the engine's memory, that it is full. */
const lossOf = (error: unknown, { message }: Call): Failure =>
  (message.name === 'write' && fullOf(error)) ||
  gone('The store had to start again; repeat the request.', error)

type Message =
  | readonly WriterReply[]
  | Sign
  | { readonly opened: WriterOpened }
  | { readonly loading: Loading }

export class Calls {
  readonly #settings: Settings
  readonly #pending = new Map<number, Call>()
  #waiting: Call[] = []
  #worker: Worker | undefined
  #successor: Worker | undefined
  /** Nothing is posted: the successor waits until the present worker has answered everything. */
  #isHandingOver = false
  #opened = Promise.withResolvers<WriterOpened>()
  readonly #done = Promise.withResolvers<void>()
  #isOpen = false
  #isClosing = false
  #isPumping = false
  /** When the worker said something last, in ms. */
  #heardAt = 0
  #last = 0

  constructor(settings: Settings) {
    this.#settings = settings
    this.#launch()
  }

  /** What the present worker found when it opened; rejects when it could not. */
  get opened(): Promise<WriterOpened> {
    return this.#opened.promise
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /**
   * What the worker answers. Rejects with what it says, with the signal's reason, with time-limit, and with store-unavailable when
   * too many wait or the worker is lost.
   */
  async call<Name extends JobName>(
    name: Name,
    job: Jobs[Name][0],
    options: StoreCallOptions = {},
  ): Promise<Jobs[Name][1]> {
    const { signal } = options
    signal?.throwIfAborted()
    if (this.#isClosing) throw gone('The store is closed.')
    if (this.#waiting.length >= this.#settings.waiting) {
      throw gone('Too many requests are waiting for the store.')
    }
    if (!this.#worker) this.#launch()
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const call: Call = { message: { ...job, id: ++this.#last, name }, options, resolve, reject }
    const late = setTimeout(() => this.#giveUp(call), this.#settings.callMs).unref()
    this.#waiting.push(call)
    this.#pump()
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each job is answered with the result of its name
      return (await (signal ? unlessAborted(promise, signal) : promise)) as Jobs[Name][1]
    } finally {
      clearTimeout(late)
    }
  }

  /** Lets what was accepted finish, then ends the worker. */
  async close(): Promise<void> {
    this.#isClosing = true
    this.#checkDone()
    await this.#done.promise
    this.#dropSuccessor()
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
      if (worker === this.#worker) this.#hear(message)
      else if (worker === this.#successor && message === 'filled') this.#handOver()
    })
    worker.on('error', (error) => this.#lose(worker, error))
    worker.on('exit', () => this.#lose(worker, undefined))
  }

  #hear(message: Message): void {
    this.#heardAt = performance.now()
    if (message === 'crowded' || message === 'filled') {
      this.#replace()
      return
    }
    if ('loading' in message) return this.#settings.loading?.(message.loading)
    if ('opened' in message) {
      this.#isOpen = true
      if (this.#isHandingOver) this.#settings.log.info({ ...message.opened }, 'store.compacted')
      this.#isHandingOver = false
      this.#opened.resolve(message.opened)
    } else {
      for (const reply of message) this.#settle(reply)
    }
    if (this.#isHandingOver) this.#handOver()
    this.#pump()
    this.#checkDone()
  }

  #settle(reply: WriterReply): void {
    const call = this.#pending.get(reply.id)
    this.#pending.delete(reply.id)
    if ('refusal' in reply) call?.reject(fromFailureMessage(reply.refusal))
    else call?.resolve(reply.result)
  }

  #replace(): void {
    this.#startReplacement().catch((error: unknown) =>
      this.#settings.log.warn({ error }, 'store.compaction-failed'),
    )
  }

  #terminate(worker: Worker): void {
    terminateWorker(worker).catch((error: unknown) =>
      this.#settings.log.warn({ error }, 'store.worker-end-failed'),
    )
  }

  /** Starts a successor, which says when its index is filled. */
  async #startReplacement(): Promise<void> {
    if (this.#successor || this.#isClosing || !this.#isOpen) return
    const { port1, port2 } = new MessageChannel()
    try {
      await this.call('follow', { port: port1, whole: true }, { ports: [port1] })
      if (this.#successor || this.#isClosing) return port2.close()
      this.#successor = this.#settings.start(port2)
      this.#watch(this.#successor)
    } catch (error) {
      port2.close()
      throw error
    }
  }

  /** Holds calls back until the present worker has answered; then it gives what is left to the successor. */
  #handOver(): void {
    this.#isHandingOver = true
    const [worker, successor] = [this.#worker, this.#successor]
    if (!worker || !successor || this.#pending.size > 0) return
    this.#worker = successor
    this.#successor = undefined
    worker.postMessage('hand over', [])
  }

  #dropSuccessor(): void {
    const successor = this.#successor
    this.#successor = undefined
    this.#isHandingOver = false
    if (successor) this.#terminate(successor)
  }

  /** A step later, so that calls that come together go together: a message costs more than most of what it brings. */
  #pump(): void {
    if (this.#isPumping) return
    this.#isPumping = true
    queueMicrotask(() => {
      this.#isPumping = false
      this.#post()
    })
  }

  #post(): void {
    if (!this.#isOpen || !this.#worker || this.#isHandingOver) return
    this.#waiting = this.#waiting.filter(({ options }) => options.signal?.aborted !== true)
    this.#checkDone()
    const room = inFlight - this.#pending.size
    if (room <= 0 || this.#waiting.length === 0) return
    const calls = this.#waiting.splice(0, room)
    for (const call of calls) this.#pending.set(call.message.id, call)
    this.#worker.postMessage(
      calls.map(({ message }) => message),
      calls.flatMap(({ options }) => options.ports ?? []),
    )
  }

  /** A call that is late; the worker may still do it. */
  #giveUp(call: Call): void {
    const { callMs } = this.#settings
    this.#waiting = this.#waiting.filter((other) => other !== call)
    call.reject(new Failure('time-limit', `The store took more than ${callMs} ms.`))
    const isSilent = performance.now() - this.#heardAt >= callMs
    if (!this.#worker || !this.#isOpen || !isSilent) return this.#checkDone()
    this.#lose(this.#worker, new Error('a call had to be ended'))
  }

  /** Replaces a worker that is gone or has to go. Nothing is known of the writes that it had. */
  #lose(worker: Worker, error: unknown): void {
    if (worker === this.#successor) {
      this.#dropSuccessor()
      this.#settings.log.warn({ error }, 'store.compaction-failed')
      setTimeout(() => this.#replace(), successorRetryMs).unref()
      this.#pump()
    }
    if (worker !== this.#worker) return
    this.#dropSuccessor()
    const couldOpen = this.#isOpen
    this.#worker = undefined
    this.#isOpen = false
    this.#settings.lost()
    this.#terminate(worker)
    const left = [...this.#pending.values(), ...(couldOpen ? [] : this.#waiting)]
    this.#pending.clear()
    if (!couldOpen) this.#waiting = []
    for (const call of left) call.reject(lossOf(error, call))
    this.#checkDone()
    if (this.#isClosing && this.#waiting.length === 0) return
    this.#settings.log.error({ error, calls: left.length }, 'store.lost')
    if (couldOpen) this.#launch()
    else this.#opened.reject(fullOf(error) ?? gone('The store cannot be opened.', error))
  }
}
