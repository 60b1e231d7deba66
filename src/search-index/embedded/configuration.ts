/** The settings of the indices: those that were asked for, and those that answers are given under. */

import type { IndexName, IndexSettings } from '../settings.ts'
import type { WriterCalls } from './threads/messages.ts'
import type { Thread } from './threads/thread.ts'

export class Configuration {
  current: readonly IndexSettings[] = []
  readonly #writer: Thread<WriterCalls>
  readonly #languages: readonly string[]
  #wanted: readonly IndexSettings[] = []

  constructor(writer: Thread<WriterCalls>, languages: readonly string[]) {
    this.#writer = writer
    this.#languages = languages
  }

  /** Which indices are to be filled; without settings those of the last time are made sure of. */
  async configure(
    settings = this.#wanted,
    anew: readonly IndexName[] = [],
  ): Promise<readonly IndexName[]> {
    this.#wanted = settings
    const payload = { settings, languages: this.#languages, anew }
    const { rebuild, current } = await this.#writer.call('configure', payload).answer
    this.current = current
    return rebuild
  }

  async finish(index: IndexName): Promise<void> {
    this.current = await this.#writer.call('finish', index).answer
  }
}
