/** A dataset of which only the scores changed: its document ends as if the index had been rebuilt. */

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import '../support/seed.ts'
import type { SearchRequest } from '../../src/search-index/search-index.ts'
import { request } from '../contracts/search-index-corpus.ts'
import { iris, quadsOf } from './built.ts'
import { projectorFixture } from './enriching/projector-fixture.ts'

type Station = Awaited<ReturnType<typeof projectorFixture>>
let opened: Station[] = []
afterEach(async () => {
  for (const one of opened) await one.close()
  opened = []
})

const measured = (id: string, scores: Readonly<Record<string, number | string>>) =>
  Object.entries(scores)
    .map(
      ([name, value]) => `<${iris.dataset(id)}> dqv:hasQualityMeasurement [
    dqv:isMeasurementOf pv:${name} ; dqv:computedOn <${iris.dataset(id)}> ; dqv:value ${value} ] .`,
    )
    .join('\n')

async function measure({ manyMetrics }: Station, scores: Readonly<Record<string, number>>) {
  const all = Object.entries(scores).map(async ([dataset, scoring]) => ({
    dataset,
    quads: await quadsOf(
      `<urn:m> a dqv:QualityMetadata . ${measured(dataset, { scoring, findabilityScoring: 7 })}`,
    ),
  }))
  return manyMetrics(await Promise.all(all), AbortSignal.timeout(30_000))
}

/** What the index has, in every way it is asked. */
async function state({ index }: Station) {
  const { hits, facets } = await index.search(
    request({
      order: [{ name: 'quality_meas.scoring', direction: 'desc' }],
      facets: { size: 100, global: false },
    }),
  )
  const entries = await index.entries('dataset', '', 100)
  return {
    records: hits.map(({ id, record }) => [id, JSON.parse(record) as unknown]),
    hashes: entries.map(({ id, hash }) => [id, hash]),
    facets: facets?.map(({ id, items }) => [id, items]),
  }
}

/** The same station with an index that is filled from the store. */
async function rebuilt(one: Station): Promise<Station> {
  await one.end()
  await Promise.all(
    ['', '-wal', '-shm'].map((end) => rm(join(one.directory, `index.db${end}`), { force: true })),
  )
  const next = await projectorFixture({ directory: one.directory })
  opened = opened.map((other) => (other === one ? next : other))
  await next.quiet()
  return next
}

async function opening(hurried = false): Promise<Station> {
  const one = await projectorFixture({ hurried })
  opened.push(one)
  await one.putCatalogue('cat')
  return one
}

describe('scores alone', () => {
  it('reach record, order, numbers and bands', async () => {
    const one = await opening()
    for (const id of ['a', 'b']) await one.putDataset('cat', id)
    await one.quiet()
    expect(await measure(one, { a: 120, b: 380 })).toEqual(['created', 'created'])
    await one.quiet()
    expect(await one.get('dataset', 'b')).toMatchObject({
      title: { en: 'b' },
      quality_meas: { scoring: 380, findabilityScoring: 7 },
    })
    const found = async (changes: Partial<SearchRequest>) =>
      (await one.index.search(request(changes))).hits.map(({ id }) => id)
    const good = [{ name: 'quality_meas.scoring', from: 351 }]
    expect(await found({ filter: { numbers: good } })).toEqual(['b'])
    const all = await state(one)
    expect(all.facets).toContainEqual([
      'scoring',
      expect.arrayContaining([expect.objectContaining({ id: 'excellentScoring', count: 1 })]),
    ])
    expect(await state(await rebuilt(one))).toEqual(all)
  })

  it('are not shown to a cursor that was opened before', async () => {
    const one = await opening()
    await one.putDataset('cat', 'a')
    await measure(one, { a: 1 })
    await one.quiet()
    expect(await one.get('dataset', 'a')).toMatchObject({ quality_meas: { scoring: 1 } })
    const { offset: _, ...all } = request({ limit: 1 })
    const { cursor } = await one.index.openCursor({ ...all, client: 'c', note: '' })
    await measure(one, { a: 2 })
    await one.quiet()
    const [hit] = (await one.index.readPage(cursor, { after: 0 })).hits
    expect(JSON.parse(hit?.record ?? '')).toMatchObject({ quality_meas: { scoring: 1 } })
    expect(await one.get('dataset', 'a')).toMatchObject({ quality_meas: { scoring: 2 } })
  })

  const name = fc.constantFrom('a', 'b', 'c')
  const scores = fc.dictionary(name, fc.constantFrom(0, 120, 121, 300, 405), { minKeys: 1 })
  const step = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('put' as const), id: name, title: fc.nat(9) }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('measure' as const), scores }) },
    fc.record({ kind: fc.constant('delete' as const), id: name }),
    fc.record({ kind: fc.constant('catalogue' as const), title: fc.nat(9) }),
    fc.record({ kind: fc.constant('scroll' as const) }),
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constantFrom('wait' as const, 'quiet' as const) }),
    },
  )
  it('leave an index that is the one that is built anew, whatever else is written meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const one = await opening(true)
        const { offset: _, ...all } = request({ limit: 1 })
        for (const next of steps) {
          if (next.kind === 'put')
            await one.putDataset('cat', next.id, `<> dct:description "${next.title}"@en .`)
          else if (next.kind === 'measure') await measure(one, next.scores)
          else if (next.kind === 'delete') await one.ask('DELETE', `/datasets/${next.id}`)
          else if (next.kind === 'catalogue')
            await one.putCatalogue('cat', `<> dct:description "${next.title}"@en .`)
          else if (next.kind === 'scroll')
            await one.index.openCursor({ ...all, client: 'c', note: '' })
          else if (next.kind === 'wait') await sleep(5)
          else await one.quiet()
        }
        await one.quiet()
        const ended = await state(one)
        expect(await state(await rebuilt(one))).toEqual(ended)
        await opened.pop()?.close()
      }),
      {
        numRuns: 4,
        examples: [
          [
            [
              { kind: 'put', id: 'a', title: 1 },
              { kind: 'quiet' },
              { kind: 'put', id: 'a', title: 2 },
              { kind: 'measure', scores: { a: 405 } },
            ],
          ],
        ],
      },
    )
  }, 120_000)
})
