/** What people type and what it finds, on real servers. */

import { describe } from 'vitest'
import { indexedLanguages } from '../../../src/text/language.ts'
import { foundWordsContract } from '../../search/suite/found-words.ts'
import { isSearchMissing, onMeilisearch } from './meilisearch-under-test.ts'
import { isClusterMissing, onOpensearch } from './opensearch-under-test.ts'

describe.skipIf(isSearchMissing)('over Meilisearch', () => {
  foundWordsContract(onMeilisearch(indexedLanguages))
})

describe.skipIf(isClusterMissing)('over OpenSearch', () => {
  foundWordsContract(onOpensearch(indexedLanguages))
})
