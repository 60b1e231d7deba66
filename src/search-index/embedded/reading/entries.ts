/** What stands in an index, in the order of ids: for those who compare it with the store. */

import type { DatabaseSync } from 'node:sqlite'
import { compareCodePoints } from '../../../text/code-points.ts'
import type { Entry } from '../../search-index.ts'
import type { IndexName } from '../../settings.ts'
import { tablesOf } from '../tables.ts'
import { answers, readGenerations } from '../writing/generations.ts'

export type EntriesWanted = {
  readonly index: IndexName
  /** Ids behind this one. */
  readonly after: string
  readonly limit: number
}

/** Of two versions of one record, one of them in an index that is being built, the one that answers counts. */
export function entries(db: DatabaseSync, { index, after, limit }: EntriesWanted): Entry[] {
  const living = readGenerations(db).filter((one) => one.index === index && one.state !== 'old')
  const answeringLast = living.toSorted((a, b) => Number(answers(a)) - Number(answers(b)))
  const all = new Map<string, Entry>()
  for (const { generation } of answeringLast)
    for (const entry of entriesIn(db, tablesOf(generation).key, { after, limit }))
      all.set(entry.id, entry)
  const inOrder = [...all.values()].sort((a, b) => compareCodePoints(a.id, b.id))
  return inOrder.slice(0, limit)
}

function entriesIn(
  db: DatabaseSync,
  key: string,
  { after, limit }: Omit<EntriesWanted, 'index'>,
): Entry[] {
  const statement = db.prepare(
    `SELECT id, version, hash FROM ${key} WHERE id > ? AND n IS NOT NULL ORDER BY id LIMIT ?`,
  )
  return statement.all(after, limit).map((row) => ({
    id: String(row['id']),
    version: Number(row['version']),
    hash: String(row['hash']),
  }))
}
