/** The cursors of the embedded engine: the numbers of all hits in the main thread, the records where they have always been. */

import type { CursorLimits } from '../cursors.ts'
import { Cursors, type PageSpan } from '../cursors.ts'
import type { CursorRequest, Page, PageOptions, SearchIndex } from '../search-index.ts'
import { unavailable, type IndexWorkers } from './index-workers.ts'
import { sliceOf, type Snapshot } from './snapshot.ts'
import type { ReaderCalls, WriterCalls } from './worker-messages.ts'

/** The hold that the writer knows of, and what it is for. */
type Kept = { readonly hold: number; readonly snapshot: Snapshot }

type CursorsContext = {
  readonly writer: IndexWorkers<WriterCalls>
  readonly readers: IndexWorkers<ReaderCalls>
  readonly limits: CursorLimits
  readonly now: () => number
}

export class SqliteCursors implements Pick<SearchIndex, 'open' | 'page'> {
  readonly #context: CursorsContext
  readonly #cursors: Cursors<Kept>
  /** Holds of open cursors that the writer knows of. */
  readonly #holds = new Set<number>()
  #lastHold = 0
  #writerLife = 0
  #closed = false

  constructor(context: CursorsContext) {
    this.#context = context
    const read = (kept: Kept, span: PageSpan, signal?: AbortSignal) =>
      this.#read(kept, span, signal)
    this.#cursors = new Cursors(context, read, () => this.sweep())
  }

  async open(request: CursorRequest, signal?: AbortSignal): Promise<Page> {
    this.#begin()
    this.#cursors.admit(request.client)
    const { writer, readers } = this.#context
    const [hold, life] = [++this.#lastHold, this.#writerLife]
    try {
      // Known to the writer before the snapshot is taken: what dies in between stays too.
      await writer.call('hold', hold, signal)
      const { client: _, note: __, ...search } = request
      const opened = await readers.call('open', search, signal)
      if (life !== this.#writerLife) throw unavailable('its writer died')
      const { snapshot } = opened
      this.#holds.add(hold)
      return this.#cursors.open(request, {
        ...opened,
        count: snapshot.numbers.length,
        bytes: bytesOf(snapshot),
        kept: { hold, snapshot },
      })
    } catch (error) {
      this.#release([hold])
      throw error
    }
  }

  async page(cursor: string, wish?: PageOptions, signal?: AbortSignal): Promise<Page> {
    this.#begin()
    return this.#cursors.page(cursor, wish, signal)
  }

  /** Forgets what is too old, and tells the writer what nobody needs any more. Cheap. */
  sweep(): void {
    this.#cursors.sweep()
    if (this.#holds.size === 0) return
    const needed = new Set(this.#cursors.kept().map(({ hold }) => hold))
    this.#release([...this.#holds].filter((hold) => !needed.has(hold)))
  }

  /** The writer died, and with it what it knew of holds: the next one purges what the cursors need. */
  lose(): void {
    this.#writerLife++
    this.#cursors.clear()
    this.#holds.clear()
  }

  close(): void {
    this.#closed = true
    this.lose()
  }

  #read({ snapshot }: Kept, { start, end, include, score }: PageSpan, signal?: AbortSignal) {
    const slice = { ...sliceOf(snapshot, start, end), ...(include && { include }), score }
    return this.#context.readers.call('page', slice, signal)
  }

  #begin(): void {
    if (this.#closed) throw unavailable('it is closed')
    this.sweep()
  }

  #release(holds: readonly number[]): void {
    if (holds.length === 0) return
    for (const hold of holds) this.#holds.delete(hold)
    const { writer } = this.#context
    // A new writer knows of no holds.
    if (!writer.isRunning || this.#closed) return
    void Promise.allSettled([writer.call('release', holds)])
  }
}

const bytesOf = ({ numbers, of, scores }: Snapshot): number =>
  numbers.byteLength + (of?.byteLength ?? 0) + (scores?.byteLength ?? 0)
