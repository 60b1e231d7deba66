/** Queries and texts that are no use to anybody, on Meilisearch. */

import { describe } from 'vitest'
import { indexedLanguages } from '../../../src/text/language.ts'
import { badInputContract } from '../../search/suite/bad-input.ts'
import { isSearchMissing, onMeilisearch } from './meilisearch-under-test.ts'

describe.skipIf(isSearchMissing)('over a real server', () => {
  badInputContract(onMeilisearch(indexedLanguages))
})
