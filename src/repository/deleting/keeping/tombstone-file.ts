/** The file under the tombstones: one SQLite table, texts compressed, every statement that is asked of it. */

import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { deflateRawSync, inflateRawSync } from 'node:zlib'

const schema = `
  PRAGMA auto_vacuum = INCREMENTAL;
  PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS tombstone (
    serial INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, id TEXT NOT NULL, catalogue TEXT NOT NULL, original TEXT,
    deleted INTEGER NOT NULL, deletion INTEGER, hash TEXT, settled INTEGER NOT NULL DEFAULT 0, comes_back INTEGER NOT NULL DEFAULT 0,
    metrics BLOB NOT NULL, content BLOB NOT NULL, UNIQUE (kind, id)) STRICT;
  CREATE INDEX IF NOT EXISTS origin ON tombstone (catalogue, original);
  CREATE INDEX IF NOT EXISTS deleted ON tombstone (deleted);
  CREATE INDEX IF NOT EXISTS deletion ON tombstone (deletion) WHERE deletion IS NOT NULL;
  CREATE INDEX IF NOT EXISTS doubt ON tombstone (serial) WHERE settled = 0;
  CREATE INDEX IF NOT EXISTS comes_back ON tombstone (serial) WHERE comes_back = 1;
  PRAGMA user_version = 1;
`

export type TombstoneRow = Readonly<Record<string, unknown>>

export type TombstoneFile = {
  /** Rows of a statement; the same text is prepared once. */
  rows(sql: string, ...values: SQLInputValue[]): readonly TombstoneRow[]
  first(sql: string, ...values: SQLInputValue[]): TombstoneRow | undefined
  /** How many rows were changed, and the serial of the last one inserted. */
  run(
    sql: string,
    ...values: SQLInputValue[]
  ): { readonly changes: number; readonly serial: number }
  /** Rows until the caller has enough. */
  each(sql: string, ...values: SQLInputValue[]): Iterable<TombstoneRow>
  /** One transaction. `durable` also survives a power cut; the others survive the end of the process. */
  transaction<T>(safety: 'durable' | 'quick', work: () => T): T
  close(): void
}

const synchronous = { durable: 'FULL', quick: 'NORMAL' } as const

/** Opens `{directory}/tombstones.db`, made when absent (directory 700, file 600). */
export function openTombstoneFile(directory: string): TombstoneFile {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  chmodSync(directory, 0o700)
  const path = join(directory, 'tombstones.db')
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
    each: (sql, ...values) => statement(sql).iterate(...values),
    transaction: (safety, work) => {
      file.exec(`PRAGMA synchronous = ${synchronous[safety]}; BEGIN IMMEDIATE`)
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

export const pack = (text: string): Uint8Array =>
  text === '' ? new Uint8Array() : deflateRawSync(text, { level: 1 })

export const unpack = (blob: unknown): string =>
  blob instanceof Uint8Array && blob.length > 0 ? inflateRawSync(blob).toString('utf8') : ''
