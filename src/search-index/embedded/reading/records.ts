/** Records by id. */

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { View } from './view.ts'

export class Records {
  readonly #db: DatabaseSync
  readonly #statements = new WeakMap<View, StatementSync>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  /** The number of the current version of a record. */
  find(view: View, id: string): number | undefined {
    const n = this.#find(view).get(id)?.['n']
    return n === undefined || n === null ? undefined : Number(n)
  }

  /** Whether a record is or was there. */
  knows(view: View, id: string): boolean {
    return this.#find(view).get(id) !== undefined
  }

  #find(view: View): StatementSync {
    const known = this.#statements.get(view)
    if (known) return known
    const made = this.#db.prepare(`SELECT n FROM ${view.tables.key} WHERE id = ?`)
    this.#statements.set(view, made)
    return made
  }
}
