/**
 * The index file: opening, tables, and classification of errors as damage of the file.
 *
 * Each index is stored in a generation with its own tables, so that a new one can be filled beside the one that is searched. Every
 * version of a record has a number `n` in its generation; the row of a number never changes.
 */

import type { DatabaseSync } from 'node:sqlite'
import { ForeignFile, openFile } from '../../sqlite.ts'
import { fingerprint } from '../../text/fingerprint.ts'
import { otherBucket } from '../../text/language.ts'
import { idField } from '../field-reach.ts'
import type { IndexSettings } from '../index-settings.ts'
import { Failure } from '../../errors.ts'
import { emit } from '../../workers/serve.ts'

/** Kilobytes of SQLite's page cache; other pages are in the file cache of the operating system. */
const cacheKb = { writer: 6144, reader: 16_384 } as const

/**
 * Opens a connection in WAL mode. `synchronous=NORMAL` is enough for an index that can be rebuilt: a power cut may lose the last
 * commits, but leaves the file consistent.
 */
export function openDatabase(path: string, role: 'writer' | 'reader'): DatabaseSync {
  // A file of another layout, by whichever release, is emptied by `createCommonTables`.
  const db = openFile(path)
  try {
    if (role === 'writer')
      db.exec('PRAGMA page_size=4096; PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=4000')
    db.exec('PRAGMA synchronous=NORMAL; PRAGMA temp_store=MEMORY')
    db.exec(`PRAGMA cache_size=-${cacheKb[role]}`)
    if (role === 'reader') db.exec('PRAGMA query_only=1')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

// Result codes of SQLite (sqlite.org/rescode.html).
const corrupt = 11
const cannotOpen = 14
const notADatabase = 26

/** Result codes that do not indicate damage: full disk, locks, memory, permissions, I/O. */
const environmentErrors = new Set([5, 6, 7, 8, 9, 10, 13])

/** Whether a failure to open the file means that it is damaged: every error except those of the environment. */
export const isUnusable = (error: unknown): boolean =>
  isDamage(error) ||
  !(
    error instanceof Error &&
    'errcode' in error &&
    environmentErrors.has(Number(error.errcode) & 0xff)
  )

/**
 * Whether an error means that the file is damaged: SQLite says so or cannot open it, it is a file of another program, or a stored
 * record cannot be decompressed or parsed.
 */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof SyntaxError || error instanceof ForeignFile) return true
  if ('code' in error && error.code === 'Z_DATA_ERROR') return true
  if (!('errcode' in error)) return false
  const code = Number(error.errcode) & 0xff
  return code === corrupt || code === notADatabase || code === cannotOpen
}

/** Names of the tables of one generation. */
export type Tables = {
  /**
   * Record id → number of its current version (null after a removal), version, hash of the record in the store, and hash of the
   * document (`print`).
   */
  readonly key: string
  /** Number → record as deflated JSON text. */
  readonly doc: string
  /** Number → row that readers load into `Columns`. */
  readonly col: string
  /** Vector of each number that has one; `seq` grows with every write and is never used again, so that readers find what is new. */
  readonly vec: string
  /** View of the occurrences of each token in `fts`. It precedes `fts`, because tables are dropped in this order. */
  readonly occurrence: string
  /** Contentless FTS5 table with one column for each field; every token begins with its language. */
  readonly fts: string
}

/**
 * Table names of a generation. They contain its number, which is unique, and not the name of the index, which the profile may define.
 */
export function tablesOf(generation: number): Tables {
  const name = (table: string) => `${table}_${generation}`
  const occurrence = name('occurrence')
  const [key, doc, col, vec] = [name('key'), name('doc'), name('col'), name('vec')]
  return { key, doc, col, vec, occurrence, fts: name('fts') }
}

/** Value of `n` in the table `dead` that means the end of the whole generation. */
export const endOfGeneration = -1

/**
 * Creates the tables that all indices share: generations (`gen`), ends of versions (`dead`), and the dictionaries of facet values
 * (`ord`), terms, stems, and terms of compounding languages backwards (`mirror`). Drops all tables of another layout.
 */
export function createCommonTables(db: DatabaseSync): void {
  if (db.prepare('PRAGMA user_version').get()?.['user_version'] !== layoutNumber) {
    dropAll(db, 'CREATE VIRTUAL %')
    dropAll(db, 'CREATE TABLE %')
    db.exec(`PRAGMA user_version = ${layoutNumber}`)
  }
  db.exec(`
    CREATE TABLE IF NOT EXISTS gen (
      generation INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, state TEXT NOT NULL,
      signature TEXT NOT NULL, settings TEXT NOT NULL, languages TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS dead (
      seq INTEGER PRIMARY KEY, generation INTEGER NOT NULL, n INTEGER NOT NULL);
    CREATE INDEX IF NOT EXISTS dead_generation ON dead (generation, seq);
    CREATE TABLE IF NOT EXISTS ord (
      o INTEGER PRIMARY KEY, facet TEXT NOT NULL, value TEXT NOT NULL, title TEXT NOT NULL,
      seq INTEGER NOT NULL);
    CREATE UNIQUE INDEX IF NOT EXISTS ord_value ON ord (facet, value);
    CREATE INDEX IF NOT EXISTS ord_seq ON ord (seq);
    CREATE TABLE IF NOT EXISTS term (
      term TEXT NOT NULL, bucket TEXT NOT NULL, PRIMARY KEY (term, bucket)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS mirror (
      mirror TEXT NOT NULL, bucket TEXT NOT NULL, PRIMARY KEY (mirror, bucket)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS stem (
      stem TEXT NOT NULL, term TEXT NOT NULL, PRIMARY KEY (stem, term)) WITHOUT ROWID;`)
}

