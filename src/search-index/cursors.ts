/**
 * Cursors for scrolling and `searchAfter`, used by both engines: the hits of a search are held as they were and read page by page.
 * Limits the number, lifetime and memory of cursors and determines the next page; an engine adds how the hits of a page are read.
 */

import { showLevel } from '../workers/numbers.ts'
import { randomBytes } from 'node:crypto'
import { Failure } from '../errors.ts'
import type { Answer, CursorRequest, Page, PageOptions } from './search-index.ts'

/** Limits of cursors: their number, lifetime and memory. */
export type CursorLimits = {
  readonly perClient: number
  readonly total: number
  /** Milliseconds after its last use at which a cursor is dropped. */
  readonly ttlMs: number
  /** Most bytes of all open cursors together. On Meilisearch copies of replaced documents may take as many again. */
  readonly bytes: number
}

/** Limits of cursors that apply where the operator configures none. */
export const defaultCursorLimits: CursorLimits = {
  perClient: 16,
  total: 256,
  ttlMs: 60_000,
  bytes: 256 * 2 ** 20,
}

type Cursor<Content> = {
  /** Whether it was read to its end: it still answers, but does not count against the limits. */
  readonly isEnded: boolean
  readonly client: string
  readonly content: Content
  readonly note: string
  /** Time of its last use, in ms of `now`. */
  readonly lastUsed: number
}

/** Open cursors with their limits. There is no timer: expired cursors are dropped at the next call. */
export class CursorRegistry<Content extends { readonly bytes: number }> {
  readonly #limits: CursorLimits
  readonly #now: () => number
  /** Cursors by id in the order of their last use, so that the next to expire is first. */
  readonly #cursors = new Map<string, Cursor<Content>>()

  constructor(limits: CursorLimits, now: () => number) {
    this.#limits = limits
    this.#now = now
    showLevel('cartulary_cursors', () => this.size)
  }

  /** Throws `too-many-cursors` if a further cursor of this client, with this many bytes, would exceed a limit. */
  admit(client: string, bytes = 0): void {
    this.sweep()
    const { perClient, total, bytes: maxBytes } = this.#limits
    const openCursors = this.#openCursors()
    const cursorsOfClient = openCursors.filter((cursor) => cursor.client === client)
    const bytesOfAll = openCursors.reduce((sum, cursor) => sum + cursor.content.bytes, 0)
    if (cursorsOfClient.length >= perClient)
      throw this.#full(cursorsOfClient, `${perClient} of one client`)
    if (openCursors.length >= total) throw this.#full(openCursors, `${total} of all clients`)
    if (bytesOfAll + bytes > maxBytes) throw this.#full(openCursors, 'and their memory is used up')
  }

  /** Registers a cursor and returns its id: 128 random bits, safe in a URL. Throws `too-many-cursors`. */
  open(client: string, content: Content, note: string): string {
    this.admit(client, content.bytes)
    const id = randomBytes(16).toString('base64url')
    this.#cursors.set(id, { client, content, note, lastUsed: this.#now(), isEnded: false })
    return id
  }

