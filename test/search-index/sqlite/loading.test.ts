/** What a reader costs: the columns of very many records are read once, and nobody starts one who does not search. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { embeddedIndex } from '../../../src/search-index/sqlite/sqlite-index.ts'
import { IndexFileReader } from '../../../src/search-index/sqlite/reader.ts'
import { logger } from '../../../src/log.ts'
import { configured, documentOf, languages, request } from '../../contracts/search-index-corpus.ts'

/** More than are read between two looks. */
const count = 5_000

it('columns that were read before a search was given up are not read again', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'loading-'))
  const index = await embeddedIndex({ directory, log: logger('silent'), languages })
  await configured(index)
  const puts = Array.from({ length: count }, (_, n) => ({
    put: documentOf({ index: 'dataset', id: `r${n}`, version: n + 1 }),
  }))
  await index.write(puts)
  await index.close()

  const looks = { left: 1 }
  const check = () => {
    if (looks.left-- <= 0) throw new Error('given up')
  }
  const reader = new IndexFileReader(join(directory, 'index.db'), check)
  const search = () => reader.search(request({ indices: ['dataset'], limit: 1 })).count
  try {
    // One look at the beginning, and one too many on the way.
    expect(search).toThrow('given up')
    looks.left = Number.MAX_SAFE_INTEGER
    expect(search()).toBe(count)
    expect(Number.MAX_SAFE_INTEGER - looks.left).toBeLessThan(10)
  } finally {
    reader.close()
    rmSync(directory, { recursive: true })
  }
})

it('to be filled, counted and compared with the store an index needs no reader', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'loading-'))
  const started: (string | null)[] = []
  const note = ({ threadName }: Worker) => void started.push(threadName)
  process.on('worker', note)
  const index = await embeddedIndex({ directory, log: logger('silent'), languages, readers: 1 })
  try {
    await configured(index)
    await index.write([{ put: documentOf({ index: 'dataset', id: 'r', version: 1 }) }])
    expect(await index.health()).toMatchObject({ documents: { dataset: 1 } })
    expect(await index.newestVersion()).toBe(1)
    expect(await index.entries('dataset', '', 10)).toMatchObject([{ id: 'r', version: 1 }])
    expect(started).toEqual(['index writer'])
    await index.get('dataset', 'r')
    expect(started).toHaveLength(2)
  } finally {
    await index.close()
    process.off('worker', note)
    rmSync(directory, { recursive: true })
  }
})
