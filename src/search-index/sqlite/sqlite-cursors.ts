/** The cursors of the embedded engine: the numbers of all hits in the main thread, the records where they have always been. */

import { type CursorLimits, Cursors } from '../cursors.ts'
import type { CursorRequest, Page, PageOptions } from '../search-index.ts'
import { unavailable, type IndexWorkers } from './index-workers.ts'
import { sliceOf, type Snapshot } from './stored-records.ts'
import type { ReaderCalls, WriterCalls } from './worker-messages.ts'

/** Versions that ended up to `end` are in no snapshot; later ones stay as long as the cursor. */
type Hold = { end: number }

type CursorsContext = {
  readonly writer: IndexWorkers<WriterCalls>
  readonly readers: IndexWorkers<ReaderCalls>
  readonly limits: CursorLimits
  readonly now: () => number
}

/** Versions that an open cursor shows are not purged before it is gone. */
export class SqliteCursors {
  readonly #context: CursorsContext
  readonly #cursors: Cursors<Hold & { readonly snapshot: Snapshot }>
  /** Holds of cursors that are being opened. */
  readonly #opening = new Set<Hold>()
  #isClosed = false

  constructor(context: CursorsContext) {
    const { readers } = context
    this.#context = context
    this.#cursors = new Cursors(
      context,
      ({ snapshot }, { start, end, include, score }, signal) => {
        const slice = { ...sliceOf(snapshot, start, end), include, score }
        return readers.call('page', slice, signal)
      },
      () => this.purge(),
    )
  }

  async open(request: CursorRequest, signal?: AbortSignal): Promise<Page> {
    this.#check()
    this.#cursors.admit(request.client)
    const { writer, readers } = this.#context
    const hold = { end: 0 }
    this.#opening.add(hold)
    try {
      // Known before the snapshot is taken: what dies in between stays too.
      hold.end = await writer.call('lastEnd', undefined, signal)
      const { client: _, note: __, ...search } = request
      const opened = await readers.call('open', search, signal)
      const { snapshot } = opened
      const { numbers, of, scores } = snapshot
      const arrays = [numbers, of, scores]
      const bytes = arrays.reduce((sum, array) => sum + (array?.byteLength ?? 0), 0)
      const kept = { ...hold, snapshot }
      return this.#cursors.open(request, { ...opened, count: numbers.length, bytes, kept })
    } finally {
      this.#opening.delete(hold)
    }
  }

  async page(cursor: string, options?: PageOptions, signal?: AbortSignal): Promise<Page> {
    this.#check()
    return this.#cursors.page(cursor, options, signal)
  }

  /** Has the writer remove what no cursor needs any more. */
  purge(): void {
    this.#cursors.sweep()
    const { writer } = this.#context
    const ends = [...this.#cursors.kept(), ...this.#opening].map(({ end }) => end)
    const limit = Math.min(Number.MAX_SAFE_INTEGER, ...ends)
    if (writer.isRunning && !this.#isClosed) void Promise.allSettled([writer.call('purge', limit)])
  }

  /** Forgets all: the file that they were of is gone. */
  clear(): void {
    this.#cursors.clear()
  }

  close(): void {
    this.#isClosed = true
    this.clear()
  }

  #check(): void {
    if (this.#isClosed) throw unavailable('it is closed')
  }
}
