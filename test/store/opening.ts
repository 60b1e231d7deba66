/** Stores for tests: embedded ones, each in a directory of its own that goes with the process, and ones behind a wire. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { logger } from '../../src/log.ts'
import { embeddedStore } from '../../src/store/embedded/embedded-store.ts'
import type { StoreLimits } from '../../src/store/store-limits.ts'
import type { GraphStore } from '../../src/store/graph-store.ts'
import { openStore, type StoreConfig } from '../../src/store/open-store.ts'
import type { LeaseOptions } from '../../src/store/remote/store-lease.ts'
import { isCatalogue } from './graphs.ts'

const made: string[] = []
process.once('exit', () => {
  for (const directory of made) rmSync(directory, { recursive: true, force: true })
})

export function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'cartulary-store-'))
  made.push(directory)
  return directory
}

export const openEmbedded = (
  limits: Partial<StoreLimits> = {},
  directory: string = newDirectory(),
): Promise<GraphStore> => embeddedStore({ directory, log: logger('silent'), limits })

/** A store behind a wire, whose graphs of `catalogueName` are catalogues. */
export const openRemote = (
  config: StoreConfig,
  limits: Partial<StoreLimits> = {},
  signal?: AbortSignal,
  lease?: LeaseOptions,
): Promise<GraphStore> => {
  const pause = (ms: number, ended: AbortSignal) =>
    sleep(ms, undefined, { signal: ended }).catch(() => undefined)
  const log = logger('silent')
  return openStore(
    config,
    { directory: '', log, limits, isCatalogue, pause, ...(lease && { lease }) },
    signal,
  )
}
