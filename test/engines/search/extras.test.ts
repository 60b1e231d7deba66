/** What pages ask of a search beside its hits, on real servers. */

import { describe } from 'vitest'
import { languages } from '../../contracts/search-index-corpus.ts'
import { extrasContract } from '../../search/suite/extras.ts'
import { isSearchMissing, onMeilisearch } from './meilisearch-under-test.ts'
import { isClusterMissing, onOpensearch } from './opensearch-under-test.ts'

describe.skipIf(isSearchMissing)('over Meilisearch', () => {
  extrasContract(onMeilisearch(languages))
})

describe.skipIf(isClusterMissing)('over OpenSearch', () => {
  extrasContract(onOpensearch(languages))
})
