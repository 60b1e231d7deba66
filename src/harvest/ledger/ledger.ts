/**
 * Ledger of harvested records: the pipe and source id of each record, completed and held removals, and the progress of
 * resumable runs. Losing the file causes no wrong removals, because a record without a row is never removed; only a pipe with
 * `adoptUnowned` makes rows of records that it has not written.
 */

import { openSqlite, type Sqlite } from '../../sqlite.ts'
import type {
  WrittenRecord,
  Owner,
  PipeFile,
  PipeState,
  RecordRow,
  RemovedRecord,
  RunProgress,
} from './ledger-rows.ts'
import { ledgerFormat, ledgerSchema } from './ledger-schema.ts'
import { DuplicateKeys } from './duplicate-keys.ts'

const selectRecords = `SELECT serial, original AS originalId, pipe, source AS sourceId, hash, platform AS platformId,
  state, missed, written, last_run AS lastRun FROM record WHERE`
const selectRemovals =
  'SELECT run, catalogue, pipe, original AS originalId, source AS sourceId, platform AS platformId FROM removed WHERE'
/** Counts the rows of a pipe in a catalogue; without further conditions SQLite reads the index alone. */
const countRows = 'SELECT count(*) AS n FROM record WHERE catalogue = ? AND pipe = ?'

/** Ledger of a process. A method says so if its caller must open a transaction. */
export class Ledger {
  readonly #file: Sqlite
  readonly duplicateKeys: DuplicateKeys

  /** Opens `harvest.sqlite`, or creates it; for one process at a time. */
  constructor(path: string) {
    this.#file = openSqlite({ path, schema: ledgerSchema, format: ledgerFormat })
    this.duplicateKeys = new DuplicateKeys(this.#file)
  }

  transaction<T>(work: () => T): T {
    return this.#file.transaction(work)
  }

  close(): void {
    this.#file.close()
  }

  // The tables `record` and `removed` are strict and written only here, so rows have the types of their columns.

  #records(condition: string, ...values: (string | number | null)[]): readonly RecordRow[] {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
    return this.#file.rows(`${selectRecords} ${condition}`, ...values) as readonly RecordRow[]
  }

