/** The port to a search engine. There is a port because there are two engines: embedded and Meilisearch. */

import type { QueryTree } from './query-tree.ts'
import type { IndexName, IndexSettings } from './index-settings.ts'

/** West, south, east, north in degrees. */
export type Box = readonly [number, number, number, number]

/** A value of a facet: the id by which it is filtered, compared exactly, and what people read. */
export type FacetValue = { readonly id: string; readonly title: string }

/** A record as an engine stores it. */
export type Document = {
  readonly index: IndexName
  /** Platform id; a concept's is `{vocabulary}/{concept}`. */
  readonly id: string
  /**
   * Grows with every write of the record; an older one never overwrites a newer one. 0 = made again from what is stored: it
   * replaces whatever is there and takes its version over.
   */
  readonly version: number
  /** Stored hash of the record, for reconcile. */
  readonly hash: string
  /** Field (dotted) → language key → values. */
  readonly text: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
  readonly facets: Readonly<Record<string, readonly FacetValue[]>>
  /** Name → up to four periods in epoch ms, one instant as from = to; open ends ±8.64e15. */
  readonly dates: Readonly<Record<string, readonly (readonly [number, number])[]>>
  readonly numbers: Readonly<Record<string, number>>
  readonly flags: Readonly<Record<string, boolean>>
  /** Up to four. */
  readonly boxes: readonly Box[]
  /** Sortable text field, or `field.language` → folded sort text of at most 100 code points. */
  readonly order: Readonly<Record<string, string>>
  /** The JSON that clients get. */
  readonly record: Readonly<Record<string, unknown>>
}

/** A record that was written or is gone. */
export type IndexChange =
  | {
      readonly put: Document
      /** Only for what is being built: written where the record is missing, nothing that answers changes. */
      readonly filling?: boolean
    }
  | {
      readonly remove: {
        readonly index: IndexName
        readonly id: string
        /** As of a document; 0 = whatever the version is. */
        readonly version: number
      }
    }

/** Groups combine with `groups`, the values inside one group with `values`. */
export type FacetFilter = {
  readonly groups: readonly { readonly facet: string; readonly values: readonly string[] }[]
  readonly operator: 'AND' | 'OR'
  readonly groupOperator: 'AND' | 'OR'
}

/** All that is given has to hold; an index without such a field, facet or flag has nothing that fits. */
export type Filter = {
  readonly facets?: FacetFilter
  /** A name of `Document.dates`, both bounds inclusive in epoch ms. */
  readonly date?: { readonly name: string; readonly from?: number; readonly to?: number }
  /** Names of `Document.numbers`, bounds inclusive. */
  readonly numbers?: readonly {
    readonly name: string
    readonly from?: number
    readonly to?: number
  }[]
  /** Flags that must be true. */
  readonly flags?: readonly string[]
  /** West is greater than east where it goes over the date line. */
  readonly box?: Box
  /** Ids behind this one (code points): where the next page of all records begins. */
  readonly after?: string
}

export type OrderKey = {
  /** `relevance`, or a name of dates, numbers, flags or order. */
  readonly by: string
  readonly direction: 'asc' | 'desc'
}

/** A search as engines understand it: nothing of it is text to be parsed. */
export type SearchRequest = {
  readonly indices: readonly IndexName[]
  readonly tree: QueryTree
  /** Searched fields (`title`, `title.de`); absent = all. */
  readonly fields?: readonly string[]
  readonly filter: Filter
  /** Facets to count, in the wanted order of ids; absent = none. */
  readonly facets?: {
    readonly ids?: readonly string[]
    readonly size: number
    readonly global: boolean
  }
  /** Empty = relevance when the tree has a positive text leaf, else `modified desc`. */
  readonly order: readonly OrderKey[]
  readonly boosts: Readonly<Record<string, number>>
  readonly offset: number
  readonly limit: number
  /** Dotted paths; absent = whole records. */
  readonly include?: readonly string[]
  readonly score: boolean
}

/** A value with the number of records that have it; `from` and `to` of a band. */
export type FacetItem = FacetValue & {
  readonly count: number
  readonly from?: number
  readonly to?: number
}
export type Facet = {
  readonly id: string
  readonly title: string
  readonly items: readonly FacetItem[]
}

export type Hit = {
  readonly index: IndexName
  readonly id: string
  readonly score?: number
  /** Finished JSON text of the record, already reduced to `include`. */
  readonly record: string
}

