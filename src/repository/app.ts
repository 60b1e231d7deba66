/** The repository station: its contract bound to catalogues, datasets and vocabularies. */

import { newApp, type App } from '../http/app.ts'
import { precondition } from '../http/conditions.ts'
import { docs } from '../http/docs-page.ts'
import type { Bound, RepositoryAppDeps } from './bound.ts'
import { bindCatalogues } from './bindings/catalogues.ts'
import { bindDatasets } from './bindings/datasets.ts'
import { bindDistributions } from './bindings/distributions.ts'
import { bindMetrics } from './bindings/metrics.ts'
import { bindProfile } from './bindings/profile.ts'
import { bindRecords } from './bindings/records.ts'
import { bindVocabularies } from './bindings/vocabularies.ts'
import { catalogues } from './catalogues.ts'
import { datasets } from './datasets.ts'
import { deletions } from './deleting/deletions.ts'
import { noTombstones } from './deleting/tombstones.ts'
import { guards } from './answering/guard.ts'
import { locate } from './answering/located.ts'
import { distributions } from './distributions/distributions.ts'
import { lists } from './listing/lists.ts'
import { qualityMetrics } from './metrics/quality-metrics.ts'
import { twinOf } from './resource-aliases.ts'
import { vocabularies } from './vocabularies.ts'
import { datasetIds } from './writing/dataset-id.ts'

export function repositoryApp(deps: RepositoryAppDeps): App {
  const app = newApp({ ...deps.http, name: 'repository', alias: twinOf })
  const tombstones = noTombstones
  const ids = datasetIds({ ...deps, tombstones })
  const writing = { ...deps, deletions: deletions(), tombstones, ids }
  const parts = { distributions: distributions(writing), metrics: qualityMetrics(writing) }
  const bound: Bound = {
    ...writing,
    ...parts,
    locate: locate({ ...deps, ...parts }),
    app,
    guard: guards(app, { keys: deps.keys, atOnce: deps.limits.writesPerKey }),
    catalogues: catalogues(writing),
    datasets: datasets(writing),
    vocabularies: vocabularies(deps),
    lists: lists(deps.store, deps.names),
    expected: (c) => (hash) => precondition(c.req.raw.headers, hash),
  }
  bindCatalogues(bound)
  bindDatasets(bound)
  bindDistributions(bound)
  bindMetrics(bound)
  bindRecords(bound)
  bindVocabularies(bound)
  bindProfile(bound)
  docs(app, {
    title: 'Repository',
    version: deps.version,
    description: 'Catalogues, datasets and vocabularies as RDF.',
  })
  return app
}
