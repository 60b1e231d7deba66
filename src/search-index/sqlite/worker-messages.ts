/** Messages between the main thread and the workers of the index: plain values, big ones as text. */

import type { IndexName, IndexSettings } from '../index-settings.ts'
import type {
  Answer,
  Document,
  Entry,
  FacetItem,
  IndexChange,
  SearchRequest,
} from '../search-index.ts'
import type { Slice, SlicePage, SnapshotAnswer, SnapshotRequest } from './stored-records.ts'
import type { EntriesRequest } from './stored-records.ts'

/** Settings that every worker is started with. */
export type WorkerSettings = {
  readonly path: string
  /** Terms that one wildcard stands for at most. */
  readonly wildcardTerms: number
}

/**
 * One change of a record. JSON text crosses a thread border faster than an object tree; the record travels as the finished text
 * that is stored, so that the worker need not parse it, and what is indexed of it need not be parsed when it is stored already.
 */
export type Sent = {
  readonly index: IndexName
  readonly id: string
  readonly version: number
  /** Without this it is a removal. */
  readonly put?: {
    readonly hash: string
    /** `Indexed` as JSON. */
    readonly indexed: string
    readonly record: string
  }
  readonly filling?: boolean
}

/** Part of a document that is indexed beside its record. */
export type Indexed = Omit<Document, 'index' | 'id' | 'version' | 'hash' | 'record'>

/** One call of `write`. */
export type Batch = readonly Sent[]

/** Changes as they are sent to the writer. */
export const batchOf = (changes: readonly IndexChange[]): Batch =>
  changes.map((change) => {
    if (!('put' in change)) return change.remove
    const { index, id, version, hash, record, ...indexed } = change.put
    const put = { hash, indexed: JSON.stringify(indexed), record: JSON.stringify(record) }
    return { index, id, version, put, ...(change.filling && { filling: true }) }
  })

/** Per batch what went wrong, and the size of the write-ahead log. */
export type Written = {
  readonly errors: readonly (string | undefined)[]
  readonly walBytes: number
}

/** The indices that have to be filled, and the settings of all that answer. */
export type Configured = {
  readonly rebuild: readonly IndexName[]
  readonly current: readonly IndexSettings[]
}

/** Documents of each index that answers. */
export type Counts = Readonly<Partial<Record<IndexName, number>>>

/** Calls of the writer by name: what they take and give. */
export type WriterCalls = {
  open: [undefined, undefined]
  configure: [
    {
      readonly settings: readonly IndexSettings[]
      readonly languages: readonly string[]
      /** To be filled again although nothing about them is other. */
      readonly anew?: readonly IndexName[]
    },
    Configured,
  ]
  finish: [IndexName, readonly IndexSettings[]]
  write: [readonly Batch[], Written]
  /** The number of the last end of a version; nothing that ends later is removed before the next `purge`. */
  lastEnd: [undefined, number]
  /** Removes what ended by this number. */
  purge: [number, void]
  newest: [undefined, number]
  worn: [undefined, readonly IndexName[]]
  documents: [undefined, Counts]
  entries: [EntriesRequest, readonly Entry[]]
  checkpoint: [undefined, number]
  close: [undefined, undefined]
}

/** Calls of a reader. */
export type ReaderCalls = {
  search: [SearchRequest, Answer]
  open: [SnapshotRequest, SnapshotAnswer]
  page: [Slice, SlicePage]
  values: [{ readonly index: IndexName; readonly facet: string }, readonly FacetItem[]]
  near: [readonly string[], readonly (readonly string[])[]]
  get: [
    { readonly index: IndexName; readonly id: string; readonly most?: number },
    string | undefined,
  ]
  missing: [{ readonly index: IndexName; readonly ids: readonly string[] }, readonly string[]]
}
