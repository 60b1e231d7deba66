/** Work that several callers wait for: done once for all who come meanwhile, and broken off when the last of them gives up. */

import { unlessAborted } from '../workers/condition.ts'

/** One piece of work with its callers. */
export class SharedWork<Result> {
  /** Resolves when the work has ended, in whatever way. */
  readonly ended: Promise<void>
  readonly #outcome: Promise<Result>
  readonly #end = new AbortController()
  #waiting = 0

  /** The work begins at once. */
  constructor(work: (signal: AbortSignal) => Promise<Result>) {
    this.#outcome = work(this.#end.signal)
    this.ended = this.#outcome.then(
      () => undefined,
      () => undefined,
    )
  }

  /** It was broken off: callers from now on need new work. */
  get isAborted(): boolean {
    return this.#end.signal.aborted
  }

  /** The outcome for one more caller. Rejects with the reason of the signal as soon as that is aborted. */
  async join(signal?: AbortSignal): Promise<Result> {
    this.#waiting += 1
    try {
      return await (signal ? unlessAborted(this.#outcome, signal) : this.#outcome)
    } finally {
      this.#waiting -= 1
      if (this.#waiting === 0) this.abort(signal?.reason)
    }
  }

  /** Breaks the work off, unless it has ended. */
  abort(reason: unknown): void {
    this.#end.abort(reason)
  }
}
