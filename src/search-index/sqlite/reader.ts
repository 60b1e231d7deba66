/** Reader of the index file, and entry of its worker. Each call reads one committed state of the file. */

import { workerData } from 'node:worker_threads'
import { preparedOnce } from '../../sqlite.ts'
import { serve, type CallContext } from '../../workers/serve.ts'
import { truncateLists } from '../truncate-lists.ts'
import type { IndexName } from '../index-settings.ts'
import type { Term } from '../query-tree.ts'
import type { Answer, FacetItem, SearchRequest } from '../search-index.ts'
import { allValues, FacetDictionary } from './facet-counts.ts'
import { FullText } from './full-text.ts'
import { isSearched, readGenerations, type Generation } from './generations.ts'
import { openDatabase } from './index-file.ts'
import { LeafPhrases } from './leaf-phrases.ts'
import { similarTokens, tokensBeginning } from './similar-tokens.ts'
import { openSnapshot, runSearch, type ReaderContext } from './run-search.ts'
import {
  readSlice,
  type Slice,
  type SlicePage,
  type SnapshotAnswer,
  type SnapshotRequest,
} from './stored-records.ts'
import { StoredRecords } from './stored-records.ts'
import type { Target } from '../word-forms.ts'
import { GenerationView, type ReaderFile } from './view.ts'
import { Cancelled, reportFailures } from './index-file.ts'
import type { BeginningRequest, ReaderCalls, WorkerSettings } from './worker-messages.ts'

/** Reads the index file. Each call but `page` first brings the columns in memory up to the committed state. */
export class IndexFileReader {
  readonly #file: ReaderFile
  readonly #context: ReaderContext
  /** `PRAGMA data_version` at the last refresh. */
  #dataVersion: unknown
  /** Views of the searched generations, by index. */
  #views = new Map<IndexName, GenerationView>()
  /** Views of the generations `next`, by index. They are refreshed too, so that searches do not wait when they take over. */
  #filling = new Map<IndexName, GenerationView>()

  /** `check` throws if the current call was cancelled; `wildcardTerms`: most terms that are searched for one pattern. */
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

  /** As `SearchIndex.search`. */
  search(request: SearchRequest): Answer {
    return this.#snapshot(() => runSearch(request, this.#viewsOf(request), this.#context))
  }

  /** Searches and returns all hits as a snapshot, with the first page. */
  open(request: SnapshotRequest): SnapshotAnswer {
    return this.#snapshot(() => openSnapshot(request, this.#viewsOf(request), this.#context))
  }

  /** Reads the records of a slice by number, independent of later writes. */
  page(slice: Slice): SlicePage {
    return this.#transaction(() => readSlice(slice, this.#context.records))
  }

