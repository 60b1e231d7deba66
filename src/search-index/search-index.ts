/**
 * `SearchIndex`, the interface of a search engine, with its documents, requests and answers. The embedded engine, Meilisearch and
 * OpenSearch implement it.
 */

import type { QueryTree, Term } from './query-tree.ts'
import type { Target } from './word-forms.ts'
import type { IndexName, IndexSettings } from './index-settings.ts'

/** Bounding box: west, south, east, north in degrees. */
export type Box = readonly [number, number, number, number]

/** Value of a facet: the id by which it is filtered, compared exactly, and the title that is displayed. */
export type FacetValue = { readonly id: string; readonly title: string }

/** A record as an engine stores it. */
export type Document = {
  readonly index: IndexName
  /** Platform id; a concept's is `{vocabulary}/{concept}`. */
  readonly id: string
  /**
   * Grows with every write of the record; an older version never overwrites a newer one. 0 = projected again from the store: the
   * document replaces the stored one and keeps its version.
   */
  readonly version: number
  /** Hash of the record in the store, compared by reconcile. */
  readonly hash: string
  /** Field (dotted) → language key → values. */
  readonly text: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
  readonly facets: Readonly<Record<string, readonly FacetValue[]>>
  /** Name → up to four periods in epoch ms, one instant as from = to; open ends ±8.64e15. */
  readonly dates: Readonly<Record<string, readonly (readonly [number, number])[]>>
  readonly numbers: Readonly<Record<string, number>>
  readonly flags: Readonly<Record<string, boolean>>
  /** Bounding boxes of the places that the record is about; at most four. */
  readonly boxes: readonly Box[]
  /** Sortable text field, or `field.language` → folded sort text of at most 100 code points. */
  readonly order: Readonly<Record<string, string>>
  /** JSON that clients receive. */
  readonly record: Readonly<Record<string, unknown>>
}

/** Change to an index: a document to store, or an id to remove. */
export type IndexChange =
  | {
      readonly put: Document
      /**
       * Written only to a generation that is being filled, and only where it lacks the record; searches do not see it before `finish`.
       */
      readonly onlyIfMissing?: boolean
    }
  | {
      readonly remove: {
        readonly index: IndexName
        readonly id: string
        /** Version of the removal, comparable with that of a document; 0 = remove whatever version is stored. */
        readonly version: number
      }
    }

/**
 * Vector of a record, by which searches with `meaning` find it: the components of an embedding, scaled so that the largest is 127.
 * Absent = remove the stored one. All vectors of an index have the same length; one of another length replaces them all.
 */
export type VectorChange = {
  readonly index: IndexName
  readonly id: string
  readonly vector: Int8Array | undefined
}

/** Filter by facets: `groupOperator` combines the groups, `operator` the values of one group. */
export type FacetFilter = {
  readonly groups: readonly { readonly facet: string; readonly values: readonly string[] }[]
  readonly operator: 'AND' | 'OR'
  readonly groupOperator: 'AND' | 'OR'
}

/** Filter of a search: a record must meet every member that is set. In an index without the field, facet or flag no record does. */
export type Filter = {
  readonly facets?: FacetFilter
  /** `name` is a key of `Document.dates`; both bounds are inclusive, in epoch ms. */
  readonly date?: { readonly name: string; readonly from?: number; readonly to?: number }
  /** `name` is a key of `Document.numbers`; bounds are inclusive. */
  readonly numbers?: readonly {
    readonly name: string
    readonly from?: number
    readonly to?: number
  }[]
  /** Keys of `Document.flags` that must be true. */
  readonly flags?: readonly string[]
  /** West is greater than east in a box that crosses the antimeridian. */
  readonly box?: Box
  /** Only ids greater than this one in the order of code points, to read all records page by page. */
  readonly after?: string
}

/** Sort key of a search. */
export type OrderKey = {
  /** `relevance`, or a key of the document's dates, numbers, flags or order. */
  readonly name: string
  readonly direction: 'asc' | 'desc'
}

/** Search as an engine receives it, already parsed and validated. */
export type SearchRequest = {
  readonly indices: readonly IndexName[]
  readonly tree: QueryTree
  /** Tokens of the query as it was typed; records with a title of exactly these are raised. Absent = none. */
  readonly typed?: readonly string[]
  /**
   * Hits besides matching the tree: `most` = with words that have a fifth of the rarity of the query (`rankingUnits`), if any record has;
   * `all` = with every word but stop words. Absent = all that match.
   */
  readonly words?: 'most' | 'all'
  /** Fields to search (`title`, `title.de`); absent = all. */
  readonly fields?: readonly string[]
  readonly filter: Filter
  /**
   * Facets to count; absent = none. `ids`: which, in this order; `size`: most values for each; `global`: over the whole index instead
   * of the hits.
   */
  readonly facets?: {
    readonly ids?: readonly string[]
    readonly size: number
    readonly global: boolean
  }
  /** Empty = relevance when the tree has a positive text leaf, else `modified desc`. */
  readonly order: readonly OrderKey[]
  /** Weight by field or `field.language`, in place of those of the settings. */
  readonly boosts: Readonly<Record<string, number>>
  readonly offset: number
  readonly limit: number
  /** Dotted paths of the members to return; absent = whole records. */
  readonly include?: readonly string[]
  /** Whether hits have their score. */
  readonly score: boolean
  /** Adds records that are close in meaning, and orders by it too; for requests that are sorted by relevance first. */
  readonly meaning?: Meaning
}

