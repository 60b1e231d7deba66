/**
 * SQLite file of the embedded store, `store.db`: the content of each graph as a compressed text, and its links as rows, so that a
 * catalogue of many datasets is not rewritten for each of them.
 */

import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { Failure } from '../../errors.ts'
import { openSqlite, type Sqlite } from '../../sqlite.ts'
import { inUtf8 } from '../../text/utf8.ts'
import { uninterrupted } from '../../workers/uninterrupted.ts'

type StoredGraph = {
  readonly name: string
  /** Content in UTF-8. */
  readonly content: Buffer
  readonly links: readonly string[]
}

const schema = `
  PRAGMA wal_autocheckpoint = 8000;
  CREATE TABLE IF NOT EXISTS graph (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, content BLOB NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS link (graph INTEGER NOT NULL, line TEXT NOT NULL, PRIMARY KEY (graph, line)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS piece (owner INTEGER NOT NULL, number INTEGER NOT NULL, content BLOB NOT NULL, PRIMARY KEY (owner, number)) STRICT;
  CREATE TABLE IF NOT EXISTS large (graph INTEGER PRIMARY KEY, owner INTEGER NOT NULL UNIQUE) STRICT;
`

/** Version of the schema. */
export const graphFileFormat = 1

/** Most UTF-16 units of a content. */
const maxContent = 2 ** 28

const pack = (text: string): Uint8Array =>
  text === ''
    ? new Uint8Array()
    : inUtf8(text, (bytes) => uninterrupted(() => deflateRawSync(bytes, { level: 1 })))

const nothing = Buffer.alloc(0)

const unpackBytes = (blob: unknown): Buffer =>
  blob instanceof Uint8Array && blob.length > 0
    ? uninterrupted(() => inflateRawSync(blob))
    : nothing

const unpack = (blob: unknown): string => unpackBytes(blob).toString('utf8')

const linesIn = (rows: readonly Readonly<Record<string, unknown>>[]) =>
  rows.map(({ line }) => String(line))

/** File of graphs by name. A graph exists as long as it has content or a link. */
export class GraphFile {
  readonly #db: Sqlite

  /** Opens the file, and creates it if absent (directory 700, file 600). With `readOnly` it reads the commits of another connection. */
  constructor(directory: string, readOnly = false) {
    const path = join(directory, 'store.db')
    if (!readOnly) {
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      chmodSync(directory, 0o700)
    }
    this.#db = openSqlite({ path, schema, format: graphFileFormat, readOnly })
    if (!readOnly) this.transaction(() => this.#joinPieces())
  }

  /** Runs `work` as one durable transaction, or as a savepoint of the present one; an exception rolls it back. */
  transaction<T>(work: () => T): T {
    return this.#db.transaction(work, 'durable')
  }

  has(graph: string): boolean {
    return this.#id(graph) !== undefined
  }

  /** Content of a graph, sorted; `''` for a graph with links only, `undefined` for an absent one. */
  content(graph: string): string | undefined {
    const row = this.#db.first('SELECT content FROM graph WHERE name = ?', graph)
    return row && unpack(row['content'])
  }

  /** Replaces the content of a graph; throws `too-large`. */
  setContent(graph: string, content: string): void {
    if (content.length > maxContent) {
      throw new Failure('too-large', `A graph may have ${maxContent} characters.`)
    }
    this.#db.run(
      'INSERT INTO graph (name, content) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET content = excluded.content',
      graph,
      pack(content),
    )
  }

