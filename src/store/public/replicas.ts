/**
 * Copies of the data for what strangers ask, each in a worker of its own that follows every write and may be ended at any moment:
 * built one after the other, as many as memory allows, and again when one is lost or holds too many deleted triples.
 */

import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads'
import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { startWorker } from '../../workers/thread.ts'
import { boundedEngine, processBytes, type RdfEngine } from '../embedded/engine.ts'
import { fromFailureMessage, type FailureMessage } from '../embedded/messages.ts'
import type { PublicAnswer } from '../graph-store.ts'
import type { QueryRunner, PublicJob } from './query-queue.ts'

export type ReplicaSettings = {
  readonly engine: RdfEngine
  readonly directory: string
  readonly feed: MessagePort
}

export type ReplicaReply =
  | { readonly ready: true }
  | { readonly answer: PublicAnswer }
  /** Deleted triples fill too much of its memory. */
  | { readonly crowded: true }
  | { readonly refusal: FailureMessage }

type Settings = {
  readonly directory: string
  /** Hands the writing side its end of the feed; resolves when every later write goes through it. */
  readonly follow: (port: MessagePort) => Promise<unknown>
  /** Triples that a copy will have, or about as many. */
  readonly quads: () => Promise<number>
  /** Bytes that a copy and its queries may take; 0 = what fits the triples and the machine. */
  readonly memory: number
  /** Copies at most. */
  readonly most: number
  /** Running time of one query in ms. */
  readonly queryMs: number
  readonly log: Log
  /** A copy has become ready, or is not any more. */
  readonly changed: () => void
}

type ReplicaEvents = {
  /** It was ready, or was being built, and is not any more; `left` = the writing side let go of it. */
  readonly lost: (left: boolean) => void
  /** It is free, and a new copy would be much smaller. */
  readonly crowded: () => void
}

type Running = PromiseWithResolvers<PublicAnswer> & { readonly late: NodeJS.Timeout }

const tooMuch = (bytes: number) =>
  new Failure(
    'query-too-complex',
    `A query may use ${Math.floor(bytes / 2 ** 20)} MB together with the data (sparqlMemoryBytes).`,
    { status: 413 },
  )

const gone = () =>
  new Failure('store-unavailable', 'The public copy of the data was lost.', { retryAfter: 1 })

class Replica implements QueryRunner {
  readonly #settings: Settings
  readonly #on: ReplicaEvents
  #worker: Worker | undefined
  #ready: PromiseWithResolvers<void> | undefined
  #running: Running | undefined
  isReady = false
  isCrowded = false

  constructor(settings: Settings, on: ReplicaEvents) {
    this.#settings = settings
    this.#on = on
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
    const { queryMs } = this.#settings
    const end = () => {
      this.end(new Failure('time-limit', `A query may run ${queryMs} ms (sparqlMs).`))
    }
    this.#running = {
      ...Promise.withResolvers<PublicAnswer>(),
      late: setTimeout(end, queryMs).unref(),
    }
    this.#worker.postMessage(job, [])
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
    else if ('refusal' in reply) this.#lose(fromFailureMessage(reply.refusal), gone())
    if (this.isCrowded && !this.isBusy) this.#on.crowded()
  }

  #answer(reply: Extract<ReplicaReply, { readonly answer: unknown } | { refusal: unknown }>): void {
    const running = this.#running
    this.#running = undefined
    clearTimeout(running?.late)
    if ('answer' in reply) running?.resolve(reply.answer)
    else running?.reject(fromFailureMessage(reply.refusal))
  }

  #lose(error: unknown, reason: Failure, left = false): void {
    const [worker, ready, running] = [this.#worker, this.#ready, this.#running]
    if (!ready) return
    this.#worker = undefined
    this.#ready = undefined
    this.#running = undefined
    this.isReady = false
    this.isCrowded = false
    if (error !== undefined) {
      this.#settings.log.warn({ error, detail: reason.detail }, 'replica.lost')
    }
    void worker?.terminate()
    clearTimeout(running?.late)
    running?.reject(reason)
    ready.reject(error ?? reason)
    this.#on.lost(left)
  }
}

/** Of each triple, and of the buffers for loading (of which little is touched). */
const [quadBytes, loadingBytes] = [450, 320 * 2 ** 20]
/** A worker with nothing in its copy. */
const idleBytes = 40 * 2 ** 20
/** Few different bounds: the code for each is kept for good. */
const stepBytes = 256 * 2 ** 20
/** A copy that could not be built is tried again after so long. */
const retryMs = 5000

