/** A place on this run's Meilisearch for one suite: indices under a prefix of their own, gone at its end. */

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { inject } from 'vitest'
import { meilisearchIndex } from '../../../src/search-index/meilisearch/meilisearch-index.ts'
import { logger } from '../../../src/log.ts'
import type { CursorOptions } from '../../contracts/search-index-cursors.ts'
import type { Made } from '../../contracts/search-index-corpus.ts'
import type { StoreUnderTest } from '../../journeys/store-under-test.ts'

export const isSearchMissing = 'missing' in inject('meilisearch')

type Place = { readonly url: string; readonly apiKey: string; readonly prefix: string }

export function newIndexPrefix(): Place {
  const server = inject('meilisearch')
  if ('missing' in server) throw new Error(server.missing)
  const prefix = `suite${randomBytes(6).toString('hex')}_`
  return { url: server.url, apiKey: server.key, prefix }
}

async function clear({ url, apiKey, prefix }: Place): Promise<void> {
  const headers = apiKey === '' ? undefined : { Authorization: `Bearer ${apiKey}` }
  const list = await fetch(`${url}/indexes?limit=1000`, headers && { headers })
  const { results } = (await list.json()) as { results: { uid: string }[] }
  for (const { uid } of results.filter((one) => one.uid.startsWith(prefix))) {
    await fetch(`${url}/indexes/${uid}`, { method: 'DELETE', ...(headers && { headers }) })
  }
}

const pause = (ms: number, signal: AbortSignal) =>
  sleep(ms, undefined, { signal }).catch(() => undefined)

const usual: CursorOptions = {
  cursors: { perClient: 16, total: 256, ttlMs: 60_000, bytes: 2 ** 28 },
  now: () => performance.now(),
  // A busy machine takes longer than the usual five seconds for a hundred thousand values.
  searchMs: 30_000,
}

/** An engine with the languages of a corpus, at a place of its own or at one that it shares. */
export const onMeilisearch =
  (languages: readonly string[], options = usual, place?: Place) =>
  async (): Promise<Made> => {
    const own = place ?? newIndexPrefix()
    const log = logger('silent')
    const index = await meilisearchIndex({ ...own, ...options, log, languages, pause })
    return {
      index,
      release: async () => {
        await index.close()
        await clear(own)
      },
    }
  }

/** The same for a whole platform. */
export const meilisearchUnderTest = (): Promise<StoreUnderTest> => {
  const place = newIndexPrefix()
  const config = { engine: 'meilisearch', ...place }
  return Promise.resolve({
    env: { PLATFORM_SEARCH_ENGINE_CONFIG: JSON.stringify(config) },
    end: () => clear(place),
  })
}
