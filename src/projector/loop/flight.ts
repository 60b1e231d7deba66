/** Batches on their way into the index. */

import type { GraphStore } from '../../store/graph-store.ts'
import { attempted, type Attempt, type Gather, type Write } from './attempt.ts'
import { clearing } from './marks.ts'
import type { Pending } from './queue.ts'

export type FlightDeps = {
  readonly store: Pick<GraphStore, 'write'>
  readonly gather: Gather
  /** The largest version whose mark was cleared before. */
  readonly indexed?: number
  /** Ends what is on its way. */
  readonly signal: AbortSignal
  /** Told what became of each batch when the index has tried to take it in. */
  readonly tried: (attempt: Attempt) => void
  /** Told of what is indexed and stays marked, because the store could not be written. */
  readonly kept: (done: readonly Pending[], error: unknown) => void
  /** Told whenever less is on its way. */
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
