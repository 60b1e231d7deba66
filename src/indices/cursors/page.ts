/** Searches that are read page by page from one snapshot, whatever is written meanwhile. */

import type { Answer, SearchRequest } from '../search-index.ts'

/** A search whose hits are kept: `limit` is the size of a page, facets come with the first one. */
export type CursorRequest = Omit<SearchRequest, 'offset'> & {
  /** Who pays for it: open cursors are counted by client. */
  readonly client: string
  /** The caller's own text, given back with every page. */
  readonly note: string
}

export type Page = Answer & {
  /** Names the cursor; not to be guessed. */
  readonly cursor: string
  readonly note: string
  /** Of the last hit: its sort value or score (for texts its place), and its place in the cursor. Absent on an empty page. */
  readonly last?: readonly [number, number]
}

/** Which page; all absent = the next one in turn. */
export type PageWish = {
  /** The page behind this place, as often as wanted. */
  readonly after?: number
  readonly limit?: number
  readonly include?: readonly string[]
  /** Replaces the note. */
  readonly note?: string
}
