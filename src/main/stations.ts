/** The doors of all services of this process, and what stands behind them. */

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Config, Service } from '../config/config.ts'
import type { App, Entrance } from '../http/app.ts'
import type { SearchIndex } from '../search-index/search-index.ts'
import type { Names } from '../rdf/names.ts'
import { recordPath } from '../portal/addresses.ts'
import { reconciling, type Reconciling } from '../projector/reconcile.ts'
import { sparqlApp } from '../repository/sparql-endpoint.ts'
import { openRepository, type OpenRepository } from '../repository/repository.ts'
import { schedulerApp } from '../scheduler/scheduler-app.ts'
import { searchApp } from '../search/search-app.ts'
import type { RecordPages } from '../search/search-deps.ts'
import { openSitemap } from '../search/feeds/sitemap.ts'
import { clock } from './clock.ts'
import { backgroundThrottle, type BackgroundThrottle } from './background-throttle.ts'
import { consoleStation } from './console.ts'
import {
  doorAt,
  ownRepository,
  servicePaths,
  version,
  type PlatformContext,
} from './platform-context.ts'
import { automaticMetrics, metricsDoors, openMeasuring, type Automatic } from './metrics.ts'
import { openHarvesting, type Harvesting } from './harvesting.ts'
import { currentSettings, pause } from './search-engine.ts'

export type Stations = {
  readonly entrances: readonly Entrance[]
  /** Of doors with a port of their own. */
  readonly addresses: readonly string[]
  /** What the last comparison of index and store found. */
  readonly reconciled: Reconciling['last']
  /** How this process asks foreign hosts; absent where it does not. */
  readonly outbound: Harvesting['outbound'] | undefined
  /** Absent where none runs. */
  readonly scheduler: Harvesting['health'] | undefined
  readonly stop: () => Promise<void>
}

/** Opens what this process runs; `stop` ends what goes on behind the doors. */
export async function openStations(context: PlatformContext): Promise<Stations> {
  const { config } = context.shell
  const runs = (name: Service) => config.services.includes(name)
  const automatic = automaticMetrics(context)
  const throttle = backgroundThrottle({ elapsed: () => performance.now(), pause: clock.pause })
  const repository = runs('repo') ? await repositoryStation(context, automatic) : undefined
  const harvesting =
    runs('harvest') || runs('scheduler') || runs('metrics')
      ? await openHarvestingStation(context, repository, throttle)
      : undefined
  if (harvesting) automatic.begin(harvesting)
  const search = runs('search') ? searchStation(context) : undefined
  const comparing = comparison(context)
  if (repository)
    comparing.begin(context.engines.isOther || context.engines.projection.olderCopy !== undefined)
  const neighbours = { harvesting, repository, search, reconciling: comparing }
  const shell = await consoleStation(context, neighbours)
  const ending = new AbortController()
  const apps: Readonly<Record<Service, () => App | undefined>> = {
    repo: () => repository?.app,
    search: () => search?.app,
    sparql: () => sparqlStation(context),
    harvest: () => harvesting?.transport.app,
    // Has several doors.
    metrics: () => undefined,
    scheduler: () => harvesting && schedulerStation(context, harvesting, ending.signal),
    console: () => shell?.entrance?.app,
    // Stands at the root, beside the front.
    portal: () => undefined,
  }
  const entrances = config.services.flatMap((name) => {
    const app = apps[name]()
    return app
      ? [{ base: servicePaths[name], app: name === 'repo' ? throttle.front(app) : app }]
      : []
  })
  const figures = harvesting?.measuring ? metricsDoors(context, harvesting.measuring) : []
  const stop = async () => {
    ending.abort()
    await automatic.stop()
    await comparing.stop()
    await shell?.stop()
    await harvesting?.stop()
    await repository?.stop()
  }
  const addresses = shell?.addresses ?? []
  const { health: scheduler, outbound } = harvesting ?? {}
  const told = { reconciled: comparing.last, scheduler, outbound }
  return { entrances: [...entrances, ...figures], addresses, ...told, stop }
}

const comparison = ({ engines, shell }: PlatformContext): Reconciling =>
  reconciling({
    ...clock,
    reconcile: engines.projection.upkeep.reconcile,
    hours: shell.config.search.reconcileHours,
    numbers: shell.numbers,
    log: shell.log,
  })

const door = (context: PlatformContext, name: Service, reads?: readonly string[]) =>
  doorAt(context, servicePaths[name], reads)

