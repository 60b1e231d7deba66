/** A refresh: of everything or a part, complete or not at all. */

import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import type { GraphStore } from '../../../src/store/graph-store.ts'
import { unlessAborted } from '../../../src/workers/condition.ts'
import { openStore, cacheFixture } from './cache-fixture.ts'
import { changesOf, scores, write, type MeasuredCatalogue } from './measured.ts'

const water = ['https://water.example.org/', 'Water Office'] as const
const one = (id: string, points: number): MeasuredCatalogue => ({
  id,
  country: 'DEU',
  datasets: [
    {
      id: `${id}-1`,
      publisher: water,
      values: scores(points, 0, 0, 0, 0),
      violations: [{ path: 'urn:x:path' }],
    },
  ],
})

const measure = (store: GraphStore, catalogue: string, points: number) =>
  store.write(one(catalogue, points).datasets.flatMap(changesOf))

/** A store whose answers can be held back, or made to fail. */
function gated(store: GraphStore) {
  const state: { gate?: Promise<void>; failure?: Error; reads: number } = {
    reads: 0,
  }
  const readAll: GraphStore['readAll'] = async (graphs, options, signal) => {
    if (state.failure) throw state.failure
    if (graphs.some((graph) => graph.includes('/metrics/'))) {
      state.reads += 1
      if (state.gate) await (signal ? unlessAborted(state.gate, signal) : state.gate)
    }
    return store.readAll(graphs, options, signal)
  }
  return { state, store: { ...store, readAll } }
}

async function twoCatalogues() {
  const real = await openStore()
  await write(real, one('north', 10))
  await write(real, one('south', 50))
  const { state, store } = gated(real)
  const runsFixture = cacheFixture({ store })
  await runsFixture.cache.refresh('all')
  const score = (scope: Parameters<typeof runsFixture.figures.aggregate>[0]) =>
    runsFixture.figures.aggregate(scope)?.score
  return { ...runsFixture, real, state, score }
}

it('of one catalogue also makes its country, its publishers and the portal anew, and leaves the others', async () => {
  const { cache, real, score } = await twoCatalogues()
  await measure(real, 'north', 30)
  await measure(real, 'south', 90)
  await cache.refresh(['north'])
  expect(score({ catalogue: 'north' })).toBe(30)
  expect(score({ catalogue: 'south' })).toBe(50)
  expect([score({ country: 'DEU' }), score({ publisher: water[0] }), score('global')]).toEqual([
    40, 40, 40,
  ])
})

it('serves the old figures until the new ones are complete, and tells how far it is', async () => {
  const { cache, figures, real, state, score } = await twoCatalogues()
  const before = figures.refreshed()
  await measure(real, 'north', 30)
  const gate = Promise.withResolvers<void>()
  state.gate = gate.promise
  const running = cache.refresh('all')
  await expect.poll(() => cache.refreshes.progress?.catalogues.all).toBe(2)
  expect([score({ catalogue: 'north' }), figures.refreshed()]).toEqual([10, before])
  expect(figures.violations('north', { offset: 0, limit: 5 }).count).toBe(1)
  gate.resolve()
  expect(await running).toBe(2)
  expect([score({ catalogue: 'north' }), figures.refreshed()?.number]).toEqual([30, 2])
  expect(cache.refreshes.progress).toBeUndefined()
})

it('is joined by who asks for the same meanwhile, and what else is wanted is done together', async () => {
  const { cache, state, figures } = await twoCatalogues()
  const gate = Promise.withResolvers<void>()
  state.gate = gate.promise
  const first = cache.refresh(['north'])
  await expect.poll(() => cache.refreshes.progress?.scope).toEqual(['north'])
  const joined = cache.refresh(['north'])
  const later = [cache.refresh(['south']), cache.refresh('all')]
  gate.resolve()
  expect(await Promise.all([first, joined])).toEqual([2, 2])
  expect(await Promise.all(later)).toEqual([3, 3])
  expect(figures.refreshed()?.number).toBe(3)
})

