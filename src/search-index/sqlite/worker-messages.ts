/** Messages between the main thread and the workers of the index file. Large values are sent as JSON text. */

import type { IndexName, IndexSettings } from '../index-settings.ts'
import type { Term } from '../query-tree.ts'
import type {
  Answer,
  Document,
  Entry,
  FacetItem,
  IndexChange,
  SearchRequest,
  VectorChange,
} from '../search-index.ts'
import type { Target } from '../word-forms.ts'
import type { Slice, SlicePage, SnapshotAnswer, SnapshotRequest } from './stored-records.ts'
import type { EntriesRequest } from './stored-records.ts'

/** Data that each worker is started with. */
export type WorkerSettings = {
  readonly path: string
  /** Most terms that are searched for one wildcard pattern. */
  readonly wildcardTerms: number
}

/**
 * `IndexChange` as it is sent to the writer. JSON text is copied between threads faster than objects; the worker stores the text of the
 * record without parsing it, and parses `indexed` only if the document has changed.
 */
export type SentChange = {
  readonly index: IndexName
  readonly id: string
  readonly version: number
  /** Document to store; absent = remove the record. */
  readonly put?: {
    readonly hash: string
    /** `IndexedPart` as JSON. */
    readonly indexed: string
    readonly record: string
  }
  readonly onlyIfMissing?: boolean
}

/** Members of a document that are indexed, without the record. */
export type IndexedPart = Omit<Document, 'index' | 'id' | 'version' | 'hash' | 'record'>

/** Changes of one call of `SearchIndex.write` or `vectors`. */
export type Batch = readonly (SentChange | VectorChange)[]

/** Serializes changes for the writer. */
export const batchOf = (changes: readonly IndexChange[]): Batch =>
  changes.map((change) => {
    if (!('put' in change)) return change.remove
    const { index, id, version, hash, record, ...indexed } = change.put
    const put = { hash, indexed: JSON.stringify(indexed), record: JSON.stringify(record) }
    return { index, id, version, put, ...(change.onlyIfMissing && { onlyIfMissing: true }) }
  })

/** Error message of each batch (`undefined` = written), and the size of the write-ahead log. */
export type WriteResult = {
  readonly errors: readonly (string | undefined)[]
  readonly walBytes: number
}

/** Indices to fill, those of them that have no complete documents until then, and the settings of all indices that are searched. */
export type ConfigureResult = {
  readonly rebuild: readonly IndexName[]
  readonly incomplete: readonly IndexName[]
  readonly current: readonly IndexSettings[]
}

/** Number of documents of each index that is searched. */
export type DocumentCounts = Readonly<Partial<Record<IndexName, number>>>

/** Beginning of tokens of some indices. */
export type BeginningRequest = {
  readonly beginning: string
  readonly indices: readonly IndexName[]
}

/** Calls of the writer: name → argument and result. */
export type WriterCalls = {
  open: [undefined, undefined]
  configure: [
    {
      readonly settings: readonly IndexSettings[]
      readonly languages: readonly string[]
      /** Indices to fill again although their settings have not changed. */
      readonly refill?: readonly IndexName[]
    },
    ConfigureResult,
  ]
  finish: [IndexName, readonly IndexSettings[]]
  write: [readonly Batch[], WriteResult]
  /** Number of the last version that ended. Versions that end later are not removed before the next `purge`. */
  lastEnded: [undefined, number]
  /** Removes the versions and generations that ended up to this number. */
  purge: [number, void]
  newestVersion: [undefined, number]
  fragmented: [undefined, readonly IndexName[]]
  documentCounts: [undefined, DocumentCounts]
  entries: [EntriesRequest, readonly Entry[]]
  checkpoint: [undefined, number]
  close: [undefined, undefined]
}

/** Records of an index. */
type RecordIds = { readonly index: IndexName; readonly ids: readonly string[] }

/** Calls of a reader: name → argument and result. */
export type ReaderCalls = {
  search: [SearchRequest, Answer]
  open: [SnapshotRequest, SnapshotAnswer]
  page: [Slice, SlicePage]
  facetValues: [{ readonly index: IndexName; readonly facet: string }, readonly FacetItem[]]
  similarTokens: [readonly string[], readonly (readonly string[])[]]
  tokensBeginning: [BeginningRequest, readonly string[]]
  wordForms: [readonly Term[], readonly (readonly Target[])[]]
  get: [
    { readonly index: IndexName; readonly id: string; readonly maxEntries?: number },
    string | undefined,
  ]
  missingIds: [RecordIds, readonly string[]]
  vectorsOf: [RecordIds, readonly (Int8Array | undefined)[]]
}
