/**
 * The loop between store and index. What was written is marked in the store in the same transaction; the marks are taken in
 * batches, their documents are written to the index, and then the marks are removed. A crash anywhere leaves marks, and the
 * next start finishes them.
 *
 *     changed, again, fill ──► queue ──► gather ──► write to the index ──► remove the marks
 *                                ▲         │                 │                    │
 *     recheck ──► read marks ────┘         └─ one batch after the other, each ────┘
 *                                ▲            step beside the next of another
 *                                └── restored: what failed, after a pause
 *
 * Where index and store are threads or servers of their own, two of the three would wait otherwise. Batches are indexed in the
 * order in which they were taken. Resources that others embed (catalogues, vocabularies) are gathered with nothing beside them.
 */

import { setImmediate } from 'node:timers/promises'
import { Failure } from '../errors.ts'
import type { Log } from '../log.ts'
import type { GraphStore } from '../store/graph-store.ts'
import type { CommittedMark, Mark } from '../store/marks.ts'
import { conditionVariable } from '../workers/condition.ts'
import {
  clearMarks,
  type PendingResource,
  ProjectionQueue,
  readMarks,
  IndexWaiters,
} from './queue.ts'
import type { Pause } from '../workers/pause.ts'

/** Writes what was gathered to the index. */
export type IndexWrite = () => Promise<void>

type ProjectorContext = {
  readonly store: GraphStore
  readonly log: Log
  /** Builds the documents of a batch, to be written to the index as one. */
  readonly gather: (batch: readonly PendingResource[], signal: AbortSignal) => Promise<IndexWrite>
  /** Resolves after so many milliseconds, or when the signal fires. */
  readonly pause: Pause
  /** The largest version whose mark was cleared before. */
  readonly indexed?: number
  /** Resources per batch. */
  readonly batch: number
  /** Resources kept in memory; what is beyond is read again from the store. */
  readonly capacity: number
  /** Resources that others embed: projected before them. */
  readonly isFirst: (resource: string) => boolean
}

/** Milliseconds after a failed batch, doubled each time up to the last. */
const firstPause = 100
const lastPause = 10_000
/** The last pause while the search engine is away: a try costs little then, and writers get no answer until one succeeds. */
const awayPause = 1000
/** Milliseconds until what nobody wrote is tried again. */
const againPause = 5000
/** Writes that may wait while many more come: with what is being indexed, they are still projected from memory. */
const maxWaiting = 700
/** Records that fail one after the other before the rest of a batch is left for later. */
const maxFailures = 3

/** Whether the search engine cannot be reached, whatever the records are. */
export const isEngineUnavailable = (error: unknown): boolean =>
  error instanceof Failure && error.kind === 'engine-unavailable'

/** One per process. What it is told of is in the store already: nothing is lost with it. */
export class Projector {
  readonly #deps: ProjectorContext
  readonly #queue: ProjectionQueue
  readonly #waiters = new IndexWaiters()
  readonly #stopping = new AbortController()
  /** Notified whenever there is more to do, or less. */
  readonly #changed = conditionVariable()
  /** Batches that are taken and not indexed yet. */
  readonly #taken = new Set<readonly PendingResource[]>()
  /** Resources that are indexed and still marked, or put off. */
  #unfinished = 0
  /** Whether the store may have marks that the queue does not have. */
  #hasMore = false
  #isAway = false
  /** Of a batch, until the loop sees it. */
  #failure: { readonly error: unknown } | undefined
  #retryMs = firstPause
  #indexed: number
  /** The batch that is being indexed, and the marks that are being removed; neither ever rejects. */
  #indexing: Promise<void> = Promise.resolve()
  #clearing: Promise<void> = Promise.resolve()
  #running: Promise<void> = Promise.resolve()

  constructor(deps: ProjectorContext) {
    this.#deps = deps
    this.#queue = new ProjectionQueue(deps.capacity, deps.isFirst)
    this.#indexed = deps.indexed ?? 0
  }

