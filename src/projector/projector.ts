/**
 * Projection loop between store and index. A write commits its marks to the store in the same transaction; the loop takes marks
 * in batches, writes their documents to the index, and then removes the marks. After a crash the marks are still in the store,
 * and the next start continues with them.
 *
 *     changed, projectAgain, fill ──► queue ──► gather ──► write to the index ──► remove the marks
 *                                       ▲         │                 │                    │
 *     recheck ──► read marks ───────────┘         └─ one batch at a time in each step; ──┘
 *                                       ▲            steps of two batches overlap
 *                                       └── failed batches, after a pause
 *
 * Batches are indexed in the order in which they were taken. A batch with a resource that others embed (catalogues, vocabularies)
 * is gathered and indexed while no other batch is in progress.
 */

import { setImmediate } from 'node:timers/promises'
import { Failure } from '../errors.ts'
import type { Log } from '../log.ts'
import type { GraphStore } from '../store/graph-store.ts'
import type { CommittedMark, Mark } from '../store/marks.ts'
import { askedPauseMs, type BackgroundLoop, backgroundLoop } from '../workers/background-loop.ts'
import { conditionVariable } from '../workers/condition.ts'
import {
  clearMarks,
  marksOf,
  newestOf,
  type PendingResource,
  ProjectionQueue,
  readMarks,
  IndexWaiters,
} from './queue.ts'
import { reportNumber, reportSeconds } from '../workers/numbers.ts'
import type { Pause } from '../workers/pause.ts'

/** Writes a gathered batch to the index. */
export type IndexWrite = () => Promise<void>

type ProjectorContext = {
  readonly store: GraphStore
  readonly log: Log
  /** Builds the documents of a batch, to be written to the index together. */
  readonly gather: (batch: readonly PendingResource[], signal: AbortSignal) => Promise<IndexWrite>
  /** Resolves after some milliseconds; rejects when the signal fires. */
  readonly pause: Pause
  /** Largest version whose mark was cleared before. */
  readonly indexedVersion?: number
  /** Resources per batch. */
  readonly batchSize: number
  /** Maximum number of queued resources; the marks of others are read from the store later. */
  readonly capacity: number
  /** Tells whether other resources embed this one; it is taken from the queue before them. */
  readonly isEmbedded: (resource: string) => boolean
}

/** Milliseconds after a failed batch, doubled each time up to the maximum. */
const firstPause = 100
const lastPause = 10_000
/**
 * Maximum pause while the search engine is away, not overloaded: an attempt is cheap, and nothing becomes searchable until then.
 */
const engineDownPause = 1000
/** Milliseconds until failed reprojections, and indexed resources whose marks could not be removed, are queued again. */
const postponeMs = 5000
/**
 * Number of queued writes from which bulk writers are slowed down: `maxContents` of `queue.ts` less the 300 of one harvest batch,
 * so that graphs are still in memory when they are projected.
 */
const maxQueuedWrites = 700
/** Number of records at the start of a batch that, when all of them fail, make the rest fail without an attempt. */
const maxFailures = 3

/** Tells whether an error means that the search engine is unavailable. */
export const isEngineUnavailable = (error: unknown): boolean =>
  error instanceof Failure && error.kind === 'engine-unavailable'

/**
 * Projects marked resources into the index; one per process. Nothing is lost with it: the store has the marks of writes, and jobs
 * and fillings submit their reprojections again.
 */
export class Projector {
  readonly #deps: ProjectorContext
  readonly #queue: ProjectionQueue
  readonly #waiters = new IndexWaiters()
  readonly #stopping = new AbortController()
  /** Notified when work is added or done. */
  readonly #changed = conditionVariable()
  /** Batches that were taken from the queue and are not indexed yet. */
  readonly #inProgress = new Set<readonly PendingResource[]>()
  /** Resources that are indexed but still marked, or postponed. */
  #unfinished = 0
  /** Number of requests to read marks from the store, and how many of them were made before the last read. */
  #requestedReads = 0
  #answeredReads = 0
  #isEngineDown = false
  /** Failure of a batch that the loop has not handled yet. */
  #failure: { readonly error: unknown } | undefined
  /** Milliseconds of the pause after the next failure. */
  #retryMs = firstPause
  /** Largest version whose mark was removed, as the store records it. */
  #indexedVersion: number
  /** Resources that are indexed and whose marks the next removal takes away. */
  readonly #marked: PendingResource[] = []
  /** Indexing of the current batch, and removal of marks while there are any; neither promise rejects. */
  #indexing: Promise<void> = Promise.resolve()
  #clearing: Promise<void> | undefined
  #loop: BackgroundLoop | undefined

