/** Opens the services of this process, and ends them. */

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Service } from '../config/config.ts'
import type { App, MountedApp } from '../http/app.ts'
import { runJobs } from '../pipe/runs/run-jobs.ts'
import { scheduleReconcile, type ReconcileSchedule } from '../projector/reconcile.ts'
import type { RecordCheck } from '../repository/repository-context.ts'
import { openRepository, type OpenRepository } from '../repository/repository.ts'
import { schedulerApp } from '../scheduler/scheduler-app.ts'
import { ckanMounts } from '../search/ckan/ckan-calls.ts'
import type { SearchIndex } from '../search-index/search-index.ts'
import { openBackups } from './backups.ts'
import { backgroundThrottle, type BackgroundThrottle } from './background-throttle.ts'
import { clock } from './clock.ts'
import { pause } from '../workers/pause.ts'
import { consoleService } from './console.ts'
import { searchService, sparqlService } from './reading-services.ts'
import { openHarvesting, type Harvesting } from './harvesting.ts'
import {
  metricsTrigger,
  metricsApps,
  openMeasuring,
  recordCheck,
  type MetricsTrigger,
} from './metrics.ts'
import {
  httpAt,
  ownRepository,
  servicePaths,
  version,
  type PlatformContext,
} from './platform-context.ts'

/** Open services: apps, addresses, and what `/health` and the portal need of them. */
export type Services = {
  readonly mounted: readonly MountedApp[]
  /** Addresses of services with a port of their own. */
  readonly addresses: readonly string[]
  /** Result of the last comparison of index and store. */
  readonly reconciled: ReconcileSchedule['last']
  /** Client for foreign hosts; absent without the services `harvest`, `scheduler` and `metrics`. */
  readonly outbound: Harvesting['outbound'] | undefined
  /** State of the writing requests, to which pages give way. */
  readonly writers: Pick<BackgroundThrottle, 'isActive' | 'waitForGap'>
  /** Health of the scheduler; absent where it does not run. */
  readonly scheduler: Harvesting['health'] | undefined
  /** Counts again what `/metrics` shows of pipes and deleted records. */
  readonly recount: () => void
  readonly stop: () => Promise<void>
}

/** Opens the configured services; `stop` ends their background work. */
export async function openServices(context: PlatformContext): Promise<Services> {
  const { config } = context
  const isEnabled = (name: Service) => config.services.includes(name)
  const trigger = metricsTrigger(context)
  const throttle = backgroundThrottle({ elapsed: () => performance.now(), pause: clock.pause })
  let measuring: Harvesting['measuring']
  const check = recordCheck(context, () => measuring)
  const repository = isEnabled('repo')
    ? await repositoryService(context, trigger, check)
    : undefined
  const harvesting =
    isEnabled('harvest') || isEnabled('scheduler') || isEnabled('metrics')
      ? await harvestingService(context, repository, throttle)
      : undefined
  measuring = harvesting?.measuring
  if (harvesting) begin(context, harvesting, trigger)
  const search = isEnabled('search')
    ? searchService({ ...context, ...context.projection })
    : undefined
  const reconciling = reconcileSchedule(context)
  if (repository) startComparing(context, repository, reconciling)
  const backups = repository && openBackups(context)
  const console = await consoleService(context, { harvesting, repository, search, reconciling })
  const ending = new AbortController()
  const mounted = mountedApps(config.services, {
    repo: () => repository && throttle.countWrites(repository.app),
    search: () => search?.app,
    sparql: () => sparqlService(context),
    harvest: () => harvesting?.transport.app,
    scheduler: () => harvesting && schedulerService(context, harvesting, ending.signal),
    console: () => console?.mounted?.app,
  })
  const figures = harvesting?.measuring ? metricsApps(context, harvesting.measuring) : []
  return {
    mounted: [...mounted, ...ckanAliasesOf(search?.app), ...figures],
    addresses: console?.addresses ?? [],
    reconciled: reconciling.last,
    scheduler: harvesting?.health,
    outbound: harvesting?.outbound,
    writers: throttle,
    recount: () => recount(repository, harvesting),
    stop: async () => {
      ending.abort()
      for (const part of [backups, trigger, reconciling, console, harvesting, repository])
        await part?.stop()
    },
  }
}

const recount = (repository: OpenRepository | undefined, harvesting: Harvesting | undefined) => {
  harvesting?.recountPipes()
  repository?.context.tombstones.recount()
}

