/** Cursors on Meilisearch, which has none: the numbers of all hits in our memory, and old versions of what is written meanwhile. */

import { Failure } from '../../../errors.ts'
import type { Page, PageWish } from '../../cursors/page.ts'
import { cursorRegistry, type CursorLimits } from '../../cursors/registry.ts'
import type { Answer, Hit, SearchIndex } from '../../search-index.ts'
import { reduced, type Tools } from '../reading/search.ts'
import { Past, type Keeping } from './past.ts'
import { numbersFrom, snapshotOf, versionsOf, type Snapshot, type Span } from './snapshot.ts'

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

export type Cursors = Pick<SearchIndex, 'open' | 'page'> & { readonly keeping: Keeping }

/** In one process with the writer: it tells what it is about to replace. */
export function cursors(tools: Tools, limits: CursorLimits): Cursors {
  const { reading } = tools
  const registry = cursorRegistry<Held>(limits, reading.now)
  let opening = 0
  const isNeeded = () => opening > 0 || registry.size > 0
  const overflow = () => {
    reading.log.warn({ cursors: registry.size, bytes: limits.bytes }, 'cursors.given-up')
    registry.clear()
  }
  const past = new Past(reading, isNeeded, { bytes: limits.bytes, overflow })

  const begin = () => {
    registry.sweep()
    if (opening > 0) return
    const since = [...registry.held()].flatMap(({ kept }) => (kept ? [kept.since] : []))
    past.forget(Math.min(Infinity, ...since))
  }

  const end = (cursor: string, { kept: _, ...held }: Held) =>
    registry.end(cursor, { ...held, bytes: 0 })

  const read = async (
    held: Held,
    { start, end }: Span,
    include: readonly string[] | undefined,
    signal?: AbortSignal,
  ): Promise<Pick<Page, 'hits' | 'last'>> => {
    if (!held.kept || start === end) return { hits: [] }
    const { snapshot } = held.kept
    const shown = await versionsOf(snapshot, { start, end }, { reading, past }, signal)
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

  return {
    keeping: {
      before: (uid, keys) => {
        registry.sweep()
        return past.before(uid, keys)
      },
      beforeSwap: async (uid) => {
        registry.sweep()
        for (const { kept, next } of registry.held()) {
          if (kept) await past.copy(uid, numbersFrom(kept.snapshot, uid, next.place))
        }
      },
    },

    open: async ({ client, note, ...request }, signal) => {
      begin()
      registry.admit(client)
      opening++
      try {
        const since = past.time
        await past.copyUnderway()
        const { snapshot, facets, shortened } = await snapshotOf(request, tools, signal)
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
        const page = await read(held, { start: 0, end: place }, include, signal)
        const cursor = registry.open(client, held, note)
        if (held.count === 0) end(cursor, held)
        return { ...page, ...about(held), cursor, note, ...(facets && { facets }) }
      } finally {
        opening--
      }
    },

    page: async (cursor, wish = {}, signal) => {
      begin()
      const { held } = registry.use(cursor)
      const start = placeOf(held, wish)
      const { note } = registry.use(cursor, wish.note)
      const stop = Math.min(start + (wish.limit ?? held.limit), held.count)
      const inTurn = wish.after === undefined
      if (inTurn && start === held.count) end(cursor, held)
      if (inTurn) held.next.place = stop
      try {
        const include = wish.include ?? held.include
        const page = await read(held, { start, end: stop }, include, signal)
        return { ...page, ...about(held), cursor, note }
      } catch (error) {
        // The page was not given: it is the next one still, unless others were asked for meanwhile.
        if (inTurn && held.next.place === stop) held.next.place = start
        throw error
      }
    },
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
