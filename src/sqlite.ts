/** A SQLite file of our own: made when absent, every statement prepared once, transactions that leave nothing when they throw. */

import { chmodSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'

export type Row = Readonly<Record<string, unknown>>

/** What a transaction survives: `quick` the end of the process, `durable` a power cut too. */
type Safety = keyof typeof synchronous

export type Sqlite = {
  rows(sql: string, ...values: SQLInputValue[]): readonly Row[]
  first(sql: string, ...values: SQLInputValue[]): Row | undefined
  /** Row by row; nothing may be written before the last one was taken. */
  each(sql: string, ...values: SQLInputValue[]): Iterable<Row>
  /** How many rows changed, and the serial of the last one inserted. */
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
  /** `CREATE … IF NOT EXISTS` of everything, and the version of the whole. */
  readonly schema: string
  /** Pages of deleted rows can be given back to the file system (`PRAGMA incremental_vacuum`). */
  readonly shrinks?: boolean
}

const synchronous = { durable: 'FULL', quick: 'NORMAL' } as const

/** Waits for another process that writes, ms. */
const busyMs = 5000

/** Pages of the log (16 MB) before they are moved into the file: rows that follow each other touch the same ones many times. */
const logPages = 4000

/** Opens the file (directory 700, file 600) with a write-ahead log. */
export function openSqlite({ path, schema, shrinks = false }: SqliteOptions): Sqlite {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const file = new DatabaseSync(path, { timeout: busyMs })
  chmodSync(path, 0o600)
  // Before the first page is written: afterwards it takes a VACUUM.
  if (shrinks) file.exec('PRAGMA auto_vacuum = INCREMENTAL')
  file.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  file.exec(`PRAGMA wal_autocheckpoint = ${logPages}`)
  file.exec(schema)
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

function preparedOnce(file: DatabaseSync): (sql: string) => StatementSync {
  const prepared = new Map<string, StatementSync>()
  return (sql) => {
    const known = prepared.get(sql)
    if (known) return known
    const fresh = file.prepare(sql)
    prepared.set(sql, fresh)
    return fresh
  }
}

function transaction<T>(file: DatabaseSync, work: () => T, safety: Safety): T {
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
