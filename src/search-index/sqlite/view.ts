/** One generation as a reader sees it: its columns, and which record numbers are alive in this snapshot. */

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { IndexName } from '../index-settings.ts'
import { BoundedCache } from '../../workers/bounded-cache.ts'
import { add, bitmapOf, has, remove, SetCache, sizeOf, type Bitmap } from './bitmap.ts'
import { Columns } from './columns.ts'
import type { Generation } from './generations.ts'
import { columnsOf, tablesOf, type Column, type Tables } from './index-file.ts'
import { Positions } from './text-positions.ts'

/** Records between two looks at whether the answer is still needed. */
const stride = 4096

/** A reader's connection; `sql` gives statements that are prepared once. */
export type ReaderFile = {
  readonly db: DatabaseSync
  readonly sql: (text: string) => StatementSync
}

/** Records that matched in one index. */
export type Part = { readonly view: View; readonly set: Bitmap }

/** Bytes of all scores that an index and reader keep: four of a million records. */
const maxScoreBytes = 16 * 2 ** 20

/** Stays the same object while its generation lives; `refresh` brings it up to a snapshot. */
export class View {
  generation: Generation
  readonly tables: Tables
  readonly columns: Columns
  readonly sets = new SetCache()
  /**
   * Scores by record number that were computed since the last write: the next filter, page or order of the same words has them.
   * How many records there are decides every score, so that all are forgotten when something is written.
   */
  readonly #scores = new BoundedCache<Float32Array>('search-scores', 1)
  /** Columns of the full-text table. */
  readonly textColumns: readonly Column[]
  /** Ties are broken by id. */
  readonly ids: Positions
  readonly sql: ReaderFile['sql']
  readonly #living: Living
  readonly #texts = new Map<string, Positions>()
  #lastDeath = 0

  constructor({ sql }: ReaderFile, generation: Generation) {
    this.sql = sql
    this.generation = generation
    this.tables = tablesOf(generation.generation)
    this.columns = new Columns(generation.settings)
    this.#living = new Living(this.columns)
    this.textColumns = columnsOf(generation.settings)
    const { key, col } = this.tables
    this.ids = new Positions({
      scan: () => sql(`SELECT n, id AS text FROM ${key} WHERE n IS NOT NULL ORDER BY id`).iterate(),
      textOf: (n) => sql(`SELECT id AS text FROM ${col} WHERE n = ?`).get(n)?.['text'],
    })
  }

  get index(): IndexName {
    return this.generation.index
  }

  /** Numbers of the records that are alive. */
  get live(): Bitmap {
    return this.#living.bits
  }

  get count(): number {
    return sizeOf(this.#living.bits)
  }

  /** Words of a record on average. */
  get meanWords(): number {
    return this.#living.words / Math.max(1, this.count)
  }

  /** The scores of a key, computed where they are not known. */
  scores(key: string, compute: () => Float32Array): Float32Array {
    const scores = this.#scores.get(key) ?? compute()
    this.#scores.set(key, scores, Math.max(1, Math.floor(maxScoreBytes / scores.byteLength)))
    return scores
  }

  /** Counts of each facet value in the whole index, by its number; may be shorter than the dictionary. */
  get facetCounts(): Uint32Array {
    return this.#living.counts
  }

  /** Positions by a sort text (`title.de`), falling back to the text without language. */
  positionsBy(name: string, fallback = name): Positions {
    const known = this.#texts.get(name)
    if (known) return known
    const paths = [`$."${name}"`, `$."${fallback}"`] as const
    const { col } = this.tables
    const text = 'coalesce(orders ->> ?, orders ->> ?) AS text'
    const made = new Positions({
      scan: () =>
        this.sql(
          `SELECT n, ${text} FROM ${col} WHERE orders IS NOT NULL AND text IS NOT NULL ORDER BY text`,
        ).iterate(...paths),
      textOf: (n) => this.sql(`SELECT ${text} FROM ${col} WHERE n = ?`).get(...paths, n)?.['text'],
    })
    made.extend(this.columns.size)
    this.#texts.set(name, made)
    return made
  }

  /**
   * Takes in what was committed since the last request; inside the request's transaction. `check` may throw: a million records
   * can take longer than a request may, and the next one goes on from there.
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
      this.#living.add(n)
    }
    this.#removeDead()
    for (const positions of [this.ids, ...this.#texts.values()]) {
      positions.extend(this.columns.size)
    }
  }

  #removeDead(): void {
    const ends = this.sql('SELECT min(seq) AS first, max(seq) AS last FROM dead').get()
    // A reader that was idle for very long finds the first of the ends that it missed already forgotten.
    if (Number(ends?.['first'] ?? 0) > this.#lastDeath + 1) {
      this.#living.clear()
      const living = this.sql(`SELECT n FROM ${this.tables.key} WHERE n IS NOT NULL`)
      for (const row of living.iterate()) this.#living.add(Number(row['n']))
    }
    const deaths = this.sql('SELECT n FROM dead WHERE generation = ? AND seq > ? AND n >= 0')
    for (const row of deaths.iterate(this.generation.generation, this.#lastDeath))
      this.#living.remove(Number(row['n']))
    this.#lastDeath = Number(ends?.['last'] ?? this.#lastDeath)
  }

  /** Numbers of the records whose ids come later. */
  after(id: string): Bitmap {
    const set = bitmapOf(this.columns.size)
    const later = this.sql(`SELECT n FROM ${this.tables.key} WHERE id > ? AND n IS NOT NULL`)
    for (const row of later.iterate(id)) add(set, Number(row['n']))
    return set
  }
}

/** Which records are alive, and how often each facet value occurs among them: the facets of a whole index cost nothing. */
class Living {
  bits: Bitmap = bitmapOf(0)
  counts = new Uint32Array(1024)
  /** Words of all of them. */
  words = 0
  readonly #columns: Columns

  constructor(columns: Columns) {
    this.#columns = columns
  }

  /** A record whose columns are there. */
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

  remove(n: number): void {
    if (!has(this.bits, n)) return
    remove(this.bits, n)
    this.#count(n, -1)
  }

  clear(): void {
    this.bits.fill(0)
    this.counts.fill(0)
    this.words = 0
  }

  #count(n: number, by: 1 | -1): void {
    const { starts, ends, ords, words } = this.#columns
    this.words += by * (words[n] ?? 0)
    const end = ends[n] ?? 0
    for (let at = starts[n] ?? 0; at < end; at++) {
      const o = ords[at] ?? 0
      if (o >= this.counts.length) {
        const wider = new Uint32Array(o * 2)
        wider.set(this.counts)
        this.counts = wider
      }
      this.counts[o] = (this.counts[o] ?? 0) + by
    }
  }
}
