/** Queries and texts that are no use to anybody, on real servers. */

import { describe } from 'vitest'
import { indexedLanguages } from '../../../src/text/language.ts'
import { languages } from '../../contracts/search-index-corpus.ts'
import { badDocumentContract } from '../../contracts/search-index-bad-documents.ts'
import { badInputContract } from '../../search/suite/bad-input.ts'
import { isSearchMissing, onMeilisearch } from './meilisearch-under-test.ts'
import { isClusterMissing, onOpensearch } from './opensearch-under-test.ts'

describe.skipIf(isSearchMissing)('over Meilisearch', () => {
  badInputContract(onMeilisearch(indexedLanguages))
  badDocumentContract('Meilisearch', onMeilisearch(languages))
})

describe.skipIf(isClusterMissing)('over OpenSearch', () => {
  badInputContract(onOpensearch(indexedLanguages))
  badDocumentContract('OpenSearch', onOpensearch(languages))
})
