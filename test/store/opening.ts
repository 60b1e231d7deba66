/** Embedded stores for tests, each in a directory of its own that goes with the process. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { logger } from '../../src/log.ts'
import { embeddedStore, type StoreLimits } from '../../src/store/embedded.ts'
import type { EmbeddedStore } from '../../src/store/graph-store.ts'

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
