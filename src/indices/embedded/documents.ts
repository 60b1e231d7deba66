/** How many documents there are, for those who must not wait behind writes to learn it. */

import type { Counts } from './threads/messages.ts'

/** Counted when something was written, one question at a time; as it was last for those who come meanwhile. */
export class DocumentCounts {
  readonly #count: () => Promise<Counts>
  #last: { readonly counts: Counts; readonly state: string } | undefined
  #isAsking = false

  constructor(count: () => Promise<Counts>) {
    this.#count = count
  }

  /** `state` is another text whenever something may have been written. */
  async at(state: string): Promise<Counts> {
    const last = this.#last
    if (last && (last.state === state || this.#isAsking)) return last.counts
    this.#isAsking = true
    try {
      const counts = await this.#count()
      this.#last = { counts, state }
      return counts
    } finally {
      this.#isAsking = false
    }
  }
}
