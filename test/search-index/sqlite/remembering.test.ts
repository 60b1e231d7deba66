/** What an engine remembers of words, scores and facet values says what one says that has just started. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { embeddedIndex } from '../../../src/search-index/sqlite/sqlite-index.ts'
import type {
  Answer,
  Document,
  FacetFilter,
  Filter,
  SearchIndex,
} from '../../../src/search-index/search-index.ts'
import { logger } from '../../../src/log.ts'
import { records, settings } from '../../bench/search/records.ts'
import { request } from '../../contracts/search-index-corpus.ts'
import { treeOf } from '../../contracts/search-index-trees.ts'

/** So many that a third of them is more than FTS5 is asked for. */
const count = 8_000

let directory: string
let index: SearchIndex
let all: readonly Document[]

const open = () => embeddedIndex({ directory, log: logger('silent'), languages: ['en'] })

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'remembering-'))
  index = await open()
  await index.configure([settings])
  await index.finish('dataset')
  all = [...records(count + 200)]
  for (let from = 0; from < count; from += 1_000) {
    await index.write(all.slice(from, from + 1_000).map((put) => ({ put })))
  }
})

afterAll(async () => {
  await index.close()
  rmSync(directory, { recursive: true })
})

const facets = (
  values: readonly string[],
  operator: FacetFilter['operator'] = 'OR',
  facet = 'facet0',
): Filter => ({
  facets: { groups: [{ facet, values }], operator, groupOperator: 'AND' },
})

const trees = ['broad', 'and(or(some, quality), broad, not(rare))', 'phrase(open data portal)']
const filters: readonly Filter[] = [
  {},
  facets(['v0', 'v3']),
  // Few records: each is looked at.
  facets(['v4900', 'v12'], 'OR', 'facet3'),
  facets(['v3']),
  facets(['v0', 'v3'], 'AND'),
  facets(['v1', 'never']),
]

/** Each tree under each filter, some twice. */
async function answers(): Promise<readonly Answer[]> {
  const made: Answer[] = []
  for (const filter of [...filters, ...filters.toReversed()]) {
    for (const tree of trees) {
      // Other facets each time: what is remembered of a whole answer does not count.
      const size = 5 + made.length
      made.push(
        await index.search({
          ...request({ tree: treeOf(tree), limit: 20, score: true }),
          filter,
          facets: { size, global: false },
        }),
      )
    }
  }
  return made
}

/** Records are replaced by others, go and come. */
async function change(): Promise<void> {
  const replaced = all.slice(0, 100).map((put, n) => ({
    put: { ...(all[n + 500] ?? put), id: put.id, version: count + 1000 + n, hash: `new-${n}` },
  }))
  const gone = all
    .slice(100, 200)
    .map(({ index: name, id }, n) => ({ remove: { index: name, id, version: count + 2000 + n } }))
  const come = all.slice(count).map((put, n) => ({ put: { ...put, version: count + 3000 + n } }))
  await index.write([...replaced, ...gone, ...come])
}

it('says the same when it is asked again, under another filter in between', async () => {
  const made = await answers()
  const rows = trees.length
  const pass = (from: number) =>
    Array.from({ length: filters.length }, (_, n) =>
      made.slice(from + n * rows, from + (n + 1) * rows),
    )
  const [first, second] = [pass(0), pass(made.length / 2).toReversed()]
  const said = (some: readonly Answer[][]) =>
    some.flat().map(({ count: total, hits }) => [total, hits])
  expect(said(second)).toEqual(said(first))
  expect(first[0]?.[0]?.count).toBeGreaterThan(2_000)
  expect(new Set(first.map(([broad]) => broad?.count)).size).toBe(filters.length)
})

it('says the same as after a start, when records have changed', async () => {
  const before = await answers()
  await change()
  const after = await answers()
  expect(after).not.toEqual(before)
  await index.close()
  index = await open()
  await index.configure([settings])
  // Scores count dead versions too, until they are purged.
  const said = (some: readonly Answer[]) =>
    some.map(({ count: total, facets: found }) => [total, found])
  expect(said(await answers())).toEqual(said(after))
})
