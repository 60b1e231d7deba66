/** SQLite files of our own: which program wrote one is read before anything is written, statements are prepared once, transactions leave nothing when they throw. */

import { hash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { StartRefused } from './errors.ts'

export type Row = Readonly<Record<string, unknown>>

/** Durability of a transaction: `quick` survives the end of the process, `durable` also a power cut. */
type Safety = keyof typeof synchronous

export type Sqlite = {
  rows(sql: string, ...values: SQLInputValue[]): readonly Row[]
  first(sql: string, ...values: SQLInputValue[]): Row | undefined
  /** Row by row; nothing may be written before the last one was taken. */
  each(sql: string, ...values: SQLInputValue[]): Iterable<Row>
  /** Runs a statement; returns the number of changed rows and the serial of the last inserted one. */
  run(
    sql: string,
    ...values: SQLInputValue[]
  ): { readonly changes: number; readonly serial: number }
  /**
   * One transaction, with nobody else writing; what throws inside leaves nothing. `quick` unless said otherwise. Inside
   * another it is a part of that one, which decides how safe it is.
   */
  transaction<T>(work: () => T, safety?: Safety): T
  close(): void
}

type SqliteOptions = {
  readonly path: string
  /** `CREATE … IF NOT EXISTS` of everything. */
  readonly schema: string
  /** Version of the schema; a file with a larger one is refused. */
  readonly format: number
  /** Pages of deleted rows can be given back to the file system (`PRAGMA incremental_vacuum`). */
  readonly shrinks?: boolean
  /** The file is there and another connection writes it: what that one has committed is seen, nothing is written. */
  readonly readOnly?: boolean
}

const synchronous = { durable: 'FULL', quick: 'NORMAL' } as const

/** Waits for another process that writes, ms. */
const busyMs = 5000

/** Pages of the log (16 MB) before they are moved into the file: rows that follow each other touch the same ones many times. */
const logPages = 4000

/** A file that a newer program wrote, or that is another one than its name says. The message names it, and the cure. */
export class ForeignFile extends StartRefused {
  readonly isNewer: boolean

  constructor(message: string, isNewer: boolean) {
    super(message)
    this.name = 'ForeignFile'
    this.isNewer = isNewer
  }
}

type FileOptions = {
  /** The newest format that this program knows; absent for whoever looks at it alone. */
  readonly format?: number
  readonly readOnly?: boolean
}

/**
 * Opens a file (directory 700, file 600, made when absent unless it is to be read only) and reads what it is before anybody
 * writes to it. Throws a `ForeignFile`, and the error of SQLite when that cannot read it.
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

export type Condition =
  | { readonly is: 'missing' | 'empty' | 'sound' }
  | { readonly is: 'damaged' | 'newer'; readonly why: string }

/** Larger files are looked through only when their last process did not close them. */
const mostLookedThrough = 50 * 2 ** 20

/** Error codes of SQLite for a damaged file: `SQLITE_CORRUPT` and `SQLITE_NOTADB`. */
const damages = new Set([11, 26])

/**
 * In which state a file is, before anybody works with it; `isDeep` looks at the structure of its pages too. Throws a
 * `StartRefused` where it cannot be opened for other reasons.
 */
export function conditionOf(
  path: string,
  { format, isDeep }: { readonly format?: number | undefined; readonly isDeep: boolean },
): Condition {
  if (!existsSync(path)) return { is: 'missing' }
  const { size } = statSync(path)
  if (size === 0) return { is: 'empty' }
  const isLookedThrough = isDeep && (size < mostLookedThrough || existsSync(`${path}-wal`))
  try {
    const file = openFile(path, format === undefined ? {} : { format })
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
    const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0
    if (damages.has(code)) return { is: 'damaged', why }
    throw new StartRefused(`${path} cannot be opened (${why}).`, { cause: error })
  }
}

/** Suffix of the name of a file that was set aside. */
export const asideMark = '.damaged-'

/** Moves a file with its log out of the way, to `{file}.damaged-{time}`, which is the answer; absent where there is none. */
export function setAside(path: string, now = new Date()): string | undefined {
  if (!existsSync(path)) return undefined
  const kept = `${path}${asideMark}${now.toISOString().replaceAll(/[-:.]/g, '')}`
  renameSync(path, kept)
  if (existsSync(`${path}-wal`)) renameSync(`${path}-wal`, `${kept}-wal`)
  rmSync(`${path}-shm`, { force: true })
  return kept
}

/** Writes into a file what it is, where that is not there yet; read by `openFile`. */
function stamp(file: DatabaseSync, path: string, format: number): void {
  if (numberOf(file, 'user_version') !== format) file.exec(`PRAGMA user_version = ${format}`)
  if (numberOf(file, 'application_id') === 0) file.exec(`PRAGMA application_id = ${markOf(path)}`)
}

/** Application id of a database file, made from its name: a file that was put in the place of another is recognised. */
const markOf = (path: string): number =>
  Number.parseInt(hash('sha256', `cartulary ${basename(path)}`, 'hex').slice(0, 7), 16) + 1

const numberOf = (file: DatabaseSync, name: 'application_id' | 'user_version'): number =>
  Number(file.prepare(`PRAGMA ${name}`).get()?.[name])

/** Opens the file with a write-ahead log. */
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
  // Before the first page is written: afterwards it takes a VACUUM.
  if (shrinks) file.exec('PRAGMA auto_vacuum = INCREMENTAL')
  file.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  file.exec(`PRAGMA wal_autocheckpoint = ${logPages}`)
  file.exec(schema)
  stamp(file, path, format)
}

/** Statements of a file by their text, each prepared when it is first asked for. */
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

/** See `Sqlite.transaction`. */
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

function part<T>(file: DatabaseSync, work: () => T): T {
  file.exec('SAVEPOINT part')
  try {
    const result = work()
    file.exec('RELEASE part')
    return result
  } catch (error) {
    // A full disk may have ended the whole of it.
    if (file.isTransaction) file.exec('ROLLBACK TO part; RELEASE part')
    throw error
  }
}
