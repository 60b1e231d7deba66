/** Cursors on Meilisearch, which has none: the numbers of all hits in our memory, and old versions of what is written meanwhile. */

import { Failure } from '../../errors.ts'
import { Cursors, type CursorLimits, type PageSpan } from '../cursors.ts'
import type { CursorRequest, Hit, Page, PageWish, SearchIndex } from '../search-index.ts'
import { reduced, type Tools } from './search-answer.ts'
import { Past, type Keeping } from './replaced-versions.ts'
import { numbersOf, snapshotOf, versionsOf, type Snapshot } from './hit-snapshot.ts'

/** `since` = the time of the past at which the snapshot was taken. */
type Kept = { readonly snapshot: Snapshot; readonly since: number }

/** In one process with the writer: it tells what it is about to replace. */
export class MeilisearchCursors implements Pick<SearchIndex, 'open' | 'page'>, Keeping {
  readonly #tools: Tools
  readonly #cursors: Cursors<Kept>
  readonly #past: Past
  #opening = 0

  constructor(tools: Tools, limits: CursorLimits) {
    const { now, log } = tools.reading
    this.#tools = tools
    const read = (kept: Kept, span: PageSpan, signal?: AbortSignal) =>
      this.#read(kept, span, signal)
    this.#cursors = new Cursors({ limits, now }, read, () => undefined)
    const overflow = () => {
      log.warn({ cursors: this.#cursors.size, bytes: limits.bytes }, 'cursors.given-up')
      this.#cursors.clear()
    }
    const isNeeded = () => this.#opening > 0 || this.#cursors.size > 0
    this.#past = new Past(tools.reading, isNeeded, { bytes: limits.bytes, overflow })
  }

  before(uid: string, keys: readonly string[]): Promise<() => void> {
    this.#sweep()
    return this.#past.before(uid, keys)
  }

  async beforeSwap(uid: string): Promise<void> {
    this.#sweep()
    for (const { snapshot } of this.#cursors.kept())
      await this.#past.copy(uid, numbersOf(snapshot, uid))
  }

  async open(request: CursorRequest, signal?: AbortSignal): Promise<Page> {
    this.#sweep()
    this.#cursors.admit(request.client)
    this.#opening++
    try {
      const since = this.#past.time
      await this.#past.copyUnderway()
      const { client: _, note: __, ...search } = request
      const opened = await snapshotOf(search, this.#tools, signal)
      const { snapshot } = opened
      const { limit, include, score } = request
      const { count, bytes } = snapshot
      const kept = { snapshot, since }
      const first = { start: 0, end: Math.min(limit, count), include, score }
      const page = count > 0 && limit > 0 ? await this.#read(kept, first, signal) : { hits: [] }
      return this.#cursors.open(request, { ...opened, ...page, count, bytes, kept })
    } finally {
      this.#opening--
    }
  }

  async page(cursor: string, wish?: PageWish, signal?: AbortSignal): Promise<Page> {
    this.#sweep()
    return this.#cursors.page(cursor, wish, signal)
  }

  async #read(
    { snapshot }: Kept,
    { start, end, include, score: isScored }: PageSpan,
    signal: AbortSignal | undefined,
  ) {
    const { reading } = this.#tools
    const at = { reading, past: this.#past }
    const shown = await versionsOf(snapshot, { start, end }, at, signal)
    const lost = end - start - shown.length
    if (lost > 0) {
      // Only a process that knows of the cursor keeps what it replaces: pages with gaps would look whole.
      reading.log.warn({ lost }, 'cursor.versions-lost')
      throw new Failure('unknown-cursor', 'records behind the cursor were changed: begin again')
    }
    const hits = shown.map(({ version, part, score }): Hit => ({
      index: part.index,
      id: version.i,
      ...(isScored && { score }),
      record: reduced(version.r, include),
    }))
    const value = shown.at(-1)?.value
    return { hits, ...(value !== undefined && { value }) }
  }

  /** Forgets cursors that are too old, and versions that nobody shows any more. */
  #sweep(): void {
    this.#cursors.sweep()
    if (this.#opening > 0) return
    this.#past.forget(Math.min(Infinity, ...this.#cursors.kept().map(({ since }) => since)))
  }
}
