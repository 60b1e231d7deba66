/** Records by number and by id, and their ids in order. */

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { inflateRawSync } from 'node:zlib'
import { includeFields } from '../../include.ts'
import type { Entry } from '../../search-index.ts'
import type { View } from './view.ts'

type Statements = {
  readonly doc: StatementSync
  readonly id: StatementSync
  readonly find: StatementSync
  readonly after: StatementSync
  readonly newest: StatementSync
}

export class Records {
  readonly #db: DatabaseSync
  readonly #statements = new WeakMap<View, Statements>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  /** The JSON text of a version, reduced to `include`. */
  text(view: View, n: number, include?: readonly string[]): string {
    const json: unknown = this.#of(view).doc.get(n)?.['json']
    if (!(json instanceof Uint8Array)) throw new Error(`record version ${n} is missing`)
    const text = inflateRawSync(json).toString()
    if (!include) return text
    const record: Readonly<Record<string, unknown>> = JSON.parse(text)
    return JSON.stringify(includeFields(record, include))
  }

  id(view: View, n: number): string {
    return String(this.#of(view).id.get(n)?.['id'] ?? '')
  }

  /** The number of the current version of a record. */
  find(view: View, id: string): number | undefined {
    const n = this.#of(view).find.get(id)?.['n']
    return n === undefined || n === null ? undefined : Number(n)
  }

  /** Whether a record is or was there. */
  knows(view: View, id: string): boolean {
    return this.#of(view).find.get(id) !== undefined
  }

  entries(view: View, after: string, limit: number): Entry[] {
    return this.#of(view)
      .after.all(after, limit)
      .map((row) => ({
        id: String(row['id']),
        version: Number(row['version']),
        hash: String(row['hash']),
      }))
  }

  /** The largest version ever written, deletions included. */
  newest(view: View): number {
    return Number(this.#of(view).newest.get()?.['version'] ?? 0)
  }

  #of(view: View): Statements {
    const known = this.#statements.get(view)
    if (known) return known
    const { key, doc, col } = view.tables
    const made = {
      doc: this.#db.prepare(`SELECT json FROM ${doc} WHERE n = ?`),
      id: this.#db.prepare(`SELECT id FROM ${col} WHERE n = ?`),
      find: this.#db.prepare(`SELECT n FROM ${key} WHERE id = ?`),
      after: this.#db.prepare(
        `SELECT id, version, hash FROM ${key} WHERE id > ? AND n IS NOT NULL ORDER BY id LIMIT ?`,
      ),
      newest: this.#db.prepare(`SELECT max(version) AS version FROM ${key}`),
    }
    this.#statements.set(view, made)
    return made
  }
}
