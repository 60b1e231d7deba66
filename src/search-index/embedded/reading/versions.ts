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
    const { json, parts } = this.#of(generation).doc.get(n) ?? {}
    if (!(json instanceof Uint8Array)) throw new Error(`record version ${n} is missing`)
    const text = whole(inflateRawSync(json).toString(), parts)
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
      doc: this.#db.prepare(`SELECT json, parts FROM ${doc} WHERE n = ?`),
      id: this.#db.prepare(`SELECT id FROM ${col} WHERE n = ?`),
      row: this.#db.prepare(`SELECT dates, numbers, flags FROM ${col} WHERE n = ?`),
    }
    this.#statements.set(generation, made)
    return made
  }
}

/** The text of a record with what stands beside it. */
function whole(text: string, parts: unknown): string {
  if (typeof parts !== 'string') return text
  const all: object = JSON.parse(parts)
  const there = Object.entries(all).filter(([, value]) => value !== null)
  if (there.length === 0) return text
  const beside = JSON.stringify(Object.fromEntries(there))
  return text === '{}' ? beside : `${text.slice(0, -1)},${beside.slice(1)}`
}
