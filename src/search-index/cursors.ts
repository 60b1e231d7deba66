/**
 * Cursors, on every engine: a search whose hits are kept as they were, and read page by page. How many there may be, how long they
 * live, what they hold meanwhile, and which page comes next; an engine adds how the hits of a page are read.
 */

import { randomBytes } from 'node:crypto'
import { Failure } from '../errors.ts'
import type { Answer, CursorRequest, Page, PageOptions } from './search-index.ts'

/** Limits of cursors: their number, their life, and the memory of their snapshots. */
export type CursorLimits = {
  readonly perClient: number
  readonly total: number
  /** Milliseconds after its last use at which a cursor is forgotten. */
  readonly ttlMs: number
  /** Bytes of all snapshots together. */
  readonly bytes: number
}

/** Where the operator says nothing else. */
export const defaultCursorLimits: CursorLimits = {
  perClient: 16,
  total: 256,
  ttlMs: 60_000,
  bytes: 256 * 2 ** 20,
}

type Cursor<Held> = {
  /** It was read to its end: it still answers, but counts no more. */
  readonly isEnded: boolean
  readonly client: string
  readonly held: Held
  readonly note: string
  /** When it was used last. */
  readonly used: number
}

/** Nothing here runs by itself: what is too old goes with the next call of anything. */
export class CursorRegistry<Held extends { readonly bytes: number }> {
  readonly #limits: CursorLimits
  readonly #now: () => number
  /** In the order of the last use: what expires next is first. */
  readonly #cursors = new Map<string, Cursor<Held>>()

  constructor(limits: CursorLimits, now: () => number) {
    this.#limits = limits
    this.#now = now
  }

  /** Throws `too-many-cursors` when a client, or all together, may not hold that many bytes more. */
  admit(client: string, bytes = 0): void {
    this.sweep()
    const { perClient, total, bytes: most } = this.#limits
    const all = this.#open()
    const own = all.filter((cursor) => cursor.client === client)
    const held = all.reduce((sum, cursor) => sum + cursor.held.bytes, 0)
    if (own.length >= perClient) throw this.#full(own, `${perClient} of one client`)
    if (all.length >= total) throw this.#full(all, `${total} of all clients`)
    if (held + bytes > most) throw this.#full(all, 'and they hold all the memory there is')
  }

  /** The name of a new cursor: 128 random bits, safe in an address. Throws `too-many-cursors`. */
  open(client: string, held: Held, note: string): string {
    this.admit(client, held.bytes)
    const id = randomBytes(16).toString('base64url')
    this.#cursors.set(id, { client, held, note, used: this.#now(), isEnded: false })
    return id
  }

