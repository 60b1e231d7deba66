/**
 * A bounded queue between one writer side and one reader: the writers wait while it is full (or leave things out), the reader
 * iterates over it. Bounded in number and, where values differ in size, in their weight together.
 */

import { conditionVariable } from './condition.ts'

export type ChannelBounds = {
  /** Values that wait at most. */
  readonly items: number
  /** Weight of the values that wait, in the unit that `put` is called with; unbounded when absent. */
  readonly weight?: number
}

/** For one reader: two would each get a part of the values. */
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

  /** Whether so much more fits. An empty channel takes anything. */
  hasRoom(weight = 0): boolean {
    const { items, weight: most } = this.#bounds
    return this.size === 0 || (this.size < items && this.#weight + weight <= most)
  }

  /** Resolves when there is room or the channel is closed; rejects with the signal's reason. */
  async room(signal?: AbortSignal): Promise<void> {
    while (!this.hasRoom() && !this.#closed) await this.#changed.next(signal)
  }

  /** Adds the value without asking for room; does nothing once the channel is closed. */
  put(value: Value, weight = 0): void {
    if (this.#closed) return
    this.#waiting.push({ value, weight })
    this.#weight += weight
    this.#changed.notify()
  }

  /** Adds the value as soon as there is room. */
  async send(value: Value, signal?: AbortSignal): Promise<void> {
    await this.room(signal)
    this.put(value)
  }

  /** The reader gets what is there, then the end, or `error` as an exception. Later calls change nothing. */
  close(error?: unknown): void {
    this.#closed ??= error === undefined ? {} : { error }
    this.#changed.notify()
  }

  /** Drops what waits. */
  clear(): void {
    this.#waiting.length = 0
    this.#weight = 0
    this.#changed.notify()
  }

  /** The reader has gone: drops what waits, and nobody waits for room any more. */
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
