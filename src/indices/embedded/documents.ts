/** How many documents there are, for those who must not wait behind searches to learn it. */

import type { IndexName } from '../settings.ts'
import type { Readers } from './threads/readers.ts'

type Counts = Readonly<Partial<Record<IndexName, number>>>

/** Counted when something was written and a reader is free; as it was last while all are busy. */
export class DocumentCounts {
  readonly #readers: Pick<Readers, 'hasIdle' | 'run'>
  #last: { readonly counts: Counts; readonly state: string } | undefined

  constructor(readers: Pick<Readers, 'hasIdle' | 'run'>) {
    this.#readers = readers
  }

  /** `state` is another text whenever something may have been written. */
  async at(state: string): Promise<Counts> {
    const last = this.#last
    if (last && (last.state === state || !this.#readers.hasIdle)) return last.counts
    const counts = await this.#readers.run('documents', undefined)
    this.#last = { counts, state }
    return counts
  }
}
