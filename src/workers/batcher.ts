/** Group commit: items that come while a flush runs go out together with the next one. */

import { conditionVariable, unlessAborted } from './condition.ts'
import type { Attempted } from './retry.ts'

type BatcherOptions<In, Out> = {
  /** Sends the items; answers the outcome of each in their order. When it rejects, all of them are rejected with its error. */
  readonly flush: (items: readonly In[]) => Promise<readonly Attempted<Out>[]>
  /** Items of one flush at most; without it there is no limit. */
  readonly mostItems?: number
  /** Weight of one flush at most; an item that is heavier goes alone. Without it there is no limit. */
  readonly mostWeight?: number
  /** The weight of an item, 0 by default. */
  readonly weightOf?: (item: In) => number
  /** Flushes that run at the same time at most, 1 by default. */
  readonly atOnce?: number
  /** Resolves when a flush may take what waits; by default a microtask later, so that items of one turn go together. */
  readonly gather?: () => Promise<unknown>
  /** The error of `add` after `close`. */
  readonly closed?: () => Error
}

type WaitingItem<In, Out> = PromiseWithResolvers<Out> & { readonly item: In }

/** Items keep their order. A lone item waits for nobody. */
export class Batcher<In, Out> {
  readonly #options: BatcherOptions<In, Out>
  /** In the order in which they came. */
  readonly #waiting = new Set<WaitingItem<In, Out>>()
  readonly #changed = conditionVariable()
  #running = 0
  /** Flush that began last; never rejects. */
  #last: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(options: BatcherOptions<In, Out>) {
    this.#options = options
  }

  /** Whether nothing waits and no flush runs. It is so before the outcomes of the last flush are told. */
  get isIdle(): boolean {
    return this.#running === 0 && this.#waiting.size === 0
  }

  /**
   * Resolves with the outcome of the item. Rejects with the signal's reason when the signal fires: an item that waits is taken back
   * then, one that is being flushed is flushed all the same.
   */
  async add(item: In, signal?: AbortSignal): Promise<Out> {
    if (this.#isClosed) throw this.#options.closed?.() ?? new Error('the batcher is closed')
    signal?.throwIfAborted()
    const one = { ...Promise.withResolvers<Out>(), item }
    this.#waiting.add(one)
    this.#start()
    try {
      return await (signal ? unlessAborted(one.promise, signal) : one.promise)
    } finally {
      this.#waiting.delete(one)
    }
  }

  /** Refuses items from now on; resolves when those that were accepted are flushed. */
  async close(): Promise<void> {
    this.#isClosed = true
    while (!this.isIdle) await this.#changed.next()
    await this.#last
  }

  #start(): void {
    if (this.#waiting.size === 0 || this.#running >= (this.#options.atOnce ?? 1)) return
    this.#running += 1
    this.#last = this.#run()
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
    for (const [at, { resolve, reject }] of group.entries()) {
      const outcome = outcomes[at] ?? { error: new Error('the flush has no outcome of the item') }
      if ('error' in outcome) reject(outcome.error)
      else resolve(outcome.value)
    }
    this.#start()
    this.#changed.notify()
  }

  /** As many items as fit, and one at least. */
  #take(): readonly WaitingItem<In, Out>[] {
    const { mostItems = Infinity, mostWeight = Infinity, weightOf = () => 0 } = this.#options
    const group: WaitingItem<In, Out>[] = []
    let weight = 0
    for (const one of this.#waiting) {
      weight += weightOf(one.item)
      if (group.length > 0 && (group.length >= mostItems || weight > mostWeight)) break
      group.push(one)
    }
    for (const one of group) this.#waiting.delete(one)
    return group
  }
}
