/** The journeys that the embedded store passes, unchanged on every other store. */

import { describe } from 'vitest'
import { firstSteps } from '../journeys/first-steps.ts'
import { hiddenDrafts } from '../journeys/hidden-drafts.ts'
import { listAndMove } from '../journeys/list-and-move.ts'
import { partsOfADataset } from '../journeys/parts-of-a-dataset.ts'
import { publishAndFind } from '../journeys/publish-and-find.ts'
import { isMissing, onStore, stores } from './stores.ts'

for (const name of stores) {
  describe.skipIf(isMissing(name))(`${name} as the store`, () => {
    firstSteps(name, onStore(name))
    publishAndFind(name, onStore(name))
    partsOfADataset(name, onStore(name))
    listAndMove(name, onStore(name))
    hiddenDrafts(name, onStore(name))
  })
}
