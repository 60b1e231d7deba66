/** The one conformance suite of all triplestores, on real servers. */

import { describe, inject } from 'vitest'
import type { StoreLimits } from '../../src/store/embedded.ts'
import { queryContract } from '../contracts/graph-store-queries.ts'
import { valueContract } from '../contracts/graph-store-values.ts'
import { writingContract } from '../contracts/graph-store.ts'
import { openRemote } from '../store/opening.ts'
import { isMissing, stores } from './stores.ts'

for (const name of stores) {
  describe.skipIf(isMissing(name))(`${name} as the store`, () => {
    const server = inject(name)
    const open = (limits?: Partial<StoreLimits>) => {
      if ('missing' in server) throw new Error(server.missing)
      return openRemote(server.config, limits)
    }
    writingContract(name, open)
    valueContract(name, open)
    queryContract(name, open)
  })
}
