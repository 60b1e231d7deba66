/**
 * The repository: its HTTP service, what this process writes and maintains without requests, and what goes on in the background.
 * Opened before the first request, stopped after the last.
 */

import { rm } from 'node:fs/promises'
import { newApp, type App } from '../http/app.ts'
import { docs } from '../http/docs-page.ts'
import { BoundedCache } from '../workers/bounded-cache.ts'
import { yielding } from '../workers/event-loop.ts'
import type { RepositoryContext, RepositoryOptions } from './context.ts'
import { catalogueJobKinds } from './deleting/catalogue-deletion.ts'
import { Tombstones } from './deleting/tombstones.ts'
import { startUpkeep } from './deleting/upkeep.ts'
import { IdLists } from './writing/id-lists.ts'
import { addResourceLists } from './resources/lists.ts'
import { maintenance } from './maintenance.ts'
import { addCatalogueRoutes } from './resources/catalogues.ts'
import { addMetricsRoutes, manyMetrics } from './resources/dataset-metrics.ts'
import { addDatasetRoutes } from './resources/datasets.ts'
import { addDeclaredRoutes } from './resources/declared-resources.ts'
import { addDistributionRoutes } from './resources/distributions.ts'
import { addVocabularyRoutes } from './resources/vocabularies.ts'
import { showAliases, twinOf, guards, oncePerRequest, pathId } from './routes/route-context.ts'
import { addBulkRoute } from './routes/bulk-routes.ts'
import { addProfileRoute } from './routes/profile-routes.ts'
import { addRecordRoutes } from './routes/record-routes.ts'
import { addRelatedRoute } from './routes/related-routes.ts'
import { addTombstoneRoute, answerWhatIsGone } from './routes/tombstone-routes.ts'
import { previewDataset } from './writing/bulk-write.ts'
import { idChooser } from './writing/dataset-ids.ts'
import { catalogueOfDataset, findById } from './writing/find-datasets.ts'
import { deletions, writeLocks } from './writing/write-batch.ts'

/** A function of the repository without its context, as other parts of the platform call it. */
type Rest<F> = F extends (context: RepositoryContext, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never

/** The repository at work. */
export type OpenRepository = {
  readonly app: App
  /** For operators, without the guards of the app. */
  readonly maintenance: ReturnType<typeof maintenance>
  /** For those of this process who measure whole catalogues, without a request for each dataset. */
  readonly manyMetrics: Rest<typeof manyMetrics>
  /** For those of this process who harvest, without a request that holds everything once more. */
  /** What a harvest would write. */
  readonly previewDataset: Rest<typeof previewDataset>
  readonly context: RepositoryContext
  readonly stop: () => Promise<void>
}

/** Milliseconds after which long work lets requests have their turn. */
const turnMs = 4
/** Bodies whose content hash is remembered, about 250 bytes each. */
const mostBodies = 20_000

/** Opens tombstones and takes on what an earlier process has left undone; rejects when the data directory refuses it. */
export async function openRepository(options: RepositoryOptions): Promise<OpenRepository> {
  const { store, names, now, directory, days } = options
  if (days === 0) await rm(directory, { recursive: true, force: true })
  const tombstones = new Tombstones(options)
  const context: RepositoryContext = {
    ...options,
    tombstones,
    locks: writeLocks(),
    deletions: deletions(),
    ids: idChooser({ store, names, tombstones }),
    idLists: new IdLists({
      names,
      now: () => now().getTime(),
      find: (dataset) => catalogueOfDataset({ store, names }, dataset),
    }),
    bodies: new BoundedCache('bodies', mostBodies),
    turn: yielding(options.http.now ?? (() => performance.now()), turnMs),
  }
  const registrations = catalogueJobKinds(context).map((kind) => options.jobs.register(kind))
  const upkeep = await startUpkeep(context)
  return {
    app: repositoryApp(context),
    maintenance: maintenance(context),
    manyMetrics: (...request) => manyMetrics(context, ...request),
    previewDataset: (...request) => previewDataset(context, ...request),
    context,
    stop: async () => {
      await upkeep.stop()
      await Promise.all(registrations.map((registration) => registration.stop()))
      tombstones.close()
    },
  }
}

/** All routes behind their guards. What looks at failures comes first, aliases last, because they copy what is there. */
function repositoryApp(context: RepositoryContext): App {
  const { keys, limits, version, http } = context
  const app = newApp({ ...http, name: 'repository', alias: twinOf })
  const routes = {
    ...context,
    app,
    guard: guards(app, keys, limits),
    locateDataset: oncePerRequest((c) =>
      findById(context, pathId(c, 'datasetId'), c.get('signal')),
    ),
  }
  answerWhatIsGone(routes)
  addCatalogueRoutes(routes)
  addBulkRoute(routes)
  addDatasetRoutes(routes)
  addDistributionRoutes(routes)
  addResourceLists(routes)
  addMetricsRoutes(routes)
  addRecordRoutes(routes)
  addRelatedRoute(routes)
  addTombstoneRoute(routes)
  addVocabularyRoutes(routes)
  addDeclaredRoutes(routes)
  addProfileRoute(routes)
  showAliases(app)
  docs(app, {
    title: 'Repository',
    version,
    description:
      'Catalogues, datasets, distributions, quality metrics, vocabularies, and what else the profile declares, as RDF. Reads take a suffix on the id (.ttl) or Accept; ' +
      'writes take a key, If-Match and If-None-Match, and Prefer: respond-async or wait=n for how long they wait for the index.',
  })
  return app
}
