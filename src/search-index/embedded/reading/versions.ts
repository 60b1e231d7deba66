/** Versions of records by number, in whatever generation they are: also those that no search finds any more. */

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { inflateRawSync } from 'node:zlib'
import { includeFields } from '../../include.ts'
import { tablesOf } from '../tables.ts'

type Statements = {
  readonly doc: StatementSync
  readonly id: StatementSync
  readonly row: StatementSync
}

/** Generations whose statements are kept. */
const remembered = 64

export class Versions {
  readonly #db: DatabaseSync
  readonly #statements = new Map<number, Statements>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  /** The JSON text of a version, reduced to `include`. */
  text(generation: number, n: number, include?: readonly string[]): string {
    const json = this.#of(generation).doc.get(n)?.['json']
    if (!(json instanceof Uint8Array)) throw new Error(`record version ${n} is missing`)
    const text = inflateRawSync(json).toString()
    if (!include) return text
    const record: Readonly<Record<string, unknown>> = JSON.parse(text)
    return JSON.stringify(includeFields(record, include))
  }

  id(generation: number, n: number): string {
    return String(this.#of(generation).id.get(n)?.['id'] ?? '')
  }

  /** What sorting reads, as it is stored. */
  row(generation: number, n: number): Readonly<Record<string, unknown>> {
    return this.#of(generation).row.get(n) ?? {}
  }

  #of(generation: number): Statements {
    const known = this.#statements.get(generation)
    if (known) return known
    if (this.#statements.size >= remembered) this.#statements.clear()
    const { doc, col } = tablesOf(generation)
    const made = {
      doc: this.#db.prepare(`SELECT json FROM ${doc} WHERE n = ?`),
      id: this.#db.prepare(`SELECT id FROM ${col} WHERE n = ?`),
      row: this.#db.prepare(`SELECT dates, numbers, flags FROM ${col} WHERE n = ?`),
    }
    this.#statements.set(generation, made)
    return made
  }
}
