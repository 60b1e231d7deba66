/** The search contract on Meilisearch. */

import { afterAll, beforeAll, describe, inject } from 'vitest'
import { languages } from '../../contracts/search-index-corpus.ts'
import { outageContract } from '../../contracts/search-index-outages.ts'
import { searchIndexContract } from '../../contracts/search-index.ts'
import { vectorContract } from '../../contracts/search-index-vectors.ts'
import { ownMeilisearch, type SearchServer } from '../../support/engines/meilisearch.ts'
import { isSearchMissing, onMeilisearch } from './meilisearch-under-test.ts'

describe.skipIf(isSearchMissing)('on a real server', () => {
  searchIndexContract('Meilisearch', onMeilisearch(languages))
  vectorContract('Meilisearch', onMeilisearch(languages))
})

const server = inject('meilisearch')
const isKillable = 'own' in server && server.own

describe.skipIf(!isKillable)('on a server of its own', () => {
  let own: SearchServer
  beforeAll(async () => {
    own = await ownMeilisearch()
  })
  afterAll(() => own.stop())

  const make = () =>
    onMeilisearch(languages, undefined, {
      ...own,
      apiKey: own.key ?? '',
      prefix: 'suiteoutages_',
    })()
  outageContract('Meilisearch', {
    restart: async () => {
      const made = await make()
      const restart = async () => {
        await own.kill()
        await own.restart()
        return made.index
      }
      return { ...made, restart }
    },
    away: async () => ({ ...(await make()), lose: own.kill, restore: own.restart }),
    addresses: 'it is one server',
  })
})
