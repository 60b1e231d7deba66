/** An index most of whose numbers are dead is filled anew, at the next start at the latest, and answers meanwhile. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { IndexFileWriter } from '../../../src/search-index/sqlite/writer.ts'
import {
  configureGenerations,
  finishGeneration,
  readGenerations,
} from '../../../src/search-index/sqlite/generations.ts'
import { createCommonTables, tablesOf } from '../../../src/search-index/sqlite/index-file.ts'
import { languages, settings } from '../../contracts/search-index-corpus.ts'

let directory: string
let db: DatabaseSync

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'worn-'))
  db = new DatabaseSync(join(directory, 'index.db'))
  createCommonTables(db)
  configureGenerations(db, settings, languages)
  for (const { index } of settings) finishGeneration(db, index)
})

afterEach(() => {
  db.close()
  rmSync(directory, { recursive: true })
})

/** As if so many versions had been written of one record. */
function used(numbers: number): void {
  const [first] = readGenerations(db)
  const { key, col } = tablesOf(first?.number ?? 0)
  db.prepare(`INSERT INTO ${col} (n, id, words) VALUES (?, 'a', 1)`).run(numbers)
  db.prepare(`INSERT INTO ${key} (id, n, version, hash, print) VALUES ('a', ?, 1, '', '')`).run(
    numbers,
  )
}

it('when it has given many numbers for few records', () => {
  used(100_003)
  const rebuild = configureGenerations(db, settings, languages)
  expect(rebuild).toEqual([readGenerations(db)[0]?.index])
  expect(readGenerations(db).map(({ state }) => state)).toContain('next')
  expect(configureGenerations(db, settings, languages)).toEqual(rebuild)
})

it('but not before', () => {
  used(99_999)
  expect(configureGenerations(db, settings, languages)).toEqual([])
})

it('and says so while it runs', () => {
  const writer = new IndexFileWriter(join(directory, 'index.db'))
  expect(writer.fragmented()).toEqual([])
  used(100_003)
  expect(writer.fragmented()).toEqual([readGenerations(db)[0]?.index])
  writer.close()
})
