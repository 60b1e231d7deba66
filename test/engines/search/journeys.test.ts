/** The journeys of the embedded engine, unchanged on other engines. */

import { describe } from 'vitest'
import { firstSteps } from '../../journeys/first-steps.ts'
import { partsOfADataset } from '../../journeys/parts-of-a-dataset.ts'
import { publishAndFind } from '../../journeys/publish-and-find.ts'
import { searchFollows } from '../../journeys/search-follows.ts'
import { isSearchMissing, meilisearchUnderTest } from './meilisearch-under-test.ts'
import { isClusterMissing, opensearchUnderTest } from './opensearch-under-test.ts'

describe.skipIf(isSearchMissing)('Meilisearch as the search engine', () => {
  firstSteps('Meilisearch', meilisearchUnderTest)
  publishAndFind('Meilisearch', meilisearchUnderTest)
  searchFollows('Meilisearch', meilisearchUnderTest)
  partsOfADataset('Meilisearch', meilisearchUnderTest)
})

describe.skipIf(isClusterMissing)('OpenSearch as the search engine', () => {
  firstSteps('OpenSearch', opensearchUnderTest)
  publishAndFind('OpenSearch', opensearchUnderTest)
  searchFollows('OpenSearch', opensearchUnderTest)
  partsOfADataset('OpenSearch', opensearchUnderTest)
})