/** Three times what a copy needs, at most a quarter of what the process may have, but always enough for the copy itself. */
function usualBytes(quads: number): number {
  const needed = loadingBytes + quads * quadBytes
  const generous = Math.max(Math.min(3 * needed, processBytes() / 4), 1.25 * needed)
  return Math.ceil(generous / stepBytes) * stepBytes
}

/** Copies for which there is room beside the writing engine, in three quarters of what the process may have. */
function affordable(quads: number, most: number): number {
  const each = idleBytes + quads * quadBytes
  const room = processBytes() * 0.75 - each
  return Math.min(most, Math.max(1, Math.floor(room / each)))
}

export class Replicas {
  readonly #settings: Settings
  #replicas: Replica[]
  #isWanted = false
  #isBuilding = false
  #isClosed = false
  /** Until the next try. */
  #retry: NodeJS.Timeout | undefined
  #buildMs = 0
  /** What kept the last copy from being built. */
  #fault: 'memory' | 'other' | undefined

  constructor(settings: Settings) {
    this.#settings = settings
    this.#replicas = Array.from({ length: settings.most }, () => this.#replica())
  }

  get lanes(): readonly QueryRunner[] {
    return this.#replicas
  }

  get state(): 'absent' | 'building' | 'ready' {
    if (this.#replicas.some(({ isReady }) => isReady)) return 'ready'
    return this.#isBuilding ? 'building' : 'absent'
  }

  /** Builds what is missing, and from now on whatever gets lost. */
  want(): void {
    this.#isWanted = true
    if (!this.#retry || this.#fault === undefined) void this.#build()
  }

  /** Says to a query that no copy is ready. */
  closed(): Failure {
    const retryAfter = Math.max(1, Math.ceil(this.#buildMs / 1000) || 5)
    if (this.#fault !== 'memory') {
      return new Failure('store-unavailable', 'The public copy is being built.', { retryAfter })
    }
    const detail = 'The public copy of the data does not fit into its memory (sparqlMemoryBytes).'
    return new Failure('store-unavailable', detail, { retryAfter: 60 })
  }

  /** The writing side is gone, and with it the feed: all copies would grow stale. */
  end(): void {
    for (const replica of this.#replicas) replica.end()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#retry)
    this.end()
  }

  #replica(): Replica {
    return new Replica(this.#settings, {
      crowded: () => this.#renew(),
      lost: (left) => {
        // It fell behind a large import, which others would do as well: better when that is over, or when somebody asks.
        if (left) this.#wait()
        else if (this.#isWanted && !this.#retry) void this.#build()
        this.#settings.changed()
      },
    })
  }

  /** One at a time: each takes a core. */
  async #build(): Promise<void> {
    if (this.#isBuilding || this.#isClosed) return
    const { log, memory, most, quads } = this.#settings
    this.#isBuilding = true
    try {
      for (;;) {
        const count = await quads()
        this.#fit(affordable(count, most))
        const replica = this.#replicas.find(({ isReady }) => !isReady)
        if (!replica || this.#isClosed) break
        const started = performance.now()
        await replica.build(memory > 0 ? memory : usualBytes(count))
        this.#buildMs = performance.now() - started
        this.#fault = undefined
        this.#settings.changed()
      }
    } catch (error) {
      this.#fault = error instanceof Failure && error.kind === 'store-full' ? 'memory' : 'other'
      this.#wait()
      if (!this.#isClosed) log.warn({ error }, 'replica.failed')
    } finally {
      this.#isBuilding = false
    }
    this.#renew()
  }

  /** One that holds too many deleted triples is made anew while another answers. */
  #renew(): void {
    const ready = this.#replicas.filter(({ isReady }) => isReady)
    if (ready.length === 1 && this.#replicas.length > 1) return
    const replica = ready.find(({ isCrowded, isBusy }) => isCrowded && !isBusy)
    if (!replica) return
    this.#settings.log.info('replica.renewed')
    replica.end()
  }

  #wait(): void {
    clearTimeout(this.#retry)
    const again = () => {
      this.#retry = undefined
      if (this.#isWanted) void this.#build()
    }
    this.#retry = setTimeout(again, retryMs).unref()
  }

  /** As many copies as are affordable now; what is ready is kept, what is busy ends by itself. */
  #fit(count: number): void {
    while (this.#replicas.length < count) this.#replicas.push(this.#replica())
    while (this.#replicas.length > count && this.#replicas.at(-1)?.isReady === false) {
      this.#replicas.pop()
    }
  }
}