it('that fails leaves the old figures and is owed; one that ends with the process is rejected', async () => {
  const { cache, real, state, score, stop } = await twoCatalogues()
  await measure(real, 'north', 30)
  state.failure = new Failure('store-unavailable', 'the store is away')
  await expect(cache.refresh('all')).rejects.toThrow('the store is away')
  expect(score('global')).toBe(30)
  state.failure = undefined
  // What failed is still to be done: the next request includes it.
  await cache.refresh(['south'])
  expect([score({ catalogue: 'north' }), score('global')]).toEqual([30, 40])
  const gate = Promise.withResolvers<void>()
  state.gate = gate.promise
  const [running, waiting] = [cache.refresh(['south']), cache.refresh('all')]
  const ended = Promise.allSettled([running, waiting])
  await expect.poll(() => cache.refreshes.progress).toBeDefined()
  const stopped = stop()
  gate.resolve()
  await stopped
  expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})

it('goes on after the end of the process, with what waited, and leaves no rows of earlier versions', async () => {
  const { cache, real, state, directory, stop } = await twoCatalogues()
  await measure(real, 'north', 30)
  await measure(real, 'south', 90)
  state.gate = new Promise(() => undefined)
  const [running, waiting] = [cache.refresh(['south']), cache.refresh(['north'])]
  const ended = Promise.allSettled([running, waiting])
  await expect.poll(() => cache.refreshes.progress).toBeDefined()
  await stop()
  await ended
  const again = cacheFixture({ store: real, directory })
  expect(again.figures.aggregate('global')?.score).toBe(30)
  await expect.poll(() => again.figures.aggregate('global')?.score).toBe(60)
  await expect.poll(() => again.jobs.counts()).toMatchObject({ running: 0, waiting: 0 })
  await again.stop()
  const file = new DatabaseSync(join(directory, 'figures.sqlite'))
  const versions = (table: string) =>
    file.prepare(`SELECT count(DISTINCT version) AS n FROM ${table}`).get()
  for (const table of ['measurement', 'scored_dataset', 'problem', 'counted_catalogue'])
    expect([table, versions(table)]).toEqual([table, { n: 2 }])
  file.close()
})

it('that is cancelled leaves the old figures, and is not tried again', async () => {
  const { cache, real, state, jobs, score, clock } = await twoCatalogues()
  await measure(real, 'north', 30)
  state.gate = new Promise(() => undefined)
  const running = Promise.allSettled([cache.refresh(['north'])])
  await expect.poll(() => cache.refreshes.progress).toBeDefined()
  const [job] = jobs.list({ kind: 'refresh-figures', limit: 1, offset: 0 })
  expect(job).toMatchObject({ key: 'figures', state: 'running', payload: ['north'] })
  jobs.cancel(job?.id ?? '')
  expect(await running).toMatchObject([
    { reason: { kind: 'conflict', detail: expect.stringContaining('was cancelled') } },
  ])
  clock.forward(3_600_000)
  expect(jobs.counts()).toEqual({ running: 0, waiting: 0, failed: 0 })
  expect(score({ catalogue: 'north' })).toBe(10)
})

it('of one catalogue is one of all where there are no figures: those of the portal are never of a part', async () => {
  const { cache, figures, real, score } = await twoCatalogues()
  cache.clear()
  await cache.refresh(['north'])
  expect([score({ catalogue: 'south' }), score({ country: 'DEU' }), score('global')]).toEqual([
    50, 30, 30,
  ])
  const span = { from: '2026-11-01', to: '2026-11-30', resolution: 'day' } as const
  expect(figures.history('global', span)).toMatchObject([{ aggregate: { score: 30 } }])
  await measure(real, 'south', 90)
  await cache.refresh(['north'])
  expect(score({ catalogue: 'south' })).toBe(50)
  const fresh = cacheFixture({ store: real })
  await fresh.cache.refresh(['north'])
  expect(fresh.figures.aggregate('global')?.score).toBe(50)
})

it('that is overtaken by a clearing begins again with everything', async () => {
  const { cache, state, score } = await twoCatalogues()
  const gate = Promise.withResolvers<void>()
  state.gate = gate.promise
  const running = cache.refresh(['north'])
  await expect.poll(() => cache.refreshes.progress).toBeDefined()
  cache.clear()
  gate.resolve()
  await running
  expect([score({ catalogue: 'south' }), score('global')]).toEqual([50, 30])
})