  /** Links of a graph in order of code units, without line ends. */
  links(graph: string): string[] {
    return linesIn(this.#linkRows(this.#id(graph) ?? 0))
  }

  hasLinks(graph: string): boolean {
    const sql = 'SELECT 1 FROM link WHERE graph = ? LIMIT 1'
    return this.#db.first(sql, this.#id(graph) ?? 0) !== undefined
  }

  hasLink(graph: string, line: string): boolean {
    const sql = 'SELECT 1 FROM link WHERE graph = ? AND line = ?'
    return this.#db.first(sql, this.#id(graph) ?? 0, line) !== undefined
  }

  /** Links that begin with `prefix`, which ends in a space; the character after a space is `!`. */
  linksWithPrefix(graph: string, prefix: string): string[] {
    const sql = 'SELECT line FROM link WHERE graph = ? AND line >= ? AND line < ?'
    return linesIn(this.#db.rows(sql, this.#id(graph) ?? 0, prefix, `${prefix.slice(0, -1)}!`))
  }

  /** Adds a link; false when it exists already. */
  addLink(graph: string, line: string): boolean {
    const sql = 'INSERT OR IGNORE INTO link (graph, line) VALUES (?, ?)'
    return this.#db.run(sql, this.#idOrNew(graph), line).changes > 0
  }

  /** Removes a link; false when it does not exist. */
  removeLink(graph: string, line: string): boolean {
    const sql = 'DELETE FROM link WHERE graph = ? AND line = ?'
    return this.#db.run(sql, this.#id(graph) ?? 0, line).changes > 0
  }

  /** Removes the graph if it has neither content nor links. */
  removeIfEmpty(graph: string): void {
    this.#db.run(
      'DELETE FROM graph WHERE name = ? AND length(content) = 0 ' +
        'AND NOT EXISTS (SELECT 1 FROM link WHERE link.graph = graph.id)',
      graph,
    )
  }

  drop(graph: string): void {
    const id = this.#id(graph)
    if (id === undefined) return
    this.#db.run('DELETE FROM link WHERE graph = ?', id)
    this.#db.run('DELETE FROM graph WHERE id = ?', id)
  }

  /** Reads all graphs as of the first of them. */
  *graphs(): Generator<StoredGraph> {
    const sql = 'SELECT id, name, content, id IN (SELECT graph FROM link) AS linked FROM graph'
    for (const { id, name, content, linked } of this.#db.each(sql)) {
      const links = linked === 1 ? linesIn(this.#linkRows(Number(id))) : []
      yield { name: String(name), content: unpackBytes(content), links }
    }
  }

  /** Names of all graphs. */
  names(): string[] {
    return this.#db.rows('SELECT name FROM graph').map(({ name }) => String(name))
  }

  count(): number {
    return Number(this.#db.first('SELECT count(*) AS n FROM graph')?.['n'])
  }

  /** Number of graphs whose names begin with `prefix`. */
  countNamed(prefix: string): number {
    const sql = 'SELECT count(*) AS n FROM graph WHERE name >= ? AND name < ?'
    return Number(this.#db.first(sql, prefix, `${prefix}\u{10FFFF}`)?.['n'])
  }

  close(): void {
    this.#db.close()
  }

  #id(graph: string): number | undefined {
    const row = this.#db.first('SELECT id FROM graph WHERE name = ?', graph)
    return row && Number(row['id'])
  }

  /** Id of a graph, which is created if absent. */
  #idOrNew(graph: string): number {
    const sql = 'INSERT INTO graph (name, content) VALUES (?, ?)'
    return this.#id(graph) ?? this.#db.run(sql, graph, new Uint8Array()).serial
  }

  #linkRows(id: number) {
    return this.#db.rows('SELECT line FROM link WHERE graph = ? ORDER BY line', id)
  }

  /** Joins large contents, which earlier versions stored in pieces. */
  #joinPieces(): void {
    for (const { graph, owner } of this.#db.rows('SELECT graph, owner FROM large')) {
      const sql = 'SELECT content FROM piece WHERE owner = ? ORDER BY number'
      const texts = this.#db.rows(sql, Number(owner)).map(({ content }) => unpack(content))
      const content = pack(texts.join(''))
      this.#db.run('UPDATE graph SET content = ? WHERE id = ?', content, Number(graph))
    }
    this.#db.run('DELETE FROM large')
    this.#db.run('DELETE FROM piece')
  }
}
