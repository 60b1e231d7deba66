/** Triplestores of a suite's own, and what a journey needs to stand on one. */

import { inject } from 'vitest'
import type { StoreUnderTest } from '../journeys/store-under-test.ts'
import { seededRandom } from '../journeys/kill/seeded-random.ts'
import { movedTo, type Engine, type EngineConfig } from '../support/engines/engine.ts'
import { ownFuseki, startFuseki } from '../support/engines/fuseki.ts'
import { ownVirtuoso, startVirtuoso } from '../support/engines/virtuoso.ts'
import { faultProxy } from '../support/fault-proxy.ts'
import { leftovers } from './leftovers.ts'
import { type SearchName, searchPlace } from './search/search-under-test.ts'

export const stores = ['fuseki', 'virtuoso'] as const
export type StoreName = (typeof stores)[number]

const starting = {
  fuseki: { own: () => ownFuseki(), given: startFuseki },
  virtuoso: { own: ownVirtuoso, given: startVirtuoso },
} as const

export const isMissing = (name: StoreName): boolean => 'missing' in inject(name)

/** Whether this run has a server of that kind that it may kill. */
export const isKillable = (name: StoreName): boolean => {
  const server = inject(name)
  return 'own' in server && server.own
}

/** A new and empty server; the given one where this run was told to use it. */
export const fresh = (name: StoreName): Promise<Engine> =>
  isKillable(name) ? starting[name].own() : starting[name].given()

export const settingsFor = (config: EngineConfig): Record<string, string> => ({
  PLATFORM_TRIPLESTORE_CONFIG: JSON.stringify(config),
})

/** A store of that kind, with the embedded search engine or another one. */
export const onStore =
  (name: StoreName, searchName?: SearchName) => async (): Promise<StoreUnderTest> => {
    const [engine, search] = await Promise.all([fresh(name), searchPlace(searchName)])
    return {
      env: { ...settingsFor(engine.config), ...search.env },
      end: async () => {
        await engine.stop()
        await search.end()
      },
    }
  }

/** Of a hundred requests in a storm seven or so have bad luck; a write makes several. */
const start = {
  'reset-before': 0.008,
  'reset-during': 0.008,
  'reset-after': 0.008,
  'status-500': 0.005,
  'status-503': 0.01,
  slow: 0.02,
  'cut-length': 0.005,
  'cut-chunked': 0.005,
} as const

/** The same behind a proxy that makes the way to the store bad on demand. */
export const onUnreliableStore =
  (name: StoreName, seed: number) => async (): Promise<StoreUnderTest> => {
    const [engine, search] = await Promise.all([fresh(name), searchPlace()])
    const proxy = await faultProxy(engine.config.queryEndpoint, { random: seededRandom(seed) })
    const set = (rate: (fault: keyof typeof start) => number) => {
      for (const fault of Object.keys(start) as (keyof typeof start)[])
        proxy.rates[fault] = rate(fault)
    }
    return {
      env: { ...settingsFor(movedTo(proxy.url, engine.config)), ...search.env },
      faults: {
        start: () => set((fault) => start[fault]),
        stop: () => set(() => 0),
        told: () => JSON.stringify(proxy.seen()),
      },
      leftovers: () => leftovers(engine.config),
      end: async () => {
        await proxy.close()
        await engine.stop()
        await search.end()
      },
    }
  }
