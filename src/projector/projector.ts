/** Brings the index up with the store: takes pending marks in batches, writes documents, then removes the marks it has done. */

import { setImmediate } from 'node:timers/promises'
import { Failure } from '../errors.ts'
import type { Log } from '../log.ts'
import type { GraphStore } from '../store/graph-store.ts'
import type { Landed, Mark } from '../store/marks.ts'
import { type Pending, queue, type Queue, waiters } from './queue.ts'
import { clearing, readMarks } from './marks.ts'

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

type FlightDeps = {
  readonly store: Pick<GraphStore, 'write'>
  readonly gather: Gather
  /** The largest version whose mark was cleared before. */
  readonly indexed?: number
  readonly signal: AbortSignal
  readonly tried: (attempt: Attempt) => void
  readonly kept: (done: readonly Pending[], error: unknown) => void
  readonly less: () => void
}

/**
 * While the index takes one batch in and the store forgets the marks of the last, the next is made ready: where index and
 * store are threads or servers of their own, two of the three would wait otherwise. Batches are indexed in the order in which
 * they were taken, each after the one before has ended.
 */
export class Flight {
  readonly #deps: FlightDeps
  /** What was taken and is not indexed yet. */
  readonly #busy = new Set<readonly Pending[]>()
  #uncleared = 0
  #indexed: number
  /** The batch that is being indexed, and the marks that are being removed; neither ever rejects. */
  #landing: Promise<void> = Promise.resolve()
  #clearing: Promise<void> = Promise.resolve()

  constructor(deps: FlightDeps) {
    this.#deps = deps
    this.#indexed = deps.indexed ?? 0
  }

  /** Resources that are not indexed yet or stand marked. */
  get size(): number {
    return [...this.#busy].reduce((sum, { length }) => sum + length, this.#uncleared)
  }

  /** Whether a write of the resource is not indexed yet. */
  has(resource: string): boolean {
    const isOf = (one: Pending) => one.resource === resource && !one.filling
    return [...this.#busy].some((batch) => batch.some(isOf))
  }

  /** Resolves when the batch is made ready and the index has begun with it; when it goes alone, when that has ended. */
  async take(batch: readonly Pending[], isAlone: boolean): Promise<void> {
    this.#busy.add(batch)
    if (isAlone) await this.#landing
    const write = await this.#gathered(batch)
    await this.#landing
    this.#landing = this.#land(batch, write)
    if (isAlone) await this.#landing
  }

  /** Resolves when everything that was taken is indexed and no longer marked, or when that went wrong. */
  async ended(): Promise<void> {
    await this.#landing
    await this.#clearing
  }

  /** What fails here fails again where the batch is written, and there its records are tried one by one. */
  async #gathered(batch: readonly Pending[]): Promise<Write> {
    try {
      return await this.#deps.gather(batch, this.#deps.signal)
    } catch (error) {
      return () => Promise.reject(error)
    }
  }

  async #land(batch: readonly Pending[], write: Write): Promise<void> {
    const { gather, signal, tried, less } = this.#deps
    const attempt = await attempted(batch, write, async (one) => {
      const again = await gather([one], signal)
      await again()
    })
    // Waiters first: a mark that is cleared late costs one more projection after a crash, never a lost one.
    tried(attempt)
    const marked = attempt.done.filter((one) => one.marked.length > 0)
    this.#uncleared += marked.length
    this.#busy.delete(batch)
    less()
    await this.#clearing
    if (marked.length > 0) this.#clearing = this.#clear(marked)
  }

  async #clear(done: readonly Pending[]): Promise<void> {
    const { store, kept, less } = this.#deps
    try {
      const before = this.#indexed
      const indexed = Math.max(before, ...done.flatMap(({ marked }) => marked))
      await store.write([clearing(done, { indexed, before })])
      this.#indexed = indexed
    } catch (error) {
      kept(done, error)
    }
    this.#uncleared -= done.length
    less()
  }
}

export type Attempt = {
  readonly done: readonly Pending[]
  readonly failed: readonly Pending[]
  /** Of the last failure. */
  readonly error: unknown
}

/** Builds what resources become in the index; the answer writes it there. */
type Gather = (batch: readonly Pending[], signal: AbortSignal) => Promise<Write>
export type Write = () => Promise<void>

/** Records that fail one after the other before the rest of a batch is left for later. */
const enough = 3

/** Whether the search engine cannot be reached, whatever the records are. */
export const isAway = (error: unknown): boolean =>
  error instanceof Failure && error.kind === 'engine-unavailable'

/** A batch as a whole; when that fails one by one, so that one bad record does not hold up its neighbours. */
async function attempted(
  taken: readonly Pending[],
  write: Write,
  again: (one: Pending) => Promise<void>,
): Promise<Attempt> {
  try {
    await write()
    return { done: taken, failed: [], error: undefined }
  } catch (whole) {
    const done: Pending[] = []
    const failed: Pending[] = []
    let error = whole
    for (const one of taken.length > 1 && !isAway(whole) ? taken : []) {
      // When the first few all fail it is not the records.
      if (done.length === 0 && failed.length >= enough) break
      try {
        await again(one)
        done.push(one)
      } catch (single) {
        failed.push(one)
        error = single
      }
    }
    return { done, failed: taken.filter((one) => !done.includes(one)), error }
  }
}
