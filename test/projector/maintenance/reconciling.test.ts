/** Index and store are compared by themselves, in their time, and what was found is told. */

import { expect, it, onTestFinished } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import { metrics } from '../../../src/http/metrics.ts'
import { logger } from '../../../src/log.ts'
import { scheduleReconcile } from '../../../src/projector/reconcile.ts'
import { handClock } from '../../support/scheduler/hand-clock.ts'

const minute = 60_000
const hour = 60 * minute
const found = { compared: 100, missing: 1, stale: 2, extra: 0, repaired: 3 }

function comparison(hours: number, random = 0) {
  const clock = handClock('2026-11-22T00:00:00Z')
  const registry = metrics()
  const asked: { readonly minutes: number; readonly dryRun: boolean }[] = []
  const trouble: { failure?: Error } = {}
  const start = clock.now()
  const made = scheduleReconcile({
    ...clock,
    reconcile: async ({ dryRun }) => {
      asked.push({ minutes: (clock.now() - start) / minute, dryRun })
      if (trouble.failure) throw trouble.failure
      return found
    },
    hours,
    metrics: registry,
    log: logger('silent'),
    random: () => random,
  })
  onTestFinished(() => made.stop())
  const text = () => registry.registry.metrics()
  return { ...made, clock, asked, trouble, text, minutes: () => asked.map((one) => one.minutes) }
}

it('the first comparison comes a while after the start, the next ones after so many hours', async () => {
  const { clock, start, asked } = comparison(24)
  start()
  await clock.advance(5 * minute - 1)
  expect(asked).toEqual([])
  await clock.advance(48 * hour + 1)
  expect(asked).toEqual([0, 24, 48].map((n) => ({ minutes: 5 + n * 60, dryRun: false })))
})

it('each comes up to an hour later, by chance', async () => {
  const { clock, start, minutes } = comparison(1, 0.999_999)
  start()
  await clock.advance(4 * hour)
  expect(minutes().map(Math.round)).toEqual([60, 175])
})

it('with 0 hours nothing is compared by itself, but whoever asks is answered and counted', async () => {
  const { clock, start, asked, reconcile, last, text } = comparison(0)
  start()
  await clock.advance(100 * hour)
  expect(asked).toEqual([])
  expect(last()).toBeUndefined()
  expect(await text()).not.toContain('cartulary_index_drift{')
  const asking = { dryRun: true, progress: () => undefined }
  expect(await reconcile(asking, new AbortController().signal)).toEqual(found)
  expect(last()).toEqual({ at: '2026-11-26T04:00:00.000Z', ...found })
  const numbers = await text()
  for (const line of [
    'drift{kind="missing"} 1',
    'drift{kind="stale"} 2',
    'drift{kind="extra"} 0',
    'repaired 3',
    'compared_records 100',
    `compared_timestamp_seconds ${clock.now() / 1000}`,
  ])
    expect(numbers).toContain(`cartulary_index_${line}\n`)
})

it.each([new Failure('conflict', 'an index is being filled'), new Error('the store is away')])(
  'one that could not be made is tried again soon: %s',
  async (failure) => {
    const { clock, start, trouble, minutes, last } = comparison(24)
    trouble.failure = failure
    start()
    await clock.advance(16 * minute)
    expect(minutes()).toEqual([5, 15])
    expect(last()).toBeUndefined()
    delete trouble.failure
    await clock.advance(hour)
    expect(minutes()).toEqual([5, 15, 25])
  },
)

it('the end of the process ends it in the midst', async () => {
  const clock = handClock('2026-11-22T00:00:00Z')
  let isAborted = false
  const { start, stop } = scheduleReconcile({
    ...clock,
    reconcile: (_, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          isAborted = true
          reject(new Error('aborted'))
        })
      }),
    hours: 1,
    metrics: metrics(),
    log: logger('silent'),
    random: () => 0,
  })
  start()
  await clock.advance(6 * minute)
  await stop()
  expect(isAborted).toBe(true)
})
