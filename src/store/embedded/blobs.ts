/** The durable copy of the embedded store: one compressed text per graph, and its links as rows, in one SQLite file. */

import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { Failure } from '../../errors.ts'
import { openFile as openSqliteFile, stamp } from '../../sqlite.ts'
import { pack, piecesIn, pieceSchema, unpack, type Pieces } from './pieces/pieces.ts'

/** A graph; of one that lies in pieces, a piece, and its links with the first. */
type Stored = { readonly name: string; readonly content: string; readonly links: string[] }

/** Reading and writing by graph name; a graph is there as long as it has a content or a link. */
export type Blobs = {
  /** Runs `work` as one transaction, durable when this returns; a throw undoes it. */
  transaction<T>(work: () => T): T
  /** A part of a transaction that a throw undoes alone. */
  step<T>(work: () => T): T
  has(graph: string): boolean
  /** `''` for a graph that has links only, `undefined` for an absent one. Pieces are put together. */
  content(graph: string): string | undefined
  /** The content as texts of whole lines, none of them too large; nothing for an absent one. */
  contents(graph: string): Iterable<string>
  /** Whose pieces a content lies in. */
  ownerOf(graph: string): number | undefined
  /** Makes an owner's pieces the content. */
  adopt(graph: string, owner: number): void
  readonly pieces: Pieces
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
  ${pieceSchema}
`

/** Of the schema. */
export const blobsFormat = 1

const upsert =
  'INSERT INTO graph (name, content) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET content = excluded.content'
const forgetEmpty =
  'DELETE FROM graph WHERE name = ? AND length(content) = 0 AND NOT EXISTS (SELECT 1 FROM link WHERE link.graph = graph.id) ' +
  'AND NOT EXISTS (SELECT 1 FROM large WHERE large.graph = graph.id)'

function openFile(directory: string, readOnly: boolean): DatabaseSync {
  const path = join(directory, 'store.db')
  if (readOnly) return openSqliteFile(path, { format: blobsFormat, readOnly })
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  chmodSync(directory, 0o700)
  const file = openSqliteFile(path, { format: blobsFormat })
  file.exec(schema)
  stamp(file, path, blobsFormat)
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

type Ids = {
  readonly id: (graph: string) => number | undefined
  /** The id of a graph that is made when absent. */
  readonly ensure: (graph: string) => number
}

function linkRows(file: DatabaseSync, { id, ensure }: Ids) {
  const insert = file.prepare('INSERT OR IGNORE INTO link (graph, line) VALUES (?, ?)')
  const remove = file.prepare('DELETE FROM link WHERE graph = ? AND line = ?')
  const all = file.prepare('SELECT line FROM link WHERE graph = ? ORDER BY line')
  const one = file.prepare('SELECT 1 FROM link WHERE graph = ? AND line = ?')
  const any = file.prepare('SELECT 1 FROM link WHERE graph = ? LIMIT 1')
  const under = file.prepare('SELECT line FROM link WHERE graph = ? AND line >= ? AND line < ?')
  const lines = (rows: readonly Record<string, unknown>[]) => rows.map(({ line }) => String(line))
  return {
    addLink: (graph: string, line: string) => insert.run(ensure(graph), line).changes > 0,
    removeLink: (graph: string, line: string) => remove.run(id(graph) ?? 0, line).changes > 0,
    links: (graph: string) => lines(all.all(id(graph) ?? 0)),
    hasLinks: (graph: string) => any.get(id(graph) ?? 0) !== undefined,
    hasLink: (graph: string, line: string) => one.get(id(graph) ?? 0, line) !== undefined,
    // Prefixes end in a space, and the character after a space is `!`.
    linksUnder: (graph: string, prefix: string) =>
      lines(under.all(id(graph) ?? 0, prefix, `${prefix.slice(0, -1)}!`)),
  }
}

/** Most characters of a content that is wanted as one text. */
const mostText = 2 ** 28

type ContentRows = Pick<Blobs, 'content' | 'contents' | 'ownerOf' | 'adopt' | 'setContent'> & {
  /** Forgets the pieces of a graph. */
  readonly scatter: (graph: number) => void
}

/** A content put together of its pieces; `Failure` too-large. */
function joined(texts: Iterable<string>): string {
  const all: string[] = []
  let length = 0
  for (const text of texts) {
    length += text.length
    if (length > mostText) {
      throw new Failure('too-large', 'The graph is too large to be read as one text.')
    }
    all.push(text)
  }
  return all.join('')
}

function contentRows(file: DatabaseSync, pieces: Pieces, { id, ensure }: Ids): ContentRows {
  const read = file.prepare('SELECT id, content FROM graph WHERE name = ?')
  const put = file.prepare(upsert)
  const ownerOf = (graph: string) => pieces.ownerOf(id(graph) ?? 0)
  const scatter = (graph: number) => {
    const owner = pieces.ownerOf(graph)
    if (owner === undefined) return
    pieces.adopt(graph, undefined)
    pieces.forget(owner)
  }
  return {
    scatter,
    ownerOf,
    content: (graph) => {
      const row = read.get(graph)
      const text = row && unpack(row['content'])
      if (!row || text !== '') return text
      const owner = pieces.ownerOf(Number(row['id']))
      return owner === undefined ? '' : joined(pieces.texts(owner))
    },
    *contents(graph) {
      const row = read.get(graph)
      const owner = ownerOf(graph)
      if (owner === undefined) yield row ? unpack(row['content']) : ''
      else yield* pieces.texts(owner)
    },
    setContent: (graph, content) => {
      put.run(graph, pack(content))
      scatter(ensure(graph))
    },
    adopt: (graph, owner) => {
      put.run(graph, new Uint8Array())
      scatter(ensure(graph))
      pieces.adopt(ensure(graph), owner)
    },
  }
}

const naming = (file: DatabaseSync): Pick<Blobs, 'names' | 'count'> => ({
  names: () =>
    file
      .prepare('SELECT name FROM graph')
      .all()
      .map(({ name }) => String(name)),
  count: () => Number(file.prepare('SELECT count(*) AS n FROM graph').get()?.['n']),
})

function* rowsOf(file: DatabaseSync, pieces: Pieces): Generator<Stored> {
  const links = file.prepare('SELECT line FROM link WHERE graph = ? ORDER BY line')
  for (const row of file.prepare('SELECT id, name, content FROM graph').iterate()) {
    const lines = links.all(Number(row['id'])).map(({ line }) => String(line))
    const [name, owner] = [String(row['name']), pieces.ownerOf(Number(row['id']))]
    yield { name, content: unpack(row['content']), links: lines }
    if (owner === undefined) continue
    for (const content of pieces.texts(owner)) yield { name, content, links: [] }
  }
}

/** Opens `{directory}/store.db`, made when absent (directory 700, file 600). A read-only one sees committed writes only. */
export function openBlobs(directory: string, readOnly = false): Blobs {
  const file = openFile(directory, readOnly)
  const find = file.prepare('SELECT id FROM graph WHERE name = ?')
  const make = file.prepare('INSERT INTO graph (name, content) VALUES (?, ?)')
  const id = (graph: string) => {
    const row = find.get(graph)
    return row ? Number(row['id']) : undefined
  }
  const ensure = (graph: string) => {
    const known = id(graph)
    if (known !== undefined) return known
    return Number(make.run(graph, new Uint8Array()).lastInsertRowid)
  }
  const unlink = file.prepare('DELETE FROM link WHERE graph = ?')
  const forget = file.prepare('DELETE FROM graph WHERE id = ?')
  const empty = file.prepare(forgetEmpty)
  const pieces = piecesIn(file)
  const { scatter, ...contents } = contentRows(file, pieces, { id, ensure })
  return {
    pieces,
    ...contents,
    ...linkRows(file, { id, ensure }),
    transaction: (work) => bracket(file, ['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK'], work),
    step: (work) =>
      bracket(file, ['SAVEPOINT step', 'RELEASE step', 'ROLLBACK TO step; RELEASE step'], work),
    has: (graph) => find.get(graph) !== undefined,
    tidy: (graph) => void empty.run(graph),
    drop: (graph) => {
      const known = id(graph)
      if (known === undefined) return
      unlink.run(known)
      scatter(known)
      forget.run(known)
    },
    all: () => rowsOf(file, pieces),
    ...naming(file),
    close: () => file.close(),
  }
}
