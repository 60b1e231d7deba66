/** Relevance of many hits is reckoned over lengths in memory: it is the bm25 of FTS5 all the same. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { embeddedIndex } from '../../../src/search-index/sqlite/sqlite-index.ts'
import { columnsOf } from '../../../src/search-index/sqlite/index-file.ts'
import type { SearchIndex } from '../../../src/search-index/search-index.ts'
import { logger } from '../../../src/log.ts'
import { records, settings } from '../../bench/search/records.ts'
import { request } from '../../contracts/search-index-corpus.ts'
import { treeOf } from '../../contracts/search-index-trees.ts'

/** So many that a third of them is more than FTS5 is asked for. */
const count = 8_000

let directory: string
let index: SearchIndex

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'relevance-'))
  index = await embeddedIndex({ directory, log: logger('silent'), languages: ['en'] })
  await index.configure([settings])
  await index.finish('dataset')
  const all = [...records(count)]
  for (let from = 0; from < count; from += 1_000) {
    await index.write(all.slice(from, from + 1_000).map((put) => ({ put })))
  }
})

afterAll(async () => {
  await index.close()
  rmSync(directory, { recursive: true })
})

/** Scores by id, as FTS5 gives them. */
function alone(match: string): ReadonlyMap<string, number> {
  const db = new DatabaseSync(join(directory, 'index.db'), { readOnly: true })
  const generation = Number(db.prepare('SELECT max(generation) AS g FROM gen').get()?.['g'])
  const fts = `fts_${generation}`
  const boosts = new Map(settings.texts.map(({ name, boost }) => [name, boost]))
  const weights = columnsOf(settings).map(({ field }) => boosts.get(field) ?? 1)
  const rows = db
    .prepare(
      `SELECT id, -bm25(${fts}, ${weights.join(', ')}) AS score
       FROM ${fts} JOIN col_${generation} ON n = ${fts}.rowid WHERE ${fts} MATCH ?`,
    )
    .all(match)
  db.close()
  return new Map(rows.map((row) => [String(row['id']), Number(row['score'])]))
}

it.each([
  ['broad', '"en\ue001broad"'],
  ['or(broad, some)', '"en\ue001broad" OR "en\ue001some"'],
])('of %s', async (tree, match) => {
  const expected = alone(match)
  expect(expected.size).toBeGreaterThan(2_000)
  const { count: found, hits } = await index.search(
    request({ indices: ['dataset'], tree: treeOf(tree), score: true, limit: count }),
  )
  expect(found).toBe(expected.size)
  const wrong = hits.filter(({ id, score = 0 }) => {
    const wanted = expected.get(id) ?? Number.NaN
    return !(Math.abs(score - wanted) <= 1e-5 * wanted)
  })
  expect(wrong.map(({ id, score }) => [id, score, expected.get(id)])).toEqual([])
})
