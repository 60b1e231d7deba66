/** The contracts of search on OpenSearch, with one and with several shards. */

import { describe } from 'vitest'
import { languages as referenceLanguages } from '../../contracts/reference/corpus.ts'
import { cursorContract } from '../../contracts/search-index-cursors.ts'
import { languages } from '../../contracts/search-index-corpus.ts'
import { searchIndexDifferential } from '../../contracts/search-index-differential.ts'
import { searchIndexContract } from '../../contracts/search-index.ts'
import { vectorContract } from '../../contracts/search-index-vectors.ts'
import { isClusterMissing, onOpensearch } from './opensearch-under-test.ts'

describe.skipIf(isClusterMissing).each([1, 3])('on a real server with %i shards', (shards) => {
  searchIndexContract('OpenSearch', onOpensearch(languages, shards))
  cursorContract('OpenSearch', (options) => onOpensearch(languages, shards, options)())
  vectorContract('OpenSearch', onOpensearch(languages, shards))
  searchIndexDifferential('OpenSearch', onOpensearch(referenceLanguages, shards))
})
