/** Writer of the index file, and entry of its worker. Between calls it removes ended versions and merges segments in portions. */

import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { workerData } from 'node:worker_threads'
import { transaction } from '../../sqlite.ts'
import { serve } from '../../workers/serve.ts'
import type { IndexName, IndexSettings } from '../index-settings.ts'
import type { Entry } from '../search-index.ts'
import { FacetNumbers } from './generation-writer.ts'
import {
  isSearched,
  configureGenerations,
  finishGeneration,
  isBeingFilled,
  isFragmented,
  readGenerations,
  type Generation,
} from './generations.ts'
import { createCommonTables, isDamage, isUnusable, openDatabase, tablesOf } from './index-file.ts'
import { GenerationWriter } from './generation-writer.ts'
import { TermDictionary } from './indexed-text.ts'
import { Purge } from './purge.ts'
import { SegmentMerge } from './segment-merge.ts'
import { entries, type EntriesRequest } from './stored-records.ts'
import { reportFailures } from './index-file.ts'
import type {
  Batch,
  ConfigureResult,
  DocumentCounts,
  WorkerSettings,
  WriterCalls,
  WriteResult,
} from './worker-messages.ts'

/** Writers of the searched generation and of the one that is being filled, which are the same in state `filling`. */
type IndexWriters = { readonly searched: GenerationWriter; readonly filling?: GenerationWriter }

/** Writes to the index file. The constructor opens the file and creates its tables. */
export class IndexFileWriter {
  readonly #db: DatabaseSync
  readonly #path: string
  readonly #terms: TermDictionary
  readonly #values: FacetNumbers
  readonly #purge: Purge
  readonly #merge: SegmentMerge
  /** Writers by the number of their generation; they are kept because they hold the last used record number. */
  #writers = new Map<number, GenerationWriter>()
  #indices = new Map<IndexName, IndexWriters>()

