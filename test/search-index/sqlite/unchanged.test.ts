/** A record that is written as it is already takes its version over and nothing else. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { IndexFileReader } from '../../../src/search-index/sqlite/reader.ts'
import { batchOf } from '../../../src/search-index/sqlite/worker-messages.ts'
import { IndexFileWriter } from '../../../src/search-index/sqlite/writer.ts'
import { documentOf, languages, request, settings } from '../../contracts/search-index-corpus.ts'
import { treeOf } from '../../contracts/search-index-trees.ts'

let directory: string
let writer: IndexFileWriter
let reader: IndexFileReader

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'unchanged-'))
  const path = join(directory, 'index.db')
  writer = new IndexFileWriter(path)
  writer.configure(settings, languages)
  writer.finish('dataset')
  reader = new IndexFileReader(path, () => undefined)
})

afterEach(() => {
  reader.close()
  writer.close()
  rmSync(directory, { recursive: true })
})

type Wish = { readonly version: number; readonly word?: string; readonly format?: string }

function put({ version, word = 'harbour', format = 'CSV' }: Wish, hash = `h${version}`): void {
  const text = { title: { en: [word] } }
  const made = documentOf({
    index: 'dataset',
    id: 'r',
    version,
    text,
    facets: { format: [format] },
  })
  const record = { id: 'r', title: { en: word } }
  expect(writer.write([batchOf([{ put: { ...made, hash, record } }])]).errors).toEqual([undefined])
}

/** Versions that were ever stored. */
function rows(): number {
  const db = new DatabaseSync(join(directory, 'index.db'), { readOnly: true })
  const row = db.prepare('SELECT count(*) AS count FROM doc_1').get()
  db.close()
  return Number(row?.['count'])
}

const entry = () => writer.entries({ index: 'dataset', after: '', limit: 10 })
const found = (word: string) => reader.search(request({ tree: treeOf(word) })).count

it('has the newer version and hash afterwards, in the same row', () => {
  put({ version: 1 })
  put({ version: 2 })
  expect(entry()).toEqual([{ id: 'r', version: 2, hash: 'h2' }])
  expect([rows(), found('harbour'), writer.newestVersion()]).toEqual([1, 1, 2])
})

it('still refuses what is older, whatever it says', () => {
  put({ version: 5 })
  put({ version: 7 })
  put({ version: 6, word: 'late' })
  expect(entry()).toEqual([{ id: 'r', version: 7, hash: 'h7' }])
  expect([found('late'), found('harbour')]).toEqual([0, 1])
})

it('is another one as soon as a text, a facet or the record differs', () => {
  put({ version: 1 })
  put({ version: 2, word: 'quay' })
  put({ version: 3, word: 'quay', format: 'XML' })
  expect([rows(), found('harbour'), found('quay')]).toEqual([3, 0, 1])
  expect(reader.facetValues('dataset', 'format').map(({ id }) => id)).toEqual(['XML'])
})

it('comes back after it was removed', () => {
  put({ version: 1 })
  writer.write([batchOf([{ remove: { index: 'dataset', id: 'r', version: 2 } }])])
  expect(found('harbour')).toBe(0)
  put({ version: 3 })
  expect([found('harbour'), rows()]).toEqual([1, 2])
})

it('is found once when it came, went and came again in one transaction', () => {
  const made = (version: number, word: string) => ({
    put: documentOf({ index: 'dataset', id: 'r', version, text: { title: { en: [word] } } }),
  })
  const remove = { remove: { index: 'dataset' as const, id: 'r', version: 3 } }
  put({ version: 1 })
  const batch = batchOf([made(2, 'pier'), remove, made(4, 'mole')])
  expect(writer.write([batch]).errors).toEqual([undefined])
  expect(['harbour', 'pier', 'mole'].map(found)).toEqual([0, 0, 1])
})
