/** The contract of cursors on the embedded engine. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { embeddedIndex } from '../../src/search-index/sqlite/sqlite-index.ts'
import { logger } from '../../src/log.ts'
import { languages } from './search-index-corpus.ts'
import { cursorContract } from './search-index-cursors.ts'

cursorContract('the embedded engine', async (options) => {
  const directory = mkdtempSync(join(tmpdir(), 'cursors-'))
  const index = await embeddedIndex({ directory, log: logger('silent'), languages, ...options })
  return {
    index,
    release: async () => {
      await index.close()
      rmSync(directory, { recursive: true })
    },
  }
})
