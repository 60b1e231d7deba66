/** Mutual exclusion by key: for each key one piece of work at a time, in the order of asking. */

import { unlessAborted } from './condition.ts'

/** Locks identified by text. A key takes memory only while it is held. */
export class KeyedLock {
  /** The held keys, each with the callers that wait for it. */
  readonly #waiting = new Map<string, Set<() => void>>()
  readonly #abandoned: (reason: unknown) => unknown

  /** `abandoned` makes the error of a caller that gives up from the signal's reason, which it is by default. */
  constructor(abandoned: (reason: unknown) => unknown = (reason) => reason) {
    this.#abandoned = abandoned
  }

  /**
   * Runs `work` while it holds all keys. They are taken in one order, so that two callers never wait for each other. Rejects with
   * the signal's reason when it fires while the caller waits; work that has begun ends by itself.
   */
  async run<T>(keys: readonly string[], work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const held: string[] = []
    try {
      for (const key of [...new Set(keys)].sort()) {
        const queue = this.#waiting.get(key)
        if (queue) await this.#turn(key, queue, signal)
        else this.#waiting.set(key, new Set())
        held.push(key)
      }
      return await work()
    } finally {
      for (const key of held) this.#release(key)
    }
  }

  async #turn(key: string, queue: Set<() => void>, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    queue.add(resolve)
    try {
      await (signal ? unlessAborted(promise, signal) : promise)
    } catch (error) {
      // A caller that gives up leaves the key to its holder, unless it was handed the key at this very moment.
      if (!queue.delete(resolve)) this.#release(key)
      throw this.#abandoned(error)
    }
  }

  /** Hands the key to the first caller that waits, or frees it. */
  #release(key: string): void {
    const queue = this.#waiting.get(key)
    const [first] = queue ?? []
    if (!first) this.#waiting.delete(key)
    else queue?.delete(first)
    first?.()
  }
}
