/** Reports over the real cache: what was measured in the store, counted, and read. */

import { describe, expect, it } from 'vitest'
import { cacheFixture, openStore } from '../figures/cache-fixture.ts'
import { scores, write } from '../figures/measured.ts'
import type { Figures } from '../../../src/metrics/figures/figures-reader.ts'
import { asked, textOf } from './report-apps.ts'

type Report = { measured: Record<string, unknown> | null; catalogues?: object }

const reportOf = async (path: string, figures: Figures, query = ''): Promise<Report> =>
  JSON.parse(await textOf(`${path}.json${query}`, figures))

const byteSize = 'http://www.w3.org/ns/dcat#byteSize'
const missing = { path: byteSize, messages: { en: 'A size is needed.', de: 'Die Größe fehlt.' } }

async function measuredPortal() {
  const store = await openStore()
  await write(store, {
    id: 'city',
    title: 'City',
    type: 'dcat-ap',
    datasets: [
      {
        id: 'parks',
        titles: { en: 'Parks', de: '=Parks()' },
        values: {
          ...scores(100, 100, 110, 75, 15),
          keywordAvailability: true,
          dcatApCompliance: true,
        },
      },
      {
        id: 'roads',
        titles: { de: 'Straßen' },
        values: {
          ...scores(50, 0, 20, 20, 10),
          keywordAvailability: false,
          dcatApCompliance: false,
        },
        violations: [missing, missing],
        distributions: {
          csv: {
            values: { downloadUrlAvailability: true },
            urls: {
              accessUrlStatusCode: {
                'https://old.example.org/a': 404,
                'https://old.example.org/b': 404,
                'https://new.example.org/': 200,
              },
            },
          },
        },
      },
    ],
  })
  await write(store, { id: 'lake', title: 'Lake', datasets: [{ id: 'depth' }] })
  const opened = cacheFixture({ store })
  return { store, ...opened }
}

describe('a report over the real cache', () => {
  it('has no figures before the first refresh', async () => {
    const { figures } = await measuredPortal()
    expect(await reportOf('/portal', figures)).toMatchObject({ refreshed: null, measured: null })
    expect((await asked('/catalogues/city', { figures })).status).toBe(404)
  })

  it('has what was measured of the datasets of a catalogue', async () => {
    const { cache, figures } = await measuredPortal()
    await cache.refresh('all')
    const { measured } = await reportOf('/catalogues/city', figures, '?locale=de')
    const points = { findability: 50, accessibility: 0, interoperability: 20 }
    expect(measured).toMatchObject({
      score: 250,
      band: 'goodScoring',
      all: 2,
      datasets: 2,
      distributions: 1,
      byBand: [{ datasets: 1 }, { datasets: 0 }, { datasets: 0 }, { datasets: 1 }],
      history: [{ day: '2026-11-22', score: 250 }],
      violations: [{ message: 'Die Größe fehlt.', path: byteSize, datasets: 1, count: 2 }],
      hosts: [{ host: 'old.example.org', urls: 2, datasets: 1, status: 404 }],
      worst: [{ id: 'roads', title: 'Straßen', catalogue: 'city', score: 100, points }, {}],
      best: [{ id: 'parks', title: '=Parks()', score: 400, band: 'excellentScoring' }, {}],
    })
    expect(measured?.['worstIndicators']).toContain('accessUrlStatusCode')
    expect(await textOf('/catalogues/city.csv?locale=de', figures)).toContain(
      `best dataset,parks,'=Parks(),score,400`,
    )
  })

  it('lists the catalogues of the portal, measured or not', async () => {
    const { cache, figures } = await measuredPortal()
    await cache.refresh('all')
    const { catalogues } = await reportOf('/portal', figures)
    expect(catalogues).toMatchObject({
      count: 2,
      results: [
        { id: 'city', title: 'City', score: 250, datasets: 2 },
        { id: 'lake', title: 'Lake', score: null, band: null, datasets: 0 },
      ],
    })
    expect((await reportOf('/catalogues/lake', figures)).measured).toBeNull()
  })

  it('has a longer history after the second refresh, and another state', async () => {
    const { cache, figures, clock } = await measuredPortal()
    await cache.refresh('all')
    const before = await asked('/catalogues/city.json', { figures })
    clock.set('2026-11-23T10:00:00Z')
    await cache.refresh('all')
    const after = await asked('/catalogues/city.json', { figures })
    expect(after.headers.get('ETag')).not.toBe(before.headers.get('ETag'))
    const { measured } = (await after.json()) as Report
    expect(measured?.['history']).toHaveLength(2)
  })
})
