/** The durable copy of the embedded store: one compressed text per graph, and its links as rows, in one SQLite file. */

import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { deflateRawSync, inflateRawSync } from 'node:zlib'

type Stored = { readonly name: string; readonly content: string; readonly links: string[] }

/** Reading and writing by graph name; a graph is there as long as it has a content or a link. */
export type Blobs = {
  /** Runs `work` as one transaction, durable when this returns; a throw undoes it. */
  transaction<T>(work: () => T): T
  /** A part of a transaction that a throw undoes alone. */
  step<T>(work: () => T): T
  has(graph: string): boolean
  /** `''` for a graph that has links only, `undefined` for an absent one. */
  content(graph: string): string | undefined
  /** In order of code units, without line ends. */
  links(graph: string): string[]
  hasLinks(graph: string): boolean
  hasLink(graph: string, line: string): boolean
  linksUnder(graph: string, prefix: string): string[]
  setContent(graph: string, content: string): void
  /** False when the link was there. */
  addLink(graph: string, line: string): boolean
  /** False when there was no such link. */
  removeLink(graph: string, line: string): boolean
  /** Forgets the graph if nothing is left of it. */
  tidy(graph: string): void
  drop(graph: string): void
  all(): Iterable<Stored>
  names(): string[]
  count(): number
  close(): void
}

const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA wal_autocheckpoint = 8000;
  CREATE TABLE IF NOT EXISTS graph (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, content BLOB NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS link (graph INTEGER NOT NULL, line TEXT NOT NULL, PRIMARY KEY (graph, line)) STRICT, WITHOUT ROWID;
  PRAGMA user_version = 1;
`

const upsert =
  'INSERT INTO graph (name, content) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET content = excluded.content'
const forgetEmpty =
  'DELETE FROM graph WHERE name = ? AND length(content) = 0 AND NOT EXISTS (SELECT 1 FROM link WHERE link.graph = graph.id)'

const pack = (text: string): Uint8Array =>
  text === '' ? new Uint8Array() : deflateRawSync(text, { level: 1 })

const unpack = (blob: unknown): string =>
  blob instanceof Uint8Array && blob.length > 0 ? inflateRawSync(blob).toString('utf8') : ''

function openFile(directory: string, readOnly: boolean): DatabaseSync {
  const path = join(directory, 'store.db')
  if (readOnly) return new DatabaseSync(path, { readOnly: true, timeout: 5000 })
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  chmodSync(directory, 0o700)
  const file = new DatabaseSync(path, { timeout: 5000 })
  chmodSync(path, 0o600)
  file.exec(schema)
  return file
}

function bracket<T>(
  file: DatabaseSync,
  words: readonly [string, string, string],
  work: () => T,
): T {
  file.exec(words[0])
  try {
    const result = work()
    file.exec(words[1])
    return result
  } catch (error) {
    if (file.isTransaction) file.exec(words[2])
    throw error
  }
}

function linkRows(file: DatabaseSync, id: (graph: string) => number | undefined) {
  const all = file.prepare('SELECT line FROM link WHERE graph = ? ORDER BY line')
  const one = file.prepare('SELECT 1 FROM link WHERE graph = ? AND line = ?')
  const any = file.prepare('SELECT 1 FROM link WHERE graph = ? LIMIT 1')
  const under = file.prepare('SELECT line FROM link WHERE graph = ? AND line >= ? AND line < ?')
  const lines = (rows: readonly Record<string, unknown>[]) => rows.map(({ line }) => String(line))
  return {
    links: (graph: string) => lines(all.all(id(graph) ?? 0)),
    hasLinks: (graph: string) => any.get(id(graph) ?? 0) !== undefined,
    hasLink: (graph: string, line: string) => one.get(id(graph) ?? 0, line) !== undefined,
    // Prefixes end in a space, and the character after a space is `!`.
    linksUnder: (graph: string, prefix: string) =>
      lines(under.all(id(graph) ?? 0, prefix, `${prefix.slice(0, -1)}!`)),
  }
}

function* rowsOf(file: DatabaseSync): Generator<Stored> {
  const links = file.prepare('SELECT line FROM link WHERE graph = ? ORDER BY line')
  for (const row of file.prepare('SELECT id, name, content FROM graph').iterate()) {
    const lines = links.all(Number(row['id'])).map(({ line }) => String(line))
    yield { name: String(row['name']), content: unpack(row['content']), links: lines }
  }
}

/** Opens `{directory}/store.db`, made when absent (directory 700, file 600). A read-only one sees committed writes only. */
export function openBlobs(directory: string, readOnly = false): Blobs {
  const file = openFile(directory, readOnly)
  const find = file.prepare('SELECT id FROM graph WHERE name = ?')
  const read = file.prepare('SELECT content FROM graph WHERE name = ?')
  const put = file.prepare(upsert)
  const id = (graph: string) => {
    const row = find.get(graph)
    return row ? Number(row['id']) : undefined
  }
  const ensure = (graph: string) => {
    const known = id(graph)
    if (known !== undefined) return known
    return Number(put.run(graph, new Uint8Array()).lastInsertRowid)
  }
  const insert = file.prepare('INSERT OR IGNORE INTO link (graph, line) VALUES (?, ?)')
  const remove = file.prepare('DELETE FROM link WHERE graph = ? AND line = ?')
  const unlink = file.prepare('DELETE FROM link WHERE graph = ?')
  const forget = file.prepare('DELETE FROM graph WHERE id = ?')
  const empty = file.prepare(forgetEmpty)
  return {
    ...linkRows(file, id),
    transaction: (work) => bracket(file, ['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK'], work),
    step: (work) =>
      bracket(file, ['SAVEPOINT step', 'RELEASE step', 'ROLLBACK TO step; RELEASE step'], work),
    has: (graph) => find.get(graph) !== undefined,
    content: (graph) => {
      const row = read.get(graph)
      return row && unpack(row['content'])
    },
    setContent: (graph, content) => void put.run(graph, pack(content)),
    addLink: (graph, line) => insert.run(ensure(graph), line).changes > 0,
    removeLink: (graph, line) => remove.run(id(graph) ?? 0, line).changes > 0,
    tidy: (graph) => void empty.run(graph),
    drop: (graph) => {
      const known = id(graph)
      if (known === undefined) return
      unlink.run(known)
      forget.run(known)
    },
    all: () => rowsOf(file),
    names: () =>
      file
        .prepare('SELECT name FROM graph')
        .all()
        .map(({ name }) => String(name)),
    count: () => Number(file.prepare('SELECT count(*) AS n FROM graph').get()?.['n']),
    close: () => file.close(),
  }
}
