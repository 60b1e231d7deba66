/** Opens the search engine that the configuration names, and reads its settings and health. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { CursorLimits } from '../search-index/cursors.ts'
import { Failure } from '../errors.ts'
import { embeddedIndex } from '../search-index/sqlite/sqlite-index.ts'
import { meilisearchIndex } from '../search-index/meilisearch/meilisearch-index.ts'
import { opensearchIndex } from '../search-index/opensearch/opensearch-index.ts'
import type { ClusterHealth, SearchIndex } from '../search-index/search-index.ts'
import type { IndexSettings } from '../search-index/index-settings.ts'
import type { Log } from '../log.ts'
import { inOwnTurn } from '../workers/event-loop.ts'
import { pause } from '../workers/pause.ts'

/** Bytes that all cursors may hold together. */
const cursorBytes = 256 * 2 ** 20

/** Opens the engine. Rejects when the files of the embedded one cannot be opened, or when the server is too old. */
export async function openIndex(
  { dataDir, limits, searchEngine, writerUrls }: Config,
  log: Log,
): Promise<SearchIndex> {
  const { searchMs, wildcardTerms } = limits
  const cursors: CursorLimits = {
    perClient: limits.cursorsPerClient,
    total: limits.cursors,
    ttlMs: limits.cursorTtlMs,
    bytes: cursorBytes,
  }
  const now = () => performance.now()
  const options = { log, searchMs, wildcardTerms, cursors, now }
  const onServer = { ...options, pause, isReader: writerUrls.length > 0 }
  const index =
    searchEngine?.engine === 'meilisearch'
      ? await meilisearchIndex({ ...onServer, ...searchEngine })
      : searchEngine
        ? await opensearchIndex({
            ...onServer,
            ...searchEngine,
            ca: searchEngine.ca === undefined ? undefined : await readFile(searchEngine.ca, 'utf8'),
          })
        : await embeddedIndex({ ...options, directory: join(dataDir, 'search') })
  // Long records are parsed on the main thread by their readers.
  return { ...index, get: async (...args) => inOwnTurn(await index.get(...args)) }
}

/** Settings of the indices that answer searches. Throws `engine-unavailable` while the engine has not been reached. */
export function currentSettings(index: SearchIndex): readonly IndexSettings[] {
  const current = index.currentSettings()
  if (current.length > 0) return current
  throw new Failure('engine-unavailable', 'The search engine has not been reached yet.', {
    retryAfter: 2,
  })
}

/** Weight of each field in the ranking unless a request sets it: as configured, else as in its index. */
export const effectiveBoosts = (
  settings: readonly IndexSettings[],
  configured: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> => ({
  ...Object.fromEntries(
    settings.flatMap(({ texts }) => texts.map(({ name, boost }) => [name, boost] as const)),
  ),
  ...configured,
})

/** Health of the engine; `ready` is false when it is unavailable. */
type EngineHealth = { readonly ready: boolean } & Partial<
  Awaited<ReturnType<SearchIndex['health']>>
> & {
    readonly cluster?: ClusterHealth
    /** False while a server refuses writes for a reason that does not end by itself, which is `reason`. */
    readonly writes?: boolean
    readonly reason?: string
    /** Sentences for operators. */
    readonly details?: readonly string[]
  }

/** Asks the engine for its health, and adds what is known of a server. */
export async function engineHealth(index: SearchIndex): Promise<EngineHealth> {
  const health = await index.health().catch((error: unknown) => {
    if (error instanceof Failure && error.kind === 'engine-unavailable') return error
    throw error
  })
  const { cluster, writeBlock, details = [] } = index.facts?.() ?? {}
  const isReady = !(health instanceof Failure)
  const all = isReady ? details : [...new Set([health.detail, ...details])]
  return {
    ready: isReady,
    ...(isReady && health),
    ...(cluster && { cluster }),
    ...(writeBlock && { writes: false, reason: writeBlock }),
    ...(all.length > 0 && { details: all }),
  }
}
