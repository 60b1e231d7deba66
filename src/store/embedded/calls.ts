/**
 * The main thread's side of the writing worker: bounded calls, signals, limits, and a new worker when one is lost.
 *
 * The engine never frees what was deleted, so a worker that is crowded by dead statements gets a successor: it builds its own
 * index beside the present worker, follows its writes, and takes its place between two calls.
 */

import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads'
import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Loading } from '../graph-store.ts'
import {
  failureOf,
  type JobName,
  type Jobs,
  type Opened,
  type Reply,
  type Sign,
} from './messages.ts'
import { tickMs, ticks } from './ticks.ts'

/** Calls in the worker at once; more makes it slower (its queue costs more than its work). */
const inFlight = 256

/** After a successor that came to nothing. */
const successorRetryMs = 30_000

export type CallOptions = {
  readonly signal?: AbortSignal | undefined
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

type Entry = {
  readonly message: Readonly<Record<string, unknown>>
  readonly ports: readonly MessagePort[]
  readonly settle: (outcome: { readonly result: unknown } | { readonly error: unknown }) => void
  age: number
  /** The caller has its answer (aborted or late), the worker still works on it. */
  left: boolean
}

const gone = (detail: string, cause?: unknown) =>
  new Failure('store-unavailable', detail, { retryAfter: 2, cause })

/** What a call is told whose worker is gone: one that may have been too much for the engine's memory, that it is full. */
function lossOf(error: unknown, { message }: Pick<Entry, 'message'>): Failure {
  const full = fullOf(error)
  if (full && message['name'] === 'write') return full
  return gone('The store had to start again; repeat the request.', error)
}

/** An error that has come from a worker is not of our class any more. */
function fullOf(error: unknown): Failure | undefined {
  if (!(error instanceof Error && 'kind' in error && 'detail' in error)) return undefined
  return error.kind === 'store-full' ? new Failure('store-full', String(error.detail)) : undefined
}

type Message = readonly Reply[] | Sign | { readonly opened: Opened } | { readonly loading: Loading }

export class Calls {
  readonly #settings: Settings
  readonly #pending = new Map<number, Entry>()
  readonly #limit: number
  readonly #clock = ticks(() => this.#tick())
  #waiting: Entry[] = []
  #worker: Worker | undefined
  #successor: Worker | undefined
  /** Nothing is posted: the successor waits until the present worker has answered everything. */
  #isHandingOver = false
  #opened = Promise.withResolvers<Opened>()
  readonly #done = Promise.withResolvers<void>()
  #isOpen = false
  #closing = false
  #silence = 0
  #pumping = false
  #last = 0

  constructor(settings: Settings) {
    this.#settings = settings
    this.#limit = Math.ceil(settings.callMs / tickMs)
    this.#launch()
  }

  /** What the present worker found when it opened; rejects when it could not. */
  get opened(): Promise<Opened> {
    return this.#opened.promise
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  call<Name extends JobName>(
    name: Name,
    job: Jobs[Name][0],
    options: CallOptions = {},
  ): Promise<Jobs[Name][1]> {
    const { signal, ports = [] } = options
    if (signal?.aborted) return Promise.reject<Jobs[Name][1]>(signal.reason)
    if (this.#closing) return Promise.reject(gone('The store is closed.'))
    if (this.#waiting.length >= this.#settings.waiting) {
      return Promise.reject(gone('The store has too much to do.'))
    }
    if (!this.#worker) this.#launch()
    const { promise, resolve, reject } = Promise.withResolvers<Jobs[Name][1]>()
    const id = ++this.#last
    const abort = () => this.#leave(id, entry, signal?.reason)
    const entry: Entry = {
      message: { ...job, id, name },
      ports,
      age: 0,
      left: false,
      settle: (outcome) => {
        signal?.removeEventListener('abort', abort)
        if ('error' in outcome) reject(outcome.error)
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each job is answered with the result of its name
        else resolve(outcome.result as Jobs[Name][1])
      },
    }
    signal?.addEventListener('abort', abort)
    this.#waiting.push(entry)
    this.#pump()
    this.#clock.start()
    return promise
  }

  /** Lets what was accepted finish, then ends the worker. */
  async close(): Promise<void> {
    this.#closing = true
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
    if (this.#closing && this.#pending.size + this.#waiting.length === 0) this.#done.resolve()
  }

  #launch(): void {
    const worker = this.#settings.start()
    if (this.#isOpen || this.#worker === undefined) this.#opened = Promise.withResolvers<Opened>()
    this.#opened.promise.catch((error: unknown) =>
      this.#settings.log.error({ error }, 'store.failed'),
    )
    this.#worker = worker
    this.#isOpen = false
    this.#silence = 0
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
    this.#silence = 0
    if (message === 'crowded' || message === 'filled') {
      void this.#succeed()
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

  /** Starts a successor, which says when its index is filled. */
  async #succeed(): Promise<void> {
    if (this.#successor || this.#closing || !this.#isOpen) return
    const { port1, port2 } = new MessageChannel()
    try {
      await this.call('follow', { port: port1, whole: true }, { ports: [port1] })
    } catch (error) {
      port2.close()
      this.#settings.log.warn({ error }, 'store.compaction-failed')
      return
    }
    if (this.#successor || this.#closing) return port2.close()
    this.#successor = this.#settings.start(port2)
    this.#watch(this.#successor)
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
    void successor?.terminate()
  }

  #settle(reply: Reply): void {
    const entry = this.#pending.get(reply.id)
    this.#pending.delete(reply.id)
    if (!entry || entry.left) return
    entry.settle('refusal' in reply ? { error: failureOf(reply.refusal) } : reply)
  }

  /** A step later, so that calls that come together go together: a message costs more than most of what it brings. */
  #pump(): void {
    if (this.#pumping) return
    this.#pumping = true
    queueMicrotask(() => {
      this.#pumping = false
      this.#post()
    })
  }

  #post(): void {
    if (!this.#isOpen || !this.#worker || this.#isHandingOver) return
    const room = inFlight - this.#pending.size
    if (room <= 0 || this.#waiting.length === 0) return
    const entries = this.#waiting.splice(0, room)
    for (const entry of entries) this.#pending.set(Number(entry.message['id']), entry)
    this.#worker.postMessage(
      entries.map(({ message }) => message),
      entries.flatMap(({ ports }) => ports),
    )
  }

  #leave(id: number, entry: Entry, error: unknown): void {
    if (entry.left) return
    entry.left = true
    if (!this.#pending.has(id)) this.#waiting = this.#waiting.filter((other) => other !== entry)
    entry.settle({ error })
  }

  #tick(): boolean {
    this.#silence += 1
    let late = false
    for (const entry of [...this.#pending.values(), ...this.#waiting]) {
      entry.age += 1
      if (entry.age < this.#limit) continue
      const failure = new Failure(
        'time-limit',
        `The store took more than ${this.#settings.callMs} ms.`,
      )
      this.#leave(Number(entry.message['id']), entry, failure)
      late = true
    }
    if (late && this.#isOpen && this.#silence >= this.#limit && this.#worker) {
      this.#lose(this.#worker, new Error('a call had to be ended'))
    }
    return this.#pending.size + this.#waiting.length > 0
  }

  /** Replaces a worker that is gone or has to go. Nothing is known of the writes that it had. */
  #lose(worker: Worker, error: unknown): void {
    if (worker === this.#successor) {
      this.#dropSuccessor()
      this.#settings.log.warn({ error }, 'store.compaction-failed')
      setTimeout(() => void this.#succeed(), successorRetryMs).unref()
      this.#pump()
    }
    if (worker !== this.#worker) return
    this.#dropSuccessor()
    const couldOpen = this.#isOpen
    this.#worker = undefined
    this.#isOpen = false
    this.#settings.lost()
    void worker.terminate()
    const left = couldOpen
      ? [...this.#pending.values()]
      : [...this.#pending.values(), ...this.#waiting]
    this.#pending.clear()
    if (!couldOpen) this.#waiting = []
    for (const entry of left) if (!entry.left) entry.settle({ error: lossOf(error, entry) })
    this.#checkDone()
    if (this.#closing && this.#waiting.length === 0) return
    this.#settings.log.error({ error, calls: left.length }, 'store.lost')
    if (couldOpen) this.#launch()
    else this.#opened.reject(fullOf(error) ?? gone('The store cannot be opened.', error))
  }
}
