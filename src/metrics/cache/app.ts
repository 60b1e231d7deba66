/** The metrics cache as a service: figures for dashboards. */

import { newApp, type App } from '../../http/app.ts'
import { docs } from '../../http/docs-page.ts'
import { answering, noSuccess } from './answering/envelope.ts'
import { guardAdmin } from './answering/guard.ts'
import { bindAdmin, bindHealth } from './bindings/admin.ts'
import { bindFigures, bindHistory } from './bindings/figures.ts'
import { bindDatasets, bindLists } from './bindings/lists.ts'
import { maximaOf } from './counting/aggregate.ts'
import type { Bound, CacheDeps } from './deps.ts'

/** Reading is open; administration needs a key. */
export function cacheApp(deps: CacheDeps): App {
  const { cache, store, names, now, version } = deps
  const { figures } = cache
  const bound: Bound = {
    cache,
    figures,
    source: { store, names },
    maxima: maximaOf(deps.points),
    answer: answering(figures, version),
    now,
    log: deps.http.log,
  }
  const app = newApp({ ...deps.http, name: 'metrics-cache', problemMembers: noSuccess })
  guardAdmin(app, deps.keys)
  // Before what has an id in the place of the last word.
  bindHistory(app, bound, 'history')
  bindHistory(app, bound, 'historical')
  bindFigures(app, bound)
  bindLists(app, bound)
  bindDatasets(app, bound)
  bindAdmin(app, bound)
  bindHealth(app, bound)
  docs(app, {
    title: 'Metrics cache',
    version,
    description:
      'What the quality metrics say of datasets, catalogues, countries, publishers and the whole portal, as of the last refresh, ' +
      'and how it was before. Points are means of the scores of datasets, shares are percentages of what was measured.',
  })
  return app
}
