/** How old the file is: it counts its changes, and whoever has kept the count elsewhere sees when an older copy took its place. */

import type { Sqlite } from '../../sqlite.ts'
import { numberOf } from './record-rows.ts'

export type Age = {
  /** One change more; how many there have been. */
  count(): number
  /**
   * Whether there were more than the file knows: it is an older copy, or was lost. Then no pipe may remove anything before it
   * is trusted again, and nothing counts as unchanged.
   */
  compare(known: number): boolean
  isDoubted(pipe: string): boolean
  /** The pipe has compared all of its records with its source, or somebody has. */
  trust(pipe: string): void
}

export const age = (file: Sqlite): Age => ({
  count: () => {
    const sql =
      'INSERT INTO age VALUES (1, 1, 0) ON CONFLICT DO UPDATE SET changes = changes + 1 RETURNING changes'
    return numberOf(file.first(sql)?.['changes'])
  },
  compare: (known) =>
    file.transaction(() => {
      if (numberOf(file.first('SELECT changes FROM age')?.['changes']) >= known) return false
      const sql =
        'INSERT INTO age VALUES (1, ?, 1) ON CONFLICT DO UPDATE SET changes = excluded.changes, doubted = 1'
      file.run(sql, known)
      file.run('DELETE FROM trusted')
      file.run('UPDATE record SET hash = NULL')
      file.run(`UPDATE pipe SET validators = '[]'`)
      return true
    }, 'durable'),
  isDoubted: (pipe) =>
    file.first('SELECT 1 FROM age WHERE doubted = 1') !== undefined &&
    file.first('SELECT 1 FROM trusted WHERE pipe = ?', pipe) === undefined,
  trust: (pipe) => void file.run('INSERT OR IGNORE INTO trusted VALUES (?)', pipe),
})
