/** The cursors of the embedded engine: the numbers of all hits in the main thread, the records where they have always been. */

import { standing, takePage, type Held } from '../cursors/held.ts'
import { cursorRegistry, type CursorLimits } from '../cursors/registry.ts'
import type { CursorRequest, Page, PageWish, SearchIndex } from '../search-index.ts'
import { sliceOf, type SlicePage, type Snapshot } from './reading/snapshot.ts'
import type { WriterCalls } from './threads/messages.ts'
import { unlessGivenUp } from './threads/giving-up.ts'
import type { Readers } from './threads/readers.ts'
import { unavailable, type Thread } from './threads/thread.ts'

/** The hold that the writer knows of, and what it is held for. */
type Kept = { readonly hold: number; readonly snapshot: Snapshot }

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
    this.#registry = cursorRegistry<Held<Kept>>(deps.limits, deps.now)
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
    const { read, held, note, end } = await takePage(cursor, wish, {
      registry: this.#registry,
      end: (ended, one: Held<Kept>) => this.#end(ended, one),
      read: (one, span) => this.#read({ held: one, ...span }, wish, signal),
    })
    return { ...pageOf(read, held, end), cursor, note }
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
    { held, start, end }: { held: Held<Kept>; start: number; end: number },
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
  #end(cursor: string, { count, limit, score, next }: Held<Kept>): void {
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

function pageOf({ hits, value }: SlicePage, { count, shortened }: Held<Kept>, end: number) {
  const last = hits.length > 0 ? { last: [value ?? end, end] as const } : {}
  return { count, hits, ...last, ...(shortened && { shortened }) }
}

const bytesOf = ({ numbers, of, scores }: Snapshot): number =>
  standing + numbers.byteLength + (of?.byteLength ?? 0) + (scores?.byteLength ?? 0)