  constructor(path: string) {
    this.#path = path
    this.#db = openDatabase(path, 'writer')
    createCommonTables(this.#db)
    this.#terms = new TermDictionary(this.#db)
    this.#values = new FacetNumbers(this.#db)
    this.#purge = new Purge(this.#db)
    this.#merge = new SegmentMerge(this.#db)
    this.#openGenerations()
  }

  /** As `configureGenerations`, with the settings of the searched generations. */
  configure(
    settings: readonly IndexSettings[],
    languages: readonly string[],
    refill: readonly IndexName[] = [],
  ): ConfigureResult {
    const rebuild = configureGenerations(this.#db, settings, languages, refill)
    const filling = readGenerations(this.#db).filter((one) => isSearched(one) && isBeingFilled(one))
    const incomplete = filling.map(({ index }) => index)
    return { rebuild, incomplete, current: this.#openGenerations() }
  }

  /** Makes the filled generation of an index the searched one; returns the settings of all searched generations. */
  finish(index: IndexName): IndexSettings[] {
    finishGeneration(this.#db, index)
    const current = this.#openGenerations()
    const filled = readGenerations(this.#db).find((one) => one.index === index && isSearched(one))
    if (filled) this.#merge.add(tablesOf(filled.number).fts)
    return current
  }

  /**
   * Writes all batches in one transaction. If that fails, each is written in its own transaction, so that one bad batch does not make
   * the others fail.
   */
  write(batches: readonly Batch[]): WriteResult {
    const error = this.#tryWrite(batches)
    const isSingle = batches.length === 1
    const errors = batches.map((batch) =>
      error === undefined || isSingle ? error : this.#tryWrite([batch]),
    )
    return { errors, walBytes: this.#walBytes() }
  }

  /** Largest version ever written, including removals. */
  newestVersion(): number {
    return Math.max(0, ...[...this.#writers.values()].map((writer) => writer.newestVersion()))
  }

  /** Indices that are fragmented (`isFragmented`). */
  fragmented(): IndexName[] {
    const fragmented = readGenerations(this.#db).filter((generation) =>
      isFragmented(this.#db, generation),
    )
    return fragmented.map(({ index }) => index)
  }

  /** Number of documents of each searched index. */
  documentCounts(): DocumentCounts {
    return Object.fromEntries(
      [...this.#indices].map(([index, { searched }]) => [index, searched.count]),
    )
  }

  /** As `SearchIndex.entries`. */
  entries(request: EntriesRequest): readonly Entry[] {
    return entries(this.#db, request)
  }

  /** Number of the last end of a version or generation. */
  lastEnded(): number {
    return this.#purge.lastEnded()
  }

  /** Removes one portion of what ended up to `limit`, or merges one of segments; returns whether there may be more. */
  purge(limit: number = Number.MAX_SAFE_INTEGER): boolean {
    return this.#purge.removePortion(limit) || this.#merge.mergePortion()
  }

  /** Moves the write-ahead log into the file and returns its remaining bytes. It is complete only while no reader is in a call. */
  checkpoint(): number {
    this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    return this.#walBytes()
  }

  close(): void {
    this.#db.close()
  }

  /** Reads the generations, opens a writer for each, and returns the settings of the searched ones. */
  #openGenerations(): IndexSettings[] {
    const context = { db: this.#db, terms: this.#terms, values: this.#values }
    const generations = readGenerations(this.#db).filter(({ state }) => state !== 'old')
    const openWriters = this.#writers
    const writerOf = (generation: Generation) =>
      openWriters.get(generation.number) ?? new GenerationWriter(generation, context)
    this.#writers = new Map(
      generations.map((generation) => [generation.number, writerOf(generation)]),
    )
    const searched = generations.filter(isSearched)
    this.#indices = new Map()
    for (const generation of searched) {
      const generationsOfIndex = generations.filter(({ index }) => index === generation.index)
      const fillingGeneration =
        generationsOfIndex.find(({ state }) => state === 'next') ??
        generationsOfIndex.find(isBeingFilled)
      const [writer, fillingWriter] = [generation, fillingGeneration].map(
        (part) => part && this.#writers.get(part.number),
      )
      if (writer) this.#indices.set(generation.index, { searched: writer, filling: fillingWriter })
    }
    return searched.map(({ settings }) => settings)
  }

  /** Writes the batches in one transaction; returns the error message if it was rolled back. Throws if the file is damaged. */
  #tryWrite(batches: readonly Batch[]): string | undefined {
    try {
      transaction(this.#db, () => {
        for (const batch of batches) for (const change of batch) this.#apply(change)
        for (const writer of this.#writers.values()) writer.flush()
      })
      return undefined
    } catch (error) {
      this.#terms.forget()
      this.#values.forget()
      for (const writer of this.#writers.values()) writer.forget()
      if (isDamage(error)) throw error
      return error instanceof Error ? error.message : String(error)
    }
  }

  /**
   * Applies a change to the searched generation and to the one that is being filled; with `onlyIfMissing` only to the latter, if it
   * lacks the record.
   */
  #apply(change: Batch[number]): void {
    const { index, id } = change
    const writers = this.#indices.get(index)
    if (!writers) throw new Error(`index ${index} is not configured`)
    const { searched, filling } = writers
    const both = new Set([searched, ...(filling ? [filling] : [])])
    if ('vector' in change) {
      for (const writer of both) writer.setVector(id, change.vector)
      return
    }
    const { version, put, onlyIfMissing } = change
    const stored = () => searched.version(id) ?? 0
    if (onlyIfMissing) {
      if (put && filling && filling.version(id) === undefined)
        filling.put({ id, ...put }, { version: stored(), isRebuilt: false })
      return
    }
    const isRebuilt = version === 0
    const mode = { version: isRebuilt ? stored() : version, isRebuilt }
    for (const writer of both) {
      if (put) writer.put({ id, ...put }, mode)
      else writer.remove(id, mode)
    }
  }

  #walBytes(): number {
    return statSync(`${this.#path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  }
}

// Tests import the class without a worker.
const { path = '' }: Partial<WorkerSettings> = workerData?.data ?? {}
let fileWriter: IndexFileWriter | undefined
/** Number up to which ended versions may be removed. */
let purgeLimit = 0

/** Runs a call. The first one opens the file, so that damage is an error of the call and does not end the worker. */
const write = <Result>(work: (writer: IndexFileWriter) => Result): Result =>
  reportFailures(() => work((fileWriter ??= new IndexFileWriter(path))))

/** Removes or merges one portion, and continues after the calls that have arrived meanwhile. */
function purge(): void {
  if (fileWriter?.purge(purgeLimit)) setImmediate(purge)
}

serve<WriterCalls>({
  open: () => reportFailures(() => void (fileWriter ??= new IndexFileWriter(path)), isUnusable),
  configure: ({ settings, languages, refill }) =>
    write((writer) => writer.configure(settings, languages, refill)),
  finish: (index) => write((writer) => writer.finish(index)),
  write: (batches) => write((writer) => writer.write(batches)),
  lastEnded: () => {
    const end = write((writer) => writer.lastEnded())
    purgeLimit = Math.min(purgeLimit, end)
    return end
  },
  purge: (limit) => {
    purgeLimit = limit
    setImmediate(purge)
  },
  newestVersion: () => write((writer) => writer.newestVersion()),
  fragmented: () => write((writer) => writer.fragmented()),
  documentCounts: () => write((writer) => writer.documentCounts()),
  entries: (request) => write((writer) => writer.entries(request)),
  checkpoint: () => write((writer) => writer.checkpoint()),
  close: () => {
    fileWriter?.close()
    fileWriter = undefined
  },
})
