/**
 * Replicas of the data for public queries, each in a worker that follows every write and can be ended at any time. The first is built
 * when a query asks for it, a further one while all are busy, as many as memory allows; they are built again when one is lost or
 * fragmented by deleted triples, and ended after a time without queries, which frees their memory.
 */

import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { reportNumber } from '../../workers/numbers.ts'
import { Thread, WorkerLost } from '../../workers/pool.ts'
import { boundedEngine, type RdfEngine } from '../embedded/engine.ts'
import { storeFullOf } from '../embedded/messages.ts'
import type { PublicAnswer } from '../graph-store.ts'
import { affordableCopies, bytesForCopy, isMemoryShort, type Memory } from './copy-memory.ts'
import type { QueryRunner, PublicJob } from './query-queue.ts'

/** Settings of a worker with a replica. */
export type ReplicaSettings = {
  readonly engine: RdfEngine
  readonly directory: string
  readonly feed: MessagePort
}

/** Calls of a worker with a replica. */
export type ReplicaCalls = { query: [job: PublicJob, answer: PublicAnswer] }
/** Event of a replica; `fragmented` = deleted triples use too much of its memory. */
export type ReplicaEvent = 'ready' | 'fragmented'

type ReplicasSettings = {
  readonly directory: string
  /** Gives the writer a port for the feed; resolves when every later write is sent to it. */
  readonly follow: (port: MessagePort) => Promise<unknown>
  /** Approximate number of triples of a replica. */
  readonly quads: () => Promise<number>
  /** Bytes of a replica and its queries; 0 = by the number of triples and the machine. */
  readonly configuredBytes: number
  /** Reads the memory of this process. */
  readonly memory: () => Memory
  /** Most replicas. */
  readonly maxCopies: number
  /** Running time of one query in ms. */
  readonly queryMs: number
  /** Milliseconds without a query after which a replica is ended. */
  readonly idleMs: number
  readonly log: Log
  /** Called when a replica becomes ready or is lost. */
  readonly onChange: () => void
}

type ReplicaEvents = {
  /** Called when it is lost; `isDropped` = the writer closed its feed. */
  readonly lost: (isDropped: boolean) => void
  /** Called when it is free and a new replica would be much smaller. */
  readonly fragmented: () => void
}

const replicaLost = () =>
  new Failure('store-unavailable', 'The public copy of the data was lost.', { retryAfter: 1 })

/** Milliseconds for reading the data; a large store takes minutes. */
const startMs = 3_600_000

class Replica implements QueryRunner {
  readonly #settings: ReplicasSettings
  readonly #events: ReplicaEvents
  #thread: Thread | undefined
  #ready: PromiseWithResolvers<void> | undefined
  /** Resolves when the workers that it lost are gone. */
  #terminated: Promise<unknown> = Promise.resolve()
  #bytes = 0
  /** Milliseconds that its last building took. */
  buildMs = 0
  /** When its last query began or it became ready, in milliseconds of `performance.now()`. */
  usedAt = 0
  isReady = false
  needsCompaction = false

  constructor(settings: ReplicasSettings, on: ReplicaEvents) {
    this.#settings = settings
    this.#events = on
  }

  get isBusy(): boolean {
    return this.#thread?.isBusy === true
  }

  /** Builds it; resolves when it is ready, rejects when it is lost before. `bytes` = memory of the replica and its queries. */
  build(bytes: number): Promise<void> {
    if (this.#ready) return this.#ready.promise
    this.#ready = Promise.withResolvers<void>()
    this.#bytes = bytes
    this.#launch(this.#ready).catch((error: unknown) => this.#loseWorker(error))
    return this.#ready.promise
  }

  /** Runs a query; to be called only while it is ready and runs no other. */
  async run(job: PublicJob): Promise<PublicAnswer> {
    const thread = this.#thread
    if (!thread || !this.isReady) throw replicaLost()
    this.usedAt = performance.now()
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    thread.post({ name: 'query', payload: job, transfer: [], resolve, reject })
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `ReplicaCalls` says of a query
      return (await promise) as PublicAnswer
    } catch (error) {
      throw error instanceof WorkerLost ? this.#failureOf(error) : error
    }
  }

  /** Ends the worker with its query; absent where building another replica takes long. */
  get end(): (() => void) | undefined {
    return this.buildMs > quickBuildMs ? undefined : () => this.drop()
  }

  drop(): void {
    this.#loseWorker(undefined)
  }

  /** Ends the worker and waits until it is gone. */
  async close(): Promise<void> {
    this.drop()
    await this.#terminated
  }

