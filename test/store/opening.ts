/** Stores for tests: embedded ones, each in a directory of its own that goes with the process, and ones behind a wire. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { logger } from '../../src/log.ts'
import { embeddedStore } from '../../src/store/embedded.ts'
import type { StoreLimits } from '../../src/store/limits.ts'
import type { EmbeddedStore, GraphStore } from '../../src/store/graph-store.ts'
import { openStore, type StoreConfig } from '../../src/store/open.ts'
import type { LeaseOptions } from '../../src/store/remote/lease.ts'
import { protocolServer, type Guard, type ProtocolServer } from '../support/protocol-server.ts'
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
): Promise<EmbeddedStore> => embeddedStore({ directory, log: logger('silent'), limits })

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

/** A new and empty store of the two protocols on a socket. */
export async function startProtocol(guard?: Guard): Promise<ProtocolServer> {
  // A store that never gives up a query would be busy with it when the next one comes.
  const store = await openEmbedded({ callMs: 3000 })
  const server = await protocolServer(store, guard)
  return {
    ...server,
    stop: async () => {
      await server.stop()
      await store.close()
    },
  }
}
