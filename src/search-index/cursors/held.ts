/** What a cursor holds on every engine, and the rules of its pages. */

import { Failure } from '../../errors.ts'
import type { PageWish } from '../search-index.ts'
import type { CursorRegistry } from './registry.ts'

export type Held<Kept> = {
  readonly bytes: number
  readonly count: number
  readonly limit: number
  readonly include?: readonly string[]
  readonly score: boolean
  readonly shortened?: readonly string[]
  /** Absent when all was read. */
  readonly kept?: Kept
  /** Where the next page in turn begins. */
  readonly next: { place: number }
}

/** What a cursor takes beside its numbers: its request, its note, its place in the tables. */
export const standing = 1_024

/** Where a page begins. */
function placeOf(held: Held<unknown>, { after = held.next.place }: PageWish): number {
  if (!Number.isInteger(after) || after < 0 || after > held.count)
    throw new Failure('invalid-parameter', `no place in this cursor: ${after}`)
  if (!held.kept && after < held.count)
    throw new Failure('unknown-cursor', 'this cursor was read to its end')
  return after
}

type Turn<One, Read> = {
  readonly registry: Pick<CursorRegistry<One & { readonly bytes: number }>, 'use'>
  /** Told of a cursor that was read to its end. */
  readonly end: (cursor: string, held: One) => void
  readonly read: (
    held: One,
    span: { readonly start: number; readonly end: number },
  ) => Promise<Read>
}

/** Takes a page: the one behind a place, or the next in turn, which stays the next one when it cannot be read. */
export async function takePage<One extends Held<unknown>, Read>(
  cursor: string,
  wish: PageWish,
  { registry, end: ended, read }: Turn<One, Read>,
): Promise<{
  readonly read: Read
  readonly held: One
  readonly note: string
  readonly end: number
}> {
  const { held } = registry.use(cursor)
  const start = placeOf(held, wish)
  const { note } = registry.use(cursor, wish.note)
  const end = Math.min(start + (wish.limit ?? held.limit), held.count)
  const inTurn = wish.after === undefined
  if (inTurn && start === held.count) ended(cursor, held)
  if (inTurn) held.next.place = end
  try {
    return { read: await read(held, { start, end }), held, note, end }
  } catch (error) {
    // The page was not given: it is the next one still, unless others were asked for meanwhile.
    if (inTurn && held.next.place === end) held.next.place = start
    throw error
  }
}
