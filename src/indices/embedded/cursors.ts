/** The cursors of the embedded engine: the numbers of all hits in the main thread, the records where they have always been. */

import { Failure } from '../../errors.ts'
import type { CursorRequest, Page, PageWish } from '../search-index.ts'
import { cursorRegistry, type CursorLimits } from '../cursors/registry.ts'
import type { SearchIndex } from '../search-index.ts'
import { sliceOf, type SlicePage, type Snapshot } from './reading/snapshot.ts'
import type { WriterCalls } from './threads/messages.ts'
import { unlessGivenUp } from './threads/giving-up.ts'
import type { Readers } from './threads/readers.ts'
import { unavailable, type Thread } from './threads/thread.ts'

type Held = {
  readonly bytes: number
  readonly count: number
  readonly limit: number
  readonly include?: readonly string[]
  readonly score: boolean
  readonly shortened?: readonly string[]
  /** Absent when all was read. */
  readonly kept?: { readonly hold: number; readonly snapshot: Snapshot }
  /** Where the next page in turn begins. */
  readonly next: { place: number }
}

/** What a cursor takes beside its numbers: its request, its note, its place in the tables. */
const standing = 1_024

type Deps = {
  readonly writer: Thread<WriterCalls>
  readonly readers: Readers
  readonly limits: CursorLimits
  readonly now: () => number
}

export class EmbeddedCursors implements Pick<SearchIndex, 'open' | 'page'> {
  readonly #deps: Deps
  readonly #registry
  /** Holds of open cursors that the writer knows of. */
  readonly #holds = new Set<number>()
  #lastHold = 0
  #writerLife = 0
  #closed = false

  constructor(deps: Deps) {
    this.#deps = deps
    this.#registry = cursorRegistry<Held>(deps.limits, deps.now)
  }

  async open({ client, note, ...request }: CursorRequest, signal?: AbortSignal): Promise<Page> {
    this.#begin()
    this.#registry.admit(client)
    const [hold, life] = [++this.#lastHold, this.#writerLife]
    try {
      // Known to the writer before the snapshot is taken: what dies in between is kept too.
      await unlessGivenUp(this.#deps.writer.call('hold', hold).answer, signal)
      const opened = await this.#deps.readers.run('open', request, signal)
      if (life !== this.#writerLife) throw unavailable('its writer died')
      const { facets, shortened, snapshot } = opened
      const { include, limit, score } = request
      const held = {
        bytes: bytesOf(snapshot),
        count: snapshot.numbers.length,
        limit,
        ...(include && { include }),
        score,
        ...(shortened && { shortened }),
        kept: { hold, snapshot },
        next: { place: opened.hits.length },
      }
      const cursor = this.#registry.open(client, held, note)
      this.#holds.add(hold)
      if (held.count === 0) this.#end(cursor, held)
      const page = pageOf(opened, held, opened.hits.length)
      return { ...page, cursor, note, ...(facets && { facets }) }
    } catch (error) {
      this.#release([hold])
      throw error
    }
  }

  async page(cursor: string, wish: PageWish = {}, signal?: AbortSignal): Promise<Page> {
    this.#begin()
    const { held } = this.#registry.use(cursor)
    const start = placeOf(held, wish)
    const { note } = this.#registry.use(cursor, wish.note)
    const end = Math.min(start + (wish.limit ?? held.limit), held.count)
    const inTurn = wish.after === undefined
    if (inTurn && start === held.count) this.#end(cursor, held)
    if (inTurn) held.next.place = end
    try {
      return {
        ...pageOf(await this.#read({ held, start, end }, wish, signal), held, end),
        cursor,
        note,
      }
    } catch (error) {
      // The page was not given: it is the next one still, unless others were asked for meanwhile.
      if (inTurn && held.next.place === end) held.next.place = start
      throw error
    }
  }

  /** Forgets what is too old, and tells the writer what nobody needs any more. Cheap. */
  sweep(): void {
    this.#registry.sweep()
    if (this.#holds.size === 0) return
    const needed = new Set([...this.#registry.held()].map(({ kept }) => kept?.hold))
    this.#release([...this.#holds].filter((hold) => !needed.has(hold)))
  }

  /** The writer died, and with it what it knew of holds: the next one purges what the cursors need. */
  lose(): void {
    this.#writerLife++
    this.#registry.clear()
    this.#holds.clear()
  }

  close(): void {
    this.#closed = true
    this.lose()
  }

  async #read(
    { held, start, end }: { held: Held; start: number; end: number },
    wish: PageWish,
    signal: AbortSignal | undefined,
  ): Promise<SlicePage> {
    if (!held.kept || start === end) return { hits: [] }
    const include = wish.include ?? held.include
    const slice = sliceOf(held.kept.snapshot, start, end)
    const { score } = held
    return this.#deps.readers.run('page', { ...slice, ...(include && { include }), score }, signal)
  }

  #begin(): void {
    if (this.#closed) throw unavailable('it is closed')
    this.sweep()
  }

  /** What is left needs nothing from anybody. */
  #end(cursor: string, { count, limit, score, next }: Held): void {
    this.#registry.end(cursor, { bytes: 0, count, limit, score, next })
    this.sweep()
  }

  #release(holds: readonly number[]): void {
    if (holds.length === 0) return
    for (const hold of holds) this.#holds.delete(hold)
    const { writer } = this.#deps
    // A new writer knows of no holds.
    if (!writer.running || this.#closed) return
    void Promise.allSettled([writer.call('release', holds).answer])
  }
}

/** Where a page begins. */
function placeOf(held: Held, { after = held.next.place }: PageWish): number {
  if (!Number.isInteger(after) || after < 0 || after > held.count)
    throw new Failure('invalid-parameter', `no place in this cursor: ${after}`)
  if (!held.kept && after < held.count)
    throw new Failure('unknown-cursor', 'this cursor was read to its end')
  return after
}

function pageOf({ hits, value }: SlicePage, { count, shortened }: Held, end: number) {
  const last = hits.length > 0 ? { last: [value ?? end, end] as const } : {}
  return { count, hits, ...last, ...(shortened && { shortened }) }
}

const bytesOf = ({ numbers, of, scores }: Snapshot): number =>
  standing + numbers.byteLength + (of?.byteLength ?? 0) + (scores?.byteLength ?? 0)