  #failureOf({ reason }: WorkerLost): Failure {
    const { queryMs } = this.#settings
    if (reason === 'timeout') {
      return new Failure('time-limit', `A query may run ${queryMs} ms (sparqlMs).`)
    }
    if (reason !== 'crashed') return replicaLost()
    const maxMegabytes = Math.floor(this.#bytes / 2 ** 20)
    const detail = `A query may use ${maxMegabytes} MB together with the data (sparqlMemoryBytes).`
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
          if (event === 'fragmented') this.needsCompaction = true
          else this.isReady = true
          this.usedAt = performance.now()
          ready.resolve()
          this.#checkFragmented()
        },
      },
      (thread, cause) => {
        if (!cause) this.#checkFragmented()
        else if (thread === this.#thread) this.#loseWorker(cause, cause.reason === 'closed')
      },
    )
  }

  #terminate(thread: Thread): void {
    this.#terminated = Promise.all([this.#terminated, thread.terminate()])
  }

  #checkFragmented(): void {
    if (this.needsCompaction && !this.isBusy) this.#events.fragmented()
  }

  #loseWorker(error: unknown, isDropped = false): void {
    const [thread, ready] = [this.#thread, this.#ready]
    if (!ready) return
    this.#thread = undefined
    this.#ready = undefined
    this.isReady = false
    this.needsCompaction = false
    if (error !== undefined && !isDropped) this.#settings.log.warn({ error }, 'replica.lost')
    if (thread) this.#terminate(thread)
    ready.reject(error ?? replicaLost())
    this.#events.lost(isDropped)
  }
}

/** Milliseconds until a replica that could not be built is tried again. */
const retryMs = 5000
/** Milliseconds of building for each triple, as long as none was built. */
const buildMsOfQuad = 0.006

const doesNotFit = 'The public copy of the data does not fit into its memory (sparqlMemoryBytes).'

/** Milliseconds of building below which a replica may be ended in favour of another query. */
const quickBuildMs = 5000

/** Builds replicas and keeps them up to date. */
export class Replicas {
  readonly #settings: ReplicasSettings
  #replicas: Replica[]
  /** Number of replicas that are kept ready: 0 as long as there are no queries. */
  #wanted = 0
  #isBuilding = false
  #isClosed = false
  /** Timer of the next attempt. */
  #retry: NodeJS.Timeout | undefined
  /** Resolves when the workers of idle replicas are gone. */
  #ended: Promise<unknown> = Promise.resolve()
  /** When the replica that is being built is expected to be ready, in milliseconds of `performance.now()`. */
  #expectedAt = 0
  #msOfQuad = buildMsOfQuad
  /** Reason why the last replica could not be built. */
  #fault: 'memory' | 'other' | undefined
  /** Sentence about the memory that the next replica needs, where it is not left. */
  #shortage: string | undefined

  constructor(settings: ReplicasSettings) {
    this.#settings = settings
    this.#replicas = Array.from({ length: settings.maxCopies }, () => this.#createReplica())
  }

  get lanes(): readonly QueryRunner[] {
    return this.#replicas
  }

