/** The cache as a service over a small portal, asked without a socket. */

import { cacheApp } from '../../../src/metrics/figures/cache-app.ts'
import { apiKeys } from '../../../src/http/api-key.ts'
import { logger } from '../../../src/log.ts'
import { names, openStore, cacheFixture } from './cache-fixture.ts'
import { scores, write, type MeasuredCatalogue } from './measured.ts'

export const address = 'http://localhost:8080/api/mqa/cache'
export const keys = {
  'key-of-everything': ['*'],
  'key-of-the-cache': ['POST /admin/**'],
  'key-of-refreshes': ['POST /admin/refresh'],
  'key-of-city': ['city'],
}

const water = ['https://water.example.org/', 'Water Office'] as const
const size = 'http://www.w3.org/ns/dcat#byteSize'

const city: MeasuredCatalogue = {
  id: 'city',
  title: 'City',
  country: 'DEU',
  type: 'dcat-ap',
  datasets: [
    {
      id: 'a',
      titles: { de: 'Pegel', en: 'Gauges' },
      publisher: water,
      values: {
        keywordAvailability: true,
        accessRightsAvailability: false,
        dateIssuedAvailability: true,
        dcatApCompliance: false,
        ...scores(80, 80, 80, 50, 10),
      },
      distributions: {
        'a-2': {
          title: 'As CSV',
          values: {
            downloadUrlAvailability: true,
            byteSizeAvailability: false,
            dateIssuedAvailability: false,
          },
          urls: {
            accessUrlStatusCode: {
              'https://one.example.org/x': 404,
              'https://two.example.org/x': 200,
            },
            downloadUrlStatusCode: { 'https://two.example.org/d': 404 },
          },
        },
        'a-1': { values: { downloadUrlAvailability: false } },
      },
      violations: [
        {
          path: size,
          value: '12',
          messages: { en: 'No datatype', de: 'Kein Datentyp' },
          focus: 'a-2',
        },
        { severity: 'Warning', messages: {} },
      ],
    },
    {
      id: 'b',
      titles: { de: 'Ungemessen' },
      language: 'http://publications.europa.eu/resource/authority/language/DEU',
    },
  ],
}

const secret: MeasuredCatalogue = {
  id: 'secret',
  hidden: true,
  datasets: [{ id: 's', values: scores(1, 1, 1, 1, 1), distributions: { 's-1': {} } }],
}

/** The catalogue `empty` has nothing measured. A store that is mute answers nothing, and requests end early. */
export async function served({ isRefreshed = true, isMute = false } = {}) {
  const store = await openStore()
  for (const catalogue of [city, secret, { id: 'empty', country: 'FRA', datasets: [] }])
    await write(store, catalogue)
  const runsFixture = cacheFixture({ store })
  const app = cacheApp({
    cache: runsFixture.cache,
    store: isMute ? { ...store, select: () => new Promise(() => undefined) } : store,
    names,
    keys: apiKeys(keys),
    now: runsFixture.clock.now,
    http: {
      log: logger('silent'),
      base: '/api/mqa/cache',
      publicAddress: { base: 'http://localhost:8080/' },
      ...(isMute && { requestMs: 20 }),
    },
    version: '1.2.3',
  })
  if (isRefreshed) await runsFixture.cache.refresh('all')
  const ask = async (path: string, init?: RequestInit) => app.request(`${address}${path}`, init)
  const get = async (path: string) => {
    const response = await ask(path)
    return { status: response.status, body: JSON.parse((await response.text()) || 'null') }
  }
  const results = async (path: string) => (await get(path)).body.result.results
  return { ...runsFixture, store, app, ask, get, results }
}
