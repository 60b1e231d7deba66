/** The tables of the index file: what stands in which, and how they are named. */

import type { DatabaseSync } from 'node:sqlite'
import { layoutNumber, type Column } from './layout.ts'

/** Names of the tables of one generation of one index. */
export type Tables = {
  /** Record id → number of its current version (null after a deletion), version, hash, and what tells it from another one. */
  readonly key: string
  /** Number → record as deflated JSON. */
  readonly doc: string
  /** Number → the narrow row that readers load into arrays. */
  readonly col: string
  /** Full text, contentless. */
  readonly fts: string
  /** Numbers of replaced and deleted versions, in the order of their end. */
  readonly dead: string
}

/** Numbers, not names of indices: those come from outside, and a number is never given twice. */
export function tablesOf(generation: number): Tables {
  const name = (table: string) => `${table}_${generation}`
  return {
    key: name('key'),
    doc: name('doc'),
    col: name('col'),
    fts: name('fts'),
    dead: name('dead'),
  }
}

/** Tables that all indices have in common; those of another layout go, whatever they hold. */
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

export function createTables(db: DatabaseSync, tables: Tables, columns: readonly Column[]): void {
  const names = columns.map((column) => column.alias).join(', ')
  db.exec(`
    CREATE TABLE ${tables.key} (
      id TEXT PRIMARY KEY, n INTEGER, version INTEGER NOT NULL, hash TEXT NOT NULL,
      print TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE ${tables.doc} (n INTEGER PRIMARY KEY, json BLOB NOT NULL);
    CREATE TABLE ${tables.col} (
      n INTEGER PRIMARY KEY, id TEXT NOT NULL, dates BLOB, numbers BLOB, flags BLOB, boxes BLOB,
      ords BLOB, orders TEXT);
    CREATE TABLE ${tables.dead} (
      seq INTEGER PRIMARY KEY, n INTEGER NOT NULL, gone INTEGER NOT NULL DEFAULT 0);
    CREATE INDEX ${tables.dead}_waiting ON ${tables.dead} (seq) WHERE gone = 0;
    CREATE VIRTUAL TABLE ${tables.fts} USING fts5(
      ${names}, content='', contentless_delete=1, tokenize='ascii');
    INSERT INTO ${tables.fts} (${tables.fts}, rank) VALUES ('deletemerge', 25);`)
}

/** Virtual tables take their shadow tables with them, so they are dropped first. */
function dropAll(db: DatabaseSync, kind: string): void {
  const find = db.prepare(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE ? AND name NOT LIKE 'sqlite%'`,
  )
  for (const row of find.all(kind)) db.exec(`DROP TABLE "${String(row['name'])}"`)
}
