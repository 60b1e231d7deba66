/** Reports over the real cache: what was measured in the store, counted, and read. */

import { describe, expect, it } from 'vitest'
import { openedCache, openStore } from '../figures/ground.ts'
import { scores, write } from '../figures/measured.ts'
import { asked, sectionOf, textOf, wordsOf } from './ground.ts'

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
  const opened = openedCache({ store })
  return { store, ...opened }
}

describe('a report over the real cache', () => {
  it('has no figures before the first refresh, and says so', async () => {
    const { figures } = await measuredPortal()
    expect(wordsOf(await textOf('/portal.html', figures))).toContain('have never been refreshed')
    expect((await asked('/catalogues/city', { figures })).status).toBe(404)
  })

  it('tells of a catalogue what was measured of its datasets', async () => {
    const { cache, figures } = await measuredPortal()
    await cache.refresh('all')
    const page = await textOf('/catalogues/city.html?locale=de', figures)
    const words = (id: string) => wordsOf(sectionOf(page, id))
    expect(words('score')).toContain('250 von 405 Punkten Gut')
    expect(words('score')).toContain('2 von 2 Datensätzen wurden gemessen, mit 1 Distribution.')
    expect(words('bands')).toContain(
      'Ausgezeichnet 1 50,0 % Gut 0 0,0 % Ausreichend 0 0,0 % Mangelhaft 1 50,0 %',
    )
    expect(words('over-time')).toContain('22. November 2026 75 50 65 48 13 250')
    expect(words('worst-indicators')).toMatch(/Zugangs-URL funktioniert .*? 33,3 % 50 33,4/)
    expect(words('violations')).toContain(
      'Die Größe fehlt. dcat:byteSize, Verstoß, Mindestzahl 1 2',
    )
    expect(words('hosts')).toContain('old.example.org 2 1 404')
    expect(words('worst-datasets')).toContain('Straßen city 50 0 20 20 10 100 Mangelhaft')
    expect(words('best-datasets')).toContain('=Parks() city 100 100 110 75 15 400 Ausgezeichnet')
    expect(await textOf('/catalogues/city.csv?locale=de', figures)).toContain(
      `best dataset,parks,'=Parks(),score,400`,
    )
  })

  it('tells of the portal which catalogues there are, measured or not', async () => {
    const { cache, figures } = await measuredPortal()
    await cache.refresh('all')
    const list = wordsOf(sectionOf(await textOf('/portal.html', figures), 'catalogues'))
    expect(list).toContain('City 75 50 65 48 13 250 Good 2 Lake – – – – – – 0')
    expect(wordsOf(await textOf('/catalogues/lake.html', figures))).toContain(
      'Nothing has been measured',
    )
  })

  it('has a line after the second refresh, and another state', async () => {
    const { cache, figures, clock } = await measuredPortal()
    await cache.refresh('all')
    const before = await asked('/catalogues/city.html', { figures })
    clock.set('2026-11-23T10:00:00Z')
    await cache.refresh('all')
    const after = await asked('/catalogues/city.html', { figures })
    expect(after.headers.get('ETag')).not.toBe(before.headers.get('ETag'))
    const page = await after.text()
    expect(sectionOf(page, 'over-time')).toContain('<polyline')
  })
})
