/** The repository station: its contract bound to catalogues, datasets and vocabularies. */

import { newApp, type App } from '../http/app.ts'
import { precondition } from '../http/conditions.ts'
import { changingGet } from '../http/shell/changing-get.ts'
import { docs } from '../http/docs-page.ts'
import type { Bound, RepositoryAppDeps } from './bound.ts'
import { bindBulk } from './bindings/bulk.ts'
import { bindCatalogues } from './bindings/catalogues.ts'
import { bindDatasets } from './bindings/datasets.ts'
import { bindDistributions } from './bindings/distributions.ts'
import { bindDump } from './bindings/dump.ts'
import { bindLists } from './bindings/lists.ts'
import { bindMetrics } from './bindings/metrics.ts'
import { bindProfile } from './bindings/profile.ts'
import { bindRecords } from './bindings/records.ts'
import { bindTombstones } from './bindings/tombstones.ts'
import { bindVocabularies } from './bindings/vocabularies.ts'
import { catalogues, type Catalogues } from './catalogues.ts'
import { datasets } from './datasets.ts'
import { tellWhatIsGone } from './deleting/gone.ts'
import { guards } from './answering/guard.ts'
import { locate } from './answering/located.ts'
import { distributions } from './distributions/distributions.ts'
import { lists } from './listing/lists.ts'
import { qualityMetrics } from './metrics/quality-metrics.ts'
import { twinOf } from './resource-aliases.ts'
import { bindCustomResources } from './resources/bindings.ts'
import { customResources } from './resources/resources.ts'
import { routes } from './routes.ts'
import { aliases } from './routes/resources.ts'
import { vocabularies } from './vocabularies.ts'

export function repositoryApp(deps: RepositoryAppDeps): App {
  const app = newApp({ ...deps.http, name: 'repository', alias: twinOf })
  const writing = { ...deps, ...deps.deletion }
  const parts = { distributions: distributions(writing), metrics: qualityMetrics(writing) }
  const demand: Catalogues['demand'] = (id, signal) => bound.catalogues.demand(id, signal)
  const bound: Bound = {
    ...writing,
    ...parts,
    locate: locate({ ...deps, ...parts }),
    app,
    guard: guards(app, { keys: deps.keys, atOnce: deps.limits.writesPerKey }),
    catalogues: catalogues(writing),
    datasets: datasets(writing),
    vocabularies: vocabularies(deps),
    customResources: customResources({ ...writing, demand }),
    lists: lists({ ...deps, rosters: deps.kept.rosters, demand }),
    expected: (c) => (hash) => precondition(c.req.raw.headers, hash),
  }
  app.use('/datasets/:datasetId/index', changingGet)
  tellWhatIsGone(app, bound)
  bindCatalogues(bound)
  bindBulk(bound)
  bindDatasets(bound)
  bindDistributions(bound)
  bindDump(bound)
  bindLists(bound)
  bindMetrics(bound)
  bindRecords(bound)
  bindTombstones(bound)
  bindVocabularies(bound)
  bindCustomResources(bound)
  bindProfile(bound)
  for (const alias of aliases(Object.values(routes))) app.openAPIRegistry.registerPath(alias)
  docs(app, {
    title: 'Repository',
    version: deps.version,
    description:
      'Catalogues, datasets, distributions, quality metrics, vocabularies, and what else the profile declares, as RDF. Reads take a suffix on the id (.ttl) or Accept; ' +
      'writes take a key, If-Match and If-None-Match, and Prefer: respond-async or wait=n for how long they wait for the index.',
  })
  return app
}
