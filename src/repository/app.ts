/** The repository station: its contract bound to catalogues, datasets and vocabularies. */

import { newApp, type App } from '../http/app.ts'
import { precondition } from '../http/conditions.ts'
import { docs } from '../http/docs-page.ts'
import { slots } from '../http/keys/slots.ts'
import type { Bound, RepositoryAppDeps } from './bound.ts'
import { bindCatalogues } from './bindings/catalogues.ts'
import { bindDatasets } from './bindings/datasets.ts'
import { bindProfile } from './bindings/profile.ts'
import { bindVocabularies } from './bindings/vocabularies.ts'
import { catalogues } from './catalogues.ts'
import { datasets } from './datasets.ts'
import { deletions } from './writing/deletions.ts'
import { demandId, demandPermission } from './bindings/guard.ts'
import { lists } from './lists.ts'
import { vocabularies } from './vocabularies.ts'

const writes = ['PUT', 'DELETE']

export function repositoryApp(deps: RepositoryAppDeps): App {
  const app = newApp({ ...deps.http, name: 'repository' })
  guard(app, deps)
  const writing = { ...deps, deletions: deletions() }
  const bound: Bound = {
    ...deps,
    app,
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

/** Key and permission come before anything else that a write could be told, and one key writes so much at once. */
function guard(app: App, { keys, limits }: RepositoryAppDeps): void {
  const busy = slots({ atOnce: limits.writesPerKey, limit: 'writesPerKey' })
  app.on(
    writes,
    ['/catalogues/:catalogueId', '/catalogues/:catalogueId/datasets/origin'],
    (c, next) => {
      const { id } = keys.require(c)
      demandPermission(c, keys, c.req.param('catalogueId'))
      demandId('catalogueId', c.req.param('catalogueId'))
      return busy.run(id, next)
    },
  )
  app.on(writes, '/vocabularies/:vocabularyId', (c, next) => {
    const { id } = keys.require(c)
    demandPermission(c, keys)
    demandId('vocabularyId', c.req.param('vocabularyId'))
    return busy.run(id, next)
  })
  // The permission follows from the dataset's catalogue, which the binding looks up.
  app.on(writes, '/datasets/:datasetId', (c, next) => busy.run(keys.require(c).id, next))
}
