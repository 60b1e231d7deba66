/** The contract of cursors on Meilisearch. */

import { describe } from 'vitest'
import { languages } from '../../contracts/search-index-corpus.ts'
import { cursorContract } from '../../contracts/search-index-cursors.ts'
import { isSearchMissing, onMeilisearch } from './place.ts'

describe.skipIf(isSearchMissing)('on a real server', () => {
  cursorContract('Meilisearch', (options) => onMeilisearch(languages, options)())
})
