/** Filling anew under load, on Meilisearch. */

import { describe } from 'vitest'
import { reindexUnderLoad, usualLoad } from '../../journeys/reindex-under-load.ts'
import { isSearchMissing, searchGround } from './place.ts'

describe.skipIf(isSearchMissing)('on a real server', () => {
  reindexUnderLoad('Meilisearch', searchGround, usualLoad(300))
})
