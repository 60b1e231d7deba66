/** The figures of the metrics cache are the same on every triplestore. */

import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { GraphStore } from '../../src/store/graph-store.ts'
import { names, openStore, cacheFixture } from '../metrics/figures/cache-fixture.ts'
import { scores, write, type MeasuredCatalogue } from '../metrics/figures/measured.ts'
import { openRemote } from '../store/opening.ts'
import { isMissing, stores } from './stores.ts'

/** More datasets than a page has, one of them with more distributions and results than some answers have rows. */
const catalogue: MeasuredCatalogue = {
  id: 'many',
  title: 'Many',
  country: 'DEU',
  type: 'dcat-ap',
  datasets: Array.from({ length: 120 }, (_, n) => ({
    id: `m-${String(n).padStart(3, '0')}`,
    titles: { en: `Number ${n}`, de: `Nummer ${n}` },
    publisher: [`https://publisher.example.org/${n % 3}`, `Office “${n % 3}” <&>`],
    ...(n % 10 !== 9 && {
      values: {
        keywordAvailability: n % 2 === 0,
        ...scores(n % 100, n % 50, n % 110, n % 75, n % 20),
      },
    }),
    distributions: Object.fromEntries(
      Array.from({ length: n === 7 ? 300 : 1 }, (_, x) => [
        `m-${n}-${x}`,
        {
          values: { downloadUrlAvailability: (n + x) % 3 === 0 },
          urls: {
            accessUrlStatusCode: {
              [`https://host-${n % 4}.example.org/${n}/${x}?a=b&c`]: n % 5 === 0 ? 404 : 200,
            },
          },
        },
      ]),
    ),
    ...(n % 8 === 0 && {
      violations: [
        { path: 'urn:x:path', value: `"${n}"\n`, messages: { en: 'Wrong', de: 'Falsch' } },
      ],
    }),
  })),
}

async function figuresOn(store: GraphStore) {
  const { cache, figures } = cacheFixture({ store })
  await cache.refresh(['many'])
  const page = { offset: 0, limit: 1000 }
  return {
    catalogue: figures.catalogue('many'),
    aggregate: figures.aggregate({ catalogue: 'many' }),
    measured: figures.measured({ country: 'DEU' }),
    publishers: figures.publishers(page),
    publisher: figures.aggregate({ publisher: 'https://publisher.example.org/1' }),
    worst: figures.worst('global', 20),
    violations: figures.violations('many', page),
    unreachable: figures.unreachable('many', page),
    hosts: figures.unreachableByHost('global', 10),
  }
}

for (const name of stores) {
  describe.skipIf(isMissing(name))(`${name} as the store`, () => {
    const server = inject(name)
    let store: GraphStore
    beforeAll(async () => {
      if ('missing' in server) throw new Error(server.missing)
      store = await openRemote(server.config)
      await write(store, catalogue)
    })
    afterAll(async () => {
      const ids = catalogue.datasets.map(({ id }) => id)
      const graphs = [names.catalogue('many'), ...ids.map(names.dataset), ...ids.map(names.metrics)]
      await store.write(graphs.map((graph) => ({ graph, drop: true })))
      await store.close()
    })

    it('gives the figures that the embedded store gives', async () => {
      const embedded = await openStore()
      await write(embedded, catalogue)
      const expected = await figuresOn(embedded)
      expect(expected.measured).toMatchObject({ all: 120, datasets: 108, distributions: 407 })
      expect([expected.violations.count, expected.unreachable.count]).toEqual([15, 24])
      expect(await figuresOn(store)).toEqual(expected)
    })
  })
}
