/** A generation in a reader: its columns, and the record numbers that are live in the current snapshot. */

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { IndexName } from '../index-settings.ts'
import { BoundedCache } from '../../workers/bounded-cache.ts'
import { add, bitmapOf, has, remove, SetCache, sizeOf, type Bitmap } from './bitmap.ts'
import { Columns } from './columns.ts'
import type { Generation } from './generations.ts'
import { columnsOf, tablesOf, type Column, type Tables } from './index-file.ts'
import { Sketches } from './sketches.ts'
import { TextPositions } from './text-positions.ts'

/** Records between two checks whether the call was cancelled. */
const stride = 4096

/** Connection of a reader; `sql` returns the prepared statement of a text. */
export type ReaderFile = {
  readonly db: DatabaseSync
  readonly sql: (text: string) => StatementSync
}

/** Matching records of one index. */
export type MatchedPart = {
  readonly view: GenerationView
  readonly set: Bitmap
  /** Closeness in meaning of the nearest records, by number. */
  readonly closeness?: ReadonlyMap<number, number>
  /** Numbers of the records that are only close in meaning. */
  readonly related?: ReadonlySet<number>
}

/** Most bytes of cached scores for each index and reader: four times a million records. */
const maxScoreBytes = 16 * 2 ** 20

/** State of a generation in the memory of a reader; `refresh` brings it up to the current snapshot. */
export class GenerationView {
  generation: Generation
  readonly tables: Tables
  readonly columns: Columns
  readonly sets = new SetCache()
  /**
   * Cached scores by record number, for other pages and filters of the same query. They depend on the number of records, and are
   * cleared when something was written.
   */
  readonly #scores = new BoundedCache<Float32Array>('search-scores', 1)
  /** Columns of the full-text table. */
  readonly textColumns: readonly Column[]
  /** Positions by id, which order hits with equal sort keys. */
  readonly ids: TextPositions
  readonly sql: ReaderFile['sql']
  readonly sketches: Sketches
  readonly #liveRows: LiveRows
  readonly #texts = new Map<string, TextPositions>()
  #lastEnded = 0

  constructor({ sql }: ReaderFile, generation: Generation) {
    this.sql = sql
    this.generation = generation
    this.tables = tablesOf(generation.number)
    this.sketches = new Sketches(sql, this.tables.vec)
    this.columns = new Columns(generation.settings)
    this.#liveRows = new LiveRows(this.columns)
    this.textColumns = columnsOf(generation.settings)
    const { key, col } = this.tables
    this.ids = new TextPositions({
      scan: () => sql(`SELECT n, id AS text FROM ${key} WHERE n IS NOT NULL ORDER BY id`).iterate(),
      textOf: (n) => sql(`SELECT id AS text FROM ${col} WHERE n = ?`).get(n)?.['text'],
    })
  }

  get index(): IndexName {
    return this.generation.index
  }

  /** Numbers of the live records: the current versions. */
  get live(): Bitmap {
    return this.#liveRows.bits
  }