/** Result of a search. */
export type Answer = {
  /** Exact, also over several indices and beyond the page. */
  readonly count: number
  readonly hits: readonly Hit[]
  /** Absent when none were asked for. */
  readonly facets?: readonly Facet[]
  /** Wildcard patterns that stand for more terms than were looked for. */
  readonly shortened?: readonly string[]
}

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
  /** Sort value or score of the last hit (for texts its place), and its place in the cursor. Absent on an empty page. */
  readonly last?: readonly [number, number]
}

/** Which page; all absent = the next one in turn. */
export type PageOptions = {
  /** The page behind this place, as often as wanted. */
  readonly after?: number
  readonly limit?: number
  readonly include?: readonly string[]
  /** Replaces the note. */
  readonly note?: string
}

/** A stored record as reconcile compares it with the store. */
export type Entry = { readonly id: string; readonly version: number; readonly hash: string }

/**
 * Every call rejects with a `Failure`: `engine-unavailable`, `time-limit`, `query-too-complex`. An object of closures: callers
 * spread it.
 */
export type SearchIndex = {
  /** Changes that one write had best hold when many wait; absent = a hundred or so. */
  readonly batch?: number
  /**
   * Idempotent. `rebuild` names the indices that have to be filled: those that are new, those whose settings differ from what
   * is stored, and those whose filling an earlier process did not end. Where there are documents under other settings, these
   * go on answering and are written to beside the new ones until `finish`. Indices that are not named any more are dropped.
   * `anew` names indices that are to be filled again although nothing about them is other.
   */
  configure(
    settings: readonly IndexSettings[],
    anew?: readonly IndexName[],
  ): Promise<{ readonly rebuild: readonly IndexName[] }>
  /** The filling of an index has ended: from now on the new documents answer, and the old ones go. */
  finish(index: IndexName): Promise<void>
  /** The ids among these that the index still has to be filled with. */
  missing(index: IndexName, ids: readonly string[]): Promise<readonly string[]>
  /** The settings that searches are answered under: the old ones until `finish`. */
  current(): readonly IndexSettings[]
  /** Resolves when all are searchable. A change older than the stored version is skipped. Whole or absent after a crash. */
  write(changes: readonly IndexChange[], signal?: AbortSignal): Promise<void>
  /** One consistent snapshot for hits, count and facets. */
  search(request: SearchRequest, signal?: AbortSignal): Promise<Answer>
  /** The first page of a snapshot. Rejects with `too-many-cursors` too. */
  open(request: CursorRequest, signal?: AbortSignal): Promise<Page>
  /** A further page. Rejects with `unknown-cursor`, and with `invalid-parameter` for a place that is none. */
  page(cursor: string, options?: PageOptions, signal?: AbortSignal): Promise<Page>
  /**
   * For each token the indexed tokens that differ from it by a letter or two, nearest first, then those that more records have; some
   * at most, and none when it takes too long. They begin with the same letter: that one is nearly always right.
   */
  near(tokens: readonly string[], signal?: AbortSignal): Promise<readonly (readonly string[])[]>
  /** All values of a facet over a whole index with their counts, ids ascending. */
  values(index: IndexName, facet: string, signal?: AbortSignal): Promise<readonly FacetItem[]>
  /**
   * Told when the engine lost its documents while it ran: these indices are to be filled and finished, as after `configure`, and
   * do not answer until then. Absent where that cannot happen.
   */
  readonly onLost?: (listener: (rebuild: readonly IndexName[]) => void) => void
  /** Indices whose replaced documents take more memory than the others: to be filled anew. Absent where they take none. */
  readonly fragmented?: () => Promise<readonly IndexName[]>
  /** Another text whenever an answer may be another; costs nothing. */
  state(): string
  /** The record as finished JSON text; with `most` a long one has so many entries of each list (`cut-lists.ts`). */
  get(
    index: IndexName,
    id: string,
    signal?: AbortSignal,
    most?: number,
  ): Promise<string | undefined>
  /** Entries after `after`, ordered by id (code points), for reconcile; with those that are being filled in. */
  entries(
    index: IndexName,
    after: string,
    limit: number,
    signal?: AbortSignal,
  ): Promise<readonly Entry[]>
  /** The largest version ever written, 0 when empty: the clock of versions starts behind it. */
  newest(): Promise<number>
  health(): Promise<{ readonly documents: Readonly<Partial<Record<IndexName, number>>> }>
  close(): Promise<void>
}

/** A search index as code uses it that reads single documents only. */
export type DocumentReader = Pick<SearchIndex, 'get'>
