/** Who owns which record, under which id of the source. */

import type { Row, Sqlite } from '../../sqlite.ts'

/** One record of a catalogue that a pipe has written. */
export type RecordRow = {
  readonly serial: number
  readonly originalId: string
  readonly pipe: string
  /** Empty when the record was handed over and its source has not offered it yet. */
  readonly sourceId: string
  /** What the source sent at the last write. */
  readonly hash: string | undefined
  readonly platformId: string | undefined
  /** `restored`: brought back by hand; not removed again before the source has offered it. */
  readonly state: 'owned' | 'restored'
  /** Complete runs in a row that did not offer it. */
  readonly missed: number
  /** When it was last written whole, ms. */
  readonly written: number
}

/** A record that the repository has acknowledged. */
type LandedRecord = {
  readonly catalogue: string
  readonly originalId: string
  readonly pipe: string
  readonly sourceId: string
  readonly hash: string | undefined
  readonly platformId: string | undefined
  readonly run: string
  readonly time: number
}

export type Owner = { readonly catalogue: string; readonly pipe: string }

export type RecordRows = {
  bySource(owner: Owner, sourceId: string): RecordRow | undefined
  byOriginal(catalogue: string, originalId: string): RecordRow | undefined
  bySerial(serial: number): RecordRow | undefined
  /** Writes or takes over the row; its serial. */
  land(record: LandedRecord): number
  /** A restored record was offered again. */
  settle(serial: number): void
  missed(serial: number, times: number): void
  /** All rows of a pipe in a catalogue, in order of their serials. */
  of(owner: Owner): Iterable<RecordRow>
  count(owner: Owner): number
  /** Those that were the pipe's before the run; what it adopted without an offer was there before, too. */
  countBefore(owner: Owner, run: string): number
  anyMissed(owner: Owner): boolean
  drop(serial: number): void
  dropCatalogue(catalogue: string): number
  hand(to: string, from: string): number
}

const columns =
  'serial, original, pipe, source, hash, platform, state, missed, written FROM record WHERE'

export function recordRows(file: Sqlite): RecordRows {
  const found = (row: Row | undefined) => (row ? rowOf(row) : undefined)
  return {
    bySource: ({ catalogue, pipe }, sourceId) =>
      found(
        file.first(
          `SELECT ${columns} catalogue = ? AND pipe = ? AND source = ?`,
          catalogue,
          pipe,
          sourceId,
        ),
      ),
    byOriginal: (catalogue, originalId) =>
      found(file.first(`SELECT ${columns} catalogue = ? AND original = ?`, catalogue, originalId)),
    bySerial: (serial) => found(file.first(`SELECT ${columns} serial = ?`, serial)),
    land: (record) => land(file, record),
    settle: (serial) =>
      void file.run(`UPDATE record SET state = 'owned', missed = 0 WHERE serial = ?`, serial),
    missed: (serial, times) =>
      void file.run('UPDATE record SET missed = ? WHERE serial = ?', times, serial),
    *of({ catalogue, pipe }) {
      const sql = `SELECT ${columns} catalogue = ? AND pipe = ? ORDER BY serial`
      for (const row of file.each(sql, catalogue, pipe)) yield rowOf(row)
    },
    count: ({ catalogue, pipe }) => numberOf(file.first(all, catalogue, pipe)?.['n']),
    countBefore: ({ catalogue, pipe }, run) => {
      const sql = `${all} AND (first_run <> ? OR source = '')`
      return numberOf(file.first(sql, catalogue, pipe, run)?.['n'])
    },
    anyMissed: ({ catalogue, pipe }) =>
      file.first(`SELECT ${columns} catalogue = ? AND pipe = ? AND missed > 0`, catalogue, pipe) !==
      undefined,
    drop: (serial) => void file.run('DELETE FROM record WHERE serial = ?', serial),
    dropCatalogue: (catalogue) =>
      file.run('DELETE FROM record WHERE catalogue = ?', catalogue).changes,
    hand: (to, from) => file.run('UPDATE record SET pipe = ? WHERE pipe = ?', to, from).changes,
  }
}

/** Told by the index alone. */
const all = 'SELECT count(*) AS n FROM record WHERE catalogue = ? AND pipe = ?'

function land(file: Sqlite, record: LandedRecord): number {
  const { catalogue, originalId, pipe, sourceId, run, time } = record
  const row = file.first(
    `INSERT INTO record (catalogue, original, pipe, source, hash, platform, first_run, last_run, written)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (catalogue, original) DO UPDATE SET first_run = iif(pipe = excluded.pipe, first_run, excluded.first_run),
       pipe = excluded.pipe, source = excluded.source, hash = excluded.hash,
       platform = coalesce(excluded.platform, platform), state = 'owned', last_run = excluded.last_run, missed = 0,
       written = excluded.written
     RETURNING serial`,
    catalogue,
    originalId,
    pipe,
    sourceId,
    record.hash ?? null,
    record.platformId ?? null,
    run,
    run,
    time,
  )
  return numberOf(row?.['serial'])
}

function rowOf(row: Row): RecordRow {
  return {
    serial: numberOf(row['serial']),
    originalId: textOf(row['original']),
    pipe: textOf(row['pipe']),
    sourceId: textOf(row['source']),
    hash: row['hash'] === null ? undefined : textOf(row['hash']),
    platformId: row['platform'] === null ? undefined : textOf(row['platform']),
    state: row['state'] === 'restored' ? 'restored' : 'owned',
    missed: numberOf(row['missed']),
    written: numberOf(row['written']),
  }
}

export const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0)
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
