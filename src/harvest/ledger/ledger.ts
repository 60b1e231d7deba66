/**
 * The ledger: which pipe owns which record under which id of its source, what runs removed or wanted to, and what a run that may
 * be resumed has met. It is not the institution's own: when it is lost, nothing is ever removed wrongly, because a record without
 * a row is never removed.
 */

import { openSqlite, type Sqlite } from '../../sqlite.ts'
import {
  numberOf,
  pipeRow,
  recordRow,
  removedRow,
  textOf,
  type LandedRecord,
  type Owner,
  type PipeFile,
  type PipeState,
  type RecordRow,
  type Removed,
} from './ledger-rows.ts'
import { ledgerFormat, ledgerSchema } from './ledger-schema.ts'
import { Likenesses } from './likenesses.ts'
import { SerialSet } from './serial-set.ts'

/** What a run has met until the place from which it may be resumed. */
type Progress = { readonly seen: SerialSet; readonly offered: number; readonly nameless: number }

const columns =
  'serial, original, pipe, source, hash, platform, state, missed, written FROM record WHERE'
/** Answered by the index alone. */
const counted = 'SELECT count(*) AS n FROM record WHERE catalogue = ? AND pipe = ?'

export class Ledger {
  readonly #file: Sqlite
  readonly likenesses: Likenesses

