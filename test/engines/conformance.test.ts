/** The one conformance suite of all triplestores, on real servers. */

import { describe, inject } from 'vitest'
import type { StoreLimits } from '../../src/store/store-limits.ts'
import { storeContract } from '../contracts/graph-store-all.ts'
import { openRemote } from '../store/opening.ts'
import { ownFuseki } from '../support/engines/fuseki.ts'
import { fresh, isKillable, isMissing, stores } from './stores.ts'

for (const name of stores) {
  describe.skipIf(isMissing(name))(`${name} as the store`, () => {
    const server = inject(name)
    const open = (limits?: Partial<StoreLimits>) => {
      if ('missing' in server) throw new Error(server.missing)
      return openRemote(server.config, limits)
    }
    storeContract(name, {
      open,
      known: name === 'virtuoso' ? { showsPartialCommits: true } : {},
      start: isKillable(name) ? () => fresh(name) : undefined,
      // Virtuoso asks everybody for a digest anyway.
      guarded: () => (name === 'fuseki' ? ownFuseki('basic') : fresh(name)),
    })
  })
}
