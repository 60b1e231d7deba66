/** The metrics cache as a service: figures for dashboards. Reading is open, administration needs a key. */

import type { ApiKeys } from '../../http/api-key.ts'
import { newApp, type App, type AppContext, type SharedAppOptions } from '../../http/app.ts'
import { mountContract } from '../../http/docs-page.ts'
import { mount } from '../../http/endpoint.ts'
import { largeWork } from '../../http/long-answers.ts'
import { adminEndpoints } from './admin-routes.ts'
import type { MetricsSource } from './catalogue-reader.ts'
import { readDataset } from './dataset-reader.ts'
import { figureEndpoints } from './figure-routes.ts'
import { listEndpoints } from './list-routes.ts'
import type { Cache } from './metrics-cache.ts'

type CacheAppOptions = MetricsSource & {
  readonly cache: Cache
  readonly keys: ApiKeys
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly http: SharedAppOptions
  readonly version: string
}

/** Members of every problem by which older clients see that a request failed. */
const problemMembers = { success: false, result: null } as const

/** All endpoints of the metrics cache. */
export const cacheEndpoints = [...figureEndpoints, ...listEndpoints, ...adminEndpoints]

/** Makes the app. Reading is open, administration needs a key. */
export function cacheApp(options: CacheAppOptions): App {
  const { cache, store, names, keys, now, version, http } = options
  const source = { store, names }
  const context = {
    cache,
    source,
    version,
    now,
    readDataset: (c: AppContext, id: string) =>
      largeWork(c, () => readDataset(source, id, c.get('signal'))),
  }
  const app = newApp({ ...http, name: 'metrics-cache', problemMembers })
  mount(app, cacheEndpoints, context, { keys })
  mountContract(app, {
    title: 'Metrics cache',
    version,
    description:
      'What the quality metrics say of datasets, catalogues, countries, publishers and the whole portal, as of the last refresh, ' +
      'and how it was before. Points are means of the scores of datasets, shares are percentages of what was measured.',
  })
  return app
}
