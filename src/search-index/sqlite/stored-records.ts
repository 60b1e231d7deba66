/**
 * Records by number and by id, in whatever generation they are, also versions that no search finds any more; and snapshots, which keep
 * the hits of a search as numbers and read their records page by page.
 */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { inflateRawSync } from 'node:zlib'
import { openFile } from '../../sqlite.ts'
import { compareCodePoints } from '../../text/code-points.ts'
import { uninterrupted } from '../../workers/uninterrupted.ts'
import { includeText } from '../include.ts'
import type { IndexName, IndexSettings } from '../index-settings.ts'
import type { Entry, OrderKey, Facet, Hit, SearchRequest } from '../search-index.ts'
import { Columns } from './columns.ts'
import { answers, readGenerations } from './generations.ts'
import { tablesOf } from './index-file.ts'
import { columnValue } from './top-hits.ts'

/** Reads by number need no view of an index: they work for old cursors too. */
export class StoredRecords {
  readonly #sql: (text: string) => StatementSync

  /** `sql` gives prepared statements by their text. */
  constructor(sql: (text: string) => StatementSync) {
    this.#sql = sql
  }

  /** The JSON text of a version, reduced to `include`. */
  text(generation: number, n: number, include?: readonly string[]): string {
    const { doc } = tablesOf(generation)
    const json = this.#sql(`SELECT json FROM ${doc} WHERE n = ?`).get(n)?.['json']
    if (!(json instanceof Uint8Array)) throw new Error(`record version ${n} is missing`)
    return includeText(uninterrupted(() => inflateRawSync(json)).toString(), include)
  }

  /** The id of a version. */
  id(generation: number, n: number): string {
    const { col } = tablesOf(generation)
    return String(this.#sql(`SELECT id FROM ${col} WHERE n = ?`).get(n)?.['id'])
  }

  /** Sort value of a version; `undefined` for texts, and where it has no such value. */
  sortValue(generation: number, n: number, key: OrderKey): number | undefined {
    const { col } = tablesOf(generation)
    const row = this.#sql(`SELECT dates, numbers, flags FROM ${col} WHERE n = ?`).get(n) ?? {}
    const stored = this.#sql('SELECT settings FROM gen WHERE generation = ?').get(generation)
    const settings: IndexSettings = JSON.parse(String(stored?.['settings']))
    const columns = new Columns(settings)
    columns.append(0, row)
    const value = columnValue(key, columns, settings)?.(0)
    return Number.isNaN(value) ? undefined : value
  }

  /** The number of the current version of a record; null = it was deleted. */
  find(generation: number, id: string): number | null | undefined {
    const row = this.#sql(`SELECT n FROM ${tablesOf(generation).key} WHERE id = ?`).get(id)
    const n = row?.['n']
    return typeof n === 'number' || n === null ? n : undefined
  }
}

export type EntriesRequest = {
  readonly index: IndexName
  /** Ids after this one. */
  readonly after: string
  readonly limit: number
}

/**
 * Entries of an index in the order of ids, for the comparison with the store. Of two versions of one record, one of them in a generation
 * that is being filled, the one that answers counts.
 */
export function entries(db: DatabaseSync, { index, after, limit }: EntriesRequest): Entry[] {
  const living = readGenerations(db).filter((one) => one.index === index && one.state !== 'old')
  const answeringLast = living.toSorted((a, b) => Number(answers(a)) - Number(answers(b)))
  const all = new Map<string, Entry>()
  for (const { generation } of answeringLast) {
    const { key } = tablesOf(generation)
    const rows = db
      .prepare(
        `SELECT id, version, hash FROM ${key} WHERE id > ? AND n IS NOT NULL ORDER BY id LIMIT ?`,
      )
      .all(after, limit)
    for (const row of rows) {
      const id = String(row['id'])
      all.set(id, { id, version: Number(row['version']), hash: String(row['hash']) })
    }
  }
  const inOrder = [...all.values()].sort((a, b) => compareCodePoints(a.id, b.id))
  return inOrder.slice(0, limit)
}

/** Number of records in the index of a directory that no process has open; none where its file cannot be read. */
export function recordsIn(directory: string): number {
  const path = join(directory, 'index.db')
  if (!existsSync(path)) return 0
  try {
    const file = openFile(path, { readOnly: true })
    try {
      const counts = readGenerations(file)
        .filter(answers)
        .map(({ generation }) =>
          file.prepare(`SELECT count(n) AS count FROM ${tablesOf(generation).key}`).get(),
        )
      return counts.reduce((sum, row) => sum + Number(row?.['count'] ?? 0), 0)
    } finally {
      file.close()
    }
  } catch {
    // Whoever opens it says what is wrong with it.
    return 0
  }
}

export type SnapshotRequest = Omit<SearchRequest, 'offset'>

/** Hits in their order. A version does not change under its number while a cursor holds it, nor before the next write. */
export type Snapshot = {
  /** The indices as they were searched. */
  readonly spans: readonly { readonly index: IndexName; readonly generation: number }[]
  readonly numbers: Uint32Array
  /** Which of the spans each is in; absent when there is one. */
  readonly of?: Uint16Array
  /** Absent when nobody asks for them. */
  readonly scores?: Float32Array
  /** First sort key, if any. */
  readonly sortedBy?: OrderKey
}

/** Neighbours of a snapshot, and how their records are wanted. */
export type Slice = Snapshot & { readonly include?: readonly string[]; readonly score: boolean }

export type SlicePage = {
  readonly hits: readonly Hit[]
  /** Sort value or score of the last hit; absent for texts and where it is missing. */
  readonly value?: number
}

/** A snapshot and its first page. */
export type SnapshotAnswer = SlicePage & {
  readonly snapshot: Snapshot
  readonly facets?: readonly Facet[]
  readonly shortened?: readonly string[]
}

/** The hits from one place up to another, in arrays of their own. */
export const sliceOf = (snapshot: Snapshot, start: number, end: number): Snapshot => ({
  ...snapshot,
  numbers: snapshot.numbers.slice(start, end),
  ...(snapshot.of && { of: snapshot.of.slice(start, end) }),
  ...(snapshot.scores && { scores: snapshot.scores.slice(start, end) }),
})

/** The records of a slice as they were when the snapshot was taken. */
export function readSlice(slice: Slice, records: StoredRecords): SlicePage {
  const { spans, numbers, of, scores, sortedBy, include, score } = slice
  const spanOf = (i: number) => spans[of?.[i] ?? 0]
  const hits = Array.from(numbers, (n, i): Hit => {
    const span = spanOf(i)
    if (!span) throw new Error(`no index at place ${i}`)
    const { index, generation } = span
    return {
      index,
      id: records.id(generation, n),
      ...(score && { score: scores?.[i] ?? 0 }),
      record: records.text(generation, n, include),
    }
  })
  const [last, span] = [numbers.length - 1, spanOf(numbers.length - 1)]
  if (!span || !sortedBy) return { hits }
  const value =
    sortedBy.by === 'relevance'
      ? scores?.[last]
      : records.sortValue(span.generation, numbers[last] ?? 0, sortedBy)
  return { hits, value }
}