  /** Resources that wait or are being projected. */
  get pending(): number {
    const taken = [...this.#taken].reduce((sum, { length }) => sum + length, 0)
    return this.#queue.size + taken + this.#unfinished
  }

  /** Whether so much waits that what comes on top has to be read back from the store. */
  get isBehind(): boolean {
    return !this.#isAway && this.#queue.written >= maxWaiting
  }

  /** Takes marks that are in the store. */
  changed(marks: readonly CommittedMark[]): void {
    for (const mark of marks) if (!this.#queue.add(mark)) this.#hasMore = true
    this.#changed.notify()
  }

  /** Looks for marks in the store: a write failed and may have landed all the same. */
  recheck(): void {
    this.#hasMore = true
    this.#changed.notify()
  }

  /** Whether the index may not have the present state of a resource yet. */
  isPending(resource: string): boolean {
    const isOf = (one: PendingResource) => one.resource === resource && !one.filling
    return this.#queue.has(resource) || [...this.#taken].some((batch) => batch.some(isOf))
  }

  /** Projects a resource that nobody wrote again; resolves when it is indexed, `undefined` = there is no room now. */
  projectAgain(resource: string, filling = false): Promise<void> | undefined {
    const { promise, resolve } = Promise.withResolvers<void>()
    if (!this.#queue.addAgain({ resource, filling, callback: resolve })) return undefined
    this.#changed.notify()
    return promise
  }

  /** As `again`, but only for indices that are being filled and do not have the resource. */
  fill(resource: string): Promise<void> | undefined {
    return this.projectAgain(resource, true)
  }

  /** Resolves true when the version is searchable, false when the signal fires first or the search engine is away. */
  waitUntilIndexed(mark: Mark, signal: AbortSignal): Promise<boolean> {
    return this.#isAway ? Promise.resolve(false) : this.#waiters.wait(mark, signal)
  }

  /** Reads the marks that an earlier process left, then works until `stop`. */
  async start(): Promise<void> {
    await this.#refill()
    if (this.pending > 0) this.#deps.log.info({ marks: this.pending }, 'projection.resumed')
    this.#running = this.#work()
  }

  /** Resolves when nothing waits; rejects with the signal's reason when it fires first. */
  async idle(signal: AbortSignal): Promise<void> {
    while (this.pending > 0 || this.#hasMore) await this.#changed.next(signal)
  }

  /** Ends the loop; what is not done stays marked in the store. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#changed.notify()
    await this.#running
    await this.#ended()
  }

  async #work(): Promise<void> {
    const { log, pause } = this.#deps
    const { signal } = this.#stopping
    while (!signal.aborted) {
      try {
        await this.#untilDue()
        if (!signal.aborted) await this.#batch()
      } catch (error) {
        if (signal.aborted) return
        const retryInMs = this.#retryMs
        log.error({ err: error, waiting: this.pending, retryInMs }, 'projection.failed')
        await pause(retryInMs, signal).catch(() => undefined)
        this.#retryMs = Math.min(retryInMs * 2, this.#isAway ? awayPause : lastPause)
      }
    }
  }

  /**
   * Resolves when a batch should be taken; throws what went wrong with an earlier one. A batch costs about the same for one
   * resource as for ten: one that is not full grows until the batch before ends.
   */
  async #untilDue(): Promise<void> {
    const { signal } = this.#stopping
    while (this.#queue.size === 0 && !this.#hasMore && !this.#failure && !signal.aborted) {
      await this.#changed.next()
      // The response to whoever wrote is sent first: it is ready in this turn.
      await setImmediate()
    }
    if (this.#queue.size < this.#deps.batch) await this.#ended()
    const failure = this.#failure
    this.#failure = undefined
    if (failure) throw failure.error
  }

  /** Gathers one batch, and begins to index it when the one before is indexed. */
  async #batch(): Promise<void> {
    const { batch, gather, isFirst } = this.#deps
    if (this.#queue.written === 0 && this.#hasMore) {
      // Marks that are about to be removed would be read again.
      await this.#ended()
      await this.#refill()
    }
    const taken = this.#queue.take(batch)
    if (taken.length === 0) return this.#changed.notify()
    this.#taken.add(taken)
    // What is gathered beside something that it embeds could be built from the state before.
    const isAlone = taken.some(({ resource }) => isFirst(resource))
    if (isAlone) await this.#indexing
    // What fails here fails again where the batch is written, and there its records are tried one by one.
    const write = await gather(taken, this.#stopping.signal).catch(
      (error: unknown) => () => Promise.reject(error),
    )
    await this.#indexing
    this.#indexing = this.#index(taken, write)
    if (isAlone) await this.#indexing
  }

  /** Takes as many marks from the store as memory holds; a full page may not have been the last. */
  async #refill(): Promise<void> {
    const { store, capacity } = this.#deps
    const marks = await readMarks(store, capacity, this.#stopping.signal)
    this.#hasMore = marks.length >= capacity
    this.changed(marks)
  }

  /** Resolves when everything that was taken is indexed and no longer marked, or when that went wrong. */
  async #ended(): Promise<void> {
    await this.#indexing
    await this.#clearing
  }

  /** Indexes a batch and tells those who wait; removes its marks when those of the batch before are removed. */
  async #index(taken: readonly PendingResource[], write: IndexWrite): Promise<void> {
    const attempt = await this.#attempt(taken, write)
    // Waiters first: a mark that is removed late costs one more projection after a crash, never a lost one.
    this.#settle(attempt)
    const marked = attempt.done.filter((one) => one.marked.length > 0)
    this.#unfinished += marked.length
    this.#taken.delete(taken)
    this.#changed.notify()
    await this.#clearing
    if (marked.length > 0) this.#clearing = this.#clear(marked)
  }

  /** Writes a batch as a whole; when that fails one by one, so that one bad record does not hold up its neighbours. */
  async #attempt(taken: readonly PendingResource[], write: IndexWrite): Promise<Attempt> {
    try {
      await write()
      return { done: taken, failed: [], error: undefined }
    } catch (error) {
      const isWhole = taken.length === 1 || isEngineUnavailable(error)
      return isWhole ? { done: [], failed: taken, error } : this.#attemptEach(taken)
    }
  }

