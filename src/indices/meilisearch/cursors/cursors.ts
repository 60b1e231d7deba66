/** Cursors on Meilisearch, which has none: the numbers of all hits in our memory, and old versions of what is written meanwhile. */

import { Failure } from '../../../errors.ts'
import type { CursorRequest, Page, PageWish } from '../../search-index.ts'
import { cursorRegistry, type CursorLimits } from '../../cursors/registry.ts'
import type { Answer, Hit, SearchIndex } from '../../search-index.ts'
import { reduced, type Tools } from '../reading/search.ts'
import { Past, type Keeping } from './past.ts'
import { numbersOf, snapshotOf, versionsOf, type Snapshot, type Span } from './snapshot.ts'

type Held = {
  readonly bytes: number
  readonly count: number
  readonly limit: number
  readonly include?: readonly string[]
  readonly score: boolean
  readonly shortened?: readonly string[]
  /** Absent when all was read. */
  readonly kept?: { readonly snapshot: Snapshot; readonly since: number }
  /** Where the next page in turn begins. */
  readonly next: { place: number }
}

/** What a cursor takes beside its numbers: its request, its note, its place in the tables. */
const standing = 1_024

/** In one process with the writer: it tells what it is about to replace. */
export class Cursors implements Pick<SearchIndex, 'open' | 'page'>, Keeping {
  readonly #tools: Tools
  readonly #registry
  readonly #past: Past
  #opening = 0

  constructor(tools: Tools, limits: CursorLimits) {
    const { now, log } = tools.reading
    this.#tools = tools
    this.#registry = cursorRegistry<Held>(limits, now)
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
      const held: Held = {
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
    const { held } = this.#registry.use(cursor)
    const start = placeOf(held, wish)
    const { note } = this.#registry.use(cursor, wish.note)
    const end = Math.min(start + (wish.limit ?? held.limit), held.count)
    const inTurn = wish.after === undefined
    if (inTurn && start === held.count) this.#end(cursor, held)
    if (inTurn) held.next.place = end
    try {
      const include = wish.include ?? held.include
      const page = await this.#read(held, { start, end, include }, signal)
      return { ...page, ...about(held), cursor, note }
    } catch (error) {
      // The page was not given: it is the next one still, unless others were asked for meanwhile.
      if (inTurn && held.next.place === end) held.next.place = start
      throw error
    }
  }

  async #read(
    held: Held,
    { start, end, include }: Span & { readonly include: readonly string[] | undefined },
    signal: AbortSignal | undefined,
  ): Promise<Pick<Page, 'hits' | 'last'>> {
    if (!held.kept || start === end) return { hits: [] }
    const { reading } = this.#tools
    const { snapshot } = held.kept
    const at = { reading, past: this.#past }
    const shown = await versionsOf(snapshot, { start, end }, at, signal)
    const lost = end - start - shown.length
    if (lost > 0) reading.log.warn({ lost }, 'cursor.versions-lost')
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

  #end(cursor: string, held: Held): void {
    const { kept: _, ...rest } = held
    this.#registry.end(cursor, { ...rest, bytes: 0 })
  }
}

const about = ({ count, shortened }: Held): Pick<Answer, 'count' | 'shortened'> => ({
  count,
  ...(shortened && { shortened }),
})

/** Where a page begins. */
function placeOf(held: Held, { after = held.next.place }: PageWish): number {
  if (!Number.isInteger(after) || after < 0 || after > held.count) {
    throw new Failure('invalid-parameter', `no place in this cursor: ${after}`)
  }
  if (!held.kept && after < held.count) {
    throw new Failure('unknown-cursor', 'this cursor was read to its end')
  }
  return after
}
