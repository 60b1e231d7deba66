/** The one conformance suite of all triplestores, on real servers. */

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, inject } from 'vitest'
import { logger } from '../../src/log.ts'
import type { StoreLimits } from '../../src/store/embedded.ts'
import { openStore, type StoreConfig } from '../../src/store/open.ts'
import { queryContract } from '../contracts/graph-store-queries.ts'
import { valueContract } from '../contracts/graph-store-values.ts'
import { writingContract } from '../contracts/graph-store.ts'
import { isMissing, stores } from './stores.ts'

const opening =
  (config: () => StoreConfig) =>
  (limits: Partial<StoreLimits> = {}) =>
    openStore(config(), {
      directory: '',
      log: logger('silent'),
      limits,
      isCatalogue: () => false,
      pause: async (ms, signal) => {
        await sleep(ms, undefined, { signal }).catch(() => undefined)
      },
    })

for (const name of stores) {
  describe.skipIf(isMissing(name))(`${name} as the store`, () => {
    const server = inject(name)
    const open = opening(() => {
      if ('missing' in server) throw new Error(server.missing)
      return server.config
    })
    writingContract(name, open)
    valueContract(name, open)
    queryContract(name, open)
  })
}
