/** One public copy of the data in a worker of its own: built, asked one query at a time, ended at the deadline. */

import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads'
import { startWorker } from '../../workers/thread.ts'
import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { boundedEngine, type Engine } from '../embedded/engine.ts'
import { failureOf, type Refusal } from '../embedded/messages.ts'
import { tickMs, ticks } from '../embedded/ticks.ts'
import type { PublicAnswer } from '../graph-store.ts'
import type { Lane, PublicJob } from './door.ts'

export type ReplicaSettings = {
  readonly engine: Engine
  readonly directory: string
  readonly feed: MessagePort
}

export type ReplicaReply =
  | { readonly ready: true }
  | { readonly answer: PublicAnswer }
  /** Deleted triples fill too much of its memory. */
  | { readonly crowded: true }
  | { readonly refusal: Refusal }

type Settings = {
  readonly directory: string
  /** Hands the writing side its end of the feed; resolves when every later write goes through it. */
  readonly follow: (port: MessagePort) => Promise<unknown>
  /** Running time of one query in ms. */
  readonly queryMs: number
  readonly log: Log
  /** It was ready, or was being built, and is not any more; `left` = the writing side let go of it. */
  readonly lost: (left: boolean) => void
  /** It is free, and a new copy would be much smaller. */
  readonly crowded: () => void
}

type Running = PromiseWithResolvers<PublicAnswer> & { age: number }

const tooMuch = (bytes: number) =>
  new Failure(
    'query-too-complex',
    `A query may use ${Math.floor(bytes / 2 ** 20)} MB together with the data (sparqlMemoryBytes).`,
    { status: 413 },
  )

const gone = () =>
  new Failure('store-unavailable', 'The public copy of the data was lost.', { retryAfter: 1 })

export class Replica implements Lane {
  readonly #settings: Settings
  readonly #clock = ticks(() => this.#tick())
  #worker: Worker | undefined
  #ready: PromiseWithResolvers<void> | undefined
  #running: Running | undefined
  isReady = false
  isCrowded = false

  constructor(settings: Settings) {
    this.#settings = settings
  }

  get isBusy(): boolean {
    return this.#running !== undefined
  }

  /** Resolves when it can be asked; rejects when it was lost before that. `bytes`: memory of the copy and its queries. */
  build(bytes: number): Promise<void> {
    if (this.#ready) return this.#ready.promise
    this.#ready = Promise.withResolvers<void>()
    this.#launch(this.#ready, bytes).catch((error: unknown) => this.#lose(error, gone()))
    return this.#ready.promise
  }

  /** One query; the caller sees to it that there is no other, and that the copy is ready. */
  run(job: PublicJob): Promise<PublicAnswer> {
    if (!this.#worker || !this.isReady) return Promise.reject<PublicAnswer>(gone())
    this.#running = { ...Promise.withResolvers<PublicAnswer>(), age: 0 }
    this.#worker.postMessage(job, [])
    this.#clock.start()
    return this.#running.promise
  }

  /** Ends the worker, and with it what runs. */
  end(reason: Failure = gone()): void {
    this.#lose(undefined, reason)
  }

  async #launch(ready: PromiseWithResolvers<void>, bytes: number): Promise<void> {
    const { port1, port2 } = new MessageChannel()
    const { directory, follow } = this.#settings
    await follow(port1)
    if (this.#ready !== ready) return port2.close()
    const data: ReplicaSettings = { engine: boundedEngine(bytes), directory, feed: port2 }
    const worker = startWorker({
      entry: new URL('./worker.ts', import.meta.url),
      name: 'public copy',
      data,
      transfer: [port2],
      // Answers leave the engine as one text.
      heapMb: 256,
    })
    this.#worker = worker
    worker.on('message', (reply: ReplicaReply) => {
      if (worker === this.#worker) this.#hear(reply)
    })
    worker.on('error', (error) => {
      if (worker === this.#worker) this.#lose(error, this.#running ? tooMuch(bytes) : gone())
    })
    worker.on('exit', () => {
      if (worker === this.#worker) this.#lose(undefined, gone(), true)
    })
  }

  #hear(reply: ReplicaReply): void {
    if ('ready' in reply) {
      this.isReady = true
      this.#ready?.resolve()
      return
    }
    if ('crowded' in reply) this.isCrowded = true
    else if (this.isReady) this.#answer(reply)
    else if ('refusal' in reply) this.#lose(failureOf(reply.refusal), gone())
    if (this.isCrowded && !this.isBusy) this.#settings.crowded()
  }

  #answer(
    reply: Exclude<ReplicaReply, { readonly ready: true } | { readonly crowded: true }>,
  ): void {
    const running = this.#running
    this.#running = undefined
    if ('answer' in reply) running?.resolve(reply.answer)
    else running?.reject(failureOf(reply.refusal))
  }

  #lose(error: unknown, reason: Failure, left = false): void {
    const [worker, ready, running] = [this.#worker, this.#ready, this.#running]
    if (!ready) return
    this.#worker = undefined
    this.#ready = undefined
    this.#running = undefined
    this.isReady = false
    this.isCrowded = false
    if (error !== undefined)
      this.#settings.log.warn({ error, detail: reason.detail }, 'replica.lost')
    void worker?.terminate()
    running?.reject(reason)
    ready.reject(error ?? reason)
    this.#settings.lost(left)
  }

  #tick(): boolean {
    if (!this.#running) return false
    const { queryMs } = this.#settings
    this.#running.age += 1
    if (this.#running.age * tickMs >= queryMs) {
      this.end(new Failure('time-limit', `A query may run ${queryMs} ms (sparqlMs).`))
    }
    return this.#running !== undefined
  }
}
