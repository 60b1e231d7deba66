/** What people type and what it finds, on Meilisearch. */

import { describe } from 'vitest'
import { indexedLanguages } from '../../../src/text/language.ts'
import { foundWordsContract } from '../../search/suite/found-words.ts'
import { isSearchMissing, onMeilisearch } from './meilisearch-under-test.ts'

describe.skipIf(isSearchMissing)('over a real server', () => {
  foundWordsContract(onMeilisearch(indexedLanguages))
})