  constructor(deps: ProjectorContext) {
    this.#deps = deps
    this.#queue = new ProjectionQueue(deps.capacity, deps.isEmbedded)
    this.#indexedVersion = deps.indexedVersion ?? 0
  }

  /** Number of resources that are queued, being projected, postponed, or indexed but still marked. */
  get pending(): number {
    const inProgress = [...this.#inProgress].reduce((sum, { length }) => sum + length, 0)
    return this.#queue.size + inProgress + this.#unfinished
  }

  /** Smallest version of the writes that are queued or being projected; `undefined` without any. */
  get oldestVersion(): number | undefined {
    const versions = this.#inProgress
      .values()
      .flatMap((batch) => batch)
      .map(({ version }) => version)
    const oldest = [...versions, this.#queue.oldestVersion ?? 0].filter((version) => version > 0)
    return oldest.length === 0 ? undefined : Math.min(...oldest)
  }

  /**
   * True when bulk writers should wait, because soon no more graphs fit into memory and would have to be read from the store.
   * False while the search engine is unavailable.
   */
  get isBehind(): boolean {
    return !this.#isEngineDown && this.#queue.queuedWrites >= maxQueuedWrites
  }

  /** True when the store may have marks that the queue lacks. */
  get #hasMore(): boolean {
    return this.#requestedReads > this.#answeredReads
  }

  /** Adds marks that were committed to the store. */
  changed(marks: readonly CommittedMark[]): void {
    for (const mark of marks) if (!this.#queue.add(mark)) this.#requestedReads += 1
    this.#changed.notify()
  }

  /** Makes the loop look for marks in the store, after a failed write that may have been committed, or writes of others. */
  recheck(): void {
    this.#requestedReads += 1
    this.#changed.notify()
  }

  /**
   * Tells whether a write of the resource is queued, or the resource is being projected other than by `fill`. A queued
   * reprojection does not count, nor does a mark that only the store has.
   */
  isPending(resource: string): boolean {
    const isSameWrite = (pending: PendingResource) =>
      pending.resource === resource && !pending.onlyIfMissing
    return (
      this.#queue.has(resource) || [...this.#inProgress].some((batch) => batch.some(isSameWrite))
    )
  }

  /** Like `isPending`, but true for all resources while the store may have marks that are not in memory. */
  mayBePending(resource: string): boolean {
    return this.#hasMore || this.isPending(resource)
  }

  /**
   * Projects a resource again without a write; resolves when it is indexed, `undefined` when the queue is full. `onlyIfMissing`
   * is that of `PendingResource`.
   */
  projectAgain(resource: string, onlyIfMissing = false): Promise<void> | undefined {
    const { promise, resolve } = Promise.withResolvers<void>()
    if (!this.#queue.addReprojection({ resource, onlyIfMissing, callback: resolve }))
      return undefined
    this.#changed.notify()
    return promise
  }

  /** Projects a resource into the indices that are being filled and lack it; otherwise like `projectAgain`. */
  fill(resource: string): Promise<void> | undefined {
    return this.projectAgain(resource, true)
  }

  /**
   * Resolves true when the version is searchable, false when the signal fires first or the search engine is or becomes
   * unavailable.
   */
  waitUntilIndexed(mark: Mark, signal: AbortSignal): Promise<boolean> {
    return this.#isEngineDown ? Promise.resolve(false) : this.#waiters.wait(mark, signal)
  }

  /** Reads the marks of an earlier process, then starts the loop, which works until `stop`. */
  async start(): Promise<void> {
    await this.#refill()
    if (this.pending > 0) this.#deps.log.info({ marks: this.pending }, 'projection.resumed')
    const { log, pause } = this.#deps
    this.#loop = backgroundLoop('projection.failed', 0, () => this.#round(), { log, pause })
  }

  /** Resolves when nothing is pending; rejects with the reason of the signal. */
  async idle(signal: AbortSignal): Promise<void> {
    while (this.pending > 0 || this.#hasMore) await this.#changed.next(signal)
  }

  /** Stops the loop; unfinished resources stay marked in the store. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#changed.notify()
    await this.#loop?.stop()
    await this.#waitForBatches()
  }

  /** Projects one batch when one is due; returns the milliseconds until the next round. */
  async #round(): Promise<number> {
    const { signal } = this.#stopping
    try {
      await this.#waitUntilDue()
      if (!signal.aborted) await this.#processBatch()
    } catch (error) {
      if (!signal.aborted) return this.#pauseAfter(error)
    }
    return 0
  }

  /** Logs the failure of a batch; returns the milliseconds of the pause after it. */
  #pauseAfter(error: unknown): number {
    const askedMs = askedPauseMs(error)
    const retryInMs = Math.max(this.#retryMs, askedMs ?? 0)
    this.#deps.log.error({ err: error, waiting: this.pending, retryInMs }, 'projection.failed')
    const longest = this.#isEngineDown && askedMs === undefined ? engineDownPause : lastPause
    this.#retryMs = Math.min(this.#retryMs * 2, longest)
    return retryInMs
  }

  /**
   * Resolves when a batch should be taken; throws the failure of an earlier one. A batch costs about the same for one resource as
   * for ten, so one that is not full grows until the batch before ends.
   */
  async #waitUntilDue(): Promise<void> {
    const { signal } = this.#stopping
    while (this.#queue.size === 0 && !this.#hasMore && !this.#failure && !signal.aborted) {
      await this.#changed.next()
      // The response to the writer is sent first: it is ready in this turn of the event loop.
      await setImmediate()
    }
    if (this.#queue.size < this.#deps.batchSize) await this.#indexing
    const failure = this.#failure
    this.#failure = undefined
    if (failure) throw failure.error
  }

  /** Gathers one batch, and starts to index it when the one before is indexed. */
  async #processBatch(): Promise<void> {
    const { batchSize, gather, isEmbedded } = this.#deps
    if (this.#queue.queuedWrites === 0 && this.#hasMore) {
      // Marks that are being removed would be read again.
      await this.#waitForBatches()
      await this.#refill()
    }
    const batch = this.#queue.takeBatch(batchSize)
    if (batch.length === 0) return this.#changed.notify()
    this.#inProgress.add(batch)
    // A batch with embedded resources is gathered alone: others would be built from their old state.
    const isAlone = batch.some(({ resource }) => isEmbedded(resource))
    if (isAlone) await this.#indexing
    // A failure here is repeated when the batch is written, where its records are tried one by one.
    const write = await gather(batch, this.#stopping.signal).catch(
      (error: unknown) => () => Promise.reject(error),
    )
    await this.#indexing
    this.#indexing = this.#index(batch, write)
    if (isAlone) await this.#indexing
  }

  /** Reads as many marks from the store as memory holds; after a full page there may be more. */
  async #refill(): Promise<void> {
    const { store, capacity } = this.#deps
    // A request that comes during this read may be about a mark that is written after it.
    const requestedReads = this.#requestedReads
    const marks = await readMarks(store, capacity, this.#stopping.signal)
    this.#answeredReads = requestedReads
    if (marks.length >= capacity) this.#requestedReads += 1
    this.changed(marks)
  }

  /** Resolves when every taken batch is indexed and its marks are removed, or that failed. */
  async #waitForBatches(): Promise<void> {
    await this.#indexing
    await this.#clearing
  }

  /** Indexes a batch and resolves its waiters; its marks are removed later, together with those of other batches. */
  async #index(indexedBatch: readonly PendingResource[], write: IndexWrite): Promise<void> {
    const attempt = await reportSeconds('cartulary_index_batch_duration_seconds', [], () =>
      this.#attempt(indexedBatch, write),
    )
    reportNumber('cartulary_index_projected_total', ['indexed'], attempt.indexed.length)
    reportNumber('cartulary_index_projected_total', ['failed'], attempt.failed.length)
    // Waiters first: a mark that is removed late costs one more projection after a crash, but loses nothing.
    this.#settle(attempt)
    const withMarks = attempt.indexed.filter((pending) => pending.markedVersions.length > 0)
    this.#unfinished += withMarks.length
    this.#inProgress.delete(indexedBatch)
    this.#changed.notify()
    this.#marked.push(...withMarks.map(marksOf))
    if (this.#marked.length > 0) this.#clearing ??= this.#clearAll()
  }

  /**
   * Writes a batch as a whole; after a failure one by one, so that a faulty record does not block the others. An unavailable
   * engine fails the whole batch.
   */
  async #attempt(batch: readonly PendingResource[], write: IndexWrite): Promise<Attempt> {
    try {
      await write()
      return { indexed: batch, failed: [], error: undefined }
    } catch (error) {
      const isCommonFailure = batch.length === 1 || isEngineUnavailable(error)
      return isCommonFailure ? { indexed: [], failed: batch, error } : this.#attemptEach(batch)
    }
  }

