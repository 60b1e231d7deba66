/** What runs wanted to remove and were not let, and what they did remove. */

import type { Sqlite } from '../../sqlite.ts'
import { numberOf, textOf } from './record-rows.ts'
import { SerialSet } from './serial-set.ts'

/** A record that was removed, as it is needed to take it back. */
export type Removed = {
  readonly run: string
  readonly catalogue: string
  readonly pipe: string
  readonly originalId: string
  readonly sourceId: string
  readonly platformId: string
}

export type Removals = {
  hold(run: string, serials: readonly number[]): void
  /** Serials that wait for consent. */
  held(run: string): readonly number[]
  /** Serials that any run of a pipe holds. */
  heldOf(pipe: string): SerialSet
  /** The source has offered it after all, or it is gone. */
  release(serial: number): void
  note(removed: Removed, time: number): void
  ofRun(run: string): readonly Removed[]
  ofPlatformId(id: string): Removed | undefined
  /** Brought back: the record belongs to its pipe again. */
  returned(removed: Removed, time: number): void
  /** Forgets what was removed before. */
  forgetBefore(time: number): void
}

export function removals(file: Sqlite): Removals {
  return {
    hold: (run, serials) => {
      for (const serial of serials)
        file.run('INSERT OR IGNORE INTO held VALUES (?, ?)', run, serial)
    },
    held: (run) =>
      [...file.each('SELECT serial FROM held WHERE run = ?', run)].map((row) =>
        numberOf(row['serial']),
      ),
    heldOf: (pipe) => {
      const set = new SerialSet()
      const sql =
        'SELECT serial FROM held WHERE serial IN (SELECT serial FROM record WHERE pipe = ?)'
      for (const row of file.each(sql, pipe)) set.add(numberOf(row['serial']))
      return set
    },
    release: (serial) => void file.run('DELETE FROM held WHERE serial = ?', serial),
    note: ({ run, catalogue, pipe, ...ids }, time) =>
      void file.run(
        'INSERT INTO removed (run, catalogue, pipe, original, source, platform, time) VALUES (?, ?, ?, ?, ?, ?, ?)',
        run,
        catalogue,
        pipe,
        ids.originalId,
        ids.sourceId,
        ids.platformId,
        time,
      ),
    ofRun: (run) => [...file.each('SELECT * FROM removed WHERE run = ?', run)].map(removedOf),
    ofPlatformId: (id) => {
      const sql = 'SELECT * FROM removed WHERE platform = ? ORDER BY serial DESC LIMIT 1'
      const row = file.first(sql, id)
      return row && removedOf(row)
    },
    returned: (removed, time) => returned(file, removed, time),
    forgetBefore: (time) => void file.run('DELETE FROM removed WHERE time < ?', time),
  }
}

/** Its row says that no run may remove it again before the source has offered it. */
function returned(file: Sqlite, removed: Removed, time: number): void {
  const { run, catalogue, pipe, originalId, sourceId, platformId } = removed
  file.transaction(() => {
    file.run(
      `INSERT OR IGNORE INTO record (catalogue, original, pipe, source, platform, state, first_run, last_run, written)
       VALUES (?, ?, ?, ?, ?, 'restored', ?, ?, ?)`,
      catalogue,
      originalId,
      pipe,
      sourceId,
      platformId,
      run,
      run,
      time,
    )
    file.run('DELETE FROM removed WHERE catalogue = ? AND original = ?', catalogue, originalId)
  })
}

const removedOf = (row: Readonly<Record<string, unknown>>): Removed => ({
  run: textOf(row['run']),
  catalogue: textOf(row['catalogue']),
  pipe: textOf(row['pipe']),
  originalId: textOf(row['original']),
  sourceId: textOf(row['source']),
  platformId: textOf(row['platform']),
})
