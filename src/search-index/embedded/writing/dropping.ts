/** Removing the tables of a generation that nobody reads any more, a little at a time. */

import type { DatabaseSync } from 'node:sqlite'
import { tablesOf, type Tables } from '../tables.ts'
import { forgetGeneration, readGenerations } from './generations.ts'

/** Rows per transaction: a write that comes meanwhile never waits longer than that. */
const portion = 2_000

/** The large tables and their keys; what lies in the full-text table lies in tables of its own. */
const rowsOf = ({ key, doc, col, dead, fts }: Tables) =>
  [
    [doc, 'n'],
    [col, 'n'],
    [key, 'id'],
    [dead, 'seq'],
    [`${fts}_data`, 'id'],
    [`${fts}_docsize`, 'id'],
  ] as const

/**
 * Drops one portion and says whether there is more; what is held stays. Not inside a transaction. A table is emptied before it is dropped:
 * dropping a full one reads all its pages in one go.
 */
export function dropSome(db: DatabaseSync, isHeld: (generation: number) => boolean): boolean {
  const old = readGenerations(db).find(
    ({ state, generation }) => state === 'old' && !isHeld(generation),
  )
  if (!old) return false
  const tables = tablesOf(old.generation)
  // The tables behind the full text are protected against just this.
  db.enableDefensive(false)
  try {
    for (const [table, key] of rowsOf(tables)) {
      const { changes } = db
        .prepare(`DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} LIMIT ?)`)
        .run(portion)
      if (Number(changes) > 0) return true
    }
  } finally {
    db.enableDefensive(true)
  }
  db.exec('BEGIN IMMEDIATE')
  try {
    for (const name of Object.values(tables)) db.exec(`DROP TABLE ${name}`)
    forgetGeneration(db, old.generation)
    db.exec('COMMIT')
  } catch (error) {
    db.exec('ROLLBACK')
    throw error
  }
  return true
}
