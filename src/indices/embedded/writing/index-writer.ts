/** Writing the records of one index: every version gets a number of its own and is never changed under it. */

import type { DatabaseSync } from 'node:sqlite'
import { deflateRawSync } from 'node:zlib'
import type { Document } from '../../search-index.ts'
import type { IndexSettings } from '../../settings.ts'
import { packOrds, packRow } from '../columns/rows.ts'
import { columnsOf } from '../layout.ts'
import type { Tables } from '../tables.ts'
import type { FacetValues } from './facet-values.ts'
import { FullTextRows } from './full-text.ts'
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

export class IndexWriter {
  readonly #deps: Deps
  readonly #texts: Texts
  readonly #statements
  readonly #facets: ReadonlySet<string>
  readonly #fullText: FullTextRows
  #last = -1
  /** Living records; counted when somebody asks, and kept up from then on. */
  #count: number | undefined

  constructor(deps: Deps) {
    this.#deps = deps
    this.#texts = new Texts(deps.terms, columnsOf(deps.settings), deps.languages)
    this.#statements = prepare(deps.db, deps.tables)
    this.#fullText = new FullTextRows(deps.db, deps.tables.fts)
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
    this.#fullText.add(n, this.#texts.of(document))
  }

  /** Leaves the version behind, so that an older put that comes late does not bring the record back. */
  remove(id: string, how: How): void {
    const version = this.#retire(id, how)
    if (version !== undefined) this.#statements.key.run(id, null, version, '')
  }

  /** To be called before a transaction is committed. */
  end(): void {
    this.#fullText.write()
  }

  /** After a rollback: what the memory says about numbers is wrong. */
  forget(): void {
    this.#fullText.forget()
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
      this.#fullText.remove(Number(row['n']))
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
}

function prepare(db: DatabaseSync, tables: Tables) {
  const { key, doc, col, dead } = tables
  return {
    find: db.prepare(`SELECT n, version FROM ${key} WHERE id = ?`),
    key: db.prepare(`INSERT OR REPLACE INTO ${key} (id, n, version, hash) VALUES (?, ?, ?, ?)`),
    doc: db.prepare(`INSERT INTO ${doc} (n, json) VALUES (?, ?)`),
    col: db.prepare(
      `INSERT INTO ${col} (n, id, dates, numbers, flags, boxes, ords, orders)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    die: db.prepare(`INSERT INTO ${dead} (n) VALUES (?)`),
    // Numbers of purged versions stay taken: readers know them as dead.
    last: db.prepare(
      `SELECT max(n) AS n FROM (SELECT max(n) AS n FROM ${doc} UNION ALL SELECT max(n) FROM ${dead})`,
    ),
    count: db.prepare(`SELECT count(*) AS count FROM ${key} WHERE n IS NOT NULL`),
    newest: db.prepare(`SELECT max(version) AS version FROM ${key}`),
  }
}
