/** The main thread's side of the writing worker: bounded calls, signals, limits, and a new worker when one is lost. */

import type { MessagePort, Worker } from 'node:worker_threads'
import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { failureOf, type JobName, type Jobs, type Opened, type Reply } from './messages.ts'
import { tickMs, ticks } from './ticks.ts'

/** Calls in the worker at once; more makes it slower (its queue costs more than its work). */
const inFlight = 256

export type CallOptions = {
  readonly signal?: AbortSignal | undefined
  readonly ports?: readonly MessagePort[]
  /** It takes as long as it takes, as long as the worker gives signs of life. */
  readonly isLong?: boolean
}

type Settings = {
  readonly start: () => Worker
  /** Calls that may wait for a place. */
  readonly waiting: number
  /** Time limit of one call in ms; a worker that says nothing for so long during a late call is replaced. */
  readonly callMs: number
  readonly log: Log
  /** A worker is gone, and with it what followed it. */
  readonly lost: () => void
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

type Message = readonly Reply[] | { readonly opened: Opened }

export class Calls {
  readonly #settings: Settings
  readonly #pending = new Map<number, Entry>()
  readonly #limit: number
  readonly #clock = ticks(() => this.#tick())
  #waiting: Entry[] = []
  #worker: Worker | undefined
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
    const { signal, ports = [], isLong = false } = options
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
      age: isLong ? -Infinity : 0,
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
    worker.on('message', (message: Message) => this.#hear(message))
    worker.on('error', (error) => this.#lose(worker, error))
    worker.on('exit', () => this.#lose(worker, undefined))
  }

  #hear(message: Message): void {
    this.#silence = 0
    if ('opened' in message) {
      this.#isOpen = true
      this.#opened.resolve(message.opened)
    } else {
      for (const reply of message) this.#settle(reply)
    }
    this.#pump()
    this.#checkDone()
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
    if (!this.#isOpen || !this.#worker) return
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
    if (worker !== this.#worker) return
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
    const failure = gone('The store had to start again; repeat the request.', error)
    for (const entry of left) if (!entry.left) entry.settle({ error: failure })
    this.#checkDone()
    if (this.#closing && this.#waiting.length === 0) return
    this.#settings.log.error({ error, calls: left.length }, 'store.lost')
    if (couldOpen) this.#launch()
    else this.#opened.reject(failure)
  }
}
