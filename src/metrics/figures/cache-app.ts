/** The metrics cache as a service: figures for dashboards. Reading is open, administration needs a key. */

import { Failure } from '../../errors.ts'
import { may, type ApiKeys } from '../../http/api-key.ts'
import { newApp, type App, type AppContext, type AppOptions } from '../../http/app.ts'
import { docs } from '../../http/docs-page.ts'
import { addAdminRoutes } from './admin-routes.ts'
import type { MetricsSource } from './catalogue-reader.ts'
import { addFigureRoutes, addHistoryRoutes } from './figure-routes.ts'
import { addListRoutes } from './list-routes.ts'
import type { Cache } from './metrics-cache.ts'

type CacheAppOptions = MetricsSource & {
  readonly cache: Cache
  readonly keys: ApiKeys
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly http: Omit<AppOptions, 'name'>
  readonly version: string
}

/** What problems say to old clients: that it was no success, and nothing came of it. */
const problemMembers = { success: false, result: null } as const

/** The whole API below its base path; routes of administration demand a key before anything else. */
export function cacheApp(options: CacheAppOptions): App {
  const { cache, store, names, keys, now, version, http } = options
  const context = { cache, source: { store, names }, version, now }
  const app = newApp({ ...http, name: 'metrics-cache', problemMembers })
  guardAdmin(app, keys)
  // Before the routes that have an id in the place of the last word.
  addHistoryRoutes(app, context, 'history')
  addHistoryRoutes(app, context, 'historical')
  addFigureRoutes(app, context)
  addListRoutes(app, context)
  addAdminRoutes(app, context)
  docs(app, {
    title: 'Metrics cache',
    version,
    description:
      'What the quality metrics say of datasets, catalogues, countries, publishers and the whole portal, as of the last refresh, ' +
      'and how it was before. Points are means of the scores of datasets, shares are percentages of what was measured.',
  })
  return app
}

/**
 * Checks key and permission before anything else. A key that may clear everything may also look at the
 * schedules and remove a single catalogue.
 */
function guardAdmin(app: App, keys: ApiKeys): void {
  const demand = (c: AppContext) => {
    const key = keys.require(c)
    const { method, path } = c.req
    const isOpen = may(key, { method, path }) || may(key, { method: 'POST', path: '/admin/clear' })
    if (!isOpen) throw new Failure('forbidden', 'the key has no permission for this')
  }
  app.use('/admin/*', async (c, next) => {
    if (c.req.method !== 'OPTIONS') demand(c)
    await next()
  })
  app.on('DELETE', '/catalogues/:id', async (c, next) => {
    demand(c)
    await next()
  })
}