/** Creates the tables of a new generation; throws if they exist. */
export function createTables(db: DatabaseSync, tables: Tables, columns: readonly Column[]): void {
  const names = columns.map((column) => column.alias).join(', ')
  db.exec(`
    CREATE TABLE ${tables.key} (
      id TEXT PRIMARY KEY, n INTEGER, version INTEGER NOT NULL, hash TEXT NOT NULL,
      print TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE ${tables.doc} (n INTEGER PRIMARY KEY, json BLOB NOT NULL);
    CREATE TABLE ${tables.col} (
      n INTEGER PRIMARY KEY, id TEXT NOT NULL, dates BLOB, numbers BLOB, flags BLOB, boxes BLOB,
      ords BLOB, orders TEXT, words INTEGER NOT NULL);
    CREATE TABLE ${tables.vec} (
      seq INTEGER PRIMARY KEY AUTOINCREMENT, n INTEGER NOT NULL UNIQUE, v BLOB NOT NULL);
    CREATE VIRTUAL TABLE ${tables.fts} USING fts5(
      ${names}, content='', contentless_delete=1, tokenize='ascii');
    INSERT INTO ${tables.fts} (${tables.fts}, rank) VALUES ('deletemerge', 25);
    CREATE VIRTUAL TABLE ${tables.occurrence} USING fts5vocab(${tables.fts}, instance);`)
}

/**
 * Drops the tables whose definition begins with `kind`. Virtual tables must be dropped first, because they drop their shadow tables.
 */
function dropAll(db: DatabaseSync, kind: string): void {
  const find = db.prepare(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE ? AND name NOT LIKE 'sqlite%'`,
  )
  for (const row of find.all(kind)) db.exec(`DROP TABLE "${String(row['name'])}"`)
}

/** Version of this layout; the index in a file of another layout is filled again. */
export const layoutNumber = 12

/** Column of the full-text table. */
export type Column = {
  /** Name of the column: field names may contain dots and are defined by profiles. */
  readonly alias: string
  readonly field: string
}

/** Columns of the full-text table in their order; the first has the record's id. */
export function columnsOf(settings: IndexSettings): Column[] {
  const fields = settings.texts.map((text) => text.name).filter((name) => name !== idField)
  return [idField, ...fields].map((field, i) => ({ alias: `c${i}`, field }))
}

/** Token between two values of a column, so that no phrase matches across them. Queries cannot contain it (U+E000, private use). */
export const valueSeparator = '\ue000'

/**
 * Token of the full-text table: language bucket, separator (U+E001, private use, in no token) and token, so that searches in one
 * language do not match texts in another. The bucket of other languages has the separator too: else the prefix `d` would match every
 * token of the bucket `de`.
 */
export const bucketToken = (bucket: string, token: string): string =>
  `${bucket === otherBucket ? '' : bucket}\ue001${token}`

/** Token of a whole title: U+E003 (private use, in no token) and the fingerprint of its tokens, so that a query finds its equal. */
export const titleToken = (tokens: readonly string[]): string =>
  `\ue003${fingerprint(tokens.join(' '))}`

/** Error in a worker, reported to the main thread. `damaged` means that the index file is damaged. */
export type WorkerEvent = { readonly damaged: boolean; readonly message: string }

/** Error that ends a cancelled call inside a worker. */
export class Cancelled extends Error {}

/**
 * Runs a call. Reports an error to the main thread as `WorkerEvent`, and throws a `Failure` in its place: `time-limit` for a cancelled
 * call, else `engine-unavailable`. `isAtFault` decides whether the error means damage.
 */
export function reportFailures<Result>(
  work: () => Result,
  isAtFault: (error: unknown) => boolean = isDamage,
): Result {
  try {
    return work()
  } catch (error) {
    const retryAfter = 10
    if (error instanceof Cancelled)
      throw new Failure('time-limit', 'the search took too long and was stopped', { retryAfter })
    const damaged = isAtFault(error)
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    emit({ damaged, message } satisfies WorkerEvent)
    const detail = damaged
      ? 'the search index is damaged; it is built again'
      : 'the search index could not answer'
    throw new Failure('engine-unavailable', detail, { retryAfter })
  }
}
