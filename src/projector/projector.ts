/** Brings the index up with the store: takes pending marks in batches, writes documents, then removes the marks it has done. */

import { setImmediate } from 'node:timers/promises'
import type { Log } from '../log.ts'
import type { GraphStore } from '../store/graph-store.ts'
import { isAway, type Attempt, type Gather } from './loop/attempt.ts'
import { Flight } from './loop/flight.ts'
import { readMarks } from './loop/marks.ts'
import { queue, type Pending, type Queue } from './loop/queue.ts'
import type { Landed, Mark } from '../store/marks.ts'
import { waiters } from './loop/waiters.ts'

export type ProjectorDeps = {
  readonly store: GraphStore
  readonly log: Log
  /** Builds the documents of a batch, to be written to the index as one. */
  readonly gather: Gather
  /** Resolves after so many milliseconds, or when the signal fires. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
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
/** The same while the search engine is away: a try costs little then, and those who write are told nothing until one succeeds. */
const awayPause = 1000
/** Milliseconds until what nobody wrote is tried again. */
const againPause = 5000
/** Writes that may wait while many more come: with what is on its way, they are still projected from memory. */
const behind = 700
/** Milliseconds in which others may come along, where nobody waits until it is searchable. */
const company = 150

/** The loop between store and index. A crash anywhere leaves marks in the store, and the next `start` finishes them. */
export class Projector {
  readonly #deps: ProjectorDeps
  readonly #waiting: Queue
  readonly #settled = waiters()
  readonly #stopping = new AbortController()
  #overflow = false
  /** The last batch found no search engine. */
  #isAway = false
  #putOff = 0
  readonly #flight: Flight
  /** What went wrong with a batch, until the loop hears of it. */
  #setback: { readonly error: unknown } | undefined
  #retryMs = firstPause
  #wake = Promise.withResolvers<void>()
  /** Ends the wait for company. */
  #hurry = new AbortController()
  #idlers = 0
  #quiet = Promise.withResolvers<void>()
  #running: Promise<void> = Promise.resolve()

  constructor(deps: ProjectorDeps) {
    this.#deps = deps
    this.#waiting = queue(deps.capacity, deps.isFirst)
    this.#flight = new Flight({
      ...deps,
      signal: this.#stopping.signal,
      tried: (attempt) => this.#tried(attempt),
      kept: (done, error) => void this.#later(done, error),
      less: () => this.#wake.resolve(),
    })
  }

  /** Resources that wait or are being projected. */
  get pending(): number {
    return this.#waiting.size + this.#flight.size + this.#putOff
  }

  /** Whether so much waits that what comes on top has to be read back from the store. */
  get lags(): boolean {
    return !this.#isAway && this.#waiting.written >= behind
  }

  /** Takes marks that stand in the store. */
  changed(marks: readonly Landed[]): void {
    for (const mark of marks) if (!this.#waiting.add(mark)) this.#overflow = true
    if (this.#waiting.size >= this.#deps.batch) this.#hurry.abort()
    this.#wake.resolve()
  }

  /** Looks for marks in the store: a write failed and may have landed all the same. */
  recheck(): void {
    this.#overflow = true
    this.#wake.resolve()
  }

  /** Whether the index may not have the present state of a resource yet. */
  awaits(resource: string): boolean {
    return this.#waiting.has(resource) || this.#flight.has(resource)
  }

  /** Projects a resource that nobody wrote again; resolves when it is indexed, `undefined` = there is no room now. */
  again(resource: string): Promise<void> | undefined {
    return this.#again(resource, false)
  }

  /** As `again`, but only for indices that are being filled and do not have the resource. */
  fill(resource: string): Promise<void> | undefined {
    return this.#again(resource, true)
  }

  /** Resolves true when the version is searchable, false when the signal fires first or the search engine is away. */
  settled(mark: Mark, signal: AbortSignal): Promise<boolean> {
    if (this.#isAway) return Promise.resolve(false)
    this.#hurry.abort()
    return this.#settled.wait(mark.resource, mark.version, signal)
  }

  /** Reads the marks that an earlier process left, then works until `stop`. */
  async start(): Promise<void> {
    const left = await this.#refill()
    if (left > 0) this.#deps.log.info({ marks: left }, 'projection.resumed')
    this.#running = this.#work()
  }

  /** Resolves when nothing waits; rejects with the signal's reason when it fires first. */
  async idle(signal: AbortSignal): Promise<void> {
    const aborted = Promise.withResolvers<never>()
    const abort = () => aborted.reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    this.#idlers += 1
    this.#hurry.abort()
    try {
      while (this.pending > 0 || this.#overflow)
        await Promise.race([this.#quiet.promise, aborted.promise])
    } finally {
      this.#idlers -= 1
      signal.removeEventListener('abort', abort)
    }
  }

  /** Ends the loop; what is not done stays marked in the store. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#hurry.abort()
    this.#wake.resolve()
    await this.#running
    await this.#flight.ended()
  }

  #again(resource: string, filling: boolean): Promise<void> | undefined {
    const { promise, resolve } = Promise.withResolvers<void>()
    if (!this.#waiting.again({ resource, filling, told: resolve })) return undefined
    if (this.#waiting.size >= this.#deps.batch) this.#hurry.abort()
    this.#wake.resolve()
    return promise
  }

  async #work(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#gather()
        if (this.#stopping.signal.aborted) return
        if (!(await this.#step())) await this.#rest()
      } catch (error) {
        if (this.#stopping.signal.aborted) return
        const retryInMs = this.#retryMs
        this.#deps.log.error({ err: error, waiting: this.pending, retryInMs }, 'projection.failed')
        await this.#deps.pause(retryInMs, this.#stopping.signal)
        this.#retryMs = Math.min(retryInMs * 2, this.#isAway ? awayPause : lastPause)
      }
    }
  }

  /** Takes as many marks from the store as memory holds; a full page may not have been the last. */
  async #refill(): Promise<number> {
    const { store, capacity } = this.#deps
    const marks = await readMarks(store, capacity, this.#stopping.signal)
    this.#overflow = marks.length >= capacity
    this.changed(marks)
    return marks.length
  }

  /**
   * A batch costs about the same for one resource as for ten: a transaction of the index, a look-up and a write of the store.
   * What nobody waits for gives others a moment to come along, and what is not a whole batch until the one before is done.
   */
  async #gather(): Promise<void> {
    const { batch, pause } = this.#deps
    if (this.#waiting.size > 0 && this.#waiting.size < batch) await this.#flight.ended()
    this.#check()
    const { size } = this.#waiting
    const isAwaited = this.#settled.size > 0 || this.#idlers > 0
    if (size === 0 || size >= batch || isAwaited || this.#isAway) return
    this.#hurry = new AbortController()
    await pause(company, this.#hurry.signal)
  }

  /** Makes one batch ready and gives it to the index; false when there was none. */
  async #step(): Promise<boolean> {
    const { batch, isFirst } = this.#deps
    if (this.#waiting.written === 0 && this.#overflow) {
      // Marks that are about to go would be read again.
      await this.#flight.ended()
      await this.#refill()
    }
    const taken = this.#waiting.take(batch)
    if (taken.length === 0) return false
    // Beside what others embed nothing is made ready: it could be built from what was.
    const isAlone = taken.some(({ resource }) => isFirst(resource))
    await this.#flight.take(taken, isAlone)
    return true
  }

  #tried({ done, failed, error }: Attempt): void {
    this.#isAway = isAway(error)
    // Nobody can tell when it will be back: who waits need not know more than that.
    if (this.#isAway) this.#settled.giveUp()
    const written = failed.filter(({ marked }) => marked.length > 0)
    const others = failed.filter(({ marked }) => marked.length === 0)
    if (others.length > 0) void this.#later(others, error)
    this.#waiting.restore(written)
    if (written.length > 0) this.#setback = { error }
    else this.#retryMs = firstPause
    this.#settled.done(done)
    for (const { told } of done) for (const tell of told ?? []) tell()
  }

  /** Throws what went wrong with a batch. */
  #check(): void {
    const setback = this.#setback
    this.#setback = undefined
    if (setback) throw setback.error
  }

  /** Tries again after a while what keeps nobody waiting. */
  async #later(failed: readonly Pending[], error: unknown): Promise<void> {
    const { log, pause } = this.#deps
    log.error({ err: error, resources: failed.length, retryInMs: againPause }, 'projection.putOff')
    this.#putOff += failed.length
    await pause(againPause, this.#stopping.signal)
    this.#putOff -= failed.length
    this.#waiting.restore(failed)
    this.#wake.resolve()
  }

  async #rest(): Promise<void> {
    const isQuiet = this.pending === 0
    if (isQuiet) this.#quiet.resolve()
    await this.#wake.promise
    this.#wake = Promise.withResolvers<void>()
    if (isQuiet) this.#quiet = Promise.withResolvers<void>()
    // The answer to whoever wrote goes out first: it is under way in this turn.
    await setImmediate()
  }
}
