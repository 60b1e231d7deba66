/**
 * SQLite files: checks name and format before the first write, prepares statements once, rolls transactions back when they throw.
 */

import { hash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { backup, DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { StartRefused } from './errors.ts'

export type Row = Readonly<Record<string, unknown>>

/** Durability of a transaction: `quick` survives the end of the process, `durable` also a power cut. */
type Safety = keyof typeof synchronous

export type Sqlite = {
  rows(sql: string, ...values: SQLInputValue[]): readonly Row[]
  first(sql: string, ...values: SQLInputValue[]): Row | undefined
  /** Reads row by row; nothing may be written before the last one was taken. */
  each(sql: string, ...values: SQLInputValue[]): Iterable<Row>
  /** Runs a statement; returns the number of changed rows and the serial of the last inserted one. */
  run(
    sql: string,
    ...values: SQLInputValue[]
  ): { readonly changes: number; readonly serial: number }
  /**
   * Runs a transaction with the write lock, and rolls it back when `work` throws. The default is `quick`. Inside another
   * transaction it is a savepoint of that one, whose durability counts.
   */
  transaction<T>(work: () => T, safety?: Safety): T
  close(): void
}

type SqliteOptions = {
  readonly path: string
  /** SQL with `CREATE … IF NOT EXISTS` for all tables and indices. */
  readonly schema: string
  /** Version of the schema; a file with a larger one is refused. */
  readonly format: number
  /** Whether pages of deleted rows can be returned to the file system (`PRAGMA incremental_vacuum`); for new files only. */
  readonly shrinks?: boolean
  /** Opens an existing file for reading; commits of other connections are visible. */
  readonly readOnly?: boolean
}

const synchronous = { durable: 'FULL', quick: 'NORMAL' } as const

/** Milliseconds to wait for another writer. */
const busyMs = 5000

/** Pages of the write-ahead log (16 MB) before a checkpoint: consecutive rows change the same pages many times. */
const logPages = 4000

/** Refusal of a file of a newer version (`isNewer`), or of one under the name of another. The message says what to do. */
export class ForeignFile extends StartRefused {
  readonly isNewer: boolean

  constructor(message: string, isNewer: boolean) {
    super(message)
    this.name = 'ForeignFile'
    this.isNewer = isNewer
  }
}

type FileOptions = {
  /** Newest format that this program knows; absent when any format will do. */
  readonly format?: number
  readonly readOnly?: boolean
}

/**
 * Opens a file (directory 700, file 600, made when absent unless `readOnly`) and checks its application id and format. Throws a
 * `ForeignFile`, or the error of SQLite when it cannot be read.
 */
export function openFile(path: string, { format, readOnly = false }: FileOptions = {}) {
  if (!readOnly) mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const file = new DatabaseSync(path, { timeout: busyMs, readOnly })
  try {
    if (!readOnly) chmodSync(path, 0o600)
    const mark = numberOf(file, 'application_id')
    if (mark !== 0 && mark !== markOf(path))
      throw new ForeignFile(
        `${path} is another file than its name says: put the right one there.`,
        false,
      )
    const found = numberOf(file, 'user_version')
    if (format !== undefined && found > format) throw newer(path, found, format)
    return file
  } catch (error) {
    file.close()
    throw error
  }
}

const newer = (path: string, found: number, format: number) =>
  new ForeignFile(
    `${path} was written by a newer version of Cartulary (format ${found}; this one knows ${format}): start that version, or restore a copy from before.`,
    true,
  )

/** State of a file: `sound` was opened without complaint, `damaged` includes a file under the name of another one. */
export type Condition =
  | { readonly is: 'missing' | 'empty' | 'sound' }
  | { readonly is: 'damaged' | 'newer'; readonly why: string }

/** Bytes from which the pages of a file are checked only if its last process did not close it. */
const mostLookedThrough = 50 * 2 ** 20

/** Error codes of SQLite for a damaged file: `SQLITE_CORRUPT` and `SQLITE_NOTADB`. */
const damages = new Set([11, 26])

/** Whether an error of SQLite says that the file is damaged. */
export const isDamagedFile = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && damages.has(Number(error.errcode) & 0xff)

/**
 * Finds the state of a file before it is used; `isDeep` checks the structure of its pages too. Throws a `StartRefused` when it
 * cannot be opened for other reasons.
 */
export function conditionOf(
  path: string,
  { isDeep, ...options }: FileOptions & { readonly isDeep: boolean },
): Condition {
  if (!existsSync(path)) return { is: 'missing' }
  const { size } = statSync(path)
  if (size === 0) return { is: 'empty' }
  const isLookedThrough = isDeep && (size < mostLookedThrough || existsSync(`${path}-wal`))
  try {
    const file = openFile(path, options)
    try {
      const check = isLookedThrough ? 'PRAGMA quick_check(1)' : 'SELECT count(*) FROM sqlite_master'
      const found = Object.values(file.prepare(check).get() ?? {})[0]
      return typeof found === 'string' && found !== 'ok'
        ? { is: 'damaged', why: found }
        : { is: 'sound' }
    } finally {
      file.close()
    }
  } catch (error) {
    if (error instanceof ForeignFile)
      return { is: error.isNewer ? 'newer' : 'damaged', why: error.message }
    const why = error instanceof Error ? error.message : String(error)
    if (isDamagedFile(error)) return { is: 'damaged', why }
    throw new StartRefused(`${path} cannot be opened (${why}).`, { cause: error })
  }
}

/** One instant of a file, which other processes may write meanwhile; they cannot shorten its write-ahead log until `close`. */
export type Snapshot = {
  /**
   * Writes the instant to a new file that needs no write-ahead log. `progress` is called with pages done and in all. A copy of a file
   * that is written without pause would begin again at each write; this one has a read transaction and ends.
   */
  copyTo(path: string, progress?: (done: number, of: number) => void): Promise<void>
  close(): void
}

/** Pages that are copied at once, between which the process goes on. */
const copiedPages = 1000

/** Opens a file at this instant. Throws a `ForeignFile`, or the error of SQLite when it cannot be read. */
export function snapshotOf(path: string, format: number | undefined): Snapshot {
  const file = openFile(path, { readOnly: true, ...(format !== undefined && { format }) })
  try {
    file.exec('BEGIN; SELECT count(*) FROM sqlite_master')
  } catch (error) {
    file.close()
    throw error
  }
  return {
    copyTo: async (target, progress) => {
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
      await backup(file, target, {
        rate: copiedPages,
        progress: ({ totalPages, remainingPages }) =>
          progress?.(totalPages - remainingPages, totalPages),
      })
      const copy = new DatabaseSync(target)
      try {
        copy.exec('PRAGMA journal_mode = DELETE')
      } finally {
        copy.close()
      }
      chmodSync(target, 0o600)
    },
    close: () => file.close(),
  }
}

/** Format and number of all rows of a file; `problem` = what is wrong with its pages. */
export function contentsOf(path: string): {
  readonly format: number
  readonly rows: number
  readonly problem?: string
} {
  const file = openFile(path, { readOnly: true })
  try {
    const [found] = Object.values(file.prepare('PRAGMA quick_check(1)').get() ?? {})
    const problem = typeof found === 'string' && found !== 'ok' ? { problem: found } : {}
    const tables = file
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .all()
    const rows = tables.reduce((sum, { name }) => {
      const table = `"${String(name).replaceAll('"', '""')}"`
      return sum + Number(file.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n'])
    }, 0)
    return { format: numberOf(file, 'user_version'), rows, ...problem }
  } finally {
    file.close()
  }
}

/** Statements that bring a file from a format to the next one. */
export type Migration = { readonly from: number; readonly sql: string }

/** Formats of a file before and after its migration, and the copy of the file as it was. */
export type MigratedFile = { readonly from: number; readonly to: number; readonly copy: string }

type Migrating = {
  readonly format: number
  readonly migrations: readonly Migration[]
  /** Only says what would happen. */
  readonly isCheck: boolean
}

/**
 * Brings a file of an older format to this one: in one transaction, after a copy to `{file}.format-{number}`. Returns `undefined`
 * where no migration has to be done. Throws a `ForeignFile`, or the error of SQLite; the file is as it was then.
 */
export function migrateFile(
  path: string,
  { format, migrations, isCheck }: Migrating,
): MigratedFile | undefined {
  const file = openFile(path, { format, readOnly: isCheck })
  try {
    const from = numberOf(file, 'user_version')
    const steps = migrations
      .filter((step) => step.from >= from && step.from < format)
      .sort((a, b) => a.from - b.from)
    const copy = `${path}.format-${from}`
    if (steps.length === 0) return undefined
    if (isCheck) return { from, to: format, copy }
    rmSync(`${copy}.part`, { force: true })
    file.prepare('VACUUM INTO ?').run(`${copy}.part`)
    chmodSync(`${copy}.part`, 0o600)
    renameSync(`${copy}.part`, copy)
    transaction(
      file,
      () => {
        for (const { sql } of steps) file.exec(sql)
        stamp(file, path, format)
      },
      'durable',
    )
    return { from, to: format, copy }
  } finally {
    file.close()
  }
}

/** Infix in the name of a file that was set aside. */
export const asideMark = '.damaged-'

/**
 * Renames a file to `{file}.damaged-{time}`, and its write-ahead log likewise; returns the new name, or `undefined` where there
 * is no file.
 */
export function setAside(path: string, now = new Date()): string | undefined {
  if (!existsSync(path)) return undefined
  const kept = `${path}${asideMark}${now.toISOString().replaceAll(/[-:.]/g, '')}`
  renameSync(path, kept)
  if (existsSync(`${path}-wal`)) renameSync(`${path}-wal`, `${kept}-wal`)
  rmSync(`${path}-shm`, { force: true })
  return kept
}

/** Writes format and application id into a file where they are missing; `openFile` reads them. */
function stamp(file: DatabaseSync, path: string, format: number): void {
  if (numberOf(file, 'user_version') !== format) file.exec(`PRAGMA user_version = ${format}`)
  if (numberOf(file, 'application_id') === 0) file.exec(`PRAGMA application_id = ${markOf(path)}`)
}

/** Application id of a database file, derived from its name, so that a file under the name of another one is recognised. */
const markOf = (path: string): number =>
  Number.parseInt(hash('sha256', `cartulary ${basename(path)}`, 'hex').slice(0, 7), 16) + 1

const numberOf = (file: DatabaseSync, name: 'application_id' | 'user_version'): number =>
  Number(file.prepare(`PRAGMA ${name}`).get()?.[name])

/** Opens a file; unless it is `readOnly`, with a write-ahead log and the tables of `schema`. Throws what `openFile` throws. */
export function openSqlite(options: SqliteOptions): Sqlite {
  const { path, format, readOnly = false } = options
  const file = openFile(path, { format, readOnly })
  if (!readOnly) prepare(file, options)
  const statement = preparedOnce(file)
  return {
    rows: (sql, ...values) => statement(sql).all(...values),
    first: (sql, ...values) => statement(sql).get(...values),
    each: (sql, ...values) => statement(sql).iterate(...values),
    run: (sql, ...values) => {
      const { changes, lastInsertRowid } = statement(sql).run(...values)
      return { changes: Number(changes), serial: Number(lastInsertRowid) }
    },
    transaction: (work, safety = 'quick') => transaction(file, work, safety),
    close: () => file.close(),
  }
}

function prepare(file: DatabaseSync, { path, schema, format, shrinks = false }: SqliteOptions) {
  // Set before the first page is written; later it needs a VACUUM.
  if (shrinks) file.exec('PRAGMA auto_vacuum = INCREMENTAL')
  file.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  file.exec(`PRAGMA wal_autocheckpoint = ${logPages}`)
  file.exec(schema)
  stamp(file, path, format)
}

/** Error codes of SQLite for a full disk: `SQLITE_FULL`, and `SQLITE_IOERR_SHMSIZE` where the log of a file has no room. */
const fullDisk = new Set([13, 4874])

/** Whether an error of SQLite says that the disk is full. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && fullDisk.has(Number(error.errcode))

/** Makes a lookup of prepared statements by their SQL. */
export function preparedOnce(file: DatabaseSync): (sql: string) => StatementSync {
  const prepared = new Map<string, StatementSync>()
  return (sql) => {
    const known = prepared.get(sql)
    if (known) return known
    const fresh = file.prepare(sql)
    prepared.set(sql, fresh)
    return fresh
  }
}

/** Runs a transaction; see `Sqlite.transaction`. */
export function transaction<T>(file: DatabaseSync, work: () => T, safety: Safety = 'quick'): T {
  if (file.isTransaction) return part(file, work)
  file.exec(`PRAGMA synchronous = ${synchronous[safety]}; BEGIN IMMEDIATE`)
  try {
    const result = work()
    file.exec('COMMIT')
    return result
  } catch (error) {
    if (file.isTransaction) file.exec('ROLLBACK')
    throw error
  }
}

/** Runs `work` in a savepoint of the current transaction. */
function part<T>(file: DatabaseSync, work: () => T): T {
  file.exec('SAVEPOINT part')
  try {
    const result = work()
    file.exec('RELEASE part')
    return result
  } catch (error) {
    // A full disk may have ended the whole transaction.
    if (file.isTransaction) file.exec('ROLLBACK TO part; RELEASE part')
    throw error
  }
}
