/** Filling anew under load, on Meilisearch. */

import { describe } from 'vitest'
import { reindexUnderLoad, usualLoad } from '../../journeys/reindex-under-load.ts'
import { isSearchMissing, meilisearchUnderTest } from './meilisearch-under-test.ts'

describe.skipIf(isSearchMissing)('on a real server', () => {
  reindexUnderLoad('Meilisearch', meilisearchUnderTest, usualLoad(300))
})
