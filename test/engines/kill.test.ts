/** Kill and return, with a way to the store on which requests and answers get lost. */

import { describe } from 'vitest'
import { killJourney, seed } from '../journeys/kill/journey.ts'
import { isMissing, onUnreliableStore, stores } from './stores.ts'

for (const name of stores) {
  describe.skipIf(isMissing(name))(`${name} behind a bad line`, () => {
    killJourney(name, onUnreliableStore(name, seed))
  })
}
