/** What travels between the main thread and the workers: plain values, big ones as text. */

import type { Answer, Document, Entry, FacetItem, SearchRequest } from '../../search-index.ts'
import type { IndexName, IndexSettings } from '../../settings.ts'
import type { EntriesWanted } from '../reading/entries.ts'
import type { Opened, Slice, SlicePage, SnapshotRequest } from '../reading/snapshot.ts'

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

/** What of a document is indexed beside its record. */
export type Indexed = Omit<Document, 'index' | 'id' | 'version' | 'hash' | 'record'>

/** One call of `write`. */
export type Batch = readonly Sent[]

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
  /** Under a number of the caller's. */
  hold: [number, undefined]
  release: [readonly number[], undefined]
  newest: [undefined, number]
  worn: [undefined, readonly IndexName[]]
  documents: [undefined, Counts]
  entries: [EntriesWanted, readonly Entry[]]
  checkpoint: [undefined, number]
  close: [undefined, undefined]
}

export type ReaderCalls = {
  search: [SearchRequest, Answer]
  open: [SnapshotRequest, Opened]
  page: [Slice, SlicePage]
  values: [{ readonly index: IndexName; readonly facet: string }, readonly FacetItem[]]
  get: [{ readonly index: IndexName; readonly id: string }, string | undefined]
  missing: [{ readonly index: IndexName; readonly ids: readonly string[] }, readonly string[]]
  close: [undefined, undefined]
}

/** What one side sends as `unknown` the other takes as `never`: both ends name the same call. */
export type Call<Payload = unknown> = {
  readonly id: number
  readonly name: string
  readonly payload: Payload
}

/** `stopped`: the main thread asked for it; `damaged`: the index file is at fault. */
export type Trouble = 'stopped' | 'damaged' | 'other'

export type Reply<Value = unknown> =
  | { readonly id: number; readonly value: Value }
  | { readonly id: number; readonly trouble: Trouble; readonly message: string }

/** What every worker is started with; the number of a call in `stop` asks the worker to give it up. */
export type Start = {
  readonly path: string
  readonly stop: Int32Array
  readonly wildcardTerms: number
}
