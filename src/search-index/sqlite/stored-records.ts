/**
 * Reading of stored records by number or id, including versions that have ended, and snapshots, which hold the hits of a search as
 * numbers and read their records page by page.
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
import { isSearched, readGenerations } from './generations.ts'
import { tablesOf } from './index-file.ts'
import { vectorOf } from '../vectors.ts'
import { columnValue } from './top-hits.ts'

/** Reads records of any generation. */
export class StoredRecords {
  readonly #sql: (text: string) => StatementSync

  /** `sql` returns the prepared statement of a text. */
  constructor(sql: (text: string) => StatementSync) {
    this.#sql = sql
  }

  /** JSON text of a version, reduced to `include`. Throws if the version was purged. */
  text(generation: number, n: number, include?: readonly string[]): string {
    const { doc } = tablesOf(generation)
    const json = this.#sql(`SELECT json FROM ${doc} WHERE n = ?`).get(n)?.['json']
    if (!(json instanceof Uint8Array)) throw new Error(`record version ${n} is missing`)
    return includeText(uninterrupted(() => inflateRawSync(json)).toString(), include)
  }

  /** Record id of a version. */
  id(generation: number, n: number): string {
    const { col } = tablesOf(generation)
    return String(this.#sql(`SELECT id FROM ${col} WHERE n = ?`).get(n)?.['id'])
  }

  /** Sort value of a version; `undefined` for texts, and if it has no such value. */
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

  /** Vector of the current version of a record, if it has one. */
  vector(generation: number, id: string): Int8Array | undefined {
    const { key, vec } = tablesOf(generation)
    const v = this.#sql(`SELECT v FROM ${vec} JOIN ${key} USING (n) WHERE id = ?`).get(id)?.['v']
    return v instanceof Uint8Array ? vectorOf(v) : undefined
  }

  /** Number of the current version of a record; null = removed, `undefined` = never stored. */
  find(generation: number, id: string): number | null | undefined {
    const row = this.#sql(`SELECT n FROM ${tablesOf(generation).key} WHERE id = ?`).get(id)
    const n = row?.['n']
    return typeof n === 'number' || n === null ? n : undefined
  }
}

/** Arguments of `entries`. */
export type EntriesRequest = {
  readonly index: IndexName
  /** Only ids greater than this one. */
  readonly after: string
  readonly limit: number
}

/** Entries of an index in the order of ids, for reconcile. Of a record in two generations the entry of the searched one is returned. */
export function entries(db: DatabaseSync, { index, after, limit }: EntriesRequest): Entry[] {
  const generations = readGenerations(db).filter(
    (generation) => generation.index === index && generation.state !== 'old',
  )
  const searchedLast = generations.toSorted((a, b) => Number(isSearched(a)) - Number(isSearched(b)))
  const entriesById = new Map<string, Entry>()
  for (const { number } of searchedLast) {
    const { key } = tablesOf(number)
    const rows = db
      .prepare(
        `SELECT id, version, hash FROM ${key} WHERE id > ? AND n IS NOT NULL ORDER BY id LIMIT ?`,
      )
      .all(after, limit)
    for (const row of rows) {
      const id = String(row['id'])
      entriesById.set(id, { id, version: Number(row['version']), hash: String(row['hash']) })
    }
  }
  const sortedEntries = [...entriesById.values()].sort((a, b) => compareCodePoints(a.id, b.id))
  return sortedEntries.slice(0, limit)
}

/** Number of records in the index of a directory, which no process may have open; 0 if the file is missing or cannot be read. */
export function recordsIn(directory: string): number {
  const path = join(directory, 'index.db')
  if (!existsSync(path)) return 0
  try {
    const file = openFile(path, { readOnly: true })
    try {
      const counts = readGenerations(file)
        .filter(isSearched)
        .map(({ number }) =>
          file.prepare(`SELECT count(n) AS count FROM ${tablesOf(number).key}`).get(),
        )
      return counts.reduce((sum, row) => sum + Number(row?.['count'] ?? 0), 0)
    } finally {
      file.close()
    }
  } catch {
    // Opening the index reports what is wrong with the file.
    return 0
  }
}

/** Search whose hits are held. */
export type SnapshotRequest = Omit<SearchRequest, 'offset'>

/** Hits of a search in their order. The record of a number does not change as long as a cursor holds it. */
export type Snapshot = {
  /** Searched generations. */
  readonly spans: readonly { readonly index: IndexName; readonly generation: number }[]
  /** Record number of each hit. */
  readonly numbers: Uint32Array
  /** Position in `spans` of each hit; absent if there is only one span. */
  readonly spanIndexes?: Uint16Array
  /** Score of each hit; absent unless requested or sorted by. */
  readonly scores?: Float32Array
  /** 1 for each hit that is only close in meaning; absent if no vectors were compared. */
  readonly related?: Uint8Array
  /** Closeness in meaning of each hit; absent if no vectors were compared. */
  readonly closeness?: Float32Array
  /** First sort key, if any. */
  readonly sortedBy?: OrderKey
}

/** Consecutive hits of a snapshot, and the form in which their records are returned. */
export type Slice = Snapshot & { readonly include?: readonly string[]; readonly score: boolean }

/** Records of a slice. */
export type SlicePage = {
  readonly hits: readonly Hit[]
  /** Sort value or score of the last hit; absent for texts and if the record has none. */
  readonly value?: number
}

/** Snapshot and its first page. */
export type SnapshotAnswer = SlicePage & {
  readonly snapshot: Snapshot
  readonly facets?: readonly Facet[]
  readonly truncatedPatterns?: readonly string[]
}

/** Copies the hits from `start` to `end`, exclusive. */
export const sliceOf = (snapshot: Snapshot, start: number, end: number): Snapshot => ({
  ...snapshot,
  numbers: snapshot.numbers.slice(start, end),
  ...(snapshot.spanIndexes && { spanIndexes: snapshot.spanIndexes.slice(start, end) }),
  ...(snapshot.scores && { scores: snapshot.scores.slice(start, end) }),
  ...(snapshot.related && { related: snapshot.related.slice(start, end) }),
  ...(snapshot.closeness && { closeness: snapshot.closeness.slice(start, end) }),
})

/** Reads the records of a slice as they were when the snapshot was taken. */
export function readSlice(slice: Slice, records: StoredRecords): SlicePage {
  const { spans, numbers, spanIndexes, scores, related, closeness, sortedBy, include, score } =
    slice
  const spanOf = (i: number) => spans[spanIndexes?.[i] ?? 0]
  const hits = Array.from(numbers, (n, i): Hit => {
    const span = spanOf(i)
    if (!span) throw new Error(`no index at place ${i}`)
    const { index, generation } = span
    return {
      index,
      id: records.id(generation, n),
      ...(score && { score: scores?.[i] ?? 0 }),
      ...(related?.[i] === 1 && { related: true as const }),
      ...(closeness && { closeness: closeness[i] ?? 0 }),
      record: records.text(generation, n, include),
    }
  })
  const [last, span] = [numbers.length - 1, spanOf(numbers.length - 1)]
  if (!span || !sortedBy) return { hits }
  const value =
    sortedBy.name === 'relevance'
      ? scores?.[last]
      : records.sortValue(span.generation, numbers[last] ?? 0, sortedBy)
  return { hits, value }
}
