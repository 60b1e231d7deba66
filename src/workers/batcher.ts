/** Group commit for writes and lookups: items that are added while a flush runs are flushed together afterwards. */

import { conditionVariable, unlessAborted } from './condition.ts'
import type { Attempted } from './retry.ts'

type BatcherOptions<In, Out> = {
  /** Flushes items; resolves with an outcome for each, in their order. When it rejects, all items are rejected with its error. */
  readonly flush: (items: readonly In[]) => Promise<readonly Attempted<Out>[]>
  /** Maximum number of items per flush; unlimited by default. */
  readonly mostItems?: number
  /** Maximum weight per flush, unlimited by default; a heavier item is flushed alone. */
  readonly mostWeight?: number
  /** Returns the weight of an item; 0 by default. */
  readonly weightOf?: (item: In) => number
  /** Maximum number of concurrent flushes; 1 by default. */
  readonly atOnce?: number
  /**
   * Resolves when a flush may take the waiting items; by default a microtask later, so that items of one turn are flushed
   * together.
   */
  readonly gather?: () => Promise<unknown>
  /** Creates the error of `add` after `close`. */
  readonly closed?: () => Error
}

type WaitingItem<In, Out> = PromiseWithResolvers<Out> & { readonly item: In }

/** Flushes items in groups, in the order in which they were added. A single item is flushed at once, unless `gather` waits. */
export class Batcher<In, Out> {
  readonly #options: BatcherOptions<In, Out>
  /** Items that no flush has taken, in the order in which they came. */
  readonly #waiting = new Set<WaitingItem<In, Out>>()
  readonly #changed = conditionVariable()
  #running = 0
  /** Flush that began last; never rejects. */
  #lastFlush: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(options: BatcherOptions<In, Out>) {
    this.#options = options
  }

  /** True when no item waits and no flush runs. It becomes true before the callers of the last flush get their outcomes. */
  get isIdle(): boolean {
    return this.#running === 0 && this.#waiting.size === 0
  }

  /**
   * Resolves with the outcome of the item. Rejects with the signal's reason when the signal fires: a waiting item is removed
   * then, one that is being flushed is flushed nevertheless.
   */
  async add(item: In, signal?: AbortSignal): Promise<Out> {
    if (this.#isClosed) throw this.#options.closed?.() ?? new Error('the batcher is closed')
    signal?.throwIfAborted()
    const entry = { ...Promise.withResolvers<Out>(), item }
    this.#waiting.add(entry)
    this.#start()
    try {
      return await (signal ? unlessAborted(entry.promise, signal) : entry.promise)
    } finally {
      this.#waiting.delete(entry)
    }
  }

  /** Refuses items from now on; resolves when those that were accepted are flushed. */
  async close(): Promise<void> {
    this.#isClosed = true
    while (!this.isIdle) await this.#changed.next()
    await this.#lastFlush
  }

  #start(): void {
    if (this.#waiting.size === 0 || this.#running >= (this.#options.atOnce ?? 1)) return
    this.#running += 1
    this.#lastFlush = this.#run()
  }

  async #run(): Promise<void> {
    let group: readonly WaitingItem<In, Out>[] = []
    let outcomes: readonly Attempted<Out>[]
    try {
      await this.#options.gather?.()
      group = this.#take()
      outcomes = group.length > 0 ? await this.#options.flush(group.map(({ item }) => item)) : []
    } catch (error) {
      outcomes = group.map(() => ({ error }))
    }
    this.#running -= 1
    for (const [index, { resolve, reject }] of group.entries()) {
      const outcome = outcomes[index] ?? {
        error: new Error('the flush has no outcome of the item'),
      }
      if ('error' in outcome) reject(outcome.error)
      else resolve(outcome.value)
    }
    this.#start()
    this.#changed.notify()
  }

  /** Removes and returns the items of the next flush: as many as the limits permit, and at least one. */
  #take(): readonly WaitingItem<In, Out>[] {
    const { mostItems = Infinity, mostWeight = Infinity, weightOf = () => 0 } = this.#options
    const group: WaitingItem<In, Out>[] = []
    let weight = 0
    for (const entry of this.#waiting) {
      weight += weightOf(entry.item)
      if (group.length > 0 && (group.length >= mostItems || weight > mostWeight)) break
      group.push(entry)
    }
    for (const entry of group) this.#waiting.delete(entry)
    return group
  }
}