  async #attemptEach(batch: readonly PendingResource[]): Promise<Attempt> {
    const indexed: PendingResource[] = []
    let error: unknown
    for (const [position, pending] of batch.entries()) {
      // When the first few all fail, the records are not the cause.
      if (indexed.length === 0 && position >= maxFailures) break
      try {
        const write = await this.#deps.gather([pending], this.#stopping.signal)
        await write()
        indexed.push(pending)
      } catch (failure) {
        error = failure
      }
    }
    return { indexed, failed: batch.filter((pending) => !indexed.includes(pending)), error }
  }

  #settle({ indexed, failed, error }: Attempt): void {
    this.#isEngineDown = isEngineUnavailable(error)
    // The time of its return is unknown, so waiters get their answer now.
    if (this.#isEngineDown) this.#waiters.resolveWithFalse()
    const writes = failed.filter(({ markedVersions }) => markedVersions.length > 0)
    const reprojections = failed.filter(({ markedVersions }) => markedVersions.length === 0)
    if (reprojections.length > 0) this.#postpone(reprojections, error)
    this.#queue.restore(writes)
    if (writes.length > 0) this.#failure = { error }
    else this.#retryMs = firstPause
    this.#waiters.resolveIndexed(indexed)
    for (const { callbacks = [] } of indexed) for (const call of callbacks) call()
  }

  /** Removes marks until none is left; those of batches that are indexed meanwhile go together. */
  async #clearAll(): Promise<void> {
    while (this.#marked.length > 0) await this.#clear(this.#marked.splice(0))
    this.#clearing = undefined
  }

  async #clear(done: readonly PendingResource[]): Promise<void> {
    const previousVersion = this.#indexedVersion
    const indexedVersion = Math.max(previousVersion, newestOf(done))
    try {
      await this.#deps.store.write([clearMarks(done, { indexedVersion, previousVersion })])
      this.#indexedVersion = indexedVersion
    } catch (error) {
      this.#postpone(done, error)
    }
    this.#unfinished -= done.length
    this.#changed.notify()
  }

  /** Queues resources again after a pause. */
  #postpone(failed: readonly PendingResource[], error: unknown): void {
    const { log, pause } = this.#deps
    const { aborted: isStopping } = this.#stopping.signal
    const retryInMs = Math.max(postponeMs, askedPauseMs(error) ?? 0)
    const facts = { err: error, resources: failed.length, retryInMs }
    if (!isStopping) log.error(facts, 'projection.postponed')
    this.#unfinished += failed.length
    const restore = () => {
      this.#unfinished -= failed.length
      this.#queue.restore(failed)
      this.#changed.notify()
    }
    pause(retryInMs, this.#stopping.signal).then(restore, restore)
  }
}

type Attempt = {
  readonly indexed: readonly PendingResource[]
  readonly failed: readonly PendingResource[]
  /** Error of the last failure; `undefined` without one. */
  readonly error: unknown
}