  /** Number of live records. */
  get count(): number {
    return sizeOf(this.#liveRows.bits)
  }

  /** Average number of words of a record. */
  get meanWords(): number {
    return this.#liveRows.words / Math.max(1, this.count)
  }

  /** Scores of a key, computed if they are not cached. */
  scores(key: string, compute: () => Float32Array): Float32Array {
    const scores = this.#scores.get(key) ?? compute()
    this.#scores.set(key, scores, Math.max(1, Math.floor(maxScoreBytes / scores.byteLength)))
    return scores
  }

  /** Number of live records with each facet value, by the number of the value; may be shorter than the dictionary. */
  get facetCounts(): Uint32Array {
    return this.#liveRows.counts
  }

  /** Positions by a sort text (`title.de`), or by `fallback` for records without it. */
  positionsBy(name: string, fallback = name): TextPositions {
    const cached = this.#texts.get(name)
    if (cached) return cached
    const paths = [`$."${name}"`, `$."${fallback}"`] as const
    const { col } = this.tables
    const text = 'coalesce(orders ->> ?, orders ->> ?) AS text'
    const positions = new TextPositions({
      scan: () =>
        this.sql(
          `SELECT n, ${text} FROM ${col} WHERE orders IS NOT NULL AND text IS NOT NULL ORDER BY text`,
        ).iterate(...paths),
      textOf: (n) => this.sql(`SELECT ${text} FROM ${col} WHERE n = ?`).get(...paths, n)?.['text'],
    })
    positions.extend(this.columns.size)
    this.#texts.set(name, positions)
    return positions
  }

  /**
   * Reads what was committed since the last request, inside the transaction of the request. When `check` throws, because loading takes
   * longer than the request may, the next request continues.
   */
  refresh(check: () => void): void {
    this.#scores.clear()
    const { col } = this.tables
    const rows = this.sql(
      `SELECT n, dates, numbers, flags, boxes, ords, words FROM ${col} WHERE n > ? ORDER BY n`,
    )
    for (const row of rows.iterate(this.columns.size - 1)) {
      const n = Number(row['n'])
      if (n % stride === 0) check()
      this.columns.append(n, row)
      this.#liveRows.add(n)
    }
    this.#removeEnded()
    for (const positions of [this.ids, ...this.#texts.values()]) {
      positions.extend(this.columns.size)
    }
  }

  #removeEnded(): void {
    const ends = this.sql('SELECT min(seq) AS first, max(seq) AS last FROM dead').get()
    // The rows of `dead` that an idle reader has not applied may be purged: then the live rows are read from the table.
    if (Number(ends?.['first'] ?? 0) > this.#lastEnded + 1) {
      this.#liveRows.clear()
      const liveNumbers = this.sql(`SELECT n FROM ${this.tables.key} WHERE n IS NOT NULL`)
      for (const row of liveNumbers.iterate()) this.#liveRows.add(Number(row['n']))
    }
    const endedRows = this.sql('SELECT n FROM dead WHERE generation = ? AND seq > ? AND n >= 0')
    for (const row of endedRows.iterate(this.generation.number, this.#lastEnded))
      this.#liveRows.remove(Number(row['n']))
    this.#lastEnded = Number(ends?.['last'] ?? this.#lastEnded)
  }

  /** Numbers of the live records with greater ids. */
  withIdsAfter(id: string): Bitmap {
    const set = bitmapOf(this.columns.size)
    const rows = this.sql(`SELECT n FROM ${this.tables.key} WHERE id > ? AND n IS NOT NULL`)
    for (const row of rows.iterate(id)) add(set, Number(row['n']))
    return set
  }
}

/** Live record numbers, with the counts of facet values and words among them, so that facets of the whole index need no counting. */
class LiveRows {
  bits: Bitmap = bitmapOf(0)
  counts = new Uint32Array(1024)
  /** Number of words in all live records. */
  words = 0
  readonly #columns: Columns

  constructor(columns: Columns) {
    this.#columns = columns
  }

  /** Adds a record whose columns have been loaded. */
  add(n: number): void {
    if (this.bits.length * 32 <= n) {
      const wider = bitmapOf(Math.max(1024, (n + 1) * 2))
      wider.set(this.bits)
      this.bits = wider
    }
    if (has(this.bits, n)) return
    add(this.bits, n)
    this.#count(n, 1)
  }

  /** Removes a record that was replaced or deleted. */
  remove(n: number): void {
    if (!has(this.bits, n)) return
    remove(this.bits, n)
    this.#count(n, -1)
  }

  /** Removes all records. */
  clear(): void {
    this.bits.fill(0)
    this.counts.fill(0)
    this.words = 0
  }

  #count(n: number, step: 1 | -1): void {
    const { starts, ends, ords, words } = this.#columns
    this.words += step * (words[n] ?? 0)
    const end = ends[n] ?? 0
    for (let at = starts[n] ?? 0; at < end; at++) {
      const o = ords[at] ?? 0
      if (o >= this.counts.length) {
        const wider = new Uint32Array(o * 2)
        wider.set(this.counts)
        this.counts = wider
      }
      this.counts[o] = (this.counts[o] ?? 0) + step
    }
  }
}
