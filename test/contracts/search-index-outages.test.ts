/** The contract of outages on the embedded engine. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { logger } from '../../src/log.ts'
import { embeddedIndex } from '../../src/search-index/sqlite/sqlite-index.ts'
import { configured, languages } from './search-index-corpus.ts'
import { outageContract } from './search-index-outages.ts'

outageContract('the embedded engine', {
  restart: async () => {
    const directory = mkdtempSync(join(tmpdir(), 'outages-'))
    const open = () => embeddedIndex({ directory, log: logger('silent'), languages })
    const first = await open()
    let index = first
    return {
      index: first,
      restart: async () => {
        await first.close()
        index = await open()
        await configured(index)
        return index
      },
      release: async () => {
        await index.close()
        rmSync(directory, { recursive: true })
      },
    }
  },
  away: 'it is part of the process',
  addresses: 'it is part of the process',
})
