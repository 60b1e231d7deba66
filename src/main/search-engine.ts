/** Opens the search engine that the configuration names. */

import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { CursorLimits } from '../indices/cursors/registry.ts'
import { embeddedIndex } from '../indices/embedded.ts'
import type { SearchIndex } from '../indices/search-index.ts'
import type { Log } from '../log.ts'

/** What all cursors hold together. */
const cursorBytes = 256 * 2 ** 20

/** Rejects when the files of the embedded engine cannot be opened. */
export function openIndex({ dataDir, limits }: Config, log: Log): Promise<SearchIndex> {
  const { searchMs, wildcardTerms } = limits
  const cursors: CursorLimits = {
    perClient: limits.cursorsPerClient,
    total: limits.cursors,
    ttlMs: limits.cursorTtlMs,
    bytes: cursorBytes,
  }
  const now = () => performance.now()
  return embeddedIndex({
    directory: join(dataDir, 'search'),
    log,
    searchMs,
    wildcardTerms,
    cursors,
    now,
  })
}
