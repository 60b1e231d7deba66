/** Reading the columns of very many records may take longer than a search: the next one goes on where it ended. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { embeddedIndex } from '../../../src/indices/embedded.ts'
import { Reader } from '../../../src/indices/embedded/reading/reader.ts'
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
