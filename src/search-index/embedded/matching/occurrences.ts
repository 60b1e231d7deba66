/** How often words occur in which column of which record, straight from the full-text index. */

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { View } from '../reading/view.ts'

/** Calls between two looks at whether the answer is still wanted. */
const stride = 4096

/**
 * FTS5 counts for its own relevance too, but reads the length of every record from the file for it: a few times the work.
 * The tables that show it belong to the connection and are in no file.
 */
export class Occurrences {
  readonly #db: DatabaseSync
  readonly #check: () => void
  #statements = new Map<number, StatementSync>()
  #calls = 0
  #told: (n: number, column: string) => void = () => undefined

  /** `check` throws when the request is to stop. */
  constructor(db: DatabaseSync, check: () => void) {
    this.#db = db
    this.#check = check
    db.function('occurs', (n, column) => {
      if (++this.#calls % stride === 0) this.#check()
      this.#told(Number(n), String(column))
      return 0
    })
  }

  /** Makes ready for these and forgets all others; outside of any transaction, which would take it back. */
  serve(generations: readonly number[]): void {
    const gone = [...this.#statements.keys()].filter((one) => !generations.includes(one))
    const come = generations.filter((one) => !this.#statements.has(one))
    if (gone.length === 0 && come.length === 0) return
    this.#db.exec('PRAGMA query_only=0')
    try {
      for (const one of gone) {
        this.#statements.delete(one)
        this.#db.exec(`DROP TABLE temp.occurs_${one}`)
      }
      for (const one of come) this.#statements.set(one, this.#prepared(one))
    } finally {
      this.#db.exec('PRAGMA query_only=1')
    }
  }

  knows({ generation: { generation } }: View): boolean {
    return this.#statements.has(generation)
  }

  /** Tells each occurrence of a term by number and column. */
  each(
    { generation: { generation } }: View,
    term: string,
    told: (n: number, column: string) => void,
  ): void {
    this.#told = told
    this.#statements.get(generation)?.get(term)
  }

  #prepared(generation: number): StatementSync {
    const table = `temp.occurs_${generation}`
    this.#db.exec(
      `CREATE VIRTUAL TABLE ${table} USING fts5vocab(main, fts_${generation}, instance)`,
    )
    return this.#db.prepare(`SELECT 1 FROM ${table} WHERE term = ? AND occurs(doc, col)`)
  }
}