  #removed(condition: string, value: string): readonly RemovedRecord[] {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
    return this.#file.rows(`${selectRemovals} ${condition}`, value) as readonly RemovedRecord[]
  }

  /** Column `n` of the first row; 0 without a row. */
  #number(sql: string, ...values: (string | number | null)[]): number {
    return Number(this.#file.first(sql, ...values)?.['n'] ?? 0)
  }

  // Records.

  bySource({ catalogue, pipe }: Owner, sourceId: string): RecordRow | undefined {
    return this.#records('catalogue = ? AND pipe = ? AND source = ?', catalogue, pipe, sourceId)[0]
  }

  byOriginal(catalogue: string, originalId: string): RecordRow | undefined {
    return this.#records('catalogue = ? AND original = ?', catalogue, originalId)[0]
  }

  bySerial(serial: number): RecordRow | undefined {
    return this.#records('serial = ?', serial)[0]
  }

  /** All rows of a pipe in a catalogue, in order of their serials. */
  rowsOf({ catalogue, pipe }: Owner): Iterable<RecordRow> {
    const sql = `${selectRecords} catalogue = ? AND pipe = ? ORDER BY serial`
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- strict tables that only this file writes
    return this.#file.each(sql, catalogue, pipe) as Iterable<RecordRow>
  }

  count({ catalogue, pipe }: Owner): number {
    return this.#number(countRows, catalogue, pipe)
  }

  /** Number of the pipe's rows from before the run; adopted records count as such. */
  countBefore({ catalogue, pipe }: Owner, run: string): number {
    return this.#number(`${countRows} AND (first_run <> ? OR source = '')`, catalogue, pipe, run)
  }

  anyMissed({ catalogue, pipe }: Owner): boolean {
    return this.#number(`${countRows} AND missed > 0`, catalogue, pipe) > 0
  }

  /** Inserts the row of a written or adopted record, or gives the one with its original id to this owner; returns its serial. */
  putRecord({
    catalogue,
    originalId,
    pipe,
    sourceId,
    run,
    time,
    ...values
  }: WrittenRecord): number {
    const sql = `INSERT INTO record (catalogue, original, pipe, source, hash, platform, first_run, last_run, written)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (catalogue, original) DO UPDATE SET first_run = iif(pipe = excluded.pipe, first_run, excluded.first_run),
       pipe = excluded.pipe, source = excluded.source, hash = excluded.hash,
       platform = coalesce(excluded.platform, platform), state = 'owned', last_run = excluded.last_run, missed = 0,
       written = excluded.written
     RETURNING serial AS n`
    const content = [values.hash ?? null, values.platformId ?? null]
    return this.#number(sql, catalogue, originalId, pipe, sourceId, ...content, run, run, time)
  }

  /** Changes the source id of a record. */
  setSourceId(serial: number, sourceId: string): void {
    this.#file.run('UPDATE record SET source = ? WHERE serial = ?', sourceId, serial)
  }

  /** Marks a restored record as offered again, so that it can be removed like any other. */
  clearRestored(serial: number): void {
    this.#file.run(`UPDATE record SET state = 'owned', missed = 0 WHERE serial = ?`, serial)
  }

  /** Sets the number of consecutive complete runs that missed a record. */
  setMissed(serial: number, times: number): void {
    this.#file.run('UPDATE record SET missed = ? WHERE serial = ?', times, serial)
  }

  /** Deletes a row, its duplicate keys and its held removal; needs a transaction. */
  dropRecord(serial: number): void {
    this.#file.run('DELETE FROM record WHERE serial = ?', serial)
    this.#file.run('DELETE FROM likeness WHERE serial = ?', serial)
    this.releaseHeld(serial)
  }

  /** Deletes the rows of a deleted catalogue, and the validators of its pipes, so that an unmodified source is read again. */
  dropCatalogue(catalogue: string): void {
    this.transaction(() => {
      const rows = 'SELECT serial FROM record WHERE catalogue = ?'
      this.#file.run(`DELETE FROM likeness WHERE serial IN (${rows})`, catalogue)
      this.#file.run('DELETE FROM record WHERE catalogue = ?', catalogue)
      this.#file.run(`UPDATE pipe SET validators = '[]' WHERE catalogue = ?`, catalogue)
    })
  }

  /** Transfers the rows of one pipe, in all catalogues, to another; returns their number. */
  transfer(to: string, from: string): number {
    return this.#file.run('UPDATE record SET pipe = ? WHERE pipe = ?', to, from).changes
  }

  // Pipes.

  /** Last complete run of a pipe. */
  pipe(pipe: string): PipeState | undefined {
    const row = this.#file.first('SELECT * FROM pipe WHERE pipe = ?', pipe)
    if (!row) return undefined
    const { validators, ...columns } = row
    const validatorList: unknown = JSON.parse(typeof validators === 'string' ? validators : '[]')
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `putPipe`
    return { ...columns, validators: validatorList } as PipeState
  }

  /** Stores a complete run; its time is also the new `alive`. */
  putPipe(pipe: string, state: Omit<PipeState, 'alive'>): void {
    const { catalogue, run, time, fingerprint, nameless, shape, transformation, validators } = state
    const keyColumns = [pipe, catalogue, run, time, time, fingerprint, nameless]
    const sql = 'INSERT OR REPLACE INTO pipe VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'
    this.#file.run(sql, ...keyColumns, shape, transformation, JSON.stringify(validators))
  }

  /** Records a run whose source was not modified, at `time`. */
  touchPipe(pipe: string, time: number): void {
    this.#file.run('UPDATE pipe SET alive = ? WHERE pipe = ?', time, pipe)
  }

  /** File of the pipe at its last run that was no dry run. */
  placeOf(pipe: string): PipeFile | undefined {
    const row = this.#file.first('SELECT source, file FROM place WHERE pipe = ?', pipe)
    return row && { source: String(row['source']), file: String(row['file']) }
  }

  putPlace(pipe: string, { source, file }: PipeFile): void {
    this.#file.run('INSERT OR REPLACE INTO place VALUES (?, ?, ?)', pipe, source, file)
  }

  // Held and completed removals.

  holdRemoval(run: string, serial: number): void {
    this.#file.run('INSERT OR IGNORE INTO held VALUES (?, ?)', run, serial)
  }

  /** Rows whose removal a run holds. */
  heldByRun(run: string): readonly RecordRow[] {
    return this.#records('serial IN (SELECT serial FROM held WHERE run = ?)', run)
  }

  /** Serials of the held removals of a pipe. */
  heldByPipe(pipe: string): Set<number> {
    const rows = this.#records('pipe = ? AND serial IN (SELECT serial FROM held)', pipe)
    return new Set(rows.map(({ serial }) => serial))
  }

  /** Drops a held removal: the record was offered again, or is gone. */
  releaseHeld(serial: number): void {
    this.#file.run('DELETE FROM held WHERE serial = ?', serial)
  }

  noteRemoved(removed: RemovedRecord, time: number): void {
    const { run, catalogue, pipe, originalId, sourceId, platformId } = removed
    const sql =
      'INSERT INTO removed (run, catalogue, pipe, original, source, platform, time) VALUES (?, ?, ?, ?, ?, ?, ?)'
    this.#file.run(sql, run, catalogue, pipe, originalId, sourceId, platformId, time)
  }

  removedBy(run: string): readonly RemovedRecord[] {
    return this.#removed('run = ?', run)
  }

  /** Last removal of the dataset with a platform id, as a list of one or none. */
  removedAs(platformId: string): readonly RemovedRecord[] {
    return this.#removed('platform = ? ORDER BY serial DESC LIMIT 1', platformId)
  }

  /**
   * Returns a restored record to its pipe. Until the source offers it again, runs remove it only if the source declares it
   * deleted. A row that the record already has stays as it is.
   */
  markRestored(removed: RemovedRecord, time: number): void {
    const { run, catalogue, pipe, originalId, sourceId, platformId } = removed
    const sql = `INSERT OR IGNORE INTO record (catalogue, original, pipe, source, platform, state, first_run, last_run, written)
       VALUES (?, ?, ?, ?, ?, 'restored', ?, ?, ?)`
    this.transaction(() => {
      this.#file.run(sql, catalogue, originalId, pipe, sourceId, platformId, run, run, time)
      const deleteRemoved = 'DELETE FROM removed WHERE catalogue = ? AND original = ?'
      this.#file.run(deleteRemoved, catalogue, originalId)
    })
  }

  /** Stores the address of the repository from which a run removes records; `''` for that of this process. */
  putTarget(run: string, address: string): void {
    this.#file.run('INSERT OR REPLACE INTO target VALUES (?, ?)', run, address)
  }

  /** Result of `putTarget` for a run; `undefined` if there is none. */
  targetOf(run: string): string | undefined {
    const row = this.#file.first('SELECT address FROM target WHERE run = ?', run)
    return row && String(row['address'])
  }

  /** Deletes removals before `time`, and the targets of runs that have neither completed nor held removals. */
  forgetRemovedBefore(time: number): void {
    this.#file.run('DELETE FROM removed WHERE time < ?', time)
    const runs = 'SELECT run FROM removed UNION SELECT run FROM held'
    this.#file.run(`DELETE FROM target WHERE run NOT IN (${runs})`)
  }

  // Offered rows, and checkpoints of runs that can be resumed.

  /** Marks rows as offered by the source of the run. */
  markOffered(run: string, serials: Iterable<number>): void {
    this.transaction(() => {
      for (const serial of serials)
        this.#file.run('UPDATE record SET last_run = ? WHERE serial = ?', run, serial)
    })
  }

  /** Stores a checkpoint of the run. */
  saveProgress(run: string, { offered, nameless }: RunProgress, time: number): void {
    const sql = 'INSERT OR REPLACE INTO checkpoint VALUES (?, ?, ?, ?)'
    this.#file.run(sql, run, offered, nameless, time)
  }

  /** Stored progress of a run; `undefined` if there is none. */
  progressOf(run: string): RunProgress | undefined {
    const row = this.#file.first('SELECT offered, nameless FROM checkpoint WHERE run = ?', run)
    return row && { offered: Number(row['offered']), nameless: Number(row['nameless']) }
  }

  forgetProgress(run: string): void {
    this.#file.run('DELETE FROM checkpoint WHERE run = ?', run)
  }

  forgetProgressBefore(time: number): void {
    this.#file.run('DELETE FROM checkpoint WHERE time < ?', time)
  }

  // Ids in the catalogue of an active run, of any owner; in a temporary table until the run closes.

  /** Adds ids to those that the catalogue of the run contains; needs a transaction. */
  addPresent(run: string, ids: readonly string[]): void {
    for (const id of ids) this.#file.run('INSERT OR IGNORE INTO present VALUES (?, ?)', run, id)
  }

  isPresent(run: string, id: string): boolean {
    return this.#number('SELECT 1 AS n FROM present WHERE run = ? AND id = ?', run, id) === 1
  }

  /** Ids in the catalogue of the run that have no row. */
  unowned(run: string, catalogue: string): readonly string[] {
    const sql = `SELECT id FROM present WHERE run = ?
      AND NOT EXISTS (SELECT 1 FROM record WHERE catalogue = ? AND original = id)`
    return this.#file.rows(sql, run, catalogue).map(({ id }) => String(id))
  }

  /** Deletes up to 5000 ids of a run; returns whether there may be more. */
  forgetPresent(run: string): boolean {
    const someIds = 'SELECT id FROM present WHERE run = ? LIMIT 5000'
    const sql = `DELETE FROM present WHERE run = ? AND id IN (${someIds})`
    return this.#file.run(sql, run, run).changes > 0
  }

  // The count of changes, which `cartulary.json` repeats: a file with a smaller one is an older copy.

  /** Counts a change; returns the new number. */
  countChange(): number {
    const sql =
      'INSERT INTO age VALUES (1, 1, 0) ON CONFLICT DO UPDATE SET changes = changes + 1 RETURNING changes AS n'
    return this.#number(sql)
  }

  /**
   * Compares the number of changes in the file with the one stored elsewhere. If it is smaller, the file is an older copy, or
   * was lost (`main/harvesting.ts` makes an older copy of the store look like that too): then nothing counts as unchanged, the
   * next complete run of each pipe that has a row in `pipe` holds its removals, and the result is `true`.
   */
  markIfOlder(changes: number): boolean {
    return this.#file.transaction(() => {
      if (this.#number('SELECT changes AS n FROM age') >= changes) return false
      const sql =
        'INSERT INTO age VALUES (1, ?, 1) ON CONFLICT DO UPDATE SET changes = excluded.changes, doubted = 1'
      this.#file.run(sql, changes)
      this.#file.run('UPDATE record SET hash = NULL')
      this.#file.run(`UPDATE pipe SET fingerprint = '', validators = '[]'`)
      return true
    }, 'durable')
  }

  /** Whether `markIfOlder` once found an older copy, or a lost file, and the pipe has had no complete run since. */
  isUnverified(pipe: string): boolean {
    const sql = `SELECT 1 AS n FROM age WHERE doubted = 1 AND NOT EXISTS (SELECT 1 FROM pipe WHERE pipe = ? AND fingerprint <> '')`
    return this.#number(sql, pipe) === 1
  }
}
