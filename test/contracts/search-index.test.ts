/** The search contract on the embedded engine. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { embeddedIndex } from '../../src/search-index/sqlite/sqlite-index.ts'
import { logger } from '../../src/log.ts'
import { languages } from './search-index-corpus.ts'
import { badDocumentContract } from './search-index-bad-documents.ts'
import { searchIndexContract } from './search-index.ts'
import { vectorContract } from './search-index-vectors.ts'

const make = async () => {
  const directory = mkdtempSync(join(tmpdir(), 'index-'))
  const index = await embeddedIndex({ directory, log: logger('silent'), languages })
  return {
    index,
    release: async () => {
      await index.close()
      rmSync(directory, { recursive: true })
    },
  }
}

searchIndexContract('the embedded engine', make)
vectorContract('the embedded engine', make)
badDocumentContract('the embedded engine', make)