const repositoryStation = (context: PlatformContext, automatic: Automatic) => {
  const { shell, engines, keys } = context
  const { config, log } = shell
  return openRepository({
    ...engines,
    ...engines.projection,
    changed: (landed) => {
      engines.projection.changed(landed)
      automatic.written(landed)
    },
    log,
    keys,
    version,
    pause,
    directory: join(config.dataDir, 'deleted'),
    days: config.restoreDays,
    limits: config.limits,
    triples: config.limits.triples,
    canonical: { work: config.limits.canonicalWork, blankNodes: config.limits.blankNodes },
    now: () => new Date(),
    uuid: randomUUID,
    lastHome: (dataset, signal) => homeIn(engines.index, dataset, signal),
    ...door(context, 'repo'),
  })
}

/** The catalogue in which searches find a dataset. */
async function homeIn(
  index: SearchIndex,
  dataset: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const text = await index.get('dataset', dataset, signal)
  const { catalog }: { readonly catalog?: { readonly id?: string } } = JSON.parse(text ?? '{}')
  return catalog?.id
}

function searchStation(context: PlatformContext) {
  const { engines } = context
  const { search, limits } = context.shell.config
  const deps = {
    ...engines,
    ...search,
    settings: () => currentSettings(engines.index),
    findings: engines.projection.findings,
    limits,
    now: () => new Date(),
    recordPages: recordPagesOf(context.shell.config, engines.names),
    version,
    ...door(context, 'search', ['POST']),
  }
  const sitemap = openSitemap(deps)
  return { app: searchApp({ ...deps, sitemap }), sitemap }
}

/** The pages of another portal that is named, else our own; without any an IRI leads to the description of its record. */
function recordPagesOf({ search, portal, services }: Config, names: Names): RecordPages {
  const { portal: other } = search
  if (other !== undefined)
    return {
      address: (_root, { kind, id }, language) => pagesOf(other)(kind, id, language),
      isPortal: true,
      isRooted: false,
    }
  if (!services.includes('portal'))
    return {
      address: (root, { kind, id }) => root + names[kind](id).slice(names.base.length),
      isPortal: false,
      isRooted: true,
    }
  const { languages } = portal
  return {
    address: (root, { kind, id }, language) =>
      root +
      recordPath(kind, id, languages.find((one) => one === language) ?? languages[0] ?? 'en'),
    isPortal: true,
    isRooted: true,
    languages,
  }
}

/** Addresses of the pages that people read about a record. */
export const pagesOf =
  (portal: string) =>
  (kind: string, id: string, language?: string): string => {
    const page = `${portal}${kind}s/${encodeURIComponent(id)}`
    return language === undefined ? page : `${page}?locale=${encodeURIComponent(language)}`
  }

const sparqlStation = (context: PlatformContext): App =>
  sparqlApp({
    store: context.engines.store,
    keys: context.keys,
    queryBytes: context.shell.config.limits.sparqlQueryBytes,
    ...door(context, 'sparql', ['POST']),
  })

const openHarvestingStation = (
  context: PlatformContext,
  repository: OpenRepository | undefined,
  { turn }: BackgroundThrottle,
): Promise<Harvesting> => {
  const { config, log } = context.shell
  const own = repository && ownRepository(repository)
  const isMeasuring = config.services.includes('metrics')
  const metrics = repository && { turn, putMetrics: repository.manyMetrics }
  return openHarvesting({
    ...context,
    ...door(context, 'harvest'),
    remembering: rememberingOf(context.engines),
    config,
    log,
    version,
    repository: own,
    unfitValues: context.engines.projection.unfitValues,
    measuring: isMeasuring ? (outbound) => openMeasuring(context, metrics, outbound) : undefined,
  })
}

/** What the ledger takes for written may be missing in a store from before: then it is as if its last change was lost. */
const rememberingOf = ({ remembering, projection }: PlatformContext['engines']) =>
  projection.olderCopy === 'store'
    ? { ...remembering, harvests: remembering.harvests + 1 }
    : remembering

const schedulerStation = (
  context: PlatformContext,
  harvesting: Harvesting,
  ending: AbortSignal,
): App => {
  const { limits } = context.shell.config
  return schedulerApp({
    ...harvesting,
    confirm: (runId, signal) => harvesting.harvest.confirm(runId, signal),
    keys: context.keys,
    pipeBytes: limits.pipeBytes,
    writesPerKey: limits.writesPerKey,
    triggersPerPipe: limits.triggers,
    now: clock.now,
    pause: clock.pause,
    ending,
    version,
    ...door(context, 'scheduler'),
  })
}
