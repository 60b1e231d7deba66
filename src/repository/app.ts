/** The repository station: its contract bound to catalogues, datasets and vocabularies. */

import { newApp, type App } from '../http/app.ts'
import { precondition } from '../http/conditions.ts'
import { docs } from '../http/docs-page.ts'
import type { Bound, RepositoryAppDeps } from './bound.ts'
import { bindCatalogues } from './bindings/catalogues.ts'
import { bindDatasets } from './bindings/datasets.ts'
import { bindProfile } from './bindings/profile.ts'
import { bindVocabularies } from './bindings/vocabularies.ts'
import { catalogues } from './catalogues.ts'
import { datasets } from './datasets.ts'
import { deletions } from './deleting/deletions.ts'
import { noTombstones } from './deleting/tombstones.ts'
import { guards } from './answering/guard.ts'
import { lists } from './listing/lists.ts'
import { twinOf } from './resource-aliases.ts'
import { vocabularies } from './vocabularies.ts'
import { datasetIds } from './writing/dataset-id.ts'

export function repositoryApp(deps: RepositoryAppDeps): App {
  const app = newApp({ ...deps.http, name: 'repository', alias: twinOf })
  const tombstones = noTombstones
  const ids = datasetIds({ ...deps, tombstones })
  const writing = { ...deps, deletions: deletions(), tombstones, ids }
  const bound: Bound = {
    ...writing,
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
  bindVocabularies(bound)
  bindProfile(bound)
  docs(app, {
    title: 'Repository',
    version: deps.version,
    description: 'Catalogues, datasets and vocabularies as RDF.',
  })
  return app
}
