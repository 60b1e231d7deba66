/** Writing the records of one index: every version gets a number of its own and is never changed under it. */

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { deflateRawSync } from 'node:zlib'
import type { Document } from '../../search-index.ts'
import type { IndexSettings } from '../../settings.ts'
import { packOrds, packRow } from '../columns/rows.ts'
import { columnsOf } from '../layout.ts'
import type { Tables } from '../tables.ts'
import type { FacetValues } from './facet-values.ts'
import type { Terms } from './terms.ts'
import { Texts } from './texts.ts'

/** What `write` gets: the document without its record, and the record as JSON text. */
export type Put = { readonly document: Document; readonly record: string }
/** `again` = made from what is stored: it replaces a version that is not older. */
type How = { readonly version: number; readonly again: boolean }

type Deps = {
  readonly db: DatabaseSync
  readonly tables: Tables
  readonly settings: IndexSettings
  readonly languages: readonly string[]
  readonly terms: Terms
  readonly values: FacetValues
}

/** A record is a few KB: zlib's default buffers would cost more than the compressing. */
const deflate = { level: 1, windowBits: 12, memLevel: 5, chunkSize: 4096 }

/** Statements for column sets that were met; documents of one source share a handful. */
const rememberedInserts = 300

export class IndexWriter {
  readonly #deps: Deps
  readonly #texts: Texts
  readonly #statements
  readonly #facets: ReadonlySet<string>
  readonly #inserts = new Map<string, StatementSync>()
  #last = -1
  /** Living records; counted when somebody asks, and kept up from then on. */
  #count: number | undefined

  constructor(deps: Deps) {
    this.#deps = deps
    this.#texts = new Texts(deps.terms, columnsOf(deps.settings), deps.languages)
    this.#statements = prepare(deps.db, deps.tables)
    this.#facets = new Set(deps.settings.facets.map((facet) => facet.id))
    this.forget()
  }

  /** Records that are alive. */
  get count(): number {
    return (this.#count ??= Number(this.#statements.count.get()?.['count'] ?? 0))
  }

  /** The largest version ever written, deletions included. */
  newest(): number {
    return Number(this.#statements.newest.get()?.['version'] ?? 0)
  }

  /** The version that is stored of a record, also of a deleted one. */
  version(id: string): number | undefined {
    const row = this.#statements.find.get(id)
    return row && Number(row['version'])
  }

  /** A version that is not newer than the stored one changes nothing. */
  put({ document, record }: Put, how: How): void {
    const { id, hash } = document
    const version = this.#retire(id, how)
    if (version === undefined) return
    const n = ++this.#last
    const { key, doc, col } = this.#statements
    key.run(id, n, version, hash)
    this.#counted(1)
    doc.run(n, deflateRawSync(record, deflate))
    const row = packRow(document, this.#deps.settings)
    const orders = this.#orders(document)
    const text = orders.length > 0 ? JSON.stringify(Object.fromEntries(orders)) : null
    col.run(n, id, row.dates, row.numbers, row.flags, row.boxes, this.#ords(document), text)
    const columns = this.#texts.of(document)
    this.#insert([...columns.keys()]).run(n, ...columns.values())
  }

  /** Leaves the version behind, so that an older put that comes late does not bring the record back. */
  remove(id: string, how: How): void {
    const version = this.#retire(id, how)
    if (version !== undefined) this.#statements.key.run(id, null, version, '')
  }

  /** After a rollback: what the memory says about numbers is wrong. */
  forget(): void {
    this.#count = undefined
    this.#last = Number(this.#statements.last.get()?.['n'] ?? -1)
  }

  /** The version to write when it is news; the present one is dead then. */
  #retire(id: string, { version, again }: How): number | undefined {
    const row = this.#statements.find.get(id)
    if (!row) return version
    const stored = Number(row['version'])
    if (stored >= version && !again) return undefined
    if (row['n'] !== null) {
      this.#statements.unindex.run(row['n'] ?? null)
      this.#statements.die.run(row['n'] ?? null)
      this.#counted(-1)
    }
    return Math.max(stored, version)
  }

  #counted(change: number): void {
    if (this.#count !== undefined) this.#count += change
  }

  #ords(document: Document) {
    const ords = new Set<number>()
    for (const [facet, values] of Object.entries(document.facets)) {
      if (!this.#facets.has(facet)) continue
      for (const value of values) ords.add(this.#deps.values.number(facet, value))
    }
    return packOrds(ords)
  }

  #orders(document: Document): (readonly [string, string])[] {
    const { orders } = this.#deps.settings
    return Object.entries(document.order).filter(
      ([name]) => orders.includes(name) || orders.includes(name.slice(0, name.lastIndexOf('.'))),
    )
  }

  #insert(aliases: readonly string[]): StatementSync {
    const names = ['rowid', ...aliases].join(', ')
    const known = this.#inserts.get(names)
    if (known) return known
    if (this.#inserts.size >= rememberedInserts) this.#inserts.clear()
    const marks = ['?', ...aliases.map(() => '?')].join(', ')
    const statement = this.#deps.db.prepare(
      `INSERT INTO ${this.#deps.tables.fts} (${names}) VALUES (${marks})`,
    )
    this.#inserts.set(names, statement)
    return statement
  }
}

function prepare(db: DatabaseSync, tables: Tables) {
  const { key, doc, col, fts, dead } = tables
  return {
    find: db.prepare(`SELECT n, version FROM ${key} WHERE id = ?`),
    key: db.prepare(`INSERT OR REPLACE INTO ${key} (id, n, version, hash) VALUES (?, ?, ?, ?)`),
    doc: db.prepare(`INSERT INTO ${doc} (n, json) VALUES (?, ?)`),
    col: db.prepare(
      `INSERT INTO ${col} (n, id, dates, numbers, flags, boxes, ords, orders)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    unindex: db.prepare(`DELETE FROM ${fts} WHERE rowid = ?`),
    die: db.prepare(`INSERT INTO ${dead} (n) VALUES (?)`),
    // Numbers of purged versions stay taken: readers know them as dead.
    last: db.prepare(
      `SELECT max(n) AS n FROM (SELECT max(n) AS n FROM ${doc} UNION ALL SELECT max(n) FROM ${dead})`,
    ),
    count: db.prepare(`SELECT count(*) AS count FROM ${key} WHERE n IS NOT NULL`),
    newest: db.prepare(`SELECT max(version) AS version FROM ${key}`),
  }
}
