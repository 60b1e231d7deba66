/** Writing the records of one index: every version gets a number of its own, under which it never changes. */

import type { DatabaseSync } from 'node:sqlite'
import { deflateRawSync } from 'node:zlib'
import type { IndexSettings } from '../../settings.ts'
import { packOrds, packRow } from '../columns/rows.ts'
import { columnsOf } from '../layout.ts'
import type { Tables } from '../tables.ts'
import type { Indexed } from '../threads/messages.ts'
import type { Arrival } from './arrival.ts'
import type { FacetValues } from './facet-values.ts'
import { FullTextRows } from './full-text.ts'
import type { Terms } from './terms.ts'
import { Texts } from './texts.ts'

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

  /**
   * A version that is not newer than the stored one changes nothing. One that is stored and found like it only takes its
   * version over: quality is measured again and again, and most of the time it is what it was.
   */
  put(arrival: Arrival, how: How): void {
    const { id, hash, print } = arrival
    const row = this.#statements.find.get(id)
    const version = newer(row, how)
    if (version === undefined) return
    if (row && row['n'] !== null && row['print'] === print) {
      this.#statements.stay.run(version, hash, id)
      return
    }
    this.#retire(row)
    const n = ++this.#last
    this.#statements.key.run(id, n, version, hash, print)
    this.#counted(1)
    this.#insert(n, arrival)
  }

  /** Leaves the version behind, so that an older put that comes late does not bring the record back. */
  remove(id: string, how: How): void {
    const row = this.#statements.find.get(id)
    const version = newer(row, how)
    if (version === undefined) return
    this.#retire(row)
    this.#statements.key.run(id, null, version, '', '')
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

  #insert(n: number, { id, record, indexed }: Arrival): void {
    const { doc, col } = this.#statements
    doc.run(n, deflateRawSync(record, deflate))
    const { dates, numbers, flags, boxes } = packRow(indexed, this.#deps.settings)
    const orders = this.#orders(indexed)
    const text = orders.length > 0 ? JSON.stringify(Object.fromEntries(orders)) : null
    col.run(n, id, dates, numbers, flags, boxes, this.#ords(indexed), text)
    this.#fullText.add(n, this.#texts.of(id, indexed.text))
  }

  /** The present version is dead. */
  #retire(row: Row | undefined): void {
    const n = row?.['n']
    if (n === undefined || n === null) return
    this.#fullText.remove(Number(n))
    this.#statements.die.run(Number(n))
    this.#counted(-1)
  }

  #counted(change: number): void {
    if (this.#count !== undefined) this.#count += change
  }

  #ords({ facets }: Indexed) {
    const numbers = Object.entries(facets).flatMap(([facet, values]) =>
      this.#facets.has(facet) ? values.map((value) => this.#deps.values.number(facet, value)) : [],
    )
    return packOrds(new Set(numbers))
  }

  #orders({ order }: Indexed): (readonly [string, string])[] {
    const { orders } = this.#deps.settings
    return Object.entries(order).filter(
      ([name]) => orders.includes(name) || orders.includes(name.slice(0, name.lastIndexOf('.'))),
    )
  }
}

type Row = Readonly<Record<string, unknown>>

/** The version to write when it is news. */
function newer(row: Row | undefined, { version, again }: How): number | undefined {
  if (!row) return version
  const stored = Number(row['version'])
  return stored >= version && !again ? undefined : Math.max(stored, version)
}

function prepare(db: DatabaseSync, tables: Tables) {
  const { key, doc, col, dead } = tables
  return {
    find: db.prepare(`SELECT n, version, print FROM ${key} WHERE id = ?`),
    key: db.prepare(
      `INSERT OR REPLACE INTO ${key} (id, n, version, hash, print) VALUES (?, ?, ?, ?, ?)`,
    ),
    stay: db.prepare(`UPDATE ${key} SET version = ?, hash = ? WHERE id = ?`),
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
