/**
 * `vectors.db`: vectors of texts, in a file apart from the index, which is made anew with every layout. A vector is found by the
 * print of its text, so that records with the same text share it and an unchanged text is never embedded again.
 */

import { createHash } from 'node:crypto'
import { openSqlite, type Sqlite } from '../../sqlite.ts'
import { bytesOf, vectorOf } from '../vectors.ts'

/** Newest format of the file. */
export const vectorsFormat = 1

const schema = `
  CREATE TABLE IF NOT EXISTS vector (print BLOB PRIMARY KEY, v BLOB NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TEMP TABLE used (print BLOB PRIMARY KEY) WITHOUT ROWID;
`

/** Identifies a text for a model: 16 bytes of a SHA-256. */
export type Print = Uint8Array

/** Makes the print of a text as it is sent, with its prefix, to a model. */
export const printOf = (model: string, text: string): Print =>
  createHash('sha256').update(`${model}\0${text}`).digest().subarray(0, 16)

/** Text with its vector. */
type StoredVector = { readonly print: Print; readonly vector: Int8Array }

/** Open file of vectors; made where it is missing. Opening throws what `openSqlite` throws. */
export class VectorFile {
  readonly #file: Sqlite
  /** Whether the prints in use are recorded for a purge. */
  #isRecording = false

  constructor(path: string) {
    this.#file = openSqlite({ path, schema, format: vectorsFormat })
  }

  /** Reads the vectors of some prints, `undefined` for those without one of so many dimensions. */
  read(prints: readonly Print[], dimensions?: number): readonly (Int8Array | undefined)[] {
    this.#record(prints)
    return prints.map((print) => {
      const v = this.#file.first('SELECT v FROM vector WHERE print = ?', print)?.['v']
      const isFit = v instanceof Uint8Array && v.length === (dimensions ?? v.length)
      return isFit ? vectorOf(v) : undefined
    })
  }

  /** Stores vectors, and their length as that of the model. */
  add(vectors: readonly StoredVector[], model: string): void {
    this.#file.transaction(() => {
      for (const { print, vector } of vectors) {
        this.#file.run('INSERT OR REPLACE INTO vector VALUES (?, ?)', print, bytesOf(vector))
      }
      const last = vectors.at(-1)
      if (last) this.#set(`dimensions ${model}`, last.vector.length)
    })
    this.#record(vectors.map(({ print }) => print))
  }

  /** Length of the stored vectors of a model. */
  dimensionsOf(model: string): number | undefined {
    return this.#setting(`dimensions ${model}`)
  }

  /** Milliseconds since 1970 of the last purge; `now` for a file without one. */
  purgedAt(now: number): number {
    const at = this.#setting('purged')
    if (at === undefined) this.#set('purged', now)
    return at ?? now
  }

  /** Begins to record the prints that are read and added. */
  startPurge(): void {
    this.#file.run('DELETE FROM used')
    this.#isRecording = true
  }

  /** Removes the vectors whose prints were not recorded since `startPurge`; returns their number. */
  purge(now: number): number {
    this.#isRecording = false
    this.#set('purged', now)
    return this.#file.run('DELETE FROM vector WHERE print NOT IN (SELECT print FROM used)').changes
  }

  close(): void {
    this.#file.close()
  }

  #record(prints: readonly Print[]): void {
    if (!this.#isRecording) return
    for (const print of prints) this.#file.run('INSERT OR IGNORE INTO used VALUES (?)', print)
  }

  #setting(name: string): number | undefined {
    const value = this.#file.first('SELECT value FROM setting WHERE name = ?', name)?.['value']
    return value === undefined ? undefined : Number(value)
  }

  #set(name: string, value: number): void {
    this.#file.run('INSERT OR REPLACE INTO setting VALUES (?, ?)', name, value)
  }
}
