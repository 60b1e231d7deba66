/** A file that is damaged while the engine runs: searches wait, it is filled again, and nothing needs a restart. */

import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Writable } from 'node:stream'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { embeddedIndex } from '../../../src/search-index/sqlite/sqlite-index.ts'
import type { SearchIndex } from '../../../src/search-index/search-index.ts'
import { logger } from '../../../src/log.ts'
import {
  configured,
  documentOf,
  documents,
  languages,
  request,
} from '../../contracts/search-index-corpus.ts'

let directory: string
let index: SearchIndex
let log: string

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'mending-'))
  log = ''
  const write = (chunk: Buffer, _: string, next: () => void) => {
    log += chunk.toString()
    next()
  }
  index = await embeddedIndex({
    directory,
    log: logger('warn', new Writable({ write })),
    languages,
  })
  await configured(index)
  await index.write(documents.map((put) => ({ put })))
})

afterEach(async () => {
  await index.close()
  rmSync(directory, { recursive: true })
})

/** Everything but the first page, which says that this is a database. */
function damage(): void {
  const path = join(directory, 'index.db')
  const db = new DatabaseSync(path, { timeout: 5000 })
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  const page = 4096
  const file = openSync(path, 'r+')
  for (let at = page; at < statSync(path).size; at += page) {
    writeSync(file, Buffer.alloc(page, 0xfe), 0, page, at)
  }
  closeSync(file)
}

const search = () => index.search(request({ limit: 100 }))
const found = async () => (await search()).hits.map(({ id }) => id)

it('searches are refused until the indices that were lost are filled again', async () => {
  const before = await found()
  const lost = new Promise<readonly string[]>((resolve) => index.onDataLost?.(resolve))
  damage()
  // Whoever meets the damage is told that the engine is away, and so is everybody after.
  const put = documentOf({ index: 'dataset', id: 'late', version: 1_000_000 })
  await Promise.allSettled([index.write([{ put }])])
  await Promise.allSettled([search()])
  const rebuild = await lost
  expect(rebuild).toContain('dataset')
  await expect(search()).rejects.toMatchObject({ kind: 'engine-unavailable', retryAfter: 10 })
  expect(log).toContain('index.damaged')
  expect(log).toContain('index.set-aside')

  await index.write(documents.map((one) => ({ put: one, onlyIfMissing: true })))
  for (const name of rebuild) await index.finish(name as 'dataset')
  expect(await found()).toEqual(before)
  await index.write([{ put }])
  expect(await found()).toContain('late')
})
