/** Removing what replaced and deleted versions left behind, a little at a time. */

import type { DatabaseSync } from 'node:sqlite'
import type { Tables } from '../tables.ts'

/** Rows per transaction: a single write never waits longer than that. */
const portion = 2_000
/** Numbers of purged versions that stay on record, so that a reader that slept learns of them. */
const remembered = 100_000

/**
 * Purges one portion of the deaths up to one of them, and says whether there is more. Always the oldest, so that what is gone
 * is the beginning of them all. Not inside a transaction.
 */
export function purge(db: DatabaseSync, tables: Tables, lastDeath = Infinity): boolean {
  const { dead, doc, col } = tables
  const rows = db
    .prepare(`SELECT seq, n FROM ${dead} WHERE gone = 0 AND seq <= ? ORDER BY seq LIMIT ?`)
    .all(Math.min(lastDeath, Number.MAX_SAFE_INTEGER), portion)
  if (rows.length === 0) return false
  const uncol = db.prepare(`DELETE FROM ${col} WHERE n = ?`)
  const undoc = db.prepare(`DELETE FROM ${doc} WHERE n = ?`)
  const gone = db.prepare(`UPDATE ${dead} SET gone = 1 WHERE seq = ?`)
  db.exec('BEGIN IMMEDIATE')
  try {
    for (const row of rows) {
      const n = Number(row['n'])
      uncol.run(n)
      undoc.run(n)
      gone.run(Number(row['seq']))
    }
    db.prepare(
      `DELETE FROM ${dead} WHERE gone = 1 AND seq <= (SELECT max(seq) FROM ${dead}) - ?`,
    ).run(remembered)
    db.exec('COMMIT')
  } catch (error) {
    db.exec('ROLLBACK')
    throw error
  }
  return rows.length === portion
}
