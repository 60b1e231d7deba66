/**
 * Cursors of the embedded engine. The record numbers of all hits are in the memory of the main thread; the records stay in the index
 * file.
 */

import { type CursorLimits, Cursors } from '../cursors.ts'
import type { CursorRequest, Page, PageOptions } from '../search-index.ts'
import { indexUnavailable, type IndexWorkers } from './index-workers.ts'
import { sliceOf, type Snapshot } from './stored-records.ts'
import type { ReaderCalls, WriterCalls } from './worker-messages.ts'

/** Limit for the purge: versions that ended after `lastEnded` may be in a snapshot and are not removed. */
type Hold = { lastEnded: number }

type CursorsContext = {
  readonly writer: IndexWorkers<WriterCalls>
  readonly readers: IndexWorkers<ReaderCalls>
  readonly limits: CursorLimits
  readonly now: () => number
}

/** Opens and reads cursors, and lets the writer remove the versions that no cursor needs. */
export class SqliteCursors {
  readonly #context: CursorsContext
  readonly #cursors: Cursors<Hold & { readonly hits: Snapshot }>
  /** Limits of cursors that are being opened. */
  readonly #opening = new Set<Hold>()
  #isClosed = false

  constructor(context: CursorsContext) {
    const { readers } = context
    this.#context = context
    this.#cursors = new Cursors(
      context,
      ({ hits }, { start, end, include, score }, signal) => {
        const slice = { ...sliceOf(hits, start, end), include, score }
        return readers.call('page', slice, signal)
      },
      () => this.purge(),
    )
  }

  /** As `SearchIndex.openCursor`. */
  async open(request: CursorRequest, signal?: AbortSignal): Promise<Page> {
    this.#check()
    this.#cursors.admit(request.client)
    const { writer, readers } = this.#context
    const hold = { lastEnded: 0 }
    this.#opening.add(hold)
    try {
      // Read before the snapshot is taken, so that versions that end in between are not removed.
      hold.lastEnded = await writer.call('lastEnded', undefined, signal)
      const { client: _, note: __, ...search } = request
      const opened = await readers.call('open', search, signal)
      const { numbers, spanIndexes, scores } = opened.snapshot
      const arrays = [numbers, spanIndexes, scores]
      const bytes = arrays.reduce((sum, array) => sum + (array?.byteLength ?? 0), 0)
      const snapshot = { ...hold, hits: opened.snapshot }
      return this.#cursors.open(request, { ...opened, count: numbers.length, bytes, snapshot })
    } finally {
      this.#opening.delete(hold)
    }
  }

  /** As `SearchIndex.readPage`. */
  async page(cursor: string, options?: PageOptions, signal?: AbortSignal): Promise<Page> {
    this.#check()
    return this.#cursors.page(cursor, options, signal)
  }

  /** Lets the writer remove what no cursor needs any more. */
  purge(): void {
    this.#cursors.sweep()
    const { writer } = this.#context
    const ends = [...this.#cursors.snapshots(), ...this.#opening].map(({ lastEnded: end }) => end)
    const limit = Math.min(Number.MAX_SAFE_INTEGER, ...ends)
    // The next purge does what this one leaves.
    if (writer.isRunning && !this.#isClosed) writer.call('purge', limit).catch(() => undefined)
  }

  /** Drops all cursors, when the index file is replaced. */
  clear(): void {
    this.#cursors.clear()
  }

  /** Drops all cursors and refuses further calls. */
  close(): void {
    this.#isClosed = true
    this.clear()
  }

  #check(): void {
    if (this.#isClosed) throw indexUnavailable('it is closed')
  }
}
