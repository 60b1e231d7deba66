/** Queue of the writes of one process to a search engine on a server. */

import { Failure } from '../../errors.ts'
import type { IndexChange } from '../search-index.ts'
import { type WriteQueue, writeQueue } from '../write-queue.ts'
import { KeyedLock } from '../../workers/keyed-lock.ts'
import { engineUnavailable } from './answers.ts'

/** Changes in one commit. */
const maxChanges = 5000

/** Writes changes to the engine. */
export type WriteChanges = (changes: readonly IndexChange[], signal: AbortSignal) => Promise<void>

/** Queue of writes with group commit, and a lock that keeps writes apart from changes of the indices. */
export class EngineQueue {
  readonly #write: WriteChanges
  readonly #queue: WriteQueue<readonly IndexChange[]>
  readonly #lock = new KeyedLock()
  readonly #closing = new AbortController()

  constructor(write: WriteChanges) {
    this.#write = write
    this.#queue = writeQueue({
      mostChanges: maxChanges,
      commit: (batches) => this.exclusive(() => this.#commit(batches)),
    })
  }

  /** Resolves when the changes are written. */
  add(changes: readonly IndexChange[], signal?: AbortSignal): Promise<void> {
    return this.#queue.write(changes, signal)
  }

  /** Runs `work` while nothing is written. */
  exclusive<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#lock.run(['writes'], work)
  }

  /** Aborts running writes and refuses further ones. What the server has received may still be written. */
  async close(): Promise<void> {
    this.#closing.abort(engineUnavailable('The search engine is closed.'))
    await this.#queue.close()
    await this.exclusive(() => Promise.resolve())
  }

  /** Writes batches together; if the engine refuses one, each is written alone, so that the others do not fail. */
  async #commit(batches: readonly (readonly IndexChange[])[]): Promise<readonly unknown[]> {
    try {
      await this.#write(batches.flat(), this.#closing.signal)
      return []
    } catch (error) {
      const isRefused = error instanceof Failure && error.kind === 'internal'
      if (batches.length === 1 || !isRefused) throw error
    }
    const errors: unknown[] = []
    for (const batch of batches)
      errors.push(
        await this.#commit([batch]).then(
          () => undefined,
          (error: unknown) => error,
        ),
      )
    return errors
  }
}
