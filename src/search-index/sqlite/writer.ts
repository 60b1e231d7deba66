/**
 * The only writer of the index file, and the entry of its worker: one transaction per call; between calls it removes what nobody can
 * read any more.
 */

import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { workerData } from 'node:worker_threads'
import { transaction } from '../../sqlite.ts'
import { serve } from '../../workers/serve.ts'
import type { IndexName, IndexSettings } from '../index-settings.ts'
import type { Entry } from '../search-index.ts'
import { FacetNumbers } from './index-writer.ts'
import {
  answers,
  configure,
  finish,
  isBuilt,
  isWorn,
  readGenerations,
  type Generation,
} from './generations.ts'
import { createCommonTables, isDamage, isUnusable, openDatabase } from './index-file.ts'
import { IndexWriter } from './index-writer.ts'
import { Terms } from './indexed-text.ts'
import { Purge } from './purge.ts'
import { entries, type EntriesRequest } from './stored-records.ts'
import { reported } from './index-file.ts'
import type {
  Batch,
  Configured,
  Counts,
  Sent,
  WorkerSettings,
  WriterCalls,
  Written,
} from './worker-messages.ts'

/** Writers of the generation that answers and of the one to be filled; the same one when there is nothing older. */
type Pair = { readonly answering: IndexWriter; readonly built?: IndexWriter }

/** Opens the file and brings its tables to the present layout. */
export class IndexFileWriter {
  readonly #db: DatabaseSync
  readonly #path: string
  readonly #terms: Terms
  readonly #values: FacetNumbers
  readonly #purge: Purge
  /** By generation; one is kept as long as it lives, as it knows the last number that was given. */
  #writers = new Map<number, IndexWriter>()
  #indices = new Map<IndexName, Pair>()

  constructor(path: string) {
    this.#path = path
    this.#db = openDatabase(path, 'writer')
    createCommonTables(this.#db)
    this.#terms = new Terms(this.#db)
    this.#values = new FacetNumbers(this.#db)
    this.#purge = new Purge(this.#db)
    this.#open()
  }

  configure(
    settings: readonly IndexSettings[],
    languages: readonly string[],
    anew: readonly IndexName[] = [],
  ): Configured {
    const rebuild = configure(this.#db, settings, languages, anew)
    return { rebuild, current: this.#open() }
  }

  /** Makes the filled generation of an index the one that answers; the settings of all that answer. */
  finish(index: IndexName): IndexSettings[] {
    finish(this.#db, index)
    return this.#open()
  }

  /**
   * Writes all batches in one commit. Where that fails, each gets a commit of its own, so that a bad batch does not take
   * its neighbours with it.
   */
  write(batches: readonly Batch[]): Written {
    const error = this.#tried(batches)
    const isAlone = batches.length === 1
    const errors = batches.map((batch) =>
      error === undefined || isAlone ? error : this.#tried([batch]),
    )
    return { errors, walBytes: this.#walBytes() }
  }

  /** The largest version ever written, deletions included. */
  newest(): number {
    return Math.max(0, ...[...this.#writers.values()].map((writer) => writer.newest()))
  }

  /** Indices in which most numbers are of dead versions. */
  worn(): IndexName[] {
    const all = readGenerations(this.#db).filter((one) => isWorn(this.#db, one))
    return all.map(({ index }) => index)
  }

  documents(): Counts {
    return Object.fromEntries(
      [...this.#indices].map(([index, { answering }]) => [index, answering.count]),
    )
  }

  entries(request: EntriesRequest): readonly Entry[] {
    return entries(this.#db, request)
  }

  /** The number of the last end of a version or generation. */
  lastEnd(): number {
    return this.#purge.lastEnd()
  }

  /** Removes one portion of what ended by `limit`; true = there is more. */
  purge(limit: number = Number.MAX_SAFE_INTEGER): boolean {
    return this.#purge.step(limit)
  }

  /** Moves the whole log into the file; complete only while no reader is inside a request. */
  checkpoint(): number {
    this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    return this.#walBytes()
  }

  close(): void {
    this.#db.close()
  }

  /** The settings of what answers. */
  #open(): IndexSettings[] {
    const context = { db: this.#db, terms: this.#terms, values: this.#values }
    const living = readGenerations(this.#db).filter(({ state }) => state !== 'old')
    const before = this.#writers
    const writerOf = (one: Generation) =>
      before.get(one.generation) ?? new IndexWriter(one, context)
    this.#writers = new Map(living.map((one) => [one.generation, writerOf(one)]))
    const answering = living.filter(answers)
    this.#indices = new Map()
    for (const one of answering) {
      const own = living.filter(({ index }) => index === one.index)
      const built = own.find(({ state }) => state === 'next') ?? own.find(isBuilt)
      const [writer, other] = [one, built].map((each) => each && this.#writers.get(each.generation))
      if (writer) this.#indices.set(one.index, { answering: writer, built: other })
    }
    return answering.map(({ settings }) => settings)
  }

  /** Writes the batches; answers the fault as text, and then nothing is written. Throws when the file is damaged. */
  #tried(batches: readonly Batch[]): string | undefined {
    try {
      transaction(this.#db, () => {
        for (const batch of batches) for (const change of batch) this.#apply(change)
        for (const writer of this.#writers.values()) writer.end()
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

  /** A write goes to all that live, each under its own settings; what only fills goes where the record is missing. */
  #apply({ index, id, version, put, filling }: Sent): void {
    const pair = this.#indices.get(index)
    if (!pair) throw new Error(`index ${index} is not configured`)
    const { answering, built } = pair
    const stored = () => answering.version(id) ?? 0
    if (filling) {
      if (put && built && built.version(id) === undefined)
        built.put({ id, ...put }, { version: stored(), again: false })
      return
    }
    const again = version === 0
    const how = { version: again ? stored() : version, again }
    for (const writer of new Set([answering, ...(built ? [built] : [])])) {
      if (put) writer.put({ id, ...put }, how)
      else writer.remove(id, how)
    }
  }

  #walBytes(): number {
    return statSync(`${this.#path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  }
}

// Tests import the class where there is no worker.
const { path = '' }: Partial<WorkerSettings> = workerData?.data ?? {}
let opened: IndexFileWriter | undefined
/** End up to which versions may be removed. */
let purgeLimit = 0

/** Opened by the first call, so that a damaged file is an answer and not a crash. */
const write = <Result>(work: (writer: IndexFileWriter) => Result): Result =>
  reported(() => work((opened ??= new IndexFileWriter(path))))

/** Removes one portion; whatever came in meanwhile goes before the next. */
function purge(): void {
  if (opened?.purge(purgeLimit)) setImmediate(purge)
}

serve<WriterCalls>({
  open: () => reported(() => void (opened ??= new IndexFileWriter(path)), isUnusable),
  configure: ({ settings, languages, anew }) =>
    write((writer) => writer.configure(settings, languages, anew)),
  finish: (index) => write((writer) => writer.finish(index)),
  write: (batches) => write((writer) => writer.write(batches)),
  lastEnd: () => {
    const end = write((writer) => writer.lastEnd())
    purgeLimit = Math.min(purgeLimit, end)
    return end
  },
  purge: (limit) => {
    purgeLimit = limit
    setImmediate(purge)
  },
  newest: () => write((writer) => writer.newest()),
  worn: () => write((writer) => writer.worn()),
  documents: () => write((writer) => writer.documents()),
  entries: (request) => write((writer) => writer.entries(request)),
  checkpoint: () => write((writer) => writer.checkpoint()),
  close: () => {
    opened?.close()
    opened = undefined
  },
})
