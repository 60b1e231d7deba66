/** Filling anew under load, on real servers. */

import { describe } from 'vitest'
import { reindexUnderLoad, usualLoad } from '../../journeys/reindex-under-load.ts'
import { isSearchMissing, meilisearchUnderTest } from './meilisearch-under-test.ts'
import { isClusterMissing, opensearchUnderTest } from './opensearch-under-test.ts'

describe.skipIf(isSearchMissing)('on Meilisearch', () => {
  reindexUnderLoad('Meilisearch', meilisearchUnderTest, usualLoad(300))
})

describe.skipIf(isClusterMissing)('on OpenSearch', () => {
  reindexUnderLoad('OpenSearch', opensearchUnderTest, usualLoad(300))
})
