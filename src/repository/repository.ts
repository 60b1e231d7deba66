/**
 * The repository: its HTTP service, what this process writes and maintains without requests, and what goes on in the background.
 * Opened before the first request, stopped after the last.
 */

import { newApp, type App } from '../http/app.ts'
import { docs } from '../http/docs-page.ts'
import type { TermLimits } from '../rdf/reading/options.ts'
import {
  previewDataset,
  putDatasets,
  type PreviewDataset,
  type PutDatasets,
} from './writing/bulk-write.ts'
import { yielding } from '../workers/event-loop.ts'
import { catalogues } from './catalogues.ts'
import { datasets } from './datasets.ts'
import { declaredResources } from './declared-resources.ts'
import { openDeletion, type Deletion, type DeletionOptions } from './deleting/deletion.ts'
import { distributions } from './distributions.ts'
import { idLists } from './listing/id-lists.ts'
import { maintenance, type Maintenance, type MaintenanceDeps } from './maintenance.ts'
import { datasetMetrics, manyMetrics, type ManyMetrics } from './dataset-metrics.ts'
import { showAliases, twinOf } from './routes/aliases.ts'
import { addBulkRoute } from './routes/bulk-routes.ts'
import { addCatalogueRoutes } from './routes/catalogue-routes.ts'
import { addDatasetRoutes } from './routes/dataset-routes.ts'
import { addDeclaredRoutes } from './routes/declared-routes.ts'
import { addDistributionRoutes } from './routes/distribution-routes.ts'
import { answerWhatIsGone } from './routes/gone.ts'
import { addListRoutes } from './routes/list-routes.ts'
import { addMetricsRoutes } from './routes/metrics-routes.ts'
import { addProfileRoute } from './routes/profile-routes.ts'
import { addRecordRoutes } from './routes/record-routes.ts'
import type { Indexing } from './routes/responses.ts'
import { guards, locate, type RouteContext, type RouteOptions } from './routes/route-context.ts'
import { addTombstoneRoute } from './routes/tombstone-routes.ts'
import { addVocabularyRoutes } from './routes/vocabulary-routes.ts'
import { vocabularies } from './vocabularies.ts'
import { catalogueOfDataset } from './writing/find-datasets.ts'

type RepositoryOptions = Omit<DeletionOptions, 'idLists'> &
  Omit<RouteOptions, 'indexing'> &
  Indexing &
  Pick<MaintenanceDeps, 'lastHome'> & { readonly limits: TermLimits }

export type OpenRepository = {
  readonly app: App
  /** For operators, without the guards of the app. */
  readonly maintenance: Maintenance
  /** For those of this process who measure whole catalogues, without a request for each dataset. */
  readonly manyMetrics: ManyMetrics
  /** For those of this process who harvest, without a request that holds everything once more. */
  readonly putDatasets: PutDatasets
  /** What a harvest would write. */
  readonly previewDataset: PreviewDataset
  readonly deletion: Deletion
  readonly stop: () => Promise<void>
}

/** Milliseconds after which metrics that are made ready let requests have their turn. */
const turnMs = 4

export async function openRepository(options: RepositoryOptions): Promise<OpenRepository> {
  const { store, names, limits, lastHome } = options
  const lists = idLists({
    names,
    now: () => options.now().getTime(),
    find: (dataset) => catalogueOfDataset({ store, names }, dataset),
  })
  const deletion = await openDeletion({ ...options, idLists: lists })
  const { writing } = deletion
  const now = options.http.now ?? (() => performance.now())
  return {
    app: repositoryApp(options, deletion),
    maintenance: maintenance({ ...writing, lastHome }),
    manyMetrics: manyMetrics({ ...writing, pause: yielding(now, turnMs) }),
    putDatasets: putDatasets({ ...writing, limits, pause: yielding(now) }),
    previewDataset: previewDataset({ ...writing, limits }),
    deletion,
    stop: deletion.stop,
  }
}

function repositoryApp(options: RepositoryOptions, deletion: Deletion): App {
  const { keys, limits, profile, version, http, settled, awaits, hides } = options
  const { writing, catalogueDeletions, catalogueRestores } = deletion
  const app = newApp({ ...http, name: 'repository', alias: twinOf })
  const parts = { distributions: distributions(writing), metrics: datasetMetrics(writing) }
  const all = catalogues({ ...writing, catalogueDeletions, catalogueRestores })
  const demand: RouteContext['demand'] = (id, signal) => all.demand(id, signal)
  const context: RouteContext = {
    ...writing,
    ...parts,
    app,
    indexing: { settled, awaits, hides },
    keys,
    limits,
    profile,
    version,
    http,
    demand,
    catalogues: all,
    datasets: datasets(writing),
    vocabularies: vocabularies(writing),
    declared: declaredResources({ ...writing, demand }),
    guard: guards(app, keys, limits),
    locate: locate(writing, parts.distributions),
  }
  addRoutes(context)
  docs(app, {
    title: 'Repository',
    version,
    description:
      'Catalogues, datasets, distributions, quality metrics, vocabularies, and what else the profile declares, as RDF. Reads take a suffix on the id (.ttl) or Accept; ' +
      'writes take a key, If-Match and If-None-Match, and Prefer: respond-async or wait=n for how long they wait for the index.',
  })
  return app
}

function addRoutes(context: RouteContext): void {
  answerWhatIsGone(context)
  addCatalogueRoutes(context)
  addBulkRoute(context)
  addDatasetRoutes(context)
  addDistributionRoutes(context)
  addListRoutes(context)
  addMetricsRoutes(context)
  addRecordRoutes(context)
  addTombstoneRoute(context)
  addVocabularyRoutes(context)
  addDeclaredRoutes(context)
  addProfileRoute(context)
  showAliases(context.app)
}
