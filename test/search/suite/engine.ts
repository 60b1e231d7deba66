/** The engine under the search station: in the suites of real servers the one of `SEARCH_UNDER_TEST`, Meilisearch or else OpenSearch, where there is one, else the embedded one. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { embeddedIndex } from '../../../src/search-index/sqlite/sqlite-index.ts'
import type { CursorLimits } from '../../../src/search-index/cursors.ts'
import { logger } from '../../../src/log.ts'
import { officialLanguages } from '../../../src/text/language.ts'
import type { Made } from '../../contracts/search-index-corpus.ts'

type Options = { readonly cursors?: CursorLimits; readonly now?: () => number }

const usual = {
  cursors: { perClient: 16, total: 256, ttlMs: 60_000, bytes: 2 ** 28 },
  now: () => performance.now(),
}

/** An empty one; it may be closed before it is released. */
export async function engineHere(options: Options = {}): Promise<Made> {
  // Nobody provides a server outside of those suites.
  const server: object | undefined = inject('meilisearch')
  const cluster: object | undefined = inject('opensearch')
  const isWanted = process.env['SEARCH_UNDER_TEST'] === 'opensearch'
  const isOther = isWanted || (server && 'missing' in server)
  if (isOther && cluster && !('missing' in cluster)) {
    const { onOpensearch } = await import('../../engines/search/opensearch-under-test.ts')
    return onOpensearch(officialLanguages, 1, { ...usual, ...options })()
  }
  if (!server || 'missing' in server) return embedded(options)
  const { onMeilisearch } = await import('../../engines/search/meilisearch-under-test.ts')
  return onMeilisearch(officialLanguages, { ...usual, ...options })()
}

/** On a directory of its own. */
async function embedded(options: Options): Promise<Made> {
  const directory = await mkdtemp(join(tmpdir(), 'search-'))
  const engine = await embeddedIndex({ directory, log: logger('silent'), ...options })
  let ended: Promise<void> | undefined
  const close = () => (ended ??= engine.close())
  const release = async () => {
    await close()
    await rm(directory, { recursive: true })
  }
  return { index: { ...engine, close }, release }
}
