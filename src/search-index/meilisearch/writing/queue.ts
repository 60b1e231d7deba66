/** Group commit: what waits when a write ends goes out together; nothing is written while an index is made or swapped. */

import { Failure } from '../../../errors.ts'
import type { IndexChange } from '../../search-index.ts'
import { away, givenUp } from '../engine-failures.ts'

type Waiting = {
  readonly changes: readonly IndexChange[]
  readonly resolve: () => void
  readonly reject: (failure: unknown) => void
}

type Write = (changes: readonly IndexChange[], signal: AbortSignal) => Promise<void>

/** Changes that go out together; a larger batch goes alone. */
const most = 5000

export class Queue {
  readonly #write: Write
  readonly #closing = new AbortController()
  #waiting: Waiting[] = []
  #running: Promise<void> | undefined
  /** The end of everything that was begun. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(write: Write) {
    this.#write = write
  }

  add(changes: readonly IndexChange[], signal?: AbortSignal): Promise<void> {
    if (this.#closing.signal.aborted) return Promise.reject(away('The search engine is closed.'))
    if (changes.length === 0) return Promise.resolve()
    if (signal?.aborted) return Promise.reject(givenUp(signal.reason))
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting = { changes, resolve, reject }
    const stop = () => {
      // What was sent will land; what still waits need not.
      this.#waiting = this.#waiting.filter((other) => other !== waiting)
      reject(givenUp(signal?.reason))
    }
    signal?.addEventListener('abort', stop, { once: true })
    this.#waiting.push(waiting)
    this.#running ??= this.#run()
    return promise.finally(() => signal?.removeEventListener('abort', stop))
  }

  /** Does `work` while nothing is written. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work, work)
    this.#turn = done.catch(() => undefined)
    return done
  }

  /** What was sent lands without us. */
  async close(): Promise<void> {
    this.#closing.abort(away('The search engine is closed.'))
    await this.#running
    await this.#turn
  }

  async #run(): Promise<void> {
    // Writes of the same turn of the event loop belong together.
    await Promise.resolve()
    while (this.#waiting.length > 0) await this.alone(() => this.#commit(this.#take()))
    this.#running = undefined
  }

  #take(): Waiting[] {
    let size = 0
    const end = this.#waiting.findIndex(({ changes }) => (size += changes.length) > most)
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : Math.max(1, end))
  }

  async #commit(group: readonly Waiting[]): Promise<void> {
    const { signal } = this.#closing
    try {
      await this.#write(
        group.flatMap(({ changes }) => changes),
        signal,
      )
      for (const { resolve } of group) resolve()
    } catch (error) {
      const isRefused = error instanceof Failure && error.kind === 'internal'
      if (group.length > 1 && isRefused) return this.#oneByOne(group)
      for (const { reject } of group) reject(error)
    }
  }

  /** So that a bad batch does not take its neighbours with it. */
  async #oneByOne(group: readonly Waiting[]): Promise<void> {
    for (const one of group) await this.#commit([one])
  }
}
