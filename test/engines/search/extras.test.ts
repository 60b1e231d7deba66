/** What pages ask of a search beside its hits, on Meilisearch. */

import { describe } from 'vitest'
import { languages } from '../../contracts/search-index-corpus.ts'
import { extrasContract } from '../../search/suite/extras.ts'
import { isSearchMissing, onMeilisearch } from './meilisearch-under-test.ts'

describe.skipIf(isSearchMissing)('over a real server', () => {
  extrasContract(onMeilisearch(languages))
})
