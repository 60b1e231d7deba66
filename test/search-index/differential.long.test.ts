/** The embedded engine against the plainest evaluation, over generated requests and corpora. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { embeddedIndex } from '../../src/search-index/sqlite/sqlite-index.ts'
import { logger } from '../../src/log.ts'
import { languages } from '../contracts/reference/corpus.ts'
import { searchIndexDifferential } from '../contracts/search-index-differential.ts'

searchIndexDifferential('the embedded engine', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'differential-'))
  const index = await embeddedIndex({ directory, log: logger('silent'), languages })
  return {
    index,
    release: async () => {
      await index.close()
      rmSync(directory, { recursive: true })
    },
  }
})