  /** Begins the cursor's life anew, under another note where one is given. Throws `unknown-cursor`. */
  use(id: string, note?: string): { readonly held: Held; readonly note: string } {
    this.sweep()
    const cursor = this.#cursors.get(id)
    if (!cursor) throw new Failure('unknown-cursor', 'there is no such cursor, or no longer')
    const next = { ...cursor, note: note ?? cursor.note, used: this.#now() }
    this.#cursors.delete(id)
    this.#cursors.set(id, next)
    return next
  }

  /** Was read to its end: it still answers, with `rest`, but counts no more. Of these too there are at most `total`. */
  end(id: string, rest: Held): void {
    const cursor = this.#cursors.get(id)
    if (!cursor) return
    this.#cursors.set(id, { ...cursor, held: rest, isEnded: true })
    const ended = [...this.#cursors].filter(([, { isEnded }]) => isEnded)
    const [oldest] = ended
    if (oldest && ended.length > this.#limits.total) this.#cursors.delete(oldest[0])
  }

  /** Forgets what nobody used for too long. */
  sweep(): void {
    const oldest = this.#now() - this.#limits.ttlMs
    for (const [id, { used }] of this.#cursors) {
      if (used > oldest) break
      this.#cursors.delete(id)
    }
  }

  get size(): number {
    return this.#open().length
  }

  /** Snapshots of the open cursors. */
  held(): Iterable<Held> {
    return this.#open().map((cursor) => cursor.held)
  }

  /** Forgets all: what they held is gone. */
  clear(): void {
    this.#cursors.clear()
  }

  #open = () => [...this.#cursors.values()].filter(({ isEnded }) => !isEnded)

  #full(some: readonly Cursor<Held>[], detail: string): Failure {
    const now = this.#now()
    const seconds = Math.ceil(((some[0]?.used ?? now) + this.#limits.ttlMs - now) / 1000)
    const retryAfter = Math.max(1, seconds)
    return new Failure('too-many-cursors', `too many open cursors: ${detail}`, { retryAfter })
  }
}

/** Snapshot of a cursor; `kept` is the engine's own, absent when all was read. */
type Held<Kept> = {
  readonly bytes: number
  readonly count: number
  readonly limit: number
  readonly include?: readonly string[]
  readonly score: boolean
  readonly shortened?: readonly string[]
  readonly kept?: Kept
  /** Where the next page in turn begins. */
  readonly next: { place: number }
}

/** Bytes of a cursor beside its numbers: its request, its note, its place in the tables. */
export const cursorBytes = 1_024

/** Neighbours among the hits of a cursor, and how their records are to be shown. */
export type PageSpan = {
  readonly start: number
  readonly end: number
  readonly include?: readonly string[]
  readonly score: boolean
}

/** `value` = what the last hit is sorted by; absent for texts and where it is missing. */
type PageHits = Pick<Answer, 'hits'> & { readonly value?: number }

type ReadPage<Kept> = (kept: Kept, span: PageSpan, signal?: AbortSignal) => Promise<PageHits>

/** A search that was kept, and its first page. */
type OpenedCursor<Kept> = PageHits &
  Pick<Answer, 'count' | 'facets' | 'shortened'> & {
    readonly kept: Kept
    /** Bytes of the snapshot. */
    readonly bytes: number
  }

/** The cursors of an engine; `Kept` is what it needs to read a page again. */
export class Cursors<Kept> {
  readonly #registry: CursorRegistry<Held<Kept>>
  readonly #read: ReadPage<Kept>
  readonly #ended: () => void

  /** `ended` is told when a cursor was read to its end and holds nothing any more. `now`: milliseconds that never go back. */
  constructor(
    { limits, now }: { readonly limits: CursorLimits; readonly now: () => number },
    read: ReadPage<Kept>,
    ended: () => void,
  ) {
    this.#registry = new CursorRegistry(limits, now)
    this.#read = read
    this.#ended = ended
  }

  get size(): number {
    return this.#registry.size
  }

  /** Throws `too-many-cursors` when a client may not have one more. */
  admit(client: string): void {
    this.#registry.admit(client)
  }

  /** The engine's part of all open cursors. */
  kept(): readonly Kept[] {
    return [...this.#registry.held()].flatMap(({ kept }) => (kept === undefined ? [] : [kept]))
  }

  /** Throws `too-many-cursors`. */
  open({ client, note, limit, include, score }: CursorRequest, opened: OpenedCursor<Kept>): Page {
    const { hits, count, facets, shortened, kept } = opened
    const held: Held<Kept> = {
      bytes: cursorBytes + opened.bytes,
      count,
      limit,
      include,
      score,
      shortened,
      kept,
      next: { place: hits.length },
    }
    const cursor = this.#registry.open(client, held, note)
    if (count === 0) this.#end(cursor, held)
    return { ...pageOf(opened, held, hits.length), cursor, note, facets }
  }

  /** The page after a place, or the next in turn, which stays the next one when it cannot be read. */
  async page(cursor: string, options: PageOptions = {}, signal?: AbortSignal): Promise<Page> {
    const { held } = this.#registry.use(cursor)
    const start = placeOf(held, options)
    const { note } = this.#registry.use(cursor, options.note)
    const end = Math.min(start + (options.limit ?? held.limit), held.count)
    const isInTurn = options.after === undefined
    if (isInTurn && start === held.count) this.#end(cursor, held)
    if (isInTurn) held.next.place = end
    try {
      const span = { start, end, include: options.include ?? held.include, score: held.score }
      const isRead = held.kept !== undefined && start < end
      const read = isRead ? await this.#read(held.kept, span, signal) : { hits: [] }
      return { ...pageOf(read, held, end), cursor, note }
    } catch (error) {
      // The page was not given: it is the next one still, unless others were asked for meanwhile.
      if (isInTurn && held.next.place === end) held.next.place = start
      throw error
    }
  }

  /** Forgets what nobody used for too long. */
  sweep(): void {
    this.#registry.sweep()
  }

  /** Forgets all: what they held is gone. */
  clear(): void {
    this.#registry.clear()
  }

  /** Keeps of a cursor that was read to its end only what its last answer needs. */
  #end(cursor: string, { count, limit, score, next }: Held<Kept>): void {
    this.#registry.end(cursor, { bytes: 0, count, limit, score, next })
    this.#ended()
  }
}

function pageOf<Kept>({ hits, value }: PageHits, { count, shortened }: Held<Kept>, end: number) {
  const last = hits.length > 0 ? { last: [value ?? end, end] as const } : {}
  return { count, hits, ...last, shortened }
}

/** Where a page begins. Throws `invalid-parameter` and `unknown-cursor`. */
function placeOf(held: Held<unknown>, { after = held.next.place }: PageOptions): number {
  if (!Number.isInteger(after) || after < 0 || after > held.count)
    throw new Failure('invalid-parameter', `no place in this cursor: ${after}`)
  if (held.kept === undefined && after < held.count)
    throw new Failure('unknown-cursor', 'this cursor was read to its end')
  return after
}