/** Opens pipes and, if the service is enabled, metrics. */
async function harvestingService(
  context: PlatformContext,
  repository: Awaited<ReturnType<typeof repositoryService>> | undefined,
  throttle: BackgroundThrottle,
): Promise<Harvesting> {
  const measured = repository && { turn: throttle.turn, putMetrics: repository.manyMetrics }
  const { config, jobs } = context
  return openHarvesting(context, {
    repository: repository && ownRepository(repository),
    measuring: config.services.includes('metrics')
      ? (outbound) => openMeasuring(context, { repository: measured, outbound, jobs })
      : undefined,
  })
}

/** Starts measuring what is written, and lists the runs of pipes among the jobs. */
function begin({ jobs, log }: PlatformContext, harvesting: Harvesting, trigger: MetricsTrigger) {
  trigger.begin(harvesting)
  const { runs, launcher } = harvesting
  const logFailure = (err: unknown) => log.error({ err }, 'run.cancel-failed')
  jobs.addSource(runJobs(runs, launcher, logFailure))
}

/** Mounts the search service at the paths that CKAN clients expect. */
const ckanAliasesOf = (app: App | undefined): readonly MountedApp[] =>
  app ? ckanMounts.map((base) => ({ base, app })) : []

/** Starts to compare store and index; drops caches and compares whenever this process gets the lease of the store again. */
function startComparing(
  { onRegained, projection, isOther }: PlatformContext,
  repository: Awaited<ReturnType<typeof repositoryService>>,
  comparing: ReconcileSchedule,
): void {
  comparing.start(isOther || projection.olderCopy !== undefined)
  onRegained(() => {
    repository.context.idLists.forget()
    projection.onOutcomeUnknown()
    comparing.runNow()
  })
}

/** Mounts the apps of the services that run; `metrics`, the portal and the addresses for CKAN clients are mounted elsewhere. */
const mountedApps = (
  services: readonly Service[],
  apps: Readonly<Partial<Record<Service, () => MountedApp['app'] | undefined>>>,
): readonly MountedApp[] =>
  services.flatMap((name) => {
    const app = apps[name]?.()
    return app ? [{ base: servicePaths[name], app }] : []
  })

const reconcileSchedule = ({
  projection,
  config,
  numbers: metrics,
  log,
}: PlatformContext): ReconcileSchedule =>
  scheduleReconcile({
    ...clock,
    reconcile: projection.maintenance.reconcile,
    hours: config.search.reconcileHours,
    metrics,
    log,
  })

const repositoryService = (
  context: PlatformContext,
  trigger: MetricsTrigger,
  checkRecord: RecordCheck,
) => {
  const { config, projection, index } = context
  return openRepository({
    ...context,
    ...projection,
    onCommitted: (marks) => {
      projection.onCommitted(marks)
      trigger.written(marks)
    },
    version,
    pause,
    directory: join(config.dataDir, 'deleted'),
    checkRecord,
    days: config.restoreDays,
    recordsPath: join(config.dataDir, 'records.sqlite'),
    versionLimits: config.versions,
    onWriteFailed: context.store.recordFailure,
    limits: config.limits,
    triples: config.limits.triples,
    canonical: { work: config.limits.canonicalWork, blankNodes: config.limits.blankNodes },
    now: () => new Date(),
    uuid: randomUUID,
    indexedCatalogueOf: (dataset, signal) => indexedCatalogue(index, dataset, signal),
    ...httpAt(context, servicePaths.repo),
  })
}

/** Id of the catalogue that a dataset has in the index; `undefined` if it is not there. */
async function indexedCatalogue(
  index: SearchIndex,
  dataset: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const text = await index.get('dataset', dataset, signal)
  const { catalog }: { readonly catalog?: { readonly id?: string } } = JSON.parse(text ?? '{}')
  return catalog?.id
}

const schedulerService = (
  context: PlatformContext,
  harvesting: Harvesting,
  ending: AbortSignal,
): App => {
  const { limits } = context.config
  return schedulerApp({
    ...harvesting,
    confirm: (runId, signal) => harvesting.harvest.confirm(runId, signal),
    keys: context.keys,
    pipeBytes: limits.pipeBytes,
    writesPerKey: limits.writesPerKey,
    triggersPerPipe: limits.triggers,
    now: clock.now,
    pause: clock.pause,
    stopping: ending,
    version,
    ...httpAt(context, servicePaths.scheduler),
  })
}
