/** What a reader costs: the columns of very many records are read once, and nobody starts one who does not search. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { embeddedIndex } from '../../../src/search-index/embedded.ts'
import { Reader } from '../../../src/search-index/embedded/reading/reader.ts'
import { View } from '../../../src/search-index/embedded/reading/view.ts'
import { openDatabase } from '../../../src/search-index/embedded/database.ts'
import { amendingBatch, batchOf } from '../../../src/search-index/embedded/threads/batches.ts'
import { readGenerations } from '../../../src/search-index/embedded/writing/generations.ts'
import { Writer } from '../../../src/search-index/embedded/writing/writer.ts'
import { logger } from '../../../src/log.ts'
import {
  configured,
  documentOf,
  languages,
  request,
  settings,
} from '../../contracts/search-index-corpus.ts'

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
  const reader = new Reader(join(directory, 'index.db'), check)
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

it('amendments that were taken in before a search was given up are not taken in again', () => {
  const directory = mkdtempSync(join(tmpdir(), 'loading-'))
  const path = join(directory, 'index.db')
  const writer = new Writer(path)
  writer.configure(settings, languages)
  const ids = Array.from({ length: count }, (_, n) => `r${n}`)
  const puts = ids.map((id) => ({ put: documentOf({ index: 'dataset', id }) }))
  writer.write([batchOf(puts)])
  const db = openDatabase(path, 'reader')
  const generation = () => readGenerations(db).find(({ index }) => index === 'dataset')!
  const view = new View(db, generation())
  try {
    view.refresh(() => undefined)
    for (let at = 0; at < count; at += 1000) {
      const some = ids.slice(at, at + 1000).map((id, n) => ({
        index: 'dataset' as const,
        id,
        version: 2,
        record: {},
        numbers: { scoring: at + n },
        facets: {},
      }))
      expect(writer.write([amendingBatch(some)]).left).toEqual([[]])
    }
    view.generation = generation()
    const looks = { all: 0, left: 1 }
    const check = () => {
      looks.all += 1
      if (looks.left-- <= 0) throw new Error('given up')
    }
    expect(() => view.refresh(check)).toThrow('given up')
    expect(looks.all).toBe(2)
    looks.left = 1
    view.refresh(check)
    expect(looks.all).toBe(3)
    expect([...view.columns.numbers[0]!.subarray(0, count)]).toEqual(ids.map((_, n) => n))
  } finally {
    db.close()
    writer.close()
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
    expect(await index.newest()).toBe(1)
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