/** Meaning of a query, for the engines that store vectors. */
export type Meaning = {
  /** Scaled as the vectors of records. Of another length than these, or zero = the request is answered by its words. */
  readonly vector: Int8Array
  /** Part of the words in the order of hits, 0 to 1. */
  readonly weight: number
  /** Number of nearest records under the filter that are hits whether or not they have the words. */
  readonly most: number
}

/** Facet value with the number of records that have it; a band of a range facet has its bounds `from` and `to`. */
export type FacetItem = FacetValue & {
  readonly count: number
  readonly from?: number
  readonly to?: number
}
/** Counted values of one facet. */
export type Facet = {
  readonly id: string
  readonly title: string
  readonly items: readonly FacetItem[]
}

/** Record found by a search. */
export type Hit = {
  readonly index: IndexName
  readonly id: string
  readonly score?: number
  /** JSON text of the record, already reduced to `include`. */
  readonly record: string
  /** Present for a record that was only found by `meaning`. */
  readonly related?: true
  /** Closeness in meaning to the query: 1 for the nearest record, 0 if it is none of the nearest. Absent if no vectors were compared. */
  readonly closeness?: number
}

/** Result of a search. */
export type Answer = {
  /** Exact number of hits in all indices, not only on the page. */
  readonly count: number
  readonly hits: readonly Hit[]
  /** Absent when the request has no facets. */
  readonly facets?: readonly Facet[]
  /** Wildcard patterns that match more terms than the engine searches for one pattern; only the shortest terms were searched. */
  readonly truncatedPatterns?: readonly string[]
  /** Number of hits that were only found by `meaning`; absent if no vectors were compared. */
  readonly related?: number
}

/** Search whose hits are held in a cursor. `limit` is the size of a page; facets come with the first page. */
export type CursorRequest = Omit<SearchRequest, 'offset' | 'meaning'> & {
  /** Client that the cursor is counted against. */
  readonly client: string
  /** Text of the caller that is returned with every page. */
  readonly note: string
}

/** Page of the hits of a cursor. */
export type Page = Answer & {
  /** Id of the cursor; random, so that it cannot be guessed. */
  readonly cursor: string
  readonly note: string
  /**
   * Sort value or score of the last hit (its position if it is sorted by text or has no value), and its position in the cursor.
   * Absent on an empty page.
   */
  readonly last?: readonly [number, number]
}

/** Options of a page of a cursor; without `after` it is the next page in turn. */
export type PageOptions = {
  /** Position after which the page begins; the same page can be read repeatedly. */
  readonly after?: number
  readonly limit?: number
  readonly include?: readonly string[]
  /** Replaces the note of the cursor. */
  readonly note?: string
}

/** Id, version and hash of an indexed record, which reconcile compares with the store. */
export type Entry = { readonly id: string; readonly version: number; readonly hash: string }

/** Why a server takes no writes, for a reason that does not end by itself. */
export type WriteBlock = 'disk-full' | 'read-only'

/** Health of a cluster of servers. */
export type ClusterHealth = {
  /** `yellow`: all documents are there, but not all copies of them; `red`: some documents are away. */
  readonly status: 'green' | 'yellow' | 'red'
  /** Number of shards and copies of shards that no node has. */
  readonly unassigned: number
}

/** Known facts about a search engine on a server, from its last answers. */
export type EngineFacts = {
  /** Health of the cluster when it was asked last; absent for a single server, and while no node answers. */
  readonly cluster?: ClusterHealth
  readonly writeBlock?: WriteBlock
  /** Sentences for operators; empty if all is well. */
  readonly details: readonly string[]
}

