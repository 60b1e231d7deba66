/**
 * Removing what nobody can read any more: versions of records that were replaced, and generations that were swapped away.
 *
 * Every end of a version, and of a generation, is a row of the table `dead` with a number that grows (`seq`). A cursor that is
 * opened notes the last of these numbers: what ended later may be in its snapshot and stays until the cursor is gone. Versions
 * are removed in portions, oldest first, so that a write that comes meanwhile does not wait long.
 */

import type { DatabaseSync } from 'node:sqlite'
import { transaction } from '../../sqlite.ts'
import { readGenerations } from './generations.ts'
import { endOfGeneration, tablesOf, type Tables } from './index-file.ts'

/** Rows per transaction. */
const portion = 2_000
/** Ends that stay on record after the purge, so that a reader that was idle for long learns of them. */
const recordedEnds = 100_000

/** The large tables and their keys; the full-text table keeps its content in tables of its own. */
const rowsOf = ({ key, doc, col, fts }: Tables) =>
  [
    [doc, 'n'],
    [col, 'n'],
    [key, 'id'],
    [`${fts}_data`, 'id'],
    [`${fts}_docsize`, 'id'],
  ] as const

export class Purge {
  readonly #db: DatabaseSync
  /** The last end whose rows are removed. A new process begins at the oldest again, which removes nothing twice. */
  #done = 0

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  /** The number of the last end, 0 without any: a snapshot that is taken from now on can contain nothing that ended by then. */
  lastEnd(): number {
    return Number(this.#db.prepare('SELECT max(seq) AS seq FROM dead').get()?.['seq'] ?? 0)
  }

  /** Removes a portion of what ended by `limit`; true = there is more. Not inside a transaction. */
  step(limit: number): boolean {
    const versions = this.#removeVersions(limit)
    return this.#removeGeneration(limit) || versions
  }

  #removeVersions(limit: number): boolean {
    const ended = this.#db
      .prepare(
        'SELECT seq, generation, n FROM dead WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?',
      )
      .all(this.#done, limit, portion)
    if (ended.length === 0) return false
    const byGeneration = Map.groupBy(ended, (row) => Number(row['generation']))
    const done = Number(ended.at(-1)?.['seq'])
    transaction(this.#db, () => {
      for (const { generation, state } of readGenerations(this.#db)) {
        if (state === 'old') continue
        const { doc, col } = tablesOf(generation)
        for (const table of [doc, col]) {
          const statement = this.#db.prepare(`DELETE FROM ${table} WHERE n = ?`)
          for (const row of byGeneration.get(generation) ?? []) statement.run(Number(row['n']))
        }
      }
      this.#db
        .prepare('DELETE FROM dead WHERE seq <= ? AND seq <= (SELECT max(seq) FROM dead) - ?')
        .run(done, recordedEnds)
    })
    this.#done = done
    return ended.length === portion
  }

  /**
   * Removes a portion of the oldest generation that was swapped away. Its tables are emptied before they are dropped: dropping a
   * full one reads all its pages in one go.
   */
  #removeGeneration(limit: number): boolean {
    const old = this.#db
      .prepare(
        `SELECT gen.generation FROM gen
         LEFT JOIN dead ON dead.generation = gen.generation AND dead.n = ${endOfGeneration}
         WHERE state = 'old' AND ifnull(seq, 0) <= ? ORDER BY gen.generation LIMIT 1`,
      )
      .get(limit)
    if (!old) return false
    const generation = Number(old['generation'])
    const tables = tablesOf(generation)
    if (this.#empty(tables)) return true
    transaction(this.#db, () => {
      for (const name of Object.values(tables)) this.#db.exec(`DROP TABLE ${name}`)
      this.#db.prepare('DELETE FROM gen WHERE generation = ?').run(generation)
    })
    return true
  }

  /** Removes a portion of rows; false = there was none. */
  #empty(tables: Tables): boolean {
    // The tables behind the full text are protected against just this.
    this.#db.enableDefensive(false)
    try {
      return rowsOf(tables).some(([table, key]) => {
        const some = `SELECT ${key} FROM ${table} LIMIT ${portion}`
        const { changes } = this.#db.prepare(`DELETE FROM ${table} WHERE ${key} IN (${some})`).run()
        return Number(changes) > 0
      })
    } finally {
      this.#db.enableDefensive(true)
    }
  }
}
