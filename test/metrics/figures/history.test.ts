/** What figures were: one snapshot per scope and day, the last of a day, thinned when years go by. */

import { expect, it } from 'vitest'
import type { Resolution } from '../../../src/metrics/figures/figures.ts'
import type { GraphStore } from '../../../src/store/graph-store.ts'
import { openStore, cacheFixture } from './cache-fixture.ts'
import { changesOf, scores, write } from './measured.ts'

const publisher = ['https://water.example.org/', 'Water Office'] as const
const dataset = (points: number) => ({ id: 'a', publisher, values: scores(points, 0, 0, 0, 0) })

const measure = (store: GraphStore, points: number) => store.write(changesOf(dataset(points)))

async function measuredOften(...days: readonly (readonly [at: string, points: number])[]) {
  const store = await openStore()
  await write(store, { id: 'city', country: 'DEU', datasets: [dataset(0)] })
  const runsFixture = cacheFixture({ store, at: days[0]?.[0] ?? '' })
  for (const [at, points] of days) {
    await measure(store, points)
    runsFixture.clock.set(at)
    await runsFixture.cache.refresh(['city'])
  }
  const history = (
    scope: Parameters<typeof runsFixture.figures.history>[0],
    resolution: Resolution,
  ) =>
    runsFixture.figures
      .history(scope, { from: '2000-01-01', to: '2099-12-31', resolution })
      .map(({ day, aggregate }) => [day, aggregate.score])
  return { ...runsFixture, store, history }
}

it('shows three refreshes', async () => {
  const { history, figures } = await measuredOften(
    ['2026-11-20T10:00:00Z', 10],
    ['2026-11-21T10:00:00Z', 20],
    ['2026-11-22T10:00:00Z', 30],
  )
  const days = [
    ['2026-11-20', 10],
    ['2026-11-21', 20],
    ['2026-11-22', 30],
  ]
  for (const scope of ['global', { catalogue: 'city' }, { country: 'DEU' }] as const)
    expect(history(scope, 'day')).toEqual(days)
  const span = { from: '2026-11-21', to: '2026-11-21', resolution: 'day' } as const
  expect(figures.history('global', span)).toMatchObject([
    { day: '2026-11-21', aggregate: { dimensions: { findability: { points: 20 } } } },
  ])
})

it('has the last refresh of a day, of a month and of a year', async () => {
  const { history } = await measuredOften(
    ['2026-09-30T08:00:00Z', 10],
    ['2026-11-21T08:00:00Z', 20],
    ['2026-11-21T23:00:00Z', 21],
    ['2026-11-22T08:00:00Z', 22],
  )
  expect(history('global', 'day')).toEqual([
    ['2026-09-30', 10],
    ['2026-11-21', 21],
    ['2026-11-22', 22],
  ])
  expect(history('global', 'month')).toEqual([
    ['2026-09-30', 10],
    ['2026-11-22', 22],
  ])
  expect(history('global', 'year')).toEqual([['2026-11-22', 22]])
})

it('keeps years before this one by month, ten of them, and publishers by month at once', async () => {
  const { history } = await measuredOften(
    ['2015-05-05T08:00:00Z', 1],
    ['2026-11-20T08:00:00Z', 2],
    ['2026-11-21T08:00:00Z', 3],
    ['2026-12-31T08:00:00Z', 4],
    ['2027-01-01T08:00:00Z', 5],
    ['2027-01-02T08:00:00Z', 6],
  )
  expect(history({ catalogue: 'city' }, 'day')).toEqual([
    ['2026-11-21', 3],
    ['2026-12-31', 4],
    ['2027-01-01', 5],
    ['2027-01-02', 6],
  ])
  expect(history({ publisher: publisher[0] }, 'day')).toEqual([
    ['2026-11-21', 3],
    ['2026-12-31', 4],
    ['2027-01-02', 6],
  ])
})

it('outlives the process, and is hidden with its catalogue', async () => {
  const { cache, store, stop, directory } = await measuredOften(['2026-11-20T10:00:00Z', 10])
  await write(store, { id: 'city', country: 'DEU', hidden: true, datasets: [dataset(10)] })
  await cache.refresh('all')
  const span = { from: '2026-11-01', to: '2026-11-30', resolution: 'day' } as const
  expect(cache.figures.history({ catalogue: 'city' }, span)).toEqual([])
  await stop()
  await write(store, { id: 'city', country: 'DEU', datasets: [dataset(40)] })
  const again = cacheFixture({ store, directory, at: '2026-11-25T10:00:00Z' })
  await again.cache.refresh('all')
  const found = again.figures.history({ catalogue: 'city' }, span)
  expect(found.map(({ day, aggregate }) => [day, aggregate.score])).toEqual([
    ['2026-11-20', 10],
    ['2026-11-25', 40],
  ])
})
