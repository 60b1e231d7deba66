/** The writer and the reader of the engine without threads: purging, and a reader that slept meanwhile. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, it } from 'vitest'
import { Reader } from '../../src/indices/embedded/reading/reader.ts'
import { Writer } from '../../src/indices/embedded/writing/writer.ts'
import { documentOf, languages, request, settings } from '../contracts/search-index-corpus.ts'
import { treeOf } from '../contracts/search-index-trees.ts'

const directory = mkdtempSync(join(tmpdir(), 'purge-'))
const path = join(directory, 'index.db')

afterEach(() => rmSync(directory, { recursive: true, force: true }))

const batchOf = (version: number, count: number) => {
  const documents = Array.from({ length: count }, (_, i) =>
    documentOf({
      index: 'dataset',
      id: `r${i}`,
      version,
      text: { title: { en: [`v${version}`] } },
    }),
  )
  return {
    heads: JSON.stringify(documents.map((put) => ({ put }))),
    records: documents.map((one) => JSON.stringify(one.record)),
  }
}

describe('purging', () => {
  it('removes the rows of dead versions and nothing that can be found', () => {
    const writer = new Writer(path)
    writer.configure(settings, languages)
    const sleeper = new Reader(path, () => undefined)
    expect(sleeper.search(request()).count).toBe(0)
    const awake = new Reader(path, () => undefined)
    for (let version = 1; version <= 4; version++) {
      expect(writer.write([batchOf(version, 1000)]).errors).toEqual([undefined])
      expect(awake.search(request()).count).toBe(1000)
    }
    expect(writer.purge()).toBe(true)
    expect(writer.purge()).toBe(false)
    const db = new DatabaseSync(path)
    for (const table of ['doc_1', 'col_1']) {
      expect(db.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.['count']).toBe(1000)
    }
    // As after a hundred thousand further purges: the first deaths are forgotten, the last ones are not.
    db.exec('DELETE FROM dead_1 WHERE seq < 2900')
    db.close()
    for (const reader of [awake, sleeper, new Reader(path, () => undefined)]) {
      expect(reader.search(request({ limit: 1 })).count).toBe(1000)
      expect(reader.search(request({ tree: treeOf('v4') })).hits).toHaveLength(1000)
      expect(reader.search(request({ tree: treeOf('or(v1, v2, v3)') })).count).toBe(0)
      expect(reader.search(request({ tree: treeOf('not(v1)') })).count).toBe(1000)
      expect(reader.documents().dataset).toBe(1000)
      reader.close()
    }
    expect(writer.checkpoint()).toBe(0)
    writer.close()
  })
})
