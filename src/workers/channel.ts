/**
 * Bounded queue between writers and one reader, which iterates over it. When it is full, writers wait (`send`, `room`), or decide
 * for themselves (`hasRoom`) whether to add a value nevertheless (`put`). The bounds are the number of values and, where values
 * differ in size, their total weight.
 */

import { conditionVariable } from './condition.ts'

/** Bounds of a channel. */
export type ChannelBounds = {
  /** Maximum number of values in the channel. */
  readonly items: number
  /** Maximum total weight, in the unit that `put` is called with; unbounded when absent. */
  readonly weight?: number
}

/** Channel for one reader; two readers would each get a part of the values. */
export class Channel<Value> implements AsyncIterable<Value> {
  readonly #bounds: Required<ChannelBounds>
  readonly #waiting: { readonly value: Value; readonly weight: number }[] = []
  readonly #changed = conditionVariable()
  #weight = 0
  #closed: { readonly error?: unknown } | undefined

  constructor({ items, weight = Infinity }: ChannelBounds) {
    this.#bounds = { items, weight }
  }

  get size(): number {
    return this.#waiting.length
  }

  get isClosed(): boolean {
    return this.#closed !== undefined
  }

  /** Tells whether a value of this weight fits. An empty channel accepts any weight. */
  hasRoom(weight = 0): boolean {
    const { items, weight: maxWeight } = this.#bounds
    return this.size === 0 || (this.size < items && this.#weight + weight <= maxWeight)
  }

  /** Resolves when there is room for a value without weight or the channel is closed; rejects with the signal's reason. */
  async room(signal?: AbortSignal): Promise<void> {
    while (!this.hasRoom() && !this.#closed) await this.#changed.next(signal)
  }

  /** Adds a value even when the channel is full; does nothing after it is closed. */
  put(value: Value, weight = 0): void {
    if (this.#closed) return
    this.#waiting.push({ value, weight })
    this.#weight += weight
    this.#changed.notify()
  }

  /** Adds the value, without weight, as soon as there is room; does nothing after the channel is closed. */
  async send(value: Value, signal?: AbortSignal): Promise<void> {
    await this.room(signal)
    this.put(value)
  }

  /**
   * Ends the channel: the reader gets the remaining values, then the end or `error` as an exception. Later calls change nothing.
   */
  close(error?: unknown): void {
    this.#closed ??= error === undefined ? {} : { error }
    this.#changed.notify()
  }

  /** Drops the values in the channel. */
  clear(): void {
    this.#waiting.length = 0
    this.#weight = 0
    this.#changed.notify()
  }

  /** Called when the reader has ended: drops the values, closes the channel and releases waiting writers. */
  cancel(): void {
    this.clear()
    this.close()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Value> {
    for (;;) {
      const first = this.#waiting.shift()
      if (first) {
        this.#weight -= first.weight
        this.#changed.notify()
        yield first.value
      } else if (this.#closed) {
        if ('error' in this.#closed) throw this.#closed.error
        return
      } else await this.#changed.next()
    }
  }
}
