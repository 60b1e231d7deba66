/**
 * Mutual exclusion by key: per key one piece of work at a time, or several that share it, in the order of their requests. For
 * example, writes to one catalogue or dataset take turns by it.
 */

import { unlessAborted } from './condition.ts'

type Waiter = { readonly resolve: () => void; readonly isShared: boolean }

/** State of a key that is held, with the callers that wait for it. */
type HeldKey = { holders: number; isShared: boolean; readonly waiting: Set<Waiter> }

/** Locks identified by text. A key takes memory only while it is held. */
export class KeyedLock {
  readonly #heldKeys = new Map<string, HeldKey>()
  readonly #abandoned: (reason: unknown) => unknown

  /** `abandoned` turns the signal's reason into the error of an aborted caller; by default the reason itself. */
  constructor(abandoned: (reason: unknown) => unknown = (reason) => reason) {
    this.#abandoned = abandoned
  }

  /**
   * Runs `work` while it holds all keys. Keys are taken in sorted order, which prevents deadlocks. Rejects with the signal's
   * reason when it fires while the caller waits; work that has begun is not interrupted.
   */
  async run<T>(keys: Iterable<string>, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const takenKeys: string[] = []
    try {
      for (const key of [...new Set(keys)].sort()) {
        const turn = this.#take(key, false, signal)
        if (turn) await turn
        takenKeys.push(key)
      }
      return await work()
    } finally {
      for (const key of takenKeys) this.#release(key)
    }
  }

  /** Runs `work` concurrently with other work that shares the key, but not with work of `run`. */
  async share<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const turn = this.#take(key, true, signal)
    if (turn) await turn
    try {
      return await work()
    } finally {
      this.#release(key)
    }
  }

  /** Takes the key now and returns `undefined`, or returns a promise that resolves when it is taken. */
  #take(key: string, isShared: boolean, signal?: AbortSignal): Promise<void> | undefined {
    const held = this.#heldKeys.get(key)
    if (!held) this.#heldKeys.set(key, { holders: 1, isShared, waiting: new Set() })
    else if (held.isShared && isShared && held.waiting.size === 0) held.holders += 1
    else return this.#turn(key, held, { isShared, signal })
    return undefined
  }

  async #turn(
    key: string,
    { waiting }: HeldKey,
    { isShared, signal }: { readonly isShared: boolean; readonly signal: AbortSignal | undefined },
  ): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiter = { resolve, isShared }
    waiting.add(waiter)
    try {
      await (signal ? unlessAborted(promise, signal) : promise)
    } catch (error) {
      // A caller that gives up leaves the key to its holders, unless it was handed the key at this very moment.
      if (waiting.delete(waiter)) this.#grant(key)
      else this.#release(key)
      throw this.#abandoned(error)
    }
  }

  #release(key: string): void {
    const held = this.#heldKeys.get(key)
    if (held) held.holders -= 1
    this.#grant(key)
  }

  /** Hands the key to the callers that may have it now, or frees it. */
  #grant(key: string): void {
    const held = this.#heldKeys.get(key)
    if (!held) return
    for (const waiter of held.waiting) {
      if (held.holders > 0 && !(held.isShared && waiter.isShared)) return
      held.waiting.delete(waiter)
      held.holders += 1
      held.isShared = waiter.isShared
      waiter.resolve()
    }
    if (held.holders === 0) this.#heldKeys.delete(key)
  }
}
