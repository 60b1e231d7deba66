/** The writer and the reader of the engine without threads: purging, and a reader that slept meanwhile. */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, it } from 'vitest'
import { batchOf } from '../../src/search-index/sqlite/worker-messages.ts'
import { IndexFileReader } from '../../src/search-index/sqlite/reader.ts'
import { IndexFileWriter } from '../../src/search-index/sqlite/writer.ts'
import { documentOf, languages, request, settings } from '../contracts/search-index-corpus.ts'
import { treeOf } from '../contracts/search-index-trees.ts'

const directory = mkdtempSync(join(tmpdir(), 'purge-'))
const path = join(directory, 'index.db')

afterEach(() => rmSync(directory, { recursive: true, force: true }))

const versions = (version: number, count: number) => {
  const documents = Array.from({ length: count }, (_, i) =>
    documentOf({
      index: 'dataset',
      id: `r${i}`,
      version,
      text: { title: { en: [`v${version}`] } },
      facets: { format: ['CSV', `odd${i % 2}`], publisher: [`p${version}`] },
    }),
  )
  return batchOf(documents.map((put) => ({ put })))
}

describe('purging', () => {
  it('removes the rows of dead versions and nothing that can be found', () => {
    const writer = new IndexFileWriter(path)
    writer.configure(settings, languages)
    const sleeper = new IndexFileReader(path, () => undefined)
    expect(sleeper.search(request()).count).toBe(0)
    const awake = new IndexFileReader(path, () => undefined)
    for (let version = 1; version <= 4; version++) {
      expect(writer.write([versions(version, 1000)]).errors).toEqual([undefined])
      expect(awake.search(request()).count).toBe(1000)
      expect(writer.documentCounts().dataset).toBe(1000)
      expect(writer.newestVersion()).toBe(version)
    }
    expect(writer.purge()).toBe(true)
    expect(writer.purge()).toBe(false)
    const db = new DatabaseSync(path)
    for (const table of ['doc_1', 'col_1']) {
      expect(db.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.['count']).toBe(1000)
    }
    // As after a hundred thousand further purges: the first deaths are forgotten, the last ones are not.
    db.exec('DELETE FROM dead WHERE seq < 2900')
    db.close()
    for (const reader of [awake, sleeper, new IndexFileReader(path, () => undefined)]) {
      expect(reader.search(request({ limit: 1 })).count).toBe(1000)
      expect(reader.search(request({ tree: treeOf('v4') })).hits).toHaveLength(1000)
      expect(reader.search(request({ tree: treeOf('or(v1, v2, v3)') })).count).toBe(0)
      expect(reader.search(request({ tree: treeOf('not(v1)') })).count).toBe(1000)
      expect(
        reader.facetValues('dataset', 'format').map(({ id, count }) => `${id} ${count}`),
      ).toEqual(['CSV 1000', 'odd0 500', 'odd1 500'])
      expect(reader.facetValues('dataset', 'publisher').map(({ id }) => id)).toEqual(['p4'])
      reader.close()
    }
    expect(writer.checkpoint()).toBe(0)
    writer.close()
  })
})

describe('counting', () => {
  it('follows what comes, goes and is taken back', () => {
    mkdirSync(directory, { recursive: true })
    const writer = new IndexFileWriter(path)
    writer.configure(settings, languages)
    const removal = batchOf([{ remove: { index: 'dataset', id: 'r0', version: 3 } }])
    const bad = batchOf([{ remove: { index: 'resource_nothing', id: 'r9', version: 9 } }])
    const counted = () => [writer.documentCounts().dataset, writer.newestVersion()]
    expect(counted()).toEqual([0, 0])
    writer.write([versions(1, 5)])
    expect(counted()).toEqual([5, 1])
    // The batch that cannot be written is taken back with its neighbour, which is written again alone.
    expect(writer.write([versions(2, 7), bad]).errors.map((error) => error === undefined)).toEqual([
      true,
      false,
    ])
    expect(counted()).toEqual([7, 2])
    writer.write([removal])
    writer.write([removal])
    expect(counted()).toEqual([6, 3])
    writer.close()
    const next = new IndexFileWriter(path)
    expect([next.documentCounts().dataset, next.newestVersion()]).toEqual([6, 3])
    next.close()
  })
})

describe('dropping', () => {
  const tables = (db: DatabaseSync) =>
    db
      .prepare(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '%\\_1%' ESCAPE '\\'",
      )
      .all()
      .map((row) => String(row['name']))
  const others = settings.map((one) => ({ ...one, basis: 'other' }))

  it('takes the tables of what was swapped away a portion at a time, and goes on after a crash', () => {
    mkdirSync(directory, { recursive: true })
    const writer = new IndexFileWriter(path)
    writer.configure(settings, languages)
    for (const { index } of settings) writer.finish(index)
    writer.write([versions(1, 5000)])
    const { rebuild } = writer.configure(others, languages)
    expect(rebuild).toContain('dataset')
    const reader = new IndexFileReader(path, () => undefined)
    expect(reader.search(request()).count).toBe(5000)
    writer.write([versions(2, 3)])
    writer.finish('dataset')
    const db = new DatabaseSync(path)
    expect(tables(db)).toContain('doc_1')
    expect(writer.purge()).toBe(true)
    const rows = () => Number(db.prepare('SELECT count(*) AS n FROM doc_1').get()?.['n'])
    expect(rows()).toBe(3003)
    expect(reader.search(request()).count).toBe(3)
    // As if the process had died here.
    writer.close()
    const next = new IndexFileWriter(path)
    next.configure(others, languages)
    let steps = 0
    while (next.purge()) steps++
    expect(steps).toBeGreaterThan(5)
    expect(tables(db)).toEqual([])
    expect(reader.search(request()).count).toBe(3)
    expect(next.write([versions(3, 3)]).errors).toEqual([undefined])
    expect(reader.search(request({ tree: treeOf('v3') })).count).toBe(3)
    expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
    db.close()
    reader.close()
    next.close()
  })

  it('leaves one segment of the words of an index that was filled, with the same hits', () => {
    const writer = new IndexFileWriter(path)
    writer.configure(settings, languages)
    for (const id of ['a', 'b', 'c']) writer.write([batchOf([{ put: only(id, 1) }])])
    const db = new DatabaseSync(path)
    // The number of a segment is in the upper bits of the key of its pages.
    const pages = 'FROM fts_1_data WHERE id >> 37 > 0'
    const segments = () =>
      Number(db.prepare(`SELECT count(DISTINCT id >> 37) AS count ${pages}`).get()?.['count'])
    const found = () => new IndexFileReader(path, () => undefined).search(request()).count
    const count = found()
    expect(segments()).toBeGreaterThan(1)
    writer.finish('dataset')
    while (writer.purge()) expect(found()).toBe(count)
    expect(segments()).toBe(1)
    writer.write([batchOf([{ put: only('d', 1) }])])
    expect(found()).toBe(count + 1)
    db.close()
    writer.close()
  })
})

const only = (id: string, version: number) =>
  documentOf({ index: 'dataset', id, version, text: { title: { en: [`title of ${id}`] } } })
