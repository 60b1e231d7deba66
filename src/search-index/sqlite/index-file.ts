/**
 * The index file: how it is opened, how damage is told from other troubles and reported by the workers that meet it, and what its
 * tables hold.
 *
 * Each index is stored in a generation with tables of its own, so that a new one can be filled beside the one that answers. Every
 * version of a record has a number `n` in its generation and never changes under it.
 */

import type { DatabaseSync } from 'node:sqlite'
import { ForeignFile, openFile } from '../../sqlite.ts'
import { otherBucket } from '../../text/language.ts'
import { idField } from '../field-reach.ts'
import type { IndexSettings } from '../index-settings.ts'
import { Failure } from '../../errors.ts'
import { emit } from '../../workers/serve.ts'

/**
 * Kilobytes of SQLite's page cache; the rest is in the cache of the system. A writer goes through the tables in the order of its
 * documents.
 */
const cacheKb = { writer: 6144, reader: 16_384 } as const

/**
 * A connection in WAL mode. The index can be rebuilt, so `synchronous=NORMAL` is enough: a power cut may lose the last
 * commits, never consistency.
 */
export function openDatabase(path: string, role: 'writer' | 'reader'): DatabaseSync {
  // One of another layout is written anew, whoever wrote it.
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

const corrupt = 11
const cannotOpen = 14
const notADatabase = 26

/** Full, locked, out of memory, not permitted: what says nothing about the file. */
const worldly = new Set([5, 6, 7, 8, 9, 10, 13])

/** Whether a file that could not even be opened is at fault: what is wrong with it may look like anything. */
export const isUnusable = (error: unknown): boolean =>
  isDamage(error) ||
  !(error instanceof Error && 'errcode' in error && worldly.has(Number(error.errcode) & 0xff))

/** Whether SQLite said that the file itself is at fault, or a record in it is no longer what was written. */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof SyntaxError || error instanceof ForeignFile) return true
  if ('code' in error && error.code === 'Z_DATA_ERROR') return true
  if (!('errcode' in error)) return false
  const code = Number(error.errcode) & 0xff
  return code === corrupt || code === notADatabase || code === cannotOpen
}

/** Names of the tables of one generation of one index. */
export type Tables = {
  /** Record id → number of its current version (null after a deletion), version, hash, and what tells it from another one. */
  readonly key: string
  /** Number → record as deflated JSON. */
  readonly doc: string
  /** Number → the narrow row that readers load into arrays. */
  readonly col: string
  /** Where each token of the full text occurs, as SQLite shows it; before `fts`, because it is dropped first. */
  readonly occurrence: string
  /** Full text, contentless: one column per field, the language in every token. */
  readonly fts: string
}

/** Numbers, not names of indices: those come from outside, and a number is never given twice. */
export function tablesOf(generation: number): Tables {
  const name = (table: string) => `${table}_${generation}`
  const occurrence = name('occurrence')
  return { key: name('key'), doc: name('doc'), col: name('col'), occurrence, fts: name('fts') }
}

/** In the place of the number of a version in `dead`: the whole generation has ended. */
export const endOfGeneration = -1

/**
 * Tables that all indices have in common: generations, the ends of versions, and the dictionaries of facet values, terms and stems.
 * Tables of another layout go, whatever they hold.
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
    CREATE TABLE IF NOT EXISTS stem (
      stem TEXT NOT NULL, term TEXT NOT NULL, PRIMARY KEY (stem, term)) WITHOUT ROWID;`)
}

/** The tables of a new generation; throws where there are any of that name. */
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
    CREATE VIRTUAL TABLE ${tables.fts} USING fts5(
      ${names}, content='', contentless_delete=1, tokenize='ascii');
    INSERT INTO ${tables.fts} (${tables.fts}, rank) VALUES ('deletemerge', 25);
    CREATE VIRTUAL TABLE ${tables.occurrence} USING fts5vocab(${tables.fts}, instance);`)
}

/** Drops the tables whose definition begins so. Virtual tables take their shadow tables with them: they are to be dropped first. */
function dropAll(db: DatabaseSync, kind: string): void {
  const find = db.prepare(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE ? AND name NOT LIKE 'sqlite%'`,
  )
  for (const row of find.all(kind)) db.exec(`DROP TABLE "${String(row['name'])}"`)
}

/** Counts changes of this layout: an index of another one is written anew. */
export const layoutNumber = 9

/** A column of the full-text table. */
export type Column = {
  /** Our own short name: names of profiles contain dots and come from outside. */
  readonly alias: string
  readonly field: string
}

/** All columns in their order; the first is the record's id. */
export function columnsOf(settings: IndexSettings): Column[] {
  const fields = settings.texts.map((text) => text.name).filter((name) => name !== idField)
  return [idField, ...fields].map((field, i) => ({ alias: `c${i}`, field }))
}

/** Stands between two values of one column, so that no phrase spans them; no query contains it. */
export const valueBorder = '\ue000'

/**
 * A token as it stands in the full-text table: behind its bucket, so that a word, a phrase, a beginning or a stem of one
 * language never meets text of another. The mark is for private use: no tokeniser yields it. The bucket of the others is the
 * mark alone: without any, words that begin with `d` would be all that begins with `de` and the mark.
 */
export const marked = (bucket: string, token: string): string =>
  `${bucket === otherBucket ? '' : bucket}\ue001${token}`

/** Something went wrong in a worker; `damaged`: the index file is at fault. */
export type WorkerEvent = { readonly damaged: boolean; readonly message: string }

/** Thrown inside a worker when nobody waits for the answer any more. */
export class Cancelled extends Error {}

/** Does the work of a call; what it throws becomes a `Failure`, and is reported. `isAtFault` says whether the file is. */
export function reported<Result>(
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