  /** As `SearchIndex.facetValues`. */
  facetValues(index: IndexName, facet: string): readonly FacetItem[] {
    return this.#snapshot(() => {
      const view = this.#views.get(index)
      return view ? allValues(view, this.#context.facets, facet) : []
    })
  }

  /** As `SearchIndex.similarTokens`. */
  similarTokens(tokens: readonly string[]): readonly (readonly string[])[] {
    return this.#snapshot(() =>
      tokens.map((token) => similarTokens(this.#file.sql, [...this.#views.values()], token)),
    )
  }

  /** As `SearchIndex.tokensBeginning`. */
  tokensBeginning({ beginning, indices }: BeginningRequest): readonly string[] {
    return this.#snapshot(() =>
      tokensBeginning(this.#file.sql, this.#viewsOf({ indices }), beginning),
    )
  }

  /** As `SearchIndex.wordForms`. */
  wordForms(terms: readonly Term[]): readonly (readonly Target[])[] {
    return this.#snapshot(() => {
      const [view] = this.#views.values()
      const { leaves } = this.#context
      return terms.map((term) => (view ? leaves.wordTargets(term, view.generation.languages) : []))
    })
  }

  /** As `SearchIndex.get`. */
  get(index: IndexName, id: string, maxEntries?: number): string | undefined {
    return this.#snapshot(() => {
      const generation = this.#views.get(index)?.generation.number
      if (generation === undefined) return undefined
      const n = this.#context.records.find(generation, id)
      const { records } = this.#context
      return typeof n === 'number'
        ? truncateLists(records.text(generation, n), maxEntries)
        : undefined
    })
  }

  /** As `SearchIndex.missingIds`; removed records are not missing. */
  missingIds(index: IndexName, ids: readonly string[]): readonly string[] {
    return this.#snapshot(() => {
      const searched = this.#views.get(index)
      const isComplete = searched?.generation.state === 'current'
      const view = this.#filling.get(index) ?? (isComplete ? undefined : searched)
      if (!view) return []
      const { number } = view.generation
      return ids.filter((id) => this.#context.records.find(number, id) === undefined)
    })
  }

  /** As `SearchIndex.vectorsOf`. */
  vectorsOf(index: IndexName, ids: readonly string[]): readonly (Int8Array | undefined)[] {
    return this.#snapshot(() => {
      const number = this.#views.get(index)?.generation.number
      const { records } = this.#context
      return ids.map((id) => (number === undefined ? undefined : records.vector(number, id)))
    })
  }

  close(): void {
    this.#file.db.close()
  }

  #viewsOf({ indices }: Pick<SnapshotRequest, 'indices'>): GenerationView[] {
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

  /** Refreshes views and dictionary if the file has changed. Reading the data version also begins the read transaction. */
  #refresh(): void {
    const version = this.#file.sql('PRAGMA data_version').get()?.['data_version']
    if (version === this.#dataVersion) return
    const viewsByNumber = new Map(
      [...this.#views.values(), ...this.#filling.values()].map((view) => [
        view.generation.number,
        view,
      ]),
    )
    const generations = readGenerations(this.#file.db).filter(({ state }) => state !== 'old')
    const views = generations.map((generation) =>
      this.#viewOf(generation, viewsByNumber.get(generation.number)),
    )
    const byIndex = (viewsToMap: readonly GenerationView[]) =>
      new Map(viewsToMap.map((view) => [view.index, view]))
    this.#views = byIndex(views.filter(({ generation }) => isSearched(generation)))
    this.#filling = byIndex(views.filter(({ generation }) => !isSearched(generation)))
    this.#context.facets.refresh()
    this.#context.leaves.forgetForms()
    for (const view of views) view.refresh(this.#context.check)
    this.#dataVersion = version
  }

  /** The known view of a generation, or a new one if there is none or its settings have changed. */
  #viewOf(generation: Generation, cached: GenerationView | undefined): GenerationView {
    const settings = JSON.stringify(generation.settings)
    if (!cached || JSON.stringify(cached.generation.settings) !== settings)
      return new GenerationView(this.#file, generation)
    cached.generation = generation
    return cached
  }
}

// Tests import the class without a worker.
const { path = '', wildcardTerms }: Partial<WorkerSettings> = workerData?.data ?? {}
let fileReader: IndexFileReader | undefined
let currentCall: CallContext | undefined

function check(): void {
  if (currentCall?.isCancelled()) throw new Cancelled('the call was cancelled')
}

/** Runs a call. The first one opens the file, so that damage is an error of the call and does not end the worker. */
function runCall<Result>(call: CallContext, work: (reader: IndexFileReader) => Result): Result {
  currentCall = call
  return reportFailures(() =>
    work((fileReader ??= new IndexFileReader(path, check, wildcardTerms))),
  )
}

serve<ReaderCalls>({
  search: (request, call) => runCall(call, (reader) => reader.search(request)),
  open: (request, call) => runCall(call, (reader) => reader.open(request)),
  page: (slice, call) => runCall(call, (reader) => reader.page(slice)),
  facetValues: ({ index, facet }, call) =>
    runCall(call, (reader) => reader.facetValues(index, facet)),
  similarTokens: (tokens, call) => runCall(call, (reader) => reader.similarTokens(tokens)),
  tokensBeginning: (request, call) => runCall(call, (reader) => reader.tokensBeginning(request)),
  wordForms: (terms, call) => runCall(call, (reader) => reader.wordForms(terms)),
  get: ({ index, id, maxEntries }, call) =>
    runCall(call, (reader) => reader.get(index, id, maxEntries)),
  vectorsOf: ({ index, ids }, call) => runCall(call, (reader) => reader.vectorsOf(index, ids)),
  missingIds: ({ index, ids }, call) => runCall(call, (reader) => reader.missingIds(index, ids)),
})
