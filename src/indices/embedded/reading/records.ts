/** Records by id, and their ids in order. */

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Entry } from '../../search-index.ts'
import type { View } from './view.ts'

type Statements = {
  readonly find: StatementSync
  readonly after: StatementSync
}

export class Records {
  readonly #db: DatabaseSync
  readonly #statements = new WeakMap<View, Statements>()

  constructor(db: DatabaseSync) {
    this.#db = db
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

  #of(view: View): Statements {
    const known = this.#statements.get(view)
    if (known) return known
    const { key } = view.tables
    const made = {
      find: this.#db.prepare(`SELECT n FROM ${key} WHERE id = ?`),
      after: this.#db.prepare(
        `SELECT id, version, hash FROM ${key} WHERE id > ? AND n IS NOT NULL ORDER BY id LIMIT ?`,
      ),
    }
    this.#statements.set(view, made)
    return made
  }
}
