/**
 * Writing the records of one generation: every version gets a number of its own, under which it never changes, and so does every facet
 * value.
 */

import { hash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { deflateRawSync } from 'node:zlib'
import type { Row } from '../../sqlite.ts'
import { uninterrupted } from '../../workers/uninterrupted.ts'
import { packOrds, packRow } from './columns.ts'
import type { Generation } from './generations.ts'
import { columnsOf, tablesOf } from './index-file.ts'
import { FullTextRows, Texts, type Terms } from './indexed-text.ts'
import type { Indexed, Sent } from './worker-messages.ts'
import type { FacetValue } from '../search-index.ts'

/** A document as it arrives: JSON text of the record, and of what is indexed of it. */
type Arrival = { readonly id: string } & NonNullable<Sent['put']>

/** `again` = made from what is stored: it replaces a version that is not older. */
type How = { readonly version: number; readonly again: boolean }

type WriterContext = {
  readonly db: DatabaseSync
  readonly terms: Terms
  readonly values: FacetNumbers
}

/** A record is a few KB: zlib's default buffers would cost more than the compressing. */
const deflate = { level: 1, windowBits: 12, memLevel: 5, chunkSize: 4096 }

export class IndexWriter {
  readonly #generation: Generation
  readonly #values: FacetNumbers
  readonly #texts: Texts
  readonly #statements
  readonly #fullText: FullTextRows
  /** The last number that was given. Numbers that a rollback took back are not given again: readers may know them. */
  #last: number
  #count: number | undefined

  constructor(generation: Generation, { db, terms, values }: WriterContext) {
    const columns = columnsOf(generation.settings)
    this.#generation = generation
    this.#values = values
    this.#texts = new Texts(terms, columns, generation.languages)
    this.#statements = prepare(db, generation.generation)
    this.#fullText = new FullTextRows(db, tablesOf(generation.generation).fts, columns)
    this.#last = Number(this.#statements.last.get()?.['n'] ?? -1)
  }

  /** Living records; counted when somebody asks first, and kept up from then on. */
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
   * A version that is not newer than the stored one changes nothing. One that says the same as the stored one only takes its
   * version over: quality is measured again and again, and most of the time it is what it was.
   */
  put(arrival: Arrival, how: How): void {
    const { id, indexed, record } = arrival
    const row = this.#statements.find.get(id)
    const version = newer(row, how)
    if (version === undefined) return
    // 132 bits of SHA-256.
    const print = hash('sha256', `${indexed}\n${record}`, 'base64url').slice(0, 22)
    if (row && row['n'] !== null && row['print'] === print) {
      this.#statements.stay.run(version, arrival.hash, id)
      return
    }
    this.#retire(row)
    const n = ++this.#last
    this.#statements.key.run(id, n, version, arrival.hash, print)
    if (this.#count !== undefined) this.#count += 1
    this.#insert(n, arrival)
  }

  /** The deleted version stays on record, so that an older put that comes late does not bring the record back. */
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

  /** After a rollback. */
  forget(): void {
    this.#fullText.forget()
    this.#count = undefined
  }

  #insert(n: number, { id, record, indexed }: Arrival): void {
    const document: Indexed = JSON.parse(indexed)
    const { settings } = this.#generation
    this.#statements.doc.run(
      n,
      uninterrupted(() => deflateRawSync(record, deflate)),
    )
    const { dates, numbers, flags, boxes } = packRow(document, settings)
    const orders = Object.entries(document.order).filter(([name]) =>
      settings.orders.some((order) => name === order || parentOf(name) === order),
    )
    const sortTexts = orders.length > 0 ? JSON.stringify(Object.fromEntries(orders)) : null
    const ords = this.#ords(document)
    const { columns, size } = this.#texts.of(id, document.text)
    this.#statements.col.run(n, id, dates, numbers, flags, boxes, ords, sortTexts, size)
    this.#fullText.add(n, columns)
  }

  /** The present version is dead. */
  #retire(row: Row | undefined): void {
    const n = row?.['n']
    if (n === undefined || n === null) return
    this.#fullText.remove(Number(n))
    this.#statements.die.run(this.#generation.generation, Number(n))
    if (this.#count !== undefined) this.#count -= 1
  }

  #ords({ facets }: Indexed) {
    const known = this.#generation.settings.facets
    const numbers = known.flatMap(({ id }) =>
      (facets[id] ?? []).map((value) => this.#values.of(id, value)),
    )
    return packOrds(new Set(numbers))
  }
}

/** `title` of `title.de`. */
const parentOf = (name: string) => name.slice(0, name.lastIndexOf('.'))

/** The version to write when it is news. */
function newer(row: Row | undefined, { version, again }: How): number | undefined {
  if (!row) return version
  const stored = Number(row['version'])
  return stored >= version && !again ? undefined : Math.max(stored, version)
}

function prepare(db: DatabaseSync, generation: number) {
  const { key, doc, col } = tablesOf(generation)
  return {
    find: db.prepare(`SELECT n, version, print FROM ${key} WHERE id = ?`),
    key: db.prepare(
      `INSERT OR REPLACE INTO ${key} (id, n, version, hash, print) VALUES (?, ?, ?, ?, ?)`,
    ),
    stay: db.prepare(`UPDATE ${key} SET version = ?, hash = ? WHERE id = ?`),
    doc: db.prepare(`INSERT INTO ${doc} (n, json) VALUES (?, ?)`),
    col: db.prepare(
      `INSERT INTO ${col} (n, id, dates, numbers, flags, boxes, ords, orders, words)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    die: db.prepare('INSERT INTO dead (generation, n) VALUES (?, ?)'),
    // Numbers of purged versions stay taken: readers know them as dead.
    last: db.prepare(
      `SELECT max(n) AS n FROM (SELECT max(n) AS n FROM ${doc}
       UNION ALL SELECT max(n) FROM dead WHERE generation = ${generation})`,
    ),
    count: db.prepare(`SELECT count(*) AS count FROM ${key} WHERE n IS NOT NULL`),
    newest: db.prepare(`SELECT max(version) AS version FROM ${key}`),
  }
}

export class FacetNumbers {
  readonly #find
  readonly #insert
  readonly #retitle
  readonly #newest
  #next = 0
  #seq = 0

  constructor(db: DatabaseSync) {
    this.#find = db.prepare('SELECT o, title FROM ord WHERE facet = ? AND value = ?')
    this.#insert = db.prepare(
      'INSERT INTO ord (o, facet, value, title, seq) VALUES (?, ?, ?, ?, ?)',
    )
    this.#retitle = db.prepare('UPDATE ord SET title = ?, seq = ? WHERE o = ?')
    this.#newest = db.prepare(
      'SELECT ifnull(max(o), -1) + 1 AS next, ifnull(max(seq), 0) AS seq FROM ord',
    )
    this.forget()
  }

  /** The number of a value; its title becomes the newest one. */
  of(facet: string, { id, title }: FacetValue): number {
    const row = this.#find.get(facet, id)
    if (!row) {
      this.#insert.run(this.#next, facet, id, title, ++this.#seq)
      return this.#next++
    }
    const o = Number(row['o'])
    if (row['title'] !== title) this.#retitle.run(title, ++this.#seq, o)
    return o
  }

  /** After a rollback the last numbers may not be in the file. */
  forget(): void {
    const row = this.#newest.get()
    this.#next = Number(row?.['next'] ?? 0)
    this.#seq = Number(row?.['seq'] ?? 0)
  }
}
