/** A place on this run's OpenSearch for one suite: indices under a prefix of their own, gone at its end. */

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { inject } from 'vitest'
import { logger } from '../../../src/log.ts'
import { opensearchIndex } from '../../../src/search-index/opensearch/opensearch-index.ts'
import type { Made } from '../../contracts/search-index-corpus.ts'
import type { CursorOptions } from '../../contracts/search-index-cursors.ts'
import type { StoreUnderTest } from '../../journeys/store-under-test.ts'

export const isClusterMissing = 'missing' in inject('opensearch')

type Place = { readonly urls: readonly string[]; readonly prefix: string; readonly shards: number }

export function newClusterPrefix(shards = 1): Place {
  const server = inject('opensearch')
  if ('missing' in server) throw new Error(server.missing)
  return { urls: server.urls, prefix: `suite${randomBytes(6).toString('hex')}_`, shards }
}

async function clear({ urls, prefix }: Place): Promise<void> {
  await fetch(`${urls[0]}/${prefix}*`, { method: 'DELETE' })
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
export const onOpensearch =
  (languages: readonly string[], shards = 1, options = usual, place?: Place) =>
  async (): Promise<Made> => {
    const own = place ?? newClusterPrefix(shards)
    const log = logger('silent')
    const index = await opensearchIndex({ ...own, ...options, log, languages, pause })
    return {
      index,
      release: async () => {
        await index.close()
        await clear(own)
      },
    }
  }

/** The same for a whole platform. */
export const opensearchUnderTest = (): Promise<StoreUnderTest> => {
  const place = newClusterPrefix()
  const config = { engine: 'opensearch', ...place }
  return Promise.resolve({
    env: { PLATFORM_SEARCH_ENGINE_CONFIG: JSON.stringify(config) },
    end: () => clear(place),
  })
}
