/** A store for one test. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { logger } from '../../src/log.ts'
import { embeddedStore } from '../../src/store/embedded/embedded-store.ts'
import type { GraphStore } from '../../src/store/graph-store.ts'

/** Embedded and empty; gone when the test is finished, with its directory. */
export async function freshStore(): Promise<GraphStore> {
  const directory = await mkdtemp(join(tmpdir(), 'cartulary-'))
  const store = await embeddedStore({ directory, log: logger('silent') })
  onTestFinished(async () => {
    await store.close()
    await rm(directory, { recursive: true, force: true })
  })
  return store
}
