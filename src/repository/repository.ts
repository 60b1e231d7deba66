/**
 * Repository: its HTTP service, the functions for callers in this process, and its background work. Opened before the first
 * request, stopped after the last.
 */

import { rm } from 'node:fs/promises'
import { wrongKeyCounter } from '../http/api-key.ts'
import { newApp, type App } from '../http/app.ts'
import { mountContract } from '../http/docs-page.ts'
import { type Endpoint, mount } from '../http/endpoint.ts'
import { writeLimiter } from '../http/long-answers.ts'
import type { Profile } from '../profile/profile.ts'
import { BoundedCache } from '../workers/bounded-cache.ts'
import { yielding } from '../workers/event-loop.ts'
import { FairLimiter } from '../workers/fair-limiter.ts'
import type { RepositoryContext, RepositoryOptions } from './repository-context.ts'
import { catalogueJobKinds } from './deleting/catalogue-deletion.ts'
import { Tombstones } from './deleting/tombstones.ts'
import { purgeJob, startDeletionMaintenance } from './deleting/deletion-maintenance.ts'
import { openRecords } from './records-file.ts'
import { versionEndpoints } from './endpoints/version-endpoints.ts'
import { noteAuthors, versionNotes } from './versions/record-versions.ts'
import { startVersionSweeps, versionSweepJob } from './versions/version-sweeps.ts'
import { VersionFile, versionSchema } from './versions/version-file.ts'
import { DraftFile, draftTables } from './drafts/draft-file.ts'
import { draftEndpoints } from './drafts/draft-endpoints.ts'
import { draftDataset } from './drafts/draft-writes.ts'
import { publicationJob, schedulePublication } from './drafts/publishing.ts'
import { IdLists } from './writing/id-lists.ts'
import { resourceListEndpoints } from './resources/resource-lists.ts'
import { maintenance } from './maintenance.ts'
import { catalogueResourceEndpoints } from './resources/catalogues.ts'
import { manyMetrics, datasetMetricsEndpoints } from './resources/dataset-metrics.ts'
import { datasetResourceEndpoints } from './resources/datasets.ts'
import { declaredEndpoints, requireDeclaredType } from './resources/declared-resources.ts'
import { distributionEndpoints } from './resources/distributions.ts'
import { patchEndpoints } from './resources/patch-endpoints.ts'
import { vocabularyResourceEndpoints } from './resources/vocabularies.ts'
import { accountEndpoints } from './endpoints/account-endpoints.ts'
import { bulkEndpoints } from './endpoints/bulk-endpoints.ts'
import { jobEndpoints } from './endpoints/job-endpoints.ts'
import { profileEndpoints } from './endpoints/profile-endpoints.ts'
import { recordEndpoints } from './endpoints/record-endpoints.ts'
import { relatedEndpoints } from './endpoints/related-endpoints.ts'
import { canonicalPath, documentAliases } from './endpoints/requests.ts'
import { answerGone, tombstoneEndpoints } from './endpoints/tombstone-endpoints.ts'
import { previewDataset } from './writing/bulk-write.ts'
import { idChooser } from './writing/dataset-ids.ts'
import { catalogueOfDataset } from './writing/find-datasets.ts'
import { deletions, writeLocks } from './writing/write-batch.ts'

