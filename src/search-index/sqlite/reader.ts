/** A reader of the index file, and the entry of its worker: each request sees one committed state from beginning to end. */

import { workerData } from 'node:worker_threads'
import { preparedOnce } from '../../sqlite.ts'
import { serve, type CallContext } from '../../workers/serve.ts'
import { cutLists } from '../cut-lists.ts'
import type { IndexName } from '../index-settings.ts'
import type { Answer, FacetItem, SearchRequest } from '../search-index.ts'
import { allValues, FacetDictionary } from './facet-counts.ts'
import { FullText } from './full-text.ts'
import { answers, readGenerations, type Generation } from './generations.ts'
import { openDatabase } from './index-file.ts'
import { LeafPhrases } from './leaf-phrases.ts'
import { nearTokens } from './near-tokens.ts'
import { open, search, type SearchContext } from './run-search.ts'
import {
  readSlice,
  type Slice,
  type SlicePage,
  type SnapshotAnswer,
  type SnapshotRequest,
} from './stored-records.ts'
import { StoredRecords } from './stored-records.ts'
import { View, type ReaderFile } from './view.ts'
import { Cancelled, reported } from './index-file.ts'
import type { ReaderCalls, WorkerSettings } from './worker-messages.ts'

/** Columns and sets in memory follow the file: each request first takes in what was committed since the last one. */
export class IndexFileReader {
  readonly #file: ReaderFile
  readonly #context: SearchContext
  /** SQLite's number of the last state that was read. */
  #seen: unknown
  /** Views that answer, by index. */
  #views = new Map<IndexName, View>()
  /** Views that are being filled, by index: they are kept up to date, so that nobody waits when they take over. */
  #built = new Map<IndexName, View>()

  /** `check` throws when the request at hand is to stop. */
  constructor(path: string, check: () => void, wildcardTerms = 1_000) {
    const db = openDatabase(path, 'reader')
    const sql = preparedOnce(db)
    this.#file = { db, sql }
    this.#context = {
      fullText: new FullText(db, check),
      leaves: new LeafPhrases(sql, check, wildcardTerms),
      facets: new FacetDictionary(sql),
      records: new StoredRecords(sql),
      check,
    }
  }

  search(request: SearchRequest): Answer {
    return this.#snapshot(() => search(request, this.#searched(request), this.#context))
  }

  open(request: SnapshotRequest): SnapshotAnswer {
    return this.#snapshot(() => open(request, this.#searched(request), this.#context))
  }

  /** Reads by number only: whatever was written or swapped since changes nothing. */
  page(slice: Slice): SlicePage {
    return this.#transaction(() => readSlice(slice, this.#context.records))
  }

  /** All values of a facet with their counts. */
  values(index: IndexName, facet: string): readonly FacetItem[] {
    return this.#snapshot(() => {
      const view = this.#views.get(index)
      return view ? allValues(view, this.#context.facets, facet) : []
    })
  }

  /** Words that each of some mistyped tokens may mean. */
  near(tokens: readonly string[]): readonly (readonly string[])[] {
    return this.#snapshot(() =>
      tokens.map((token) => nearTokens(this.#file.sql, [...this.#views.values()], token)),
    )
  }

  /** The record as JSON text. */
  get(index: IndexName, id: string, most?: number): string | undefined {
    return this.#snapshot(() => {
      const generation = this.#views.get(index)?.generation.generation
      if (generation === undefined) return undefined
      const n = this.#context.records.find(generation, id)
      const { records } = this.#context
      return typeof n === 'number' ? cutLists(records.text(generation, n), most) : undefined
    })
  }

  /** The ids among these that neither are nor were there; none in an index that is not being filled. */
  missing(index: IndexName, ids: readonly string[]): readonly string[] {
    return this.#snapshot(() => {
      const answering = this.#views.get(index)
      const isWhole = answering?.generation.state === 'current'
      const view = this.#built.get(index) ?? (isWhole ? undefined : answering)
      if (!view) return []
      const { generation } = view.generation
      return ids.filter((id) => this.#context.records.find(generation, id) === undefined)
    })
  }

  close(): void {
    this.#file.db.close()
  }

  #searched({ indices }: SnapshotRequest): View[] {
    return [...new Set(indices)].flatMap((name) => this.#views.get(name) ?? [])
  }

  #snapshot<T>(work: () => T): T {
    return this.#transaction(() => {
      this.#refresh()
      return work()
    })
  }

  #transaction<T>(work: () => T): T {
    this.#file.db.exec('BEGIN')
    try {
      return work()
    } finally {
      this.#file.db.exec('ROLLBACK')
    }
  }

  /** Reading the data version also fixes the snapshot. */
  #refresh(): void {
    const version = this.#file.sql('PRAGMA data_version').get()?.['data_version']
    if (version === this.#seen) return
    const known = new Map(
      [...this.#views.values(), ...this.#built.values()].map((view) => [
        view.generation.generation,
        view,
      ]),
    )
    const living = readGenerations(this.#file.db).filter(({ state }) => state !== 'old')
    const views = living.map((one) => this.#viewOf(one, known.get(one.generation)))
    const byIndex = (some: readonly View[]) => new Map(some.map((view) => [view.index, view]))
    this.#views = byIndex(views.filter(({ generation }) => answers(generation)))
    this.#built = byIndex(views.filter(({ generation }) => !answers(generation)))
    this.#context.facets.refresh()
    for (const view of views) view.refresh(this.#context.check)
    this.#seen = version
  }

  /** A view stays when its generation takes over; where weights or titles are others it is made anew. */
  #viewOf(generation: Generation, known: View | undefined): View {
    const settings = JSON.stringify(generation.settings)
    if (!known || JSON.stringify(known.generation.settings) !== settings)
      return new View(this.#file, generation)
    known.generation = generation
    return known
  }
}

// Tests import the class where there is no worker.
const { path = '', wildcardTerms }: Partial<WorkerSettings> = workerData?.data ?? {}
let opened: IndexFileReader | undefined
let current: CallContext | undefined

function check(): void {
  if (current?.isCancelled()) throw new Cancelled('nobody waits any more')
}

/** Opened by the first call, so that a damaged file is an answer and not a crash. */
function read<Result>(call: CallContext, work: (reader: IndexFileReader) => Result): Result {
  current = call
  return reported(() => work((opened ??= new IndexFileReader(path, check, wildcardTerms))))
}

serve<ReaderCalls>({
  search: (request, call) => read(call, (reader) => reader.search(request)),
  open: (request, call) => read(call, (reader) => reader.open(request)),
  page: (slice, call) => read(call, (reader) => reader.page(slice)),
  values: ({ index, facet }, call) => read(call, (reader) => reader.values(index, facet)),
  near: (tokens, call) => read(call, (reader) => reader.near(tokens)),
  get: ({ index, id, most }, call) => read(call, (reader) => reader.get(index, id, most)),
  missing: ({ index, ids }, call) => read(call, (reader) => reader.missing(index, ids)),
})