  async #attemptEach(taken: readonly PendingResource[]): Promise<Attempt> {
    const done: PendingResource[] = []
    let error: unknown
    for (const [at, one] of taken.entries()) {
      // When the first few all fail it is not the records.
      if (done.length === 0 && at >= maxFailures) break
      try {
        const write = await this.#deps.gather([one], this.#stopping.signal)
        await write()
        done.push(one)
      } catch (single) {
        error = single
      }
    }
    return { done, failed: taken.filter((one) => !done.includes(one)), error }
  }

  #settle({ done, failed, error }: Attempt): void {
    this.#isAway = isEngineUnavailable(error)
    // Nobody knows when it will be back: who waits needs no more than that.
    if (this.#isAway) this.#waiters.giveUp()
    const written = failed.filter(({ marked }) => marked.length > 0)
    const others = failed.filter(({ marked }) => marked.length === 0)
    if (others.length > 0) void this.#postpone(others, error)
    this.#queue.restore(written)
    if (written.length > 0) this.#failure = { error }
    else this.#retryMs = firstPause
    this.#waiters.done(done)
    for (const { callbacks = [] } of done) for (const call of callbacks) call()
  }

  async #clear(done: readonly PendingResource[]): Promise<void> {
    const before = this.#indexed
    const indexed = Math.max(before, ...done.flatMap(({ marked }) => marked))
    try {
      await this.#deps.store.write([clearMarks(done, { indexed, before })])
      this.#indexed = indexed
    } catch (error) {
      void this.#postpone(done, error)
    }
    this.#unfinished -= done.length
    this.#changed.notify()
  }

  /** Tries again after a while what keeps nobody waiting. */
  async #postpone(failed: readonly PendingResource[], error: unknown): Promise<void> {
    const { log, pause } = this.#deps
    log.error(
      { err: error, resources: failed.length, retryInMs: againPause },
      'projection.postponed',
    )
    this.#unfinished += failed.length
    await pause(againPause, this.#stopping.signal).catch(() => undefined)
    this.#unfinished -= failed.length
    this.#queue.restore(failed)
    this.#changed.notify()
  }
}

type Attempt = {
  readonly done: readonly PendingResource[]
  readonly failed: readonly PendingResource[]
  /** Of the last failure. */
  readonly error: unknown
}