it('after a crash in its middle finds the old figures, and removes what it left', async () => {
  const { directory, stop, real } = await twoCatalogues()
  await stop()
  const path = join(directory, 'figures.sqlite')
  const file = new DatabaseSync(path)
  file.exec(
    "INSERT INTO measurement VALUES (77, 'metric', '', 'datasets', 'all', '', 0, 0, ''), (77, 'metric', '', 'scoring', 'sum', '', 405, 1, '')",
  )
  file.exec(
    "INSERT INTO scored_dataset SELECT 77, id, publisher, 405, facts FROM scored_dataset WHERE id = 'north-1'",
  )
  file.close()
  const again = cacheFixture({ store: real, directory })
  expect(again.figures.aggregate('global')?.score).toBe(30)
  expect(again.figures.best('global', 1)).toMatchObject([{ score: 50 }])
  await again.cache.refresh(['south'])
  await again.stop()
  const left = new DatabaseSync(path)
  for (const table of ['measurement', 'scored_dataset'])
    expect(left.prepare(`SELECT count(*) AS n FROM ${table} WHERE version = 77`).get()).toEqual({
      n: 0,
    })
  left.close()
})

it('drops catalogues that are gone, and countries and publishers with them', async () => {
  const { cache, real, figures, score } = await twoCatalogues()
  await write(real, { ...one('north', 10), country: 'FRA' })
  await cache.refresh('all')
  expect(figures.countries()).toEqual(['DEU', 'FRA'])
  for (const id of ['north', 'south'])
    await real.write([{ graph: `http://localhost:8080/id/catalogue/${id}`, drop: true }])
  await cache.refresh(['south'])
  expect(figures.countries()).toEqual(['FRA'])
  expect(score('global')).toBe(10)
  await cache.refresh('all')
  expect(figures.catalogues()).toEqual([])
  expect([figures.countries(), figures.publishers({ offset: 0, limit: 5 }).count]).toEqual([[], 0])
  expect(score('global')).toBeNull()
})

it('reads measurements of any boolean and numeric type, and metrics in any namespace', async () => {
  const store = await openStore()
  await write(store, { id: 'old', datasets: [{ id: 'o', values: scores(1, 2, 3, 4, 5) }] })
  const graph = 'http://localhost:8080/id/metrics/o'
  const [text = ''] = [await store.read(graph)]
  const typed = (type: string) => `^^<http://www.w3.org/2001/XMLSchema#${type}>`
  const about = (n: number, metric: string, value: string) =>
    `<${graph}> <http://www.w3.org/ns/dqv#hasQualityMeasurement> <urn:m${n}> .\n` +
    `<urn:m${n}> <http://www.w3.org/ns/dqv#isMeasurementOf> <urn:other#${metric}> .\n` +
    `<urn:m${n}> <http://www.w3.org/ns/dqv#value> ${value} .\n`
  const more =
    about(1, 'keywordAvailability', `"1"${typed('boolean')}`) +
    about(2, 'keywordAvailability', `"0"${typed('int')}`) +
    about(3, 'accessUrlStatusCode', `"200"${typed('int')}`) +
    about(4, 'accessUrlStatusCode', `"404"${typed('double')}`) +
    about(5, 'formatAvailability', `"perhaps"`)
  await store.write([
    {
      graph,
      content: (text + more)
        .split('\n')
        .filter(Boolean)
        .sort()
        .map((line) => `${line}\n`)
        .join(''),
    },
  ])
  const { cache, figures } = cacheFixture({ store })
  await cache.refresh('all')
  expect(figures.aggregate({ catalogue: 'old' })).toMatchObject({
    score: 15,
    metrics: {
      keywordAvailability: [{ percentage: 50 }, { percentage: 50 }],
      accessUrlStatusCode: [
        { name: '200', percentage: 50 },
        { name: '404', percentage: 50 },
      ],
      formatAvailability: null,
    },
  })
})
