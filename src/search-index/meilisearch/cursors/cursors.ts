/** Cursors on Meilisearch, which has none: the numbers of all hits in our memory, and old versions of what is written meanwhile. */

import { Failure } from '../../../errors.ts'
import { standing, takePage, type Held } from '../../cursors/held.ts'
import { cursorRegistry, type CursorLimits } from '../../cursors/registry.ts'
import type { Answer, CursorRequest, Hit, Page, PageWish, SearchIndex } from '../../search-index.ts'
import { reduced, type Tools } from '../reading/search.ts'
import { Past, type Keeping } from './past.ts'
import { numbersOf, snapshotOf, versionsOf, type Snapshot, type Span } from './snapshot.ts'

/** `since` = the time of the past at which the snapshot was taken. */
type Kept = { readonly snapshot: Snapshot; readonly since: number }

/** In one process with the writer: it tells what it is about to replace. */
export class Cursors implements Pick<SearchIndex, 'open' | 'page'>, Keeping {
  readonly #tools: Tools
  readonly #registry
  readonly #past: Past
  #opening = 0

  constructor(tools: Tools, limits: CursorLimits) {
    const { now, log } = tools.reading
    this.#tools = tools
    this.#registry = cursorRegistry<Held<Kept>>(limits, now)
    const overflow = () => {
      log.warn({ cursors: this.#registry.size, bytes: limits.bytes }, 'cursors.given-up')
      this.#registry.clear()
    }
    const isNeeded = () => this.#opening > 0 || this.#registry.size > 0
    this.#past = new Past(tools.reading, isNeeded, { bytes: limits.bytes, overflow })
  }

  before(uid: string, keys: readonly string[]): Promise<() => void> {
    this.#sweep()
    return this.#past.before(uid, keys)
  }

  async beforeSwap(uid: string): Promise<void> {
    this.#sweep()
    for (const { kept } of this.#registry.held()) {
      if (kept) await this.#past.copy(uid, numbersOf(kept.snapshot, uid))
    }
  }

  async open({ client, note, ...request }: CursorRequest, signal?: AbortSignal): Promise<Page> {
    this.#sweep()
    this.#registry.admit(client)
    this.#opening++
    try {
      const since = this.#past.time
      await this.#past.copyUnderway()
      const { snapshot, facets, shortened } = await snapshotOf(request, this.#tools, signal)
      const { include, limit, score } = request
      const place = Math.min(limit, snapshot.count)
      const held: Held<Kept> = {
        bytes: standing + snapshot.bytes,
        count: snapshot.count,
        limit,
        ...(include && { include }),
        score,
        ...(shortened && { shortened }),
        kept: { snapshot, since },
        next: { place },
      }
      const page = await this.#read(held, { start: 0, end: place, include }, signal)
      const cursor = this.#registry.open(client, held, note)
      if (held.count === 0) this.#end(cursor, held)
      return { ...page, ...about(held), cursor, note, ...(facets && { facets }) }
    } finally {
      this.#opening--
    }
  }

  async page(cursor: string, wish: PageWish = {}, signal?: AbortSignal): Promise<Page> {
    this.#sweep()
    const { read, held, note } = await takePage(cursor, wish, {
      registry: this.#registry,
      end: (ended, one: Held<Kept>) => this.#end(ended, one),
      read: (one, span) =>
        this.#read(one, { ...span, include: wish.include ?? one.include }, signal),
    })
    return { ...read, ...about(held), cursor, note }
  }

  async #read(
    held: Held<Kept>,
    { start, end, include }: Span & { readonly include: readonly string[] | undefined },
    signal: AbortSignal | undefined,
  ): Promise<Pick<Page, 'hits' | 'last'>> {
    if (!held.kept || start === end) return { hits: [] }
    const { reading } = this.#tools
    const { snapshot } = held.kept
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
      ...(held.score && { score }),
      record: reduced(version.r, include),
    }))
    return { hits, last: [shown.at(-1)?.value ?? end, end] }
  }

  /** Forgets cursors that are too old, and versions that nobody shows any more. */
  #sweep(): void {
    this.#registry.sweep()
    if (this.#opening > 0) return
    const since = [...this.#registry.held()].map(({ kept }) => kept?.since ?? Infinity)
    this.#past.forget(Math.min(Infinity, ...since))
  }

  #end(cursor: string, held: Held<Kept>): void {
    const { kept: _, ...rest } = held
    this.#registry.end(cursor, { ...rest, bytes: 0 })
  }
}

const about = ({ count, shortened }: Held<Kept>): Pick<Answer, 'count' | 'shortened'> => ({
  count,
  ...(shortened && { shortened }),
})
