/**
 * Copies of the data for what strangers ask, each in a worker of its own that follows every write and may be ended at any moment:
 * built one after the other, as many as memory allows, and again when one is lost or holds too many deleted triples.
 */

import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { Thread, WorkerLost } from '../../workers/pool.ts'
import { boundedEngine, processBytes, type RdfEngine } from '../embedded/engine.ts'
import { fullOf } from '../embedded/messages.ts'
import type { PublicAnswer } from '../graph-store.ts'
import type { QueryRunner, PublicJob } from './query-queue.ts'

export type ReplicaSettings = {
  readonly engine: RdfEngine
  readonly directory: string
  readonly feed: MessagePort
}

export type ReplicaCalls = { query: [job: PublicJob, answer: PublicAnswer] }
/** `crowded` = deleted triples fill too much of its memory. */
export type ReplicaEvent = 'ready' | 'crowded'

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

const gone = () =>
  new Failure('store-unavailable', 'The public copy of the data was lost.', { retryAfter: 1 })

/** The data of a large store are read in minutes. */
const startMs = 3_600_000

class Replica implements QueryRunner {
  readonly #settings: Settings
  readonly #on: ReplicaEvents
  #thread: Thread | undefined
  #ready: PromiseWithResolvers<void> | undefined
  #bytes = 0
  /** How long its last building took. */
  buildMs = 0
  isReady = false
  isCrowded = false

  constructor(settings: Settings, on: ReplicaEvents) {
    this.#settings = settings
    this.#on = on
  }

  get isBusy(): boolean {
    return this.#thread?.isBusy === true
  }

  /** Resolves when it can be asked; rejects when it was lost before that. `bytes`: memory of the copy and its queries. */
  build(bytes: number): Promise<void> {
    if (this.#ready) return this.#ready.promise
    this.#ready = Promise.withResolvers<void>()
    this.#bytes = bytes
    this.#launch(this.#ready).catch((error: unknown) => this.#lose(error))
    return this.#ready.promise
  }

  /** One query; the caller sees to it that there is no other, and that the copy is ready. */
  async run(job: PublicJob): Promise<PublicAnswer> {
    const thread = this.#thread
    if (!thread || !this.isReady) throw gone()
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    thread.post({ name: 'query', payload: job, transfer: [], resolve, reject })
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `ReplicaCalls` says of a query
      return (await promise) as PublicAnswer
    } catch (error) {
      throw error instanceof WorkerLost ? this.#failureOf(error) : error
    }
  }

  /** Ends the worker, and with it what runs; absent while another copy would take long to build. */
  get end(): (() => void) | undefined {
    return this.buildMs > quickMs ? undefined : () => this.drop()
  }

  drop(): void {
    this.#lose(undefined)
  }

  #failureOf({ reason }: WorkerLost): Failure {
    const { queryMs } = this.#settings
    if (reason === 'timeout') {
      return new Failure('time-limit', `A query may run ${queryMs} ms (sparqlMs).`)
    }
    if (reason !== 'crashed') return gone()
    const most = Math.floor(this.#bytes / 2 ** 20)
    const detail = `A query may use ${most} MB together with the data (sparqlMemoryBytes).`
    return new Failure('query-too-complex', detail, { status: 413 })
  }

  async #launch(ready: PromiseWithResolvers<void>): Promise<void> {
    const { port1, port2 } = new MessageChannel()
    const { directory, follow, queryMs } = this.#settings
    await follow(port1)
    if (this.#ready !== ready) return port2.close()
    const data: ReplicaSettings = { engine: boundedEngine(this.#bytes), directory, feed: port2 }
    this.#thread = new Thread(
      {
        entry: new URL('./replica-worker.ts', import.meta.url),
        name: 'public copy',
        data,
        transfer: [port2],
        // Answers leave the engine as one text.
        heapMb: 256,
        startMs,
        callMs: queryMs,
        onEvent: (event) => {
          if (event === 'crowded') this.isCrowded = true
          else this.isReady = true
          ready.resolve()
          this.#checkCrowded()
        },
      },
      (thread, cause) => {
        if (!cause) this.#checkCrowded()
        else if (thread === this.#thread) this.#lose(cause, cause.reason === 'closed')
      },
    )
  }

  #checkCrowded(): void {
    if (this.isCrowded && !this.isBusy) this.#on.crowded()
  }

  #lose(error: unknown, left = false): void {
    const [thread, ready] = [this.#thread, this.#ready]
    if (!ready) return
    this.#thread = undefined
    this.#ready = undefined
    this.isReady = false
    this.isCrowded = false
    if (error !== undefined && !left) this.#settings.log.warn({ error }, 'replica.lost')
    thread?.end(new WorkerLost('closed', 'the copy was ended'))
    ready.reject(error ?? gone())
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

/** Milliseconds: a copy that is built so fast may be ended so that another query has its turn. */
const quickMs = 5000

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
    if (!this.#retry || this.#fault === undefined) this.#start()
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
    for (const replica of this.#replicas) replica.drop()
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
        else if (this.#isWanted && !this.#retry) this.#start()
        this.#settings.changed()
      },
    })
  }

  #start(): void {
    this.#build().catch((error: unknown) => this.#settings.log.warn({ error }, 'replica.failed'))
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
        replica.buildMs = this.#buildMs
        this.#fault = undefined
        this.#settings.changed()
      }
    } catch (error) {
      this.#fault = error instanceof Error && fullOf(error.cause) ? 'memory' : 'other'
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
    replica.drop()
  }

  #wait(): void {
    clearTimeout(this.#retry)
    const again = () => {
      this.#retry = undefined
      if (this.#isWanted) this.#start()
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
