/** The rows of a full-text table, written at the end of a transaction: first those that go, then those that come. */

import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** Statements for column sets that were met; documents of one source share a handful. */
const rememberedInserts = 300

/**
 * FTS5 writes out what it has collected whenever a row comes that is not behind the last one: a row that goes between two that
 * come made a segment of its own out of each, to be merged with the others later.
 */
export class FullTextRows {
  readonly #db: DatabaseSync
  readonly #table: string
  readonly #delete: StatementSync
  readonly #inserts = new Map<string, StatementSync>()
  #gone: number[] = []
  readonly #come = new Map<number, ReadonlyMap<string, string>>()

  constructor(db: DatabaseSync, table: string) {
    this.#db = db
    this.#table = table
    this.#delete = db.prepare(`DELETE FROM ${table} WHERE rowid = ?`)
  }

  /** Numbers come in ascending order; texts by column. */
  add(n: number, columns: ReadonlyMap<string, string>): void {
    this.#come.set(n, columns)
  }

  remove(n: number): void {
    if (!this.#come.delete(n)) this.#gone.push(n)
  }

  /** To be called before the transaction is committed. */
  write(): void {
    for (const n of this.#gone.sort((a, b) => a - b)) this.#delete.run(n)
    for (const [n, columns] of this.#come) {
      this.#insert([...columns.keys()]).run(n, ...columns.values())
    }
    this.forget()
  }

  /** What was not written goes with its transaction. */
  forget(): void {
    this.#gone = []
    this.#come.clear()
  }

  #insert(aliases: readonly string[]): StatementSync {
    const names = ['rowid', ...aliases].join(', ')
    const known = this.#inserts.get(names)
    if (known) return known
    if (this.#inserts.size >= rememberedInserts) this.#inserts.clear()
    const marks = ['?', ...aliases.map(() => '?')].join(', ')
    const statement = this.#db.prepare(`INSERT INTO ${this.#table} (${names}) VALUES (${marks})`)
    this.#inserts.set(names, statement)
    return statement
  }
}
