/** A store or an index that an older copy has replaced: noticed at the start, and versions go on after the newest one. */

import { copyFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { remove, temporaryDirectory } from '../support/gateway.ts'
import { projectorFixture } from './enriching/projector-fixture.ts'

it.each([
  ['store', 'store.db'],
  ['index', 'index.db'],
] as const)('an older copy of the %s is noticed', async (side, name) => {
  const directory = await temporaryDirectory()
  onTestFinished(() => remove(directory))
  const place = join(directory, name)
  const begun = await projectorFixture({ directory })
  await begun.putCatalogue('c')
  await begun.putDataset('c', 'before')
  await begun.quiet()
  await begun.end()
  await copyFile(place, `${place}.older`)
  const later = await projectorFixture({ directory })
  expect(later.olderCopy).toBeUndefined()
  await later.putDataset('c', 'later')
  await later.quiet()
  const newest = (await later.index.newestVersion()) ?? 0
  await later.end()
  for (const end of ['-wal', '-shm']) await rm(place + end, { force: true })
  await copyFile(`${place}.older`, place)
  // A clock that is wrong must not make versions smaller than those in the index.
  const started = await projectorFixture({ directory, now: () => 0 })
  expect(started.olderCopy).toBe(side)
  expect(started.nextVersion()).toBeGreaterThan(newest)
  await started.end()
})
