/** Contents that are too large for one text: kept in pieces that belong to an owner, which a graph takes as its own in one step. */

import type { DatabaseSync } from 'node:sqlite'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { inUtf8 } from '../../../text/utf8.ts'

export const pieceSchema = `
  CREATE TABLE IF NOT EXISTS piece (owner INTEGER NOT NULL, number INTEGER NOT NULL, content BLOB NOT NULL, PRIMARY KEY (owner, number)) STRICT;
  CREATE TABLE IF NOT EXISTS large (graph INTEGER PRIMARY KEY, owner INTEGER NOT NULL UNIQUE) STRICT;
`

/** Texts of whole lines, sorted over all pieces of an owner, numbered from 0. */
export type Pieces = {
  /** An owner that has no piece yet and is no graph's. */
  open(): number
  add(owner: number, number: number, text: string): void
  /** Of the graph with that id; `undefined` when its content is one text. */
  ownerOf(graph: number): number | undefined
  count(owner: number): number
  text(owner: number, number: number): string | undefined
  texts(owner: number): Generator<string>
  /** Makes an owner's pieces the content of a graph; what it had before is nobody's. */
  adopt(graph: number, owner: number | undefined): void
  /** Keeps an owner's pieces until it is left as often. */
  visit(owner: number): void
  leave(owner: number): void
  /** How often each owner is visited. */
  readonly visits: Map<number, number>
  /** Deletes the pieces; those that are visited go when they are left. */
  forget(owner: number): void
  /** Forgets all pieces that are no graph's; answers how many owners there were. */
  sweep(): number
}

export const pack = (text: string): Uint8Array =>
  text === '' ? new Uint8Array() : inUtf8(text, (bytes) => deflateRawSync(bytes, { level: 1 }))

export const unpack = (blob: unknown): string =>
  blob instanceof Uint8Array && blob.length > 0 ? inflateRawSync(blob).toString('utf8') : ''

const orphans = 'FROM piece WHERE owner NOT IN (SELECT owner FROM large)'

type Keeping = Pick<Pieces, 'visit' | 'leave' | 'visits' | 'forget' | 'sweep'>

function keeping(file: DatabaseSync): Keeping {
  const remove = file.prepare('DELETE FROM piece WHERE owner = ?')
  const owned = file.prepare('SELECT 1 FROM large WHERE owner = ?')
  const visits = new Map<number, number>()
  return {
    visits,
    visit: (owner) => void visits.set(owner, (visits.get(owner) ?? 0) + 1),
    leave: (owner) => {
      const left = (visits.get(owner) ?? 0) - 1
      if (left > 0) visits.set(owner, left)
      else visits.delete(owner)
      if (left <= 0 && owned.get(owner) === undefined) remove.run(owner)
    },
    forget: (owner) => {
      if (!visits.has(owner)) remove.run(owner)
    },
    sweep: () => {
      const left = Number(file.prepare(`SELECT count(DISTINCT owner) AS n ${orphans}`).get()?.['n'])
      if (left > 0) file.exec(`DELETE ${orphans}`)
      return left
    },
  }
}

export function piecesIn(file: DatabaseSync): Pieces {
  const insert = file.prepare('INSERT INTO piece (owner, number, content) VALUES (?, ?, ?)')
  const find = file.prepare('SELECT owner FROM large WHERE graph = ?')
  const one = file.prepare('SELECT content FROM piece WHERE owner = ? AND number = ?')
  const counted = file.prepare('SELECT count(*) AS n FROM piece WHERE owner = ?')
  const link = file.prepare('INSERT INTO large (graph, owner) VALUES (?, ?)')
  const unlink = file.prepare('DELETE FROM large WHERE graph = ?')
  let last = Number(file.prepare('SELECT max(owner) AS n FROM piece').get()?.['n'] ?? 0)
  const text = (owner: number, number: number) => {
    const row = one.get(owner, number)
    return row && unpack(row['content'])
  }
  const count = (owner: number) => Number(counted.get(owner)?.['n'])
  return {
    ...keeping(file),
    open: () => (last += 1),
    add: (owner, number, content) => void insert.run(owner, number, pack(content)),
    ownerOf: (graph) => {
      const row = find.get(graph)
      return row ? Number(row['owner']) : undefined
    },
    count,
    text,
    *texts(owner) {
      for (let number = 0, all = count(owner); number < all; number += 1) {
        yield text(owner, number) ?? ''
      }
    },
    adopt: (graph, owner) => {
      unlink.run(graph)
      if (owner !== undefined) link.run(graph, owner)
    },
  }
}