  get state(): 'absent' | 'building' | 'ready' {
    if (this.#ready().length > 0) return 'ready'
    return this.#isBuilding ? 'building' : 'absent'
  }

  /** Builds the first replica, or a further one when all are busy (`isShort`); from then on also those that get lost. */
  request(isShort = false): void {
    const wanted = isShort ? this.#ready().length + 1 : 1
    if (this.#wanted >= wanted && this.#isBuilding) return
    this.#wanted = Math.max(this.#wanted, Math.min(wanted, this.#replicas.length))
    if (!this.#retry || this.#fault === undefined) this.#start()
  }

  /** Ends replicas that had no query for `idleMs`, and those that no longer fit beside data that have grown. */
  async endIdle(): Promise<void> {
    if (this.#ready().length === 0) return
    const { idleMs, quads, maxCopies, log } = this.#settings
    const most = affordableCopies(await quads(), maxCopies)
    if (this.#isBuilding || this.#isClosed) return
    const until = performance.now() - idleMs
    const isIdle = (replica: Replica, index: number) =>
      !replica.isBusy && (replica.usedAt <= until || index >= most)
    const idle = this.#ready().filter(isIdle)
    this.#wanted = this.#ready().length - idle.length
    for (const replica of idle) {
      // The queue knows whose query a lane ran last; the lane that takes its place ran none.
      this.#replicas[this.#replicas.indexOf(replica)] = this.#createReplica()
      this.#ended = Promise.all([this.#ended, replica.close()])
    }
    if (idle.length > 0) log.debug({ count: idle.length }, 'replica.idle')
  }

  /** Failure for a query while no replica is ready. */
  unavailable(): Failure {
    const tooLarge = this.#fault === 'memory' ? doesNotFit : undefined
    const detail = this.#shortage ?? tooLarge
    if (detail !== undefined) return new Failure('store-unavailable', detail, { retryAfter: 60 })
    const seconds = Math.ceil((this.#expectedAt - performance.now()) / 1000)
    return new Failure('store-unavailable', 'The public copy is being built.', {
      retryAfter: Math.max(1, seconds),
    })
  }

  /** Ends all replicas, with their queries, when the process is about to exceed its memory, which would kill it. */
  checkMemory(): void {
    const memory = this.#settings.memory()
    if (!isMemoryShort(memory) || this.state === 'absent') return
    this.#wanted = 0
    this.#settings.log.warn(memory, 'replica.memory-short')
    this.end()
  }

  /** Ends all replicas after the loss of the writer, without whose feed they would become stale. */
  end(): void {
    for (const replica of this.#replicas) replica.drop()
  }

  /** Ends all replicas and waits until their workers are gone: Node may neither exit nor abort cleanly beside a thread that is ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#retry)
    await Promise.all([this.#ended, ...this.#replicas.map((replica) => replica.close())])
  }

  #ready(): Replica[] {
    return this.#replicas.filter(({ isReady }) => isReady)
  }

  #createReplica(): Replica {
    return new Replica(this.#settings, {
      fragmented: () => this.#rebuildFragmented(),
      lost: (isDropped) => {
        // It fell behind a large import, as others would: it is built again later, or at the next query.
        if (isDropped) this.#retryLater()
        else if (!this.#retry) this.#start()
        this.#settings.onChange()
      },
    })
  }

  #start(): void {
    this.#build().catch((error: unknown) => this.#settings.log.warn({ error }, 'replica.failed'))
  }

  /** Builds missing replicas one at a time, because each uses a core. */
  async #build(): Promise<void> {
    if (this.#isBuilding || this.#isClosed) return
    const { log, maxCopies, quads } = this.#settings
    this.#isBuilding = true
    try {
      while (this.#ready().length < this.#wanted) {
        const count = await quads()
        this.#adjustCount(affordableCopies(count, maxCopies))
        this.#wanted = Math.min(this.#wanted, this.#replicas.length)
        const replica = this.#replicas.find(({ isReady }) => !isReady)
        if (!replica || this.#isClosed) break
        const bytes = this.#bytesFor(count)
        if (bytes === undefined) break
        const startedAt = performance.now()
        reportNumber('cartulary_sparql_replica_builds_total')
        this.#expectedAt = startedAt + count * this.#msOfQuad
        await replica.build(bytes)
        replica.buildMs = performance.now() - startedAt
        if (count > 10_000) this.#msOfQuad = replica.buildMs / count
        this.#fault = undefined
        this.#settings.onChange()
      }
    } catch (error) {
      this.#fault = error instanceof Error && storeFullOf(error.cause) ? 'memory' : 'other'
      this.#retryLater()
      if (!this.#isClosed) log.warn({ error }, 'replica.failed')
    } finally {
      this.#isBuilding = false
    }
    this.#rebuildFragmented()
  }

  /** Maximum bytes of a replica; `undefined` where it does not fit beside what the process has. The next query tries again. */
  #bytesFor(quads: number): number | undefined {
    const { configuredBytes, memory, log } = this.#settings
    const found = bytesForCopy({ quads, configuredBytes, memory: memory() })
    if ('bytes' in found) {
      this.#shortage = undefined
      return found.bytes
    }
    this.#wanted = this.#ready().length
    if (this.#wanted > 0) return undefined
    if (this.#shortage === undefined) log.warn(found, 'replica.too-large')
    const { neededMb, leftMb } = found
    this.#shortage = `A public copy of the data needs about ${neededMb} MB of memory, and ${leftMb} MB are left to this process.`
    return undefined
  }

  /** Drops a fragmented replica, which is then built again; where there may be several, only while another is ready. */
  #rebuildFragmented(): void {
    const ready = this.#ready()
    const replica = ready.find(({ needsCompaction, isBusy }) => needsCompaction && !isBusy)
    if (!replica) return
    if (ready.length === 1 && this.#replicas.length > 1) return this.request(true)
    this.#settings.log.info('replica.renewed')
    replica.drop()
  }

  #retryLater(): void {
    clearTimeout(this.#retry)
    const retry = () => {
      this.#retry = undefined
      this.#start()
    }
    this.#retry = setTimeout(retry, retryMs).unref()
  }

  /** Adjusts the number of replicas; ready ones are kept. */
  #adjustCount(count: number): void {
    while (this.#replicas.length < count) this.#replicas.push(this.#createReplica())
    while (this.#replicas.length > count && this.#replicas.at(-1)?.isReady === false) {
      this.#replicas.pop()
    }
  }
}
