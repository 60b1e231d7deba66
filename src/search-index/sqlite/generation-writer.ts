/**
 * Writing of the records of one generation. Every version with another content gets a new number, and every facet value has one.
 */

import { hash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { deflateRawSync } from 'node:zlib'
import type { Row } from '../../sqlite.ts'
import { uninterrupted } from '../../workers/uninterrupted.ts'
import { packOrds, packRow } from './columns.ts'
import type { Generation } from './generations.ts'
import { columnsOf, tablesOf } from './index-file.ts'
import { FullTextRows, TextIndexer, type TermDictionary } from './indexed-text.ts'
import type { IndexedPart, SentChange } from './worker-messages.ts'
import type { FacetValue } from '../search-index.ts'
import { isZero } from '../vectors.ts'

/** Document as the worker receives it: JSON text of the record and of its indexed part. */
type SentDocument = { readonly id: string } & NonNullable<SentChange['put']>

/** Version of a write. `isRebuilt` means a projection from the store, which also replaces an equal or newer version. */
type WriteMode = { readonly version: number; readonly isRebuilt: boolean }

type WriterContext = {
  readonly db: DatabaseSync
  readonly terms: TermDictionary
  readonly values: FacetNumbers
}

/** Options of zlib with small buffers, because records have a few KB. */
const deflate = { level: 1, windowBits: 12, memLevel: 5, chunkSize: 4096 }

/** Writes documents and removals to the tables of one generation, inside transactions of the caller. */
export class GenerationWriter {
  readonly #generation: Generation
  readonly #values: FacetNumbers
  readonly #texts: TextIndexer
  readonly #statements
  readonly #fullText: FullTextRows
  /** Last used number. Numbers are not reused after a rollback. */
  #lastNumber: number
  #count: number | undefined

  constructor(generation: Generation, { db, terms, values }: WriterContext) {
    const columns = columnsOf(generation.settings)
    this.#generation = generation
    this.#values = values
    this.#texts = new TextIndexer(terms, columns, generation.languages)
    this.#statements = statementsOf(db, generation.number)
    this.#fullText = new FullTextRows(db, tablesOf(generation.number).fts, columns)
    this.#lastNumber = Number(this.#statements.lastNumber.get()?.['n'] ?? -1)
  }

  /** Number of live records; counted at the first call, then updated. */
  get count(): number {
    return (this.#count ??= Number(this.#statements.count.get()?.['count'] ?? 0))
  }

  /** Largest version ever written, including removals. */
  newestVersion(): number {
    return Number(this.#statements.newestVersion.get()?.['version'] ?? 0)
  }

  /** Stored version of a record, also of a removed one. */
  version(id: string): number | undefined {
    const row = this.#statements.find.get(id)
    return row && Number(row['version'])
  }

  /**
   * Stores a document, unless its version is not newer than the stored one and not `isRebuilt`. A document that equals the stored
   * one only updates version and hash, which is common for repeated measurements of quality.
   */
  put(document: SentDocument, mode: WriteMode): void {
    const { id, indexed, record } = document
    const row = this.#statements.find.get(id)
    const version = versionToWrite(row, mode)
    if (version === undefined) return
    // 132 bits of SHA-256.
    const fingerprint = hash('sha256', `${indexed}\n${record}`, 'base64url').slice(0, 22)
    if (row && row['n'] !== null && row['print'] === fingerprint) {
      this.#statements.updateVersion.run(version, document.hash, id)
      return
    }
    const n = ++this.#lastNumber
    this.#statements.copyVector.run(n, Number(row?.['n'] ?? -1))
    this.#endVersion(row)
    this.#statements.key.run(id, n, version, document.hash, fingerprint)
    if (this.#count !== undefined) this.#count += 1
    this.#insert(n, document)
  }

  /** Removes a record. Its version stays stored, so that an older document that arrives later is not written. */
  remove(id: string, mode: WriteMode): void {
    const row = this.#statements.find.get(id)
    const version = versionToWrite(row, mode)
    if (version === undefined) return
    this.#endVersion(row)
    this.#statements.key.run(id, null, version, '', '')
  }

  /** Stores or removes the vector of a record; not of one that is not stored. One of another length replaces all vectors. */
  setVector(id: string, vector: Int8Array | undefined): void {
    const n = this.#statements.find.get(id)?.['n']
    if (typeof n !== 'number') return
    this.#statements.removeVector.run(n)
    if (!vector || isZero(vector)) return
    const length = this.#statements.vectorLength.get()?.['length'] ?? vector.length
    if (length !== vector.length) this.#statements.removeVectors.run()
    this.#statements.vector.run(n, vector)
  }

  /** Writes the full-text rows; to be called before the transaction is committed. */
  flush(): void {
    this.#fullText.write()
  }

  /** Drops the state of a transaction; to be called after a rollback. */
  forget(): void {
    this.#fullText.forget()
    this.#count = undefined
  }

  #insert(n: number, { id, record, indexed }: SentDocument): void {
    const document: IndexedPart = JSON.parse(indexed)
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
    const { columns, size } = this.#texts.index(id, document.text)
    this.#statements.col.run(n, id, dates, numbers, flags, boxes, ords, sortTexts, size)
    this.#fullText.add(n, columns)
  }

  /** Ends the current version of a record, if it has one. */
  #endVersion(row: Row | undefined): void {
    const n = row?.['n']
    if (n === undefined || n === null) return
    this.#fullText.remove(Number(n))
    this.#statements.removeVector.run(Number(n))
    this.#statements.endVersion.run(this.#generation.number, Number(n))
    if (this.#count !== undefined) this.#count -= 1
  }

  #ords({ facets }: IndexedPart) {
    const facetSettings = this.#generation.settings.facets
    const numbers = facetSettings.flatMap(({ id }) =>
      (facets[id] ?? []).map((value) => this.#values.numberFor(id, value)),
    )
    return packOrds(new Set(numbers))
  }
}

/** Name without its last part: `title` for `title.de`. */
const parentOf = (name: string) => name.slice(0, name.lastIndexOf('.'))

/** Version to store; `undefined` if the stored one is equal or newer and the write is not `isRebuilt`. */
function versionToWrite(
  row: Row | undefined,
  { version, isRebuilt }: WriteMode,
): number | undefined {
  if (!row) return version
  const stored = Number(row['version'])
  return stored >= version && !isRebuilt ? undefined : Math.max(stored, version)
}

function statementsOf(db: DatabaseSync, generation: number) {
  const { key, doc, col, vec } = tablesOf(generation)
  return {
    find: db.prepare(`SELECT n, version, print FROM ${key} WHERE id = ?`),
    key: db.prepare(
      `INSERT OR REPLACE INTO ${key} (id, n, version, hash, print) VALUES (?, ?, ?, ?, ?)`,
    ),
    updateVersion: db.prepare(`UPDATE ${key} SET version = ?, hash = ? WHERE id = ?`),
    doc: db.prepare(`INSERT INTO ${doc} (n, json) VALUES (?, ?)`),
    col: db.prepare(
      `INSERT INTO ${col} (n, id, dates, numbers, flags, boxes, ords, orders, words)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    vector: db.prepare(`INSERT INTO ${vec} (n, v) VALUES (?, ?)`),
    copyVector: db.prepare(`INSERT INTO ${vec} (n, v) SELECT ?, v FROM ${vec} WHERE n = ?`),
    removeVector: db.prepare(`DELETE FROM ${vec} WHERE n = ?`),
    removeVectors: db.prepare(`DELETE FROM ${vec}`),
    vectorLength: db.prepare(`SELECT length(v) AS length FROM ${vec} LIMIT 1`),
    endVersion: db.prepare('INSERT INTO dead (generation, n) VALUES (?, ?)'),
    // Numbers of purged versions are not used again, because readers may still hold them as ended.
    lastNumber: db.prepare(
      `SELECT max(n) AS n FROM (SELECT max(n) AS n FROM ${doc}
       UNION ALL SELECT max(n) FROM dead WHERE generation = ${generation})`,
    ),
    count: db.prepare(`SELECT count(*) AS count FROM ${key} WHERE n IS NOT NULL`),
    newestVersion: db.prepare(`SELECT max(version) AS version FROM ${key}`),
  }
}

/** Numbers of facet values (table `ord`, column `o`), shared by all generations. */
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

  /** Number of a value, which is added if it is new; updates its title. */
  numberFor(facet: string, { id, title }: FacetValue): number {
    const row = this.#find.get(facet, id)
    if (!row) {
      this.#insert.run(this.#next, facet, id, title, ++this.#seq)
      return this.#next++
    }
    const o = Number(row['o'])
    if (row['title'] !== title) this.#retitle.run(title, ++this.#seq, o)
    return o
  }

  /** Reads the last numbers again; to be called after a rollback. */
  forget(): void {
    const row = this.#newest.get()
    this.#next = Number(row?.['next'] ?? 0)
    this.#seq = Number(row?.['seq'] ?? 0)
  }
}