  /** Returns a cursor and restarts its lifetime, replacing its note by `note`, if any. Throws `unknown-cursor`. */
  use(id: string, note?: string): { readonly content: Content; readonly note: string } {
    this.sweep()
    const cursor = this.#cursors.get(id)
    if (!cursor) throw new Failure('unknown-cursor', 'there is no such cursor, or no longer')
    const next = { ...cursor, note: note ?? cursor.note, lastUsed: this.#now() }
    this.#cursors.delete(id)
    this.#cursors.set(id, next)
    return next
  }

  /**
   * Marks a cursor as read to its end: it holds only `finalContent` and does not count against the limits. At most `total` ended cursors are
   * held.
   */
  end(id: string, finalContent: Content): void {
    const cursor = this.#cursors.get(id)
    if (!cursor) return
    this.#cursors.set(id, { ...cursor, content: finalContent, isEnded: true })
    const ended = [...this.#cursors].filter(([, { isEnded }]) => isEnded)
    const [oldest] = ended
    if (oldest && ended.length > this.#limits.total) this.#cursors.delete(oldest[0])
  }

  /** Drops a cursor whose pages cannot be read any more. */
  drop(id: string): void {
    this.#cursors.delete(id)
  }

  /** Drops expired cursors. */
  sweep(): void {
    const oldest = this.#now() - this.#limits.ttlMs
    for (const [id, { lastUsed }] of this.#cursors) {
      if (lastUsed > oldest) break
      this.#cursors.delete(id)
    }
  }

  /** Number of cursors that were not read to their end. */
  get size(): number {
    return this.#openCursors().length
  }

  /** Content of the cursors that were not read to their end. */
  contents(): Iterable<Content> {
    return this.#openCursors().map((cursor) => cursor.content)
  }

  /** Drops all cursors. */
  clear(): void {
    this.#cursors.clear()
  }

  #openCursors = () => [...this.#cursors.values()].filter(({ isEnded }) => !isEnded)

  /** Makes the failure; a client may retry when the first of `cursors`, the one that was not used for longest, expires. */
  #full(cursors: readonly Cursor<Content>[], detail: string): Failure {
    const now = this.#now()
    const seconds = Math.ceil(((cursors[0]?.lastUsed ?? now) + this.#limits.ttlMs - now) / 1000)
    const retryAfter = Math.max(1, seconds)
    return new Failure('too-many-cursors', `too many open cursors: ${detail}`, { retryAfter })
  }
}

/** Content of a cursor. `snapshot` is the engine's snapshot, absent after the cursor was read to its end. */
type CursorContent<Snapshot> = {
  readonly bytes: number
  readonly count: number
  readonly limit: number
  readonly include?: readonly string[]
  readonly score: boolean
  readonly truncatedPatterns?: readonly string[]
  readonly snapshot?: Snapshot
  /** Position at which the next page in turn begins. */
  readonly next: { position: number }
}

/** Estimated bytes of a cursor beside its snapshot: request, note, entries in maps. */
export const cursorBytes = 1_024

/** Range of the hits of a cursor, `end` exclusive, and the form in which its records are returned. */
export type PageSpan = {
  readonly start: number
  readonly end: number
  readonly include?: readonly string[]
  readonly score: boolean
}

/** Hits of a page. `value` is the sort value of the last hit; absent for texts and if the record has none. */
type PageHits = Pick<Answer, 'hits'> & { readonly value?: number }

type ReadPage<Snapshot> = (
  snapshot: Snapshot,
  span: PageSpan,
  signal?: AbortSignal,
) => Promise<PageHits>

/** Snapshot of a search, and its first page. */
type OpenedCursor<Snapshot> = PageHits &
  Pick<Answer, 'count' | 'facets' | 'truncatedPatterns'> & {
    readonly snapshot: Snapshot
    /** Bytes of the snapshot. */
    readonly bytes: number
  }

/** Cursors of an engine. `Snapshot` is its snapshot type, from which `read` reads a page. */
export class Cursors<Snapshot> {
  readonly #registry: CursorRegistry<CursorContent<Snapshot>>
  readonly #read: ReadPage<Snapshot>
  readonly #onEnded: () => void

  /** Calls `onEnded` when a cursor was read to its end and its snapshot is released. `now` returns milliseconds that never decrease. */
  constructor(
    { limits, now }: { readonly limits: CursorLimits; readonly now: () => number },
    read: ReadPage<Snapshot>,
    onEnded: () => void,
  ) {
    this.#registry = new CursorRegistry(limits, now)
    this.#read = read
    this.#onEnded = onEnded
  }

  /** Number of cursors that were not read to their end. */
  get size(): number {
    return this.#registry.size
  }

  /** Throws `too-many-cursors` if the client may not open another cursor. */
  admit(client: string): void {
    this.#registry.admit(client)
  }

  /** Snapshots of the open cursors. */
  snapshots(): readonly Snapshot[] {
    return [...this.#registry.contents()].flatMap(({ snapshot }) =>
      snapshot === undefined ? [] : [snapshot],
    )
  }

  /** Registers a cursor and returns its first page. Throws `too-many-cursors`. */
  open(
    { client, note, limit, include, score }: CursorRequest,
    opened: OpenedCursor<Snapshot>,
  ): Page {
    const { hits, count, facets, truncatedPatterns, snapshot } = opened
    const content: CursorContent<Snapshot> = {
      bytes: cursorBytes + opened.bytes,
      count,
      limit,
      include,
      score,
      truncatedPatterns,
      snapshot,
      next: { position: hits.length },
    }
    const cursor = this.#registry.open(client, content, note)
    if (count === 0) this.#end(cursor, content)
    return { ...pageOf(opened, content, hits.length), cursor, note, facets }
  }

  /** Reads the page after a position, or the next one in turn. A page that cannot be read remains the next one. */
  async page(cursor: string, options: PageOptions = {}, signal?: AbortSignal): Promise<Page> {
    const { content } = this.#registry.use(cursor)
    const start = positionOf(content, options)
    const { note } = this.#registry.use(cursor, options.note)
    const end = Math.min(start + (options.limit ?? content.limit), content.count)
    const isInTurn = options.after === undefined
    if (isInTurn && start === content.count) this.#end(cursor, content)
    if (isInTurn) content.next.position = end
    try {
      const span = { start, end, include: options.include ?? content.include, score: content.score }
      const hasHits = content.snapshot !== undefined && start < end
      const pageHits = hasHits ? await this.#read(content.snapshot, span, signal) : { hits: [] }
      return { ...pageOf(pageHits, content, end), cursor, note }
    } catch (error) {
      // The page was not delivered: it remains the next one, unless another call has moved on meanwhile.
      if (isInTurn && content.next.position === end) content.next.position = start
      // The engine has lost the snapshot: nothing more can be read, and the place is free.
      if (error instanceof Failure && error.kind === 'unknown-cursor') this.#registry.drop(cursor)
      throw error
    }
  }

  /** Drops expired cursors. */
  sweep(): void {
    this.#registry.sweep()
  }

  /** Drops all cursors. */
  clear(): void {
    this.#registry.clear()
  }

  /** Releases the snapshot of a cursor that was read to its end. */
  #end(cursor: string, { count, limit, score, next }: CursorContent<Snapshot>): void {
    this.#registry.end(cursor, { bytes: 0, count, limit, score, next })
    this.#onEnded()
  }
}

function pageOf<Snapshot>(
  { hits, value }: PageHits,
  { count, truncatedPatterns }: CursorContent<Snapshot>,
  end: number,
) {
  const last = hits.length > 0 ? { last: [value ?? end, end] as const } : {}
  return { count, hits, ...last, truncatedPatterns }
}

/** Position at which a page begins. Throws `invalid-parameter` and `unknown-cursor`. */
function positionOf(
  content: CursorContent<unknown>,
  { after = content.next.position }: PageOptions,
): number {
  if (!Number.isInteger(after) || after < 0 || after > content.count)
    throw new Failure('invalid-parameter', `no position in this cursor: ${after}`)
  if (content.snapshot === undefined && after < content.count)
    throw new Failure('unknown-cursor', 'this cursor was read to its end')
  return after
}
