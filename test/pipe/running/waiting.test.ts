/** Runs that wait for their time, so that not all sources are asked at the full hour. */

import { expect, it } from 'vitest'
import { launcherFixture, timeoutSignal } from './launcher-fixture.ts'

it('a run that is to wait is there at once, begins when its time has come, and keeps no place from others', async () => {
  const { go, launcher, place, status } = await launcherFixture({ atOnce: 1 })
  const { id } = go('city', { waitMs: 60_000 })
  expect(status(id)).toBe('waiting')
  const other = go('other')
  expect(await launcher.waitForEnd(other.id, timeoutSignal())).toMatchObject({ status: 'finished' })
  place.at += 59_000
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(status(id)).toBe('waiting')
  expect(launcher.launch({ pipe: 'city', startedBy: 'trigger' })).toMatchObject({
    dropped: { id },
  })
  place.at += 1000
  expect(await launcher.waitForEnd(id, timeoutSignal())).toMatchObject({ status: 'finished' })
})

it('a run that only listens gives its place to another one, until it goes on', async () => {
  const { go, launcher, place, status, stage, hanging } = await launcherFixture({ atOnce: 1 })
  const { contexts, release } = stage
  const first = go('slow')
  await hanging(1)
  const second = go('other', { configs: { 'importing-test': { after: 'hangs' } } })
  expect(status(second.id)).toBe('waiting')
  contexts[0]?.setIdle?.(true)
  await hanging(2)
  contexts[0]?.setIdle?.(false)
  const third = go('many')
  place.at += 1000
  expect(status(third.id)).toBe('waiting')
  release()
  for (const { id } of [first, second, third]) {
    expect(await launcher.waitForEnd(id, timeoutSignal())).toMatchObject({ status: 'finished' })
  }
})

it('a run that waits can be cancelled', async () => {
  const { go, launcher } = await launcherFixture()
  const { id } = go('city', { waitMs: 60_000 })
  expect(await launcher.cancel(id)).toMatchObject({ status: 'cancelled' })
})
