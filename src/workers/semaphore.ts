/** A counting semaphore: at most so many at once, first come first served; who waits may give up at any time. */

import { unlessAborted } from './condition.ts'

/** Gives the place back; calling it twice does no harm. */
export type Release = () => void

/** `run` is the usual way; `acquire` for places that are given back elsewhere. */
export class Semaphore {
  readonly #waiting = new Set<() => void>()
  #free: number

  constructor(places: number) {
    this.#free = places
  }

  /** Who waits for a place now. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** A place without waiting, or nothing. */
  tryAcquire(): Release | undefined {
    if (this.#free === 0) return undefined
    this.#free -= 1
    return this.#release()
  }

  /** A place, in order of asking. Rejects with the signal's reason. */
  async acquire(signal?: AbortSignal): Promise<Release> {
    signal?.throwIfAborted()
    return this.tryAcquire() ?? this.#queued(signal)
  }

  /** Does `work` while it has a place. */
  async run<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const release = await this.acquire(signal)
    try {
      return await work()
    } finally {
      release()
    }
  }

  async #queued(signal: AbortSignal | undefined): Promise<Release> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.add(resolve)
    try {
      await (signal ? unlessAborted(promise, signal) : promise)
    } catch (error) {
      // Who was given a place in the moment of giving up has it, and says so when it looks at its signal.
      if (this.#waiting.delete(resolve)) throw error
    }
    return this.#release()
  }

  #release(): Release {
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      const [first] = this.#waiting
      if (first) this.#waiting.delete(first)
      else this.#free += 1
      first?.()
    }
  }
}
