/** An index file that turns out to be broken while it is in use: an empty one takes its place, and is filled again. */

import type { Log } from '../../log.ts'
import type { IndexName } from '../settings.ts'
import { unavailable, type Thread } from './threads/thread.ts'
import type { WriterCalls } from './threads/messages.ts'
import type { Readers } from './threads/readers.ts'

type Deps = {
  readonly writer: Pick<Thread<WriterCalls>, 'suspendedFor'>
  readonly readers: Pick<Readers, 'replacedAfter'>
  readonly log: Log
  /** Moves the broken file away. */
  readonly setAside: () => void
  /** Makes the indices anew and answers which of them are to be filled. */
  readonly configure: () => Promise<readonly IndexName[]>
}

/** What is lost is not searched until it is whole again: half of an answer looks like a whole one. */
export class Mending {
  readonly #deps: Deps
  readonly #told: ((lost: readonly IndexName[]) => void)[] = []
  #lost = new Set<IndexName>()
  /** The file is broken or being replaced. */
  #isBroken = false
  #isRunning = false

  constructor(deps: Deps) {
    this.#deps = deps
  }

  onLost(told: (lost: readonly IndexName[]) => void): void {
    this.#told.push(told)
  }

  /** Begins, unless it has begun. Where it fails, the next one who meets the broken file begins it again. */
  begin(): void {
    this.#isBroken = true
    if (this.#isRunning) return
    this.#isRunning = true
    void this.#mend()
  }

  /** Throws `engine-unavailable` while one of these is not whole. */
  need(indices: readonly IndexName[]): void {
    if (this.#isBroken || indices.some((index) => this.#lost.has(index)))
      throw unavailable('its file was damaged, and it is being filled again')
  }

  /** An index is whole again. */
  filled(index: IndexName): void {
    this.#lost.delete(index)
  }

  async #mend(): Promise<void> {
    const { writer, readers, log, setAside, configure } = this.#deps
    log.error('index.damaged')
    try {
      await readers.replacedAfter(() => writer.suspendedFor(async () => setAside()))
      const lost = await configure()
      this.#lost = new Set(lost)
      this.#isBroken = false
      log.warn({ indices: lost }, 'index.refilling')
      for (const tell of this.#told) tell(lost)
    } catch (error) {
      log.error({ err: error }, 'index.not-mended')
    } finally {
      this.#isRunning = false
    }
  }
}
