/** Random requests over random corpora on Meilisearch, against the plainest evaluation. */

import { describe } from 'vitest'
import { languages } from '../../contracts/reference/corpus.ts'
import { searchIndexDifferential } from '../../contracts/search-index-differential.ts'
import { isSearchMissing, onMeilisearch } from './meilisearch-under-test.ts'

describe.skipIf(isSearchMissing)('on a real server', () => {
  // It counts the records with all words of a phrase in place of those with the phrase, so that other records have most of the words.
  searchIndexDifferential('Meilisearch', onMeilisearch(languages), ['all'])
})
