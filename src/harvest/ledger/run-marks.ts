/** What a run has met: kept at each place from which it may go on, and the ids of the catalogue that nobody owns. */

import type { Sqlite } from '../../sqlite.ts'
import { numberOf, textOf } from './record-rows.ts'
import { SerialSet } from './serial-set.ts'

/** Counts of a run that go on with it. */
type Progress = { readonly offered: number; readonly nameless: number }

export type RunMarks = {
  /** Everything so far is durable when this returns. */
  keep(run: string, seen: SerialSet, progress: Progress, time: number): void
  /** `undefined` when nothing was kept: what the run has met before is not known. */
  kept(run: string): (Progress & { readonly seen: SerialSet }) | undefined
  forget(run: string): void
  forgetUnowned(run: string): void
  forgetBefore(time: number): void
  /** Ids of the catalogue that no row has; forgotten with the process. */
  addUnowned(run: string, ids: readonly string[]): void
  isUnowned(run: string, id: string): boolean
  unowned(run: string): Iterable<string>
}

export function runMarks(file: Sqlite): RunMarks {
  const forget = (run: string) => {
    file.run('DELETE FROM seen WHERE run = ?', run)
    file.run('DELETE FROM progress WHERE run = ?', run)
  }
  return {
    keep: (run, seen, { offered, nameless }, time) =>
      file.transaction(() => {
        for (const [chunk, bits] of seen.changes())
          file.run('INSERT OR REPLACE INTO seen VALUES (?, ?, ?)', run, chunk, bits)
        const sql = 'INSERT OR REPLACE INTO progress VALUES (?, ?, ?, ?)'
        file.run(sql, run, offered, nameless, time)
      }),
    kept: (run) => kept(file, run),
    forget,
    forgetUnowned: (run) => void file.run('DELETE FROM unowned WHERE run = ?', run),
    forgetBefore: (time) => {
      const old = [...file.each('SELECT run FROM progress WHERE time < ?', time)]
      for (const row of old) forget(textOf(row['run']))
    },
    addUnowned: (run, ids) => {
      for (const id of ids) file.run('INSERT OR IGNORE INTO unowned VALUES (?, ?)', run, id)
    },
    isUnowned: (run, id) =>
      file.first('SELECT 1 FROM unowned WHERE run = ? AND id = ?', run, id) !== undefined,
    *unowned(run) {
      for (const row of file.each('SELECT id FROM unowned WHERE run = ?', run))
        yield textOf(row['id'])
    },
  }
}

function kept(file: Sqlite, run: string): ReturnType<RunMarks['kept']> {
  const row = file.first('SELECT * FROM progress WHERE run = ?', run)
  if (!row) return undefined
  const seen = new SerialSet()
  for (const { chunk, bits } of file.each('SELECT chunk, bits FROM seen WHERE run = ?', run))
    if (bits instanceof Uint8Array) seen.load(numberOf(chunk), bits)
  return { seen, offered: numberOf(row['offered']), nameless: numberOf(row['nameless']) }
}
