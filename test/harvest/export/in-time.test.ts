import { expect, test } from 'vitest'
import { droppedBySegment } from '../../../src/pipe/message.ts'
import { complete, harvestFixture, pipeOf, record, whole } from './harvest-fixture.ts'

test('what has come is written while the source pauses, before anything says that this is all', async () => {
  const fixture = await harvestFixture()
  let stored: readonly string[] = []
  fixture.offers(async function* () {
    yield record('a')
    yield record('b')
    await expect
      .poll(async () => (stored = await fixture.ids()), { timeout: 10_000 })
      .toHaveLength(2)
    yield record('c')
    yield complete()
  })
  const run = await fixture.run()
  expect([stored, run.counts.created]).toEqual([['a', 'b'], 3])
})

test('a source that breaks off while something waits ends the run', async () => {
  const fixture = await harvestFixture()
  fixture.offers(async function* () {
    yield record('a')
    throw new Error('gone')
  })
  expect(await fixture.run()).toMatchObject({ status: 'failed' })
})

test.each([
  ['stays as it is', {}, ['a', 'b'], 0],
  ['goes where the exporter says so', { onDropped: 'remove' }, ['a'], 1],
])('a record that a foreign transformer has dropped %s', async (_, config, left, removed) => {
  const fixture = await harvestFixture()
  fixture.pipes.set('p', pipeOf('p', {}, config))
  fixture.offers(whole('a', 'b'))
  await fixture.run()
  fixture.offers(() => [
    record('a', 'changed'),
    { kind: 'skipped', sourceId: 'b', reason: droppedBySegment },
    complete(),
  ])
  const run = await fixture.run()
  expect(run).toMatchObject({ outcome: 'complete', counts: { skipped: 1, removed } })
  expect(await fixture.ids()).toEqual(left)
})
