/** Records by number and by id, in whatever generation they are: also versions that no search finds any more. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { inflateRawSync } from 'node:zlib'
import { openFile } from '../../sqlite.ts'
import { compareCodePoints } from '../../text/code-points.ts'
import { includeFields } from '../include.ts'
import type { IndexName, IndexSettings } from '../index-settings.ts'
import type { Entry, OrderKey } from '../search-index.ts'
import { Columns } from './columns.ts'
import { answers, readGenerations } from './generations.ts'
import { tablesOf } from './index-file.ts'
import { columnValue } from './sort-keys.ts'

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
    const text = inflateRawSync(json).toString()
    if (!include) return text
    const record: Readonly<Record<string, unknown>> = JSON.parse(text)
    return JSON.stringify(includeFields(record, include))
  }

  /** The id of a version. */
  id(generation: number, n: number): string {
    const { col } = tablesOf(generation)
    return String(this.#sql(`SELECT id FROM ${col} WHERE n = ?`).get(n)?.['id'])
  }

  /** What a version is sorted by; `undefined` for texts, and where it has no such value. */
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
 * What an index has, in the order of ids: for those who compare it with the store. Of two versions of one record, one of them in
 * a generation that is being filled, the one that answers counts.
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

/** How many records the index of a directory has that nobody has opened; none where its file cannot be read. */
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