/** Function of the repository without its context parameter. */
type WithoutContext<F> = F extends (context: RepositoryContext, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never

/** Repository in operation. */
export type OpenRepository = {
  readonly app: App
  /** For operators, without the permissions that the app checks. */
  readonly maintenance: ReturnType<typeof maintenance>
  /** For measuring whole catalogues in this process, without a request for each dataset. */
  readonly manyMetrics: WithoutContext<typeof manyMetrics>
  /** For dry runs of harvests in this process: returns what a PUT of a dataset would change. */
  readonly previewDataset: WithoutContext<typeof previewDataset>
  readonly context: RepositoryContext
  readonly stop: () => Promise<void>
}

/** Milliseconds after which long work yields to requests. */
const turnMs = 4
/** Maximum number of bodies with a cached content hash, about 250 bytes each. */
const maxBodies = 20_000
/** Most bulk writes that run at once; each holds its body in memory. */
const bulkWritesAtOnce = 2

/** Most wrong invitations of one client in a minute. */
const wrongTokensPerMinute = 5

/** Opens tombstones, or deletes all for 0 days, and resumes unfinished work; rejects when the directory cannot be used. */
export async function openRepository(options: RepositoryOptions): Promise<OpenRepository> {
  const { store, names, now, directory, days } = options
  if (days === 0) await rm(directory, { recursive: true, force: true })
  const tombstones = new Tombstones(options)
  const elapsed = options.http.now ?? (() => performance.now())
  const records = openRecords(options.recordsPath, [versionSchema, draftTables])
  const history = new VersionFile(records, now)
  const context: RepositoryContext = {
    ...options,
    wrongTokens: wrongKeyCounter({ perMinute: wrongTokensPerMinute, now: elapsed }),
    tombstones,
    history,
    noteVersions: versionNotes({ ...options, history }),
    locks: writeLocks(),
    deletions: deletions(),
    ids: idChooser({ store, names, tombstones }),
    idLists: new IdLists({
      names,
      now: () => now().getTime(),
      find: (dataset) => catalogueOfDataset({ store, names }, dataset),
    }),
    drafts: new DraftFile(records, () => now().getTime()),
    draftDataset,
    bodies: new BoundedCache('bodies', maxBodies),
    bulkWrites: new FairLimiter({ atOnce: bulkWritesAtOnce, waiting: Infinity }),
    turn: yielding(elapsed, turnMs),
  }
  const stopWork = options.isReader ? undefined : await startWork(context)
  return {
    app: repositoryApp(context),
    maintenance: maintenance(context),
    manyMetrics: (...request) => manyMetrics(context, ...request),
    previewDataset: (...request) => previewDataset(context, ...request),
    context,
    stop: async () => {
      await stopWork?.()
      tombstones.close()
      records.close()
    },
  }
}

/** Registers jobs and starts the background work; the result ends both. */
async function startWork(context: RepositoryContext): Promise<() => Promise<void>> {
  const registrations = jobKinds(context).map((kind) => context.jobs.register(kind))
  const versionSweeps = startVersionSweeps(context)
  // Jobs may have been lost with their file.
  for (const draft of context.drafts.scheduled()) schedulePublication(context, draft)
  const deletionMaintenance = await startDeletionMaintenance(context)
  return async () => {
    await Promise.all([deletionMaintenance.stop(), versionSweeps.stop()])
    await Promise.all(registrations.map((registration) => registration.stop()))
  }
}

const jobKinds = (context: RepositoryContext) => [
  ...catalogueJobKinds(context),
  purgeJob(context),
  versionSweepJob(context),
  publicationJob(context),
]

/** Lists all endpoints of a repository with this profile. */
export const repositoryEndpoints = ({
  resources,
}: Pick<Profile, 'resources'>): readonly Endpoint<RepositoryContext>[] => [
  ...catalogueResourceEndpoints,
  ...bulkEndpoints,
  ...jobEndpoints,
  ...datasetResourceEndpoints,
  ...distributionEndpoints,
  ...patchEndpoints(resources),
  ...versionEndpoints(resources),
  ...resourceListEndpoints,
  ...datasetMetricsEndpoints,
  ...recordEndpoints,
  ...relatedEndpoints,
  ...tombstoneEndpoints,
  ...vocabularyResourceEndpoints,
  ...declaredEndpoints(resources),
  ...profileEndpoints,
  ...accountEndpoints,
  ...draftEndpoints,
]

/** Endpoints of a reader: open to anyone, and answered from the store alone. */
const readerEndpoints = (profile: Pick<Profile, 'resources'>) =>
  repositoryEndpoints(profile).filter(
    ({ route, auth, isChangingGet }) =>
      route.method === 'get' &&
      auth.needs === 'nothing' &&
      !isChangingGet &&
      !route.path.startsWith('/drafts/'),
  )

/** Creates the app. The middleware for failures comes first, aliases last, because they copy mounted endpoints. */
function repositoryApp(context: RepositoryContext): App {
  const { keys, limits, version, http, profile, isReader } = context
  const app = newApp({ ...http, name: 'repository', alias: canonicalPath })
  if (isReader) {
    requireDeclaredType(app, context)
    mount(app, readerEndpoints(profile), context)
    return app
  }
  const writes = writeLimiter(limits.writesPerKey)
  noteAuthors(app)
  answerGone(app, context)
  requireDeclaredType(app, context)
  mount(app, repositoryEndpoints(profile), context, {
    keys,
    limit: (...parameters) => writes.run(...parameters),
    pathOfPermission: canonicalPath,
  })
  documentAliases(app)
  mountContract(app, {
    title: 'Repository',
    version,
    description:
      'Catalogues, datasets, distributions, quality metrics, vocabularies, and what else the profile declares, as RDF. Reads take a suffix on the id (.ttl) or Accept; ' +
      'writes take a key, If-Match and If-None-Match, and Prefer: respond-async or wait=n for how long they wait for the index.',
  })
  return app
}
