/** The journeys that the embedded store passes, unchanged on every other store. */

import { describe } from 'vitest'
import { firstSteps } from '../journeys/first-steps.ts'
import { hiddenDrafts } from '../journeys/hidden-drafts.ts'
import { listAndMove } from '../journeys/list-and-move.ts'
import { partsOfADataset } from '../journeys/parts-of-a-dataset.ts'
import { publishAndFind } from '../journeys/publish-and-find.ts'
import { searchFollows } from '../journeys/search-follows.ts'
import { isClusterMissing } from './search/opensearch-under-test.ts'
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

// All journeys with it: SEARCH_UNDER_TEST=opensearch ENGINES=fuseki,opensearch npm run test:engines
describe.skipIf(isMissing('fuseki') || isClusterMissing)('Fuseki with OpenSearch', () => {
  searchFollows('Fuseki with OpenSearch', onStore('fuseki', 'opensearch'))
  publishAndFind('Fuseki with OpenSearch', onStore('fuseki', 'opensearch'))
})
