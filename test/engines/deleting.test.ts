/** Deleting and restoring, killed and taken on again, on real triplestores. */

import { describe } from 'vitest'
import { deletingJourney } from '../journeys/kill/deleting.ts'
import { isMissing, onStore, stores } from './stores.ts'

for (const name of stores) {
  describe.skipIf(isMissing(name))(`${name} as the store`, () => {
    deletingJourney(name, onStore(name))
  })
}
