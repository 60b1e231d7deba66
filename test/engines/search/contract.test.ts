/** The search contract on Meilisearch. */

import { describe } from 'vitest'
import { languages } from '../../contracts/search-index-corpus.ts'
import { searchIndexContract } from '../../contracts/search-index.ts'
import { vectorContract } from '../../contracts/search-index-vectors.ts'
import { isSearchMissing, onMeilisearch } from './meilisearch-under-test.ts'

describe.skipIf(isSearchMissing)('on a real server', () => {
  searchIndexContract('Meilisearch', onMeilisearch(languages))
  vectorContract('Meilisearch', onMeilisearch(languages))
})
