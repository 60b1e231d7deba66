/** How many documents there are, for those who must not wait behind writes to learn it. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openFile } from '../../sqlite.ts'
import { tablesOf } from './index-file.ts'
import type { Counts } from './worker-messages.ts'
import { answers, readGenerations } from './generations.ts'

/** How many records the index of a directory has that nobody has opened; none where its file cannot be read. */
export function recordsIn(directory: string): number {
  const path = join(directory, 'index.db')
  if (!existsSync(path)) return 0
  try {
    const file = openFile(path, { readOnly: true })
    try {
      const counts = readGenerations(file)
        .filter(answers)
        .map(({ generation }) =>
          file.prepare(`SELECT count(n) AS count FROM ${tablesOf(generation).key}`).get(),
        )
      return counts.reduce((sum, row) => sum + Number(row?.['count'] ?? 0), 0)
    } finally {
      file.close()
    }
  } catch {
    // Whoever opens it says what is wrong with it.
    return 0
  }
}

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