  /** Opens `harvest.sqlite`, made when absent; one process at a time. */
  constructor(path: string) {
    this.#file = openSqlite({ path, schema: ledgerSchema, format: ledgerFormat })
    this.likenesses = new Likenesses(this.#file)
  }

  transaction<T>(work: () => T): T {
    return this.#file.transaction(work)
  }

  close(): void {
    this.#file.close()
  }

  // Records.

  bySource({ catalogue, pipe }: Owner, sourceId: string): RecordRow | undefined {
    const sql = `SELECT ${columns} catalogue = ? AND pipe = ? AND source = ?`
    const row = this.#file.first(sql, catalogue, pipe, sourceId)
    return row && recordRow(row)
  }

  byOriginal(catalogue: string, originalId: string): RecordRow | undefined {
    const sql = `SELECT ${columns} catalogue = ? AND original = ?`
    const row = this.#file.first(sql, catalogue, originalId)
    return row && recordRow(row)
  }

  bySerial(serial: number): RecordRow | undefined {
    const row = this.#file.first(`SELECT ${columns} serial = ?`, serial)
    return row && recordRow(row)
  }

  /** All rows of a pipe in a catalogue, in order of their serials. */
  *rowsOf({ catalogue, pipe }: Owner): Iterable<RecordRow> {
    const sql = `SELECT ${columns} catalogue = ? AND pipe = ? ORDER BY serial`
    for (const row of this.#file.each(sql, catalogue, pipe)) yield recordRow(row)
  }

  count({ catalogue, pipe }: Owner): number {
    return numberOf(this.#file.first(counted, catalogue, pipe)?.['n'])
  }

  /** Those that were the pipe's before the run; what it adopted without an offer was there before, too. */
  countBefore({ catalogue, pipe }: Owner, run: string): number {
    const sql = `${counted} AND (first_run <> ? OR source = '')`
    return numberOf(this.#file.first(sql, catalogue, pipe, run)?.['n'])
  }

  anyMissed({ catalogue, pipe }: Owner): boolean {
    const sql = `SELECT ${columns} catalogue = ? AND pipe = ? AND missed > 0`
    return this.#file.first(sql, catalogue, pipe) !== undefined
  }

  /** Writes or takes over the row; its serial. */
  land({
    catalogue,
    originalId,
    pipe,
    sourceId,
    hash,
    platformId,
    run,
    time,
  }: LandedRecord): number {
    const sql = `INSERT INTO record (catalogue, original, pipe, source, hash, platform, first_run, last_run, written)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (catalogue, original) DO UPDATE SET first_run = iif(pipe = excluded.pipe, first_run, excluded.first_run),
       pipe = excluded.pipe, source = excluded.source, hash = excluded.hash,
       platform = coalesce(excluded.platform, platform), state = 'owned', last_run = excluded.last_run, missed = 0,
       written = excluded.written
     RETURNING serial`
    const ids = [catalogue, originalId, pipe, sourceId, hash ?? null, platformId ?? null]
    return numberOf(this.#file.first(sql, ...ids, run, run, time)?.['serial'])
  }

  /** A restored record was offered again. */
  settle(serial: number): void {
    this.#file.run(`UPDATE record SET state = 'owned', missed = 0 WHERE serial = ?`, serial)
  }

  setMissed(serial: number, times: number): void {
    this.#file.run('UPDATE record SET missed = ? WHERE serial = ?', times, serial)
  }

  /** With everything that hangs on it; to be called in a transaction. */
  drop(serial: number): void {
    this.#file.run('DELETE FROM record WHERE serial = ?', serial)
    this.#file.run('DELETE FROM likeness WHERE serial = ?', serial)
    this.release(serial)
  }

  /** The catalogue is gone: so are its rows, and an unmodified source does not mean any more that everything of it is there. */
  dropCatalogue(catalogue: string): void {
    this.transaction(() => {
      const rows = 'SELECT serial FROM record WHERE catalogue = ?'
      this.#file.run(`DELETE FROM likeness WHERE serial IN (${rows})`, catalogue)
      this.#file.run('DELETE FROM record WHERE catalogue = ?', catalogue)
      this.#file.run(`UPDATE pipe SET validators = '[]' WHERE catalogue = ?`, catalogue)
    })
  }

  /** Hands the rows of one pipe to another; how many. */
  hand(to: string, from: string): number {
    return this.#file.run('UPDATE record SET pipe = ? WHERE pipe = ?', to, from).changes
  }

  // Pipes.

  pipe(pipe: string): PipeState | undefined {
    const row = this.#file.first('SELECT * FROM pipe WHERE pipe = ?', pipe)
    return row && pipeRow(row)
  }

  putPipe(pipe: string, state: Omit<PipeState, 'alive'>): void {
    const { catalogue, run, time, fingerprint, nameless, shape, transformation, validators } = state
    const when = [pipe, catalogue, run, time, time, fingerprint, nameless]
    const look = [shape ?? null, transformation, JSON.stringify(validators)]
    const sql = 'INSERT OR REPLACE INTO pipe VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'
    this.#file.run(sql, ...when, ...look)
  }

  /** The source was not modified. */
  touchPipe(pipe: string, time: number): void {
    this.#file.run('UPDATE pipe SET alive = ? WHERE pipe = ?', time, pipe)
  }

  /** In which file the pipe was when it last ran. */
  placeOf(pipe: string): PipeFile | undefined {
    const row = this.#file.first('SELECT source, file FROM place WHERE pipe = ?', pipe)
    return row && { source: textOf(row['source']), file: textOf(row['file']) }
  }

  putPlace(pipe: string, { source, file }: PipeFile): void {
    this.#file.run('INSERT OR REPLACE INTO place VALUES (?, ?, ?)', pipe, source, file)
  }

  // Removals: those that wait for consent, and those that were made.

  hold(run: string, serial: number): void {
    this.#file.run('INSERT OR IGNORE INTO held VALUES (?, ?)', run, serial)
  }

  /** Serials of a run that wait for consent. */
  held(run: string): readonly number[] {
    return this.#serials('SELECT serial FROM held WHERE run = ?', run)
  }

  /** Serials that any run of a pipe holds. */
  heldOf(pipe: string): SerialSet {
    const set = new SerialSet()
    const sql = 'SELECT serial FROM held WHERE serial IN (SELECT serial FROM record WHERE pipe = ?)'
    for (const serial of this.#serials(sql, pipe)) set.add(serial)
    return set
  }

  /** The source has offered it after all, or it is gone. */
  release(serial: number): void {
    this.#file.run('DELETE FROM held WHERE serial = ?', serial)
  }

  noteRemoved({ run, catalogue, pipe, ...ids }: Removed, time: number): void {
    const sql =
      'INSERT INTO removed (run, catalogue, pipe, original, source, platform, time) VALUES (?, ?, ?, ?, ?, ?, ?)'
    const { originalId, sourceId, platformId } = ids
    this.#file.run(sql, run, catalogue, pipe, originalId, sourceId, platformId, time)
  }

  removedBy(run: string): readonly Removed[] {
    return this.#file.rows('SELECT * FROM removed WHERE run = ?', run).map(removedRow)
  }

  /** The last one that was removed under a platform id. */
  removedAs(platformId: string): readonly Removed[] {
    const sql = 'SELECT * FROM removed WHERE platform = ? ORDER BY serial DESC LIMIT 1'
    return this.#file.rows(sql, platformId).map(removedRow)
  }

  /** Brought back: the record is its pipe's again, and no run may remove it before the source has offered it. */
  returned(
    { run, catalogue, pipe, originalId, sourceId, platformId }: Removed,
    time: number,
  ): void {
    const sql = `INSERT OR IGNORE INTO record (catalogue, original, pipe, source, platform, state, first_run, last_run, written)
       VALUES (?, ?, ?, ?, ?, 'restored', ?, ?, ?)`
    this.transaction(() => {
      const ids = [catalogue, originalId, pipe, sourceId, platformId]
      this.#file.run(sql, ...ids, run, run, time)
      const gone = 'DELETE FROM removed WHERE catalogue = ? AND original = ?'
      this.#file.run(gone, catalogue, originalId)
    })
  }

  forgetRemovedBefore(time: number): void {
    this.#file.run('DELETE FROM removed WHERE time < ?', time)
  }

  // Runs that may be resumed.

  /** Everything so far is durable when this returns. */
  saveProgress(run: string, { seen, offered, nameless }: Progress, time: number): void {
    this.transaction(() => {
      for (const [chunk, bits] of seen.changes())
        this.#file.run('INSERT OR REPLACE INTO seen VALUES (?, ?, ?)', run, chunk, bits)
      const sql = 'INSERT OR REPLACE INTO progress VALUES (?, ?, ?, ?)'
      this.#file.run(sql, run, offered, nameless, time)
    })
  }

  /** `undefined` when nothing was saved: what the run has met before is not known. */
  progressOf(run: string): Progress | undefined {
    const row = this.#file.first('SELECT * FROM progress WHERE run = ?', run)
    if (!row) return undefined
    const seen = new SerialSet()
    for (const { chunk, bits } of this.#file.rows(
      'SELECT chunk, bits FROM seen WHERE run = ?',
      run,
    ))
      if (bits instanceof Uint8Array) seen.load(numberOf(chunk), bits)
    return { seen, offered: numberOf(row['offered']), nameless: numberOf(row['nameless']) }
  }

  forgetProgress(run: string): void {
    this.#file.run('DELETE FROM seen WHERE run = ?', run)
    this.#file.run('DELETE FROM progress WHERE run = ?', run)
  }

  forgetProgressBefore(time: number): void {
    for (const row of this.#file.rows('SELECT run FROM progress WHERE time < ?', time))
      this.forgetProgress(textOf(row['run']))
  }

  /** Ids of the catalogue that no row has; forgotten with the process. */
  addUnowned(run: string, ids: readonly string[]): void {
    for (const id of ids) this.#file.run('INSERT OR IGNORE INTO unowned VALUES (?, ?)', run, id)
  }

  isUnowned(run: string, id: string): boolean {
    const sql = 'SELECT 1 FROM unowned WHERE run = ? AND id = ?'
    return this.#file.first(sql, run, id) !== undefined
  }

  *unowned(run: string): Iterable<string> {
    for (const row of this.#file.each('SELECT id FROM unowned WHERE run = ?', run))
      yield textOf(row['id'])
  }

  forgetUnowned(run: string): void {
    this.#file.run('DELETE FROM unowned WHERE run = ?', run)
  }

  // Age of the file: whoever keeps the count of changes elsewhere sees when an older copy took its place.

  /** One change more; how many there have been. */
  countChange(): number {
    const sql =
      'INSERT INTO age VALUES (1, 1, 0) ON CONFLICT DO UPDATE SET changes = changes + 1 RETURNING changes'
    return numberOf(this.#file.first(sql)?.['changes'])
  }

  /**
   * Whether there were more changes than the file knows: it is an older copy, or was lost. Then no pipe may remove anything
   * before it is trusted again, and nothing counts as unchanged.
   */
  isOlderThan(changes: number): boolean {
    return this.#file.transaction(() => {
      if (numberOf(this.#file.first('SELECT changes FROM age')?.['changes']) >= changes)
        return false
      const sql =
        'INSERT INTO age VALUES (1, ?, 1) ON CONFLICT DO UPDATE SET changes = excluded.changes, doubted = 1'
      this.#file.run(sql, changes)
      this.#file.run('DELETE FROM trusted')
      this.#file.run('UPDATE record SET hash = NULL')
      this.#file.run(`UPDATE pipe SET validators = '[]'`)
      return true
    }, 'durable')
  }

  isDoubted(pipe: string): boolean {
    return (
      this.#file.first('SELECT 1 FROM age WHERE doubted = 1') !== undefined &&
      this.#file.first('SELECT 1 FROM trusted WHERE pipe = ?', pipe) === undefined
    )
  }

  /** The pipe has compared all of its records with its source, or somebody has. */
  trust(pipe: string): void {
    this.#file.run('INSERT OR IGNORE INTO trusted VALUES (?)', pipe)
  }

  #serials(sql: string, value: string): readonly number[] {
    return this.#file.rows(sql, value).map((row) => numberOf(row['serial']))
  }
}
