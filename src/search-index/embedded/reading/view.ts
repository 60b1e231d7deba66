/** One index as a reader sees it: its columns, and which record numbers are alive in this snapshot. */

import type { DatabaseSync } from 'node:sqlite'
import { add, bitmapOf, type Bitmap } from '../columns/bitmap.ts'
import { Columns } from '../columns/columns.ts'
import { Living } from '../columns/living.ts'
import { MarkedSets } from '../columns/marked-sets.ts'
import { columnsOf, type Column } from '../layout.ts'
import { Positions } from '../ordering/positions.ts'
import { Scored } from '../ordering/scored.ts'
import { tablesOf, type Tables } from '../tables.ts'
import type { IndexName } from '../../settings.ts'
import type { Generation } from '../writing/generations.ts'

/** Records between two looks at whether the answer is still wanted. */
const stride = 4096

export class View {
  generation: Generation
  readonly tables: Tables
  readonly columns: Columns
  readonly marked: MarkedSets
  readonly scored = new Scored()
  /** Columns of the full-text table. */
  readonly textColumns: readonly Column[]
  /** Ties are broken by id. */
  readonly ids: Positions
  readonly #living: Living
  readonly #db: DatabaseSync
  readonly #statements
  readonly #texts = new Map<string, Positions>()
  #lastDeath = 0
  #scores = new Float64Array(0)
  #frequencies = new Float64Array(0)
  #touched = new Uint32Array(0)

  constructor(db: DatabaseSync, generation: Generation) {
    this.#db = db
    this.generation = generation
    this.tables = tablesOf(generation.generation)
    this.columns = new Columns(generation.settings)
    this.marked = new MarkedSets(this.columns)
    this.#living = new Living(this.columns)
    this.textColumns = columnsOf(generation.settings)
    this.#statements = prepare(db, this.tables)
    this.ids = new Positions({
      scan: () => this.#statements.ids.iterate(),
      textOf: (n) => textAt(this.#statements.id.get(n), 'id'),
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
    return this.#living.size
  }

  /** Words per record. */
  get meanWords(): number {
    return this.#living.words / Math.max(1, this.count)
  }

  /** How often each facet value occurs in the whole index. */
  get facetCounts(): Uint32Array {
    return this.#living.counts
  }

  /** Zeros by record number; always the same array, which would be megabytes per request. */
  blankScores(): Float64Array<ArrayBuffer> {
    const { size } = this.columns
    if (this.#scores.length < size) this.#scores = new Float64Array(Math.ceil(size * 1.5))
    return this.#scores.fill(0, 0, size)
  }

  /** Zeros by record number, and room for the numbers that get something else; whoever takes them gives them back as zeros. */
  frequencies(): { readonly frequencies: Float64Array; readonly touched: Uint32Array } {
    const { size } = this.columns
    if (this.#frequencies.length < size) {
      const room = Math.ceil(size * 1.5)
      this.#frequencies = new Float64Array(room)
      this.#touched = new Uint32Array(room)
    }
    return { frequencies: this.#frequencies, touched: this.#touched }
  }

  /** Positions by a sort text (`title.de`), falling back to the text without language. */
  positionsBy(name: string, fallback: string | undefined): Positions {
    const known = this.#texts.get(name)
    if (known) return known
    const paths = [`$."${name}"`, `$."${fallback ?? name}"`] as const
    const { texts, text } = this.#statements
    const made = new Positions({
      scan: () => texts.iterate(...paths),
      textOf: (n) => textAt(text.get(...paths, n), 'text'),
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
    this.scored.clear()
    for (const row of this.#statements.rows.iterate(this.columns.size - 1)) {
      const n = Number(row['n'])
      if (n % stride === 0) check()
      this.columns.append(n, row)
      this.#living.add(n)
    }
    this.#bury()
    for (const positions of [this.ids, ...this.#texts.values()]) {
      positions.extend(this.columns.size)
    }
  }

  #bury(): void {
    const oldest = Number(this.#statements.oldestDeath.get()?.['seq'] ?? 0)
    // A reader that slept for very long finds the first of the deaths it missed already forgotten.
    if (oldest > this.#lastDeath + 1) {
      this.#living.clear()
      for (const row of this.#statements.living.iterate()) this.#living.add(Number(row['n']))
    }
    for (const row of this.#statements.deaths.iterate(this.#lastDeath)) {
      this.#living.remove(Number(row['n']))
      this.#lastDeath = Number(row['seq'])
    }
  }

  /** Numbers of the records whose ids come later. */
  behind(id: string): Bitmap {
    const set = bitmapOf(this.columns.size)
    const n = this.#statements.numberOf.get(id)?.['n']
    const places = this.ids.places()
    const place = typeof n === 'number' ? places[n] : undefined
    if (place === undefined) {
      for (const row of this.#statements.behind.iterate(id)) add(set, Number(row['n']))
      return set
    }
    for (let i = 0; i < this.columns.size; i++) if ((places[i] ?? Number.NaN) > place) add(set, i)
    return set
  }

  /** A statement over this index's tables. */
  prepare(sql: (tables: Tables) => string) {
    return this.#db.prepare(sql(this.tables))
  }
}

type Row = Readonly<Record<string, unknown>>

const textAt = (row: Row | undefined, name: string): string | undefined => {
  const value = row?.[name]
  return typeof value === 'string' ? value : undefined
}

function prepare(db: DatabaseSync, { key, col, dead, fts }: Tables) {
  return {
    rows: db.prepare(
      `SELECT n, dates, numbers, flags, boxes, ords, sz AS sizes
       FROM ${col} LEFT JOIN ${fts}_docsize AS d ON d.id = n WHERE n > ? ORDER BY n`,
    ),
    deaths: db.prepare(`SELECT seq, n FROM ${dead} WHERE seq > ? ORDER BY seq`),
    oldestDeath: db.prepare(`SELECT min(seq) AS seq FROM ${dead}`),
    numberOf: db.prepare(`SELECT n FROM ${key} WHERE id = ?`),
    behind: db.prepare(`SELECT n FROM ${key} WHERE id > ? AND n IS NOT NULL`),
    living: db.prepare(`SELECT n FROM ${key} WHERE n IS NOT NULL`),
    ids: db.prepare(`SELECT n, id AS text FROM ${key} WHERE n IS NOT NULL ORDER BY id`),
    id: db.prepare(`SELECT id FROM ${col} WHERE n = ?`),
    texts: db.prepare(
      `SELECT n, coalesce(orders ->> ?, orders ->> ?) AS text FROM ${col}
       WHERE orders IS NOT NULL AND text IS NOT NULL ORDER BY text`,
    ),
    text: db.prepare(`SELECT coalesce(orders ->> ?, orders ->> ?) AS text FROM ${col} WHERE n = ?`),
  }
}