/** Search engine. Every call can reject with a `Failure`: `engine-unavailable`, `time-limit` or `query-too-complex`. */
export type SearchIndex = {
  /** Number of changes in one write at which the engine is fastest; absent = about a hundred. */
  readonly preferredBatch?: number
  /**
   * Creates or changes the indices; idempotent. `rebuild` names the indices to fill: new ones, those whose settings differ from the
   * stored ones, those in `refill`, and those that an earlier process did not finish. Documents under the old settings are searched,
   * and written to as well, until `finish`. Indices without settings here are dropped.
   */
  configure(
    settings: readonly IndexSettings[],
    refill?: readonly IndexName[],
  ): Promise<{ readonly rebuild: readonly IndexName[] }>
  /**
   * In a process that only reads: searches the indices that another process configures, fills and writes. To be called again and
   * again; resolves with whether anything has changed there since the last call. Present in place of `configure` and all calls that
   * change something, which such a process must not make.
   */
  readonly attach?: (signal?: AbortSignal) => Promise<boolean>
  /** Ends the filling of an index: searches use the new documents, and the old ones are removed. */
  finish(index: IndexName): Promise<void>
  /** Those of the ids that a filling has not written yet; none while the index is not being filled. */
  missingIds(index: IndexName, ids: readonly string[]): Promise<readonly string[]>
  /** Settings of the documents that are searched: the old ones until `finish`. */
  currentSettings(): readonly IndexSettings[]
  /**
   * Applies changes and resolves when they are searchable. A change older than the stored version is skipped. After a crash of
   * the embedded engine either all or none are there; a server may have some of them.
   */
  write(changes: readonly IndexChange[], signal?: AbortSignal): Promise<void>
  /**
   * Stores vectors of records and resolves when searches use them; a record keeps its vector when it is written again. Vectors of
   * records that are not stored are ignored, and so are all by engines without vectors.
   */
  vectors(changes: readonly VectorChange[], signal?: AbortSignal): Promise<void>
  /** Stored vector of each of some records, `undefined` for a record without one. */
  vectorsOf(
    index: IndexName,
    ids: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly (Int8Array | undefined)[]>
  /**
   * Searches; hits, count and facets are of one consistent snapshot (on Meilisearch not those with `global`). Engines on a server
   * score some first hits only; the others have 0.
   */
  search(request: SearchRequest, signal?: AbortSignal): Promise<Answer>
  /** Opens a cursor and returns its first page. Can also reject with `too-many-cursors`. */
  openCursor(request: CursorRequest, signal?: AbortSignal): Promise<Page>
  /**
   * Reads another page of a cursor. Can also reject with `unknown-cursor`, and with `invalid-parameter` for a position outside of the
   * hits.
   */
  readPage(cursor: string, options?: PageOptions, signal?: AbortSignal): Promise<Page>
  /**
   * Spelling suggestions: for each token the indexed tokens that differ from it by one or two letters, nearest first. The
   * embedded engine compares those with the same first letters first, and of equally near ones puts the most frequent first;
   * those on a server find those with the same two first letters. At most a dozen, and fewer when the dictionary takes too long to read.
   */
  similarTokens(
    tokens: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly (readonly string[])[]>
  /**
   * Indexed tokens that begin with a text and are longer than it, at most two dozen, the most frequent first; of a dictionary that takes
   * too long to read the shortest ones. Engines on a server, whose dictionaries have no frequencies, return the shortest ones.
   */
  tokensBeginning(
    beginning: string,
    indices: readonly IndexName[],
    signal?: AbortSignal,
  ): Promise<readonly string[]>
  /** Targets of words of a query in the dictionary of the indices, for each term. */
  wordForms(terms: readonly Term[], signal?: AbortSignal): Promise<readonly (readonly Target[])[]>
  /** All values of a facet in an index with their counts, ids ascending. */
  facetValues(index: IndexName, facet: string, signal?: AbortSignal): Promise<readonly FacetItem[]>
  /**
   * Registers a listener for the loss of documents while the process runs. It is called with the indices to fill and finish, as after
   * `configure`; they cannot be searched until then.
   */
  readonly onDataLost?: (listener: (rebuild: readonly IndexName[]) => void) => void
  /**
   * Names the indices in which replaced documents take more memory than live ones, and which should be filled again. Absent where
   * replaced documents take no memory.
   */
  readonly fragmented?: () => Promise<readonly IndexName[]>
  /** Text that changes whenever an answer may change, for entity tags. It is computed without reading the index. */
  stateTag(): string
  /** Reads a record as JSON text. With `maxEntries`, the lists of a long record are cut to that many entries (`truncateLists`). */
  get(
    index: IndexName,
    id: string,
    signal?: AbortSignal,
    maxEntries?: number,
  ): Promise<string | undefined>
  /** Entries with ids greater than `after`, ordered by code points of the id, including those that a filling has written. */
  entries(
    index: IndexName,
    after: string,
    limit: number,
    signal?: AbortSignal,
  ): Promise<readonly Entry[]>
  /** Largest version ever written, 0 in an empty index. The projector continues from it. */
  newestVersion(): Promise<number>
  /** Number of documents of each index that is searched. */
  health(): Promise<{ readonly documents: Readonly<Partial<Record<IndexName, number>>> }>
  /** Known facts about the server, read from memory. Absent where the engine is a part of the platform. */
  readonly facts?: () => EngineFacts
  close(): Promise<void>
}

/** Part of a search index that reads single documents. */
export type DocumentReader = Pick<SearchIndex, 'get'>
