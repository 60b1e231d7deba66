/** The SQLite file under the runs: two tables, every statement prepared once. */

import { chmodSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

/**
 * `state` and `start` are JSON. `partial` runs want only some ids. `key` of an item is its source id, else its original
 * id: what the same record is known by in two runs. Times and leases are ms.
 */
const schema = `
  PRAGMA auto_vacuum = INCREMENTAL;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS run (
    serial INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, pipe TEXT NOT NULL, catalogue TEXT, status TEXT NOT NULL,
    outcome TEXT, dry INTEGER NOT NULL, partial INTEGER NOT NULL, created INTEGER NOT NULL, ended INTEGER, owner TEXT NOT NULL,
    lease INTEGER NOT NULL, resumed INTEGER NOT NULL DEFAULT 0, start TEXT NOT NULL, state TEXT NOT NULL, checkpoint TEXT) STRICT;
  CREATE INDEX IF NOT EXISTS run_pipe ON run (pipe, serial);
  CREATE INDEX IF NOT EXISTS run_status ON run (status, serial);
  CREATE INDEX IF NOT EXISTS run_catalogue ON run (catalogue, serial);
  CREATE INDEX IF NOT EXISTS run_ended ON run (ended) WHERE ended IS NOT NULL;
  CREATE TABLE IF NOT EXISTS item (
    serial INTEGER PRIMARY KEY, run INTEGER NOT NULL, key TEXT, state TEXT NOT NULL, stage TEXT NOT NULL, told TEXT NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS item_run ON item (run);
  CREATE INDEX IF NOT EXISTS item_state ON item (run, state);
  CREATE INDEX IF NOT EXISTS item_key ON item (run, key) WHERE key IS NOT NULL;
  PRAGMA user_version = 1;
`

export type Row = Readonly<Record<string, unknown>>

export type RunFile = {
  rows(sql: string, ...values: SQLInputValue[]): readonly Row[]
  first(sql: string, ...values: SQLInputValue[]): Row | undefined
  run(
    sql: string,
    ...values: SQLInputValue[]
  ): { readonly changes: number; readonly serial: number }
  /** One transaction; survives the end of the process. */
  transaction<T>(work: () => T): T
  close(): void
}

/** Opens the file, made when absent (directory 700, file 600). */
export function openRunFile(path: string): RunFile {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const file = new DatabaseSync(path, { timeout: 5000 })
  chmodSync(path, 0o600)
  file.exec(schema)
  const prepared = new Map<string, ReturnType<typeof file.prepare>>()
  const statement = (sql: string) => {
    const known = prepared.get(sql)
    if (known) return known
    const fresh = file.prepare(sql)
    prepared.set(sql, fresh)
    return fresh
  }
  return {
    rows: (sql, ...values) => statement(sql).all(...values),
    first: (sql, ...values) => statement(sql).get(...values),
    run: (sql, ...values) => {
      const { changes, lastInsertRowid } = statement(sql).run(...values)
      return { changes: Number(changes), serial: Number(lastInsertRowid) }
    },
    transaction: (work) => {
      file.exec('BEGIN IMMEDIATE')
      try {
        const result = work()
        file.exec('COMMIT')
        return result
      } catch (error) {
        if (file.isTransaction) file.exec('ROLLBACK')
        throw error
      }
    },
    close: () => file.close(),
  }
}
