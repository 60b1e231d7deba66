/** Refreshes that start by themselves: after metrics runs, by schedules, daily. */

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { openStore, cacheFixture } from './cache-fixture.ts'
import { scores, write } from './measured.ts'

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]

async function quiet() {
  const store = await openStore()
  for (const id of ['north', 'south'])
    await write(store, { id, datasets: [{ id: `${id}-1`, values: scores(10, 0, 0, 0, 0) }] })
  const runsFixture = cacheFixture({ store })
  const number = () => runsFixture.figures.refreshed()?.number ?? 0
  return { ...runsFixture, number }
}

it('a new portal has figures within a minute, and new ones every day', async () => {
  const { clock, number } = await quiet()
  expect(number()).toBe(0)
  clock.forward(minute)
  await expect.poll(number).toBe(1)
  for (let n = 0; n < 23; n += 1) clock.forward(hour)
  expect(number()).toBe(1)
  await expect
    .poll(() => {
      clock.forward(hour)
      return number()
    })
    .toBe(2)
})

it('the figures of a catalogue follow its metrics run within a minute, many runs together', async () => {
  const { cache, clock, number, figures } = await quiet()
  await cache.refresh('all')
  cache.refreshes.requestSoon(['north'], 'metrics')
  clock.forward(minute / 6)
  cache.refreshes.requestSoon(['south'], 'metrics')
  cache.refreshes.requestSoon(['north'], 'metrics')
  expect(number()).toBe(1)
  clock.forward(minute / 2)
  await expect.poll(number).toBe(2)
  expect(figures.catalogues()).toHaveLength(2)
  await expect.poll(() => cache.refreshes.progress).toBeUndefined()
  clock.forward(hour)
  expect(await cache.refresh(['north'])).toBe(3)
})

it('a cache in which a refresh is due ends at once', async () => {
  const { cache, stop } = await quiet()
  cache.refreshes.requestSoon(['north'], 'metrics')
  await expect(stop()).resolves.toBeUndefined()
})

it('all figures follow a run over all catalogues', async () => {
  const { cache, clock, number, figures } = await quiet()
  await cache.refresh(['north'])
  cache.refreshes.requestSoon(['north'], 'metrics')
  cache.refreshes.requestSoon('all', 'metrics')
  clock.forward(minute / 2)
  await expect.poll(number).toBe(2)
  expect(figures.catalogues().map(({ id }) => id)).toEqual(['north', 'south'])
})

it('schedules refresh everything, say when they do so next, and outlive the process', async () => {
  const runsFixture = await quiet()
  const { cache, clock, number, stop, directory } = runsFixture
  await cache.refresh('all')
  cache.schedules.set({ id: 'noon', status: 'enabled', cron: '0 12 * * *' }, 10)
  cache.schedules.set(
    { id: 'never', status: 'disabled', interval: { unit: 'MINUTE', value: 1 } },
    10,
  )
  const noon = () => cache.schedules.all().find(({ id }) => id === 'noon')
  expect(noon()?.next).toBe(Date.parse('2026-11-22T12:00:00Z'))
  clock.set('2026-11-22T12:00:01Z')
  await expect.poll(number).toBe(2)
  expect(noon()).toMatchObject({ next: Date.parse('2026-11-23T12:00:00Z'), last: clock.now() })
  await stop()
  const store = await openStore()
  const again = cacheFixture({ store, directory, at: '2026-11-22T13:00:00Z' })
  expect(again.cache.schedules.all().map(({ id }) => id)).toEqual(['never', 'noon'])
  expect(() =>
    again.cache.schedules.set({ id: 'one-too-many', status: 'enabled', cron: '0 0 * * *' }, 2),
  ).toThrow('at most 2')
  again.clock.forward(day)
  await expect.poll(() => again.figures.refreshed()?.number).toBe(3)
})

it('a refresh that failed by itself is tried again', async () => {
  const real = await openStore()
  await write(real, { id: 'north', datasets: [{ id: 'n', values: scores(10, 0, 0, 0, 0) }] })
  const state = { isAway: true, tries: 0 }
  const select: typeof real.select = (query, signal) => {
    state.tries += 1
    return state.isAway ? Promise.reject(new Error('away')) : real.select(query, signal)
  }
  const { clock, figures } = cacheFixture({ store: { ...real, select } })
  clock.forward(minute)
  await expect.poll(() => state.tries).toBe(1)
  state.isAway = false
  await expect
    .poll(() => {
      clock.forward(minute)
      return figures.refreshed()?.number
    })
    .toBe(1)
})

it('schedules go on after a write that the file could not take', async () => {
  const runsFixture = await quiet()
  const { cache, clock, number, directory, logged } = runsFixture
  await cache.refresh('all')
  cache.schedules.set({ id: 'noon', status: 'enabled', cron: '0 12 * * *' }, 10)
  const file = new DatabaseSync(join(directory, 'figures.sqlite'))
  onTestFinished(() => file.close())
  file.exec(`CREATE TRIGGER full BEFORE UPDATE ON schedule
    BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END`)
  clock.set('2026-11-22T12:00:01Z')
  await expect.poll(() => logged.join('')).toContain('figures.schedule-failed')
  const noon = () => cache.schedules.all().find(({ id }) => id === 'noon')
  expect(noon()?.last).toBeUndefined()
  file.exec('DROP TRIGGER full')
  await expect
    .poll(() => {
      clock.forward(minute)
      return noon()?.last
    })
    .toBeDefined()
  await expect.poll(number).toBeGreaterThan(1)
})
