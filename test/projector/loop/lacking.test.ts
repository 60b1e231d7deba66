/** Whether scores are all that the index lacks of a resource: only then its document may be changed in part. */

import { expect, it } from 'vitest'
import { logger } from '../../../src/log.ts'
import type { Pending } from '../../../src/projector/loop/queue.ts'
import { Projector } from '../../../src/projector/projector.ts'
import { markLine, systemChange, type Landed } from '../../../src/store/marks.ts'
import { freshStore } from '../../support/fresh-store.ts'

const soon = () => AbortSignal.timeout(10_000)
const resource = 'urn:x:a'
const measured = (version: number): Landed => ({
  resource,
  version,
  fresh: { catalogue: 'c', quads: () => [], created: false, scores: [] },
})

/** `taken` has the resource as it was projected, each time. */
async function recording(index: () => Promise<void> = () => Promise.resolve()) {
  const store = await freshStore()
  const taken: Pending[] = []
  const projector = new Projector({
    store,
    log: logger('silent'),
    isFirst: () => false,
    batch: 1,
    capacity: 10,
    pause: () => new Promise((resolve) => setImmediate(resolve)),
    gather: async (batch) => {
      taken.push(...batch.filter((one) => one.resource === resource))
      return index
    },
  })
  const mark = (...marks: readonly Landed[]) =>
    store.write([systemChange({ add: marks.map((one) => markLine('pending', one)) })])
  const write = async (...marks: readonly Landed[]) => {
    await mark(...marks)
    projector.changed(marks)
  }
  return { projector, taken, mark, write }
}

async function ended(projector: Projector): Promise<void> {
  await projector.idle(soon())
  await projector.stop()
}

const told = (taken: readonly Pending[]) =>
  taken.map(({ version, lacksScores = false }) => [version, lacksScores])

it('they are when nothing but a measurement waits', async () => {
  const { projector, taken, write } = await recording()
  await projector.start()
  await write(measured(1))
  await projector.idle(soon())
  await write({ ...measured(2), fresh: { catalogue: 'c', quads: () => [], created: false } })
  await ended(projector)
  expect(told(taken)).toEqual([
    [1, true],
    [2, false],
  ])
})

it('they are not when an earlier write waits too', async () => {
  const { projector, taken, write } = await recording()
  await projector.start()
  await write({ resource, version: 1 }, measured(2))
  await ended(projector)
  expect(told(taken)).toEqual([[2, false]])
})

it('they are not when somebody wants all of it again', async () => {
  const { projector, taken, mark } = await recording()
  await projector.start()
  await mark(measured(1))
  const again = projector.again(resource)
  projector.changed([measured(1)])
  await again
  await ended(projector)
  expect(told(taken)).toEqual([[1, false]])
})

it('they are not while an earlier write is on its way, which may fail', async () => {
  const first = Promise.withResolvers<void>()
  const { projector, taken, write } = await recording(() => first.promise)
  await projector.start()
  await write({ resource, version: 1 })
  await expect.poll(() => taken.length).toBe(1)
  await write(measured(2))
  await expect.poll(() => taken.length).toBe(2)
  first.resolve()
  await ended(projector)
  expect(told(taken)).toEqual([
    [1, false],
    [2, false],
  ])
})

it('they are not while marks may stand in the store that nobody here knows of', async () => {
  const { projector, taken, mark, write } = await recording()
  await projector.start()
  await mark(measured(1))
  projector.recheck()
  projector.changed([measured(1)])
  await projector.idle(soon())
  await write(measured(2))
  await ended(projector)
  expect(told(taken)).toEqual([
    [1, false],
    [2, true],
  ])
})
