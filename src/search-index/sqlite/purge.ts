/**
 * Removal of versions and generations that no reader and no cursor can read any more.
 *
 * A version ends when it is replaced or removed, a generation when another one takes its place. Each end is a row of the table `dead`
 * with an increasing number (`seq`). A cursor remembers the last number at the time it was opened: what ended later may be in its
 * snapshot and is not removed before the cursor is dropped. Rows are removed in portions, oldest first, so that writes do not wait
 * long.
 */

import type { DatabaseSync } from 'node:sqlite'
import { transaction } from '../../sqlite.ts'
import { readGenerations } from './generations.ts'
import { endOfGeneration, tablesOf, type Tables } from './index-file.ts'

/** Rows per transaction. */
const portion = 2_000
/** Rows of `dead` that remain after the purge, so that readers that were idle can apply them. */
const recordedEnds = 100_000

/** Large tables of a generation with their keys; the last two are those of FTS5. */
const rowsOf = ({ key, doc, col, vec, fts }: Tables) =>
  [
    [doc, 'n'],
    [col, 'n'],
    [key, 'id'],
    [vec, 'seq'],
    [`${fts}_data`, 'id'],
    [`${fts}_docsize`, 'id'],
  ] as const

/** Removes ended versions and generations from the file, a portion at each call. */
export class Purge {
  readonly #db: DatabaseSync
  /** Number of the last end whose rows are removed. A new process begins with the oldest row of `dead`, whose rows are gone already. */
  #purgedUpTo = 0

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  /** Number of the last end, 0 if there is none. Snapshots that are taken later contain nothing that ended by then. */
  lastEnded(): number {
    return Number(this.#db.prepare('SELECT max(seq) AS seq FROM dead').get()?.['seq'] ?? 0)
  }

  /** Removes a portion of what ended up to `limit` and returns whether there may be more. Opens its own transactions. */
  removePortion(limit: number): boolean {
    const versions = this.#removeVersions(limit)
    return this.#removeGeneration(limit) || versions
  }

  #removeVersions(limit: number): boolean {
    const rows = this.#db
      .prepare(
        'SELECT seq, generation, n FROM dead WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?',
      )
      .all(this.#purgedUpTo, limit, portion)
    if (rows.length === 0) return false
    const byGeneration = Map.groupBy(rows, (row) => Number(row['generation']))
    const lastSeq = Number(rows.at(-1)?.['seq'])
    transaction(this.#db, () => {
      for (const { number, state } of readGenerations(this.#db)) {
        if (state === 'old') continue
        const { doc, col } = tablesOf(number)
        for (const table of [doc, col]) {
          const statement = this.#db.prepare(`DELETE FROM ${table} WHERE n = ?`)
          for (const row of byGeneration.get(number) ?? []) statement.run(Number(row['n']))
        }
      }
      this.#db
        .prepare('DELETE FROM dead WHERE seq <= ? AND seq <= (SELECT max(seq) FROM dead) - ?')
        .run(lastSeq, recordedEnds)
    })
    this.#purgedUpTo = lastSeq
    return rows.length === portion
  }

  /**
   * Removes a portion of the oldest ended generation. Its tables are emptied before they are dropped, because `DROP TABLE` reads all
   * pages of a table at once.
   */
  #removeGeneration(limit: number): boolean {
    const row = this.#db
      .prepare(
        `SELECT gen.generation FROM gen
         LEFT JOIN dead ON dead.generation = gen.generation AND dead.n = ${endOfGeneration}
         WHERE state = 'old' AND ifnull(seq, 0) <= ? ORDER BY gen.generation LIMIT 1`,
      )
      .get(limit)
    if (!row) return false
    const generation = Number(row['generation'])
    const tables = tablesOf(generation)
    if (this.#deleteRows(tables)) return true
    transaction(this.#db, () => {
      for (const name of Object.values(tables)) this.#db.exec(`DROP TABLE ${name}`)
      this.#db.prepare('DELETE FROM gen WHERE generation = ?').run(generation)
    })
    return true
  }

  /** Deletes a portion of rows from one of the tables and returns whether there were any. */
  #deleteRows(tables: Tables): boolean {
    // The defensive mode of SQLite forbids deleting rows from the tables of FTS5.
    this.#db.enableDefensive(false)
    try {
      return rowsOf(tables).some(([table, key]) => {
        const selection = `SELECT ${key} FROM ${table} LIMIT ${portion}`
        const { changes } = this.#db
          .prepare(`DELETE FROM ${table} WHERE ${key} IN (${selection})`)
          .run()
        return Number(changes) > 0
      })
    } finally {
      this.#db.enableDefensive(true)
    }
  }
}
