/** The doors of all services of this process, and what stands behind them. */

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Service } from '../config/config.ts'
import type { App } from '../http/app.ts'
import type { Entrance } from '../http/gateway.ts'
import type { SearchIndex } from '../search-index/search-index.ts'
import type { Names } from '../rdf/names.ts'
import { reconciling, type Reconciling } from '../projector/upkeep/reconciling.ts'
import { sparqlApp } from '../repository/sparql-endpoint.ts'
import { openRepository, type OpenRepository } from '../repository/repository.ts'
import { locks } from '../repository/writing/locks.ts'
import { schedulerApp } from '../scheduler/app.ts'
import { searchApp } from '../search/search-app.ts'
import type { RecordPages } from '../search/search-deps.ts'
import { openSitemap } from '../search/feeds/sitemap.ts'
import { clock } from './clock.ts'
import { courtesy, type Courtesy } from './courtesy.ts'
import { consoleStation } from './console.ts'
import { doorAt, ownRepository, places, version, type Ground } from './ground.ts'
import { automaticMetrics, metricsDoors, measuringRoom, type Automatic } from './metrics.ts'
import { openHarvesting, type Harvesting } from './harvesting.ts'
import { currentSettings, pause } from './search-engine.ts'

export type Stations = {
  readonly entrances: readonly Entrance[]
  /** Of doors with a port of their own. */
  readonly addresses: readonly string[]
  /** What the last comparison of index and store found. */
  readonly reconciled: Reconciling['last']
  /** Absent where none runs. */
  readonly scheduler: Harvesting['health'] | undefined
  readonly stop: () => Promise<void>
}

/** Opens what this process runs; `stop` ends what goes on behind the doors. */
export async function openStations(ground: Ground): Promise<Stations> {
  const { config } = ground.shell
  const runs = (name: Service) => config.services.includes(name)
  const automatic = automaticMetrics(ground)
  const manners = courtesy({ elapsed: () => performance.now(), pause: clock.pause })
  const repository = runs('repo') ? await repositoryStation(ground, automatic) : undefined
  const harvesting =
    runs('harvest') || runs('scheduler') || runs('metrics')
      ? await harvestingRooms(ground, repository, manners)
      : undefined
  if (harvesting) automatic.begin(harvesting)
  const search = runs('search') ? searchStation(ground) : undefined
  const comparing = comparison(ground)
  if (repository)
    comparing.begin(ground.engines.isOther || ground.engines.projection.olderCopy !== undefined)
  const neighbours = { harvesting, repository, search, reconciling: comparing }
  const shell = await consoleStation(ground, neighbours)
  const ending = new AbortController()
  const apps: Readonly<Record<Service, () => App | undefined>> = {
    repo: () => repository?.app,
    search: () => search?.app,
    sparql: () => sparqlStation(ground),
    harvest: () => harvesting?.transport.app,
    // Has several doors.
    metrics: () => undefined,
    scheduler: () => harvesting && schedulerStation(ground, harvesting, ending.signal),
    console: () => shell?.entrance?.app,
  }
  const entrances = config.services.flatMap((name) => {
    const app = apps[name]()
    return app ? [{ base: places[name], app: name === 'repo' ? manners.front(app) : app }] : []
  })
  const figures = harvesting?.measuring ? metricsDoors(ground, harvesting.measuring) : []
  const stop = async () => {
    ending.abort()
    await automatic.stop()
    await comparing.stop()
    await shell?.stop()
    await harvesting?.stop()
    await repository?.stop()
  }
  const addresses = shell?.addresses ?? []
  const told = { reconciled: comparing.last, scheduler: harvesting?.health }
  return { entrances: [...entrances, ...figures], addresses, ...told, stop }
}

const comparison = ({ engines, shell }: Ground): Reconciling =>
  reconciling({
    ...clock,
    reconcile: engines.projection.upkeep.reconcile,
    hours: shell.config.search.reconcileHours,
    numbers: shell.numbers,
    log: shell.log,
  })

const door = (ground: Ground, name: Service, reads?: readonly string[]) =>
  doorAt(ground, places[name], reads)

const repositoryStation = (ground: Ground, automatic: Automatic) => {
  const { shell, engines, keys } = ground
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
    locks: locks(),
    now: () => new Date(),
    uuid: randomUUID,
    lastHome: (dataset, signal) => homeIn(engines.index, dataset, signal),
    ...door(ground, 'repo'),
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

function searchStation(ground: Ground) {
  const { engines } = ground
  const { search, limits } = ground.shell.config
  const deps = {
    ...engines,
    ...search,
    settings: () => currentSettings(engines.index),
    limits,
    now: () => new Date(),
    recordPages: recordPagesOf(search.portal, engines.names),
    version,
    ...door(ground, 'search', ['POST']),
  }
  const sitemap = openSitemap(deps)
  return { app: searchApp({ ...deps, sitemap }), sitemap }
}

/** Without a portal an IRI leads to the description of its record wherever the platform is reached. */
const recordPagesOf = (portal: string | undefined, names: Names): RecordPages =>
  portal === undefined
    ? {
        address: (root, { kind, id }) => root + names[kind](id).slice(names.base.length),
        isPortal: false,
      }
    : {
        address: (_root, { kind, id }, language) => pagesOf(portal)(kind, id, language),
        isPortal: true,
      }

/** Addresses of the pages that people read about a record. */
export const pagesOf =
  (portal: string) =>
  (kind: string, id: string, language?: string): string => {
    const page = `${portal}${kind}s/${encodeURIComponent(id)}`
    return language === undefined ? page : `${page}?locale=${encodeURIComponent(language)}`
  }

const sparqlStation = (ground: Ground): App =>
  sparqlApp({
    store: ground.engines.store,
    keys: ground.keys,
    queryBytes: ground.shell.config.limits.sparqlQueryBytes,
    ...door(ground, 'sparql', ['POST']),
  })

const harvestingRooms = (
  ground: Ground,
  repository: OpenRepository | undefined,
  { turn }: Courtesy,
): Promise<Harvesting> => {
  const { config, log } = ground.shell
  const own = repository && ownRepository(repository)
  const isMeasuring = config.services.includes('metrics')
  const metrics = repository && { turn, putMetrics: repository.manyMetrics }
  return openHarvesting({
    ...ground,
    ...door(ground, 'harvest'),
    remembering: rememberingOf(ground.engines),
    config,
    log,
    version,
    repository: own,
    unfitValues: ground.engines.projection.unfitValues,
    measuring: isMeasuring ? (outbound) => measuringRoom(ground, metrics, outbound) : undefined,
  })
}

/** What the ledger takes for written may be missing in a store from before: then it is as if its last change was lost. */
const rememberingOf = ({ remembering, projection }: Ground['engines']) =>
  projection.olderCopy === 'store'
    ? { ...remembering, harvests: remembering.harvests + 1 }
    : remembering

const schedulerStation = (ground: Ground, harvesting: Harvesting, ending: AbortSignal): App => {
  const { limits } = ground.shell.config
  return schedulerApp({
    ...harvesting,
    confirm: (runId, signal) => harvesting.harvest.confirm(runId, signal),
    keys: ground.keys,
    pipeBytes: limits.pipeBytes,
    writesPerKey: limits.writesPerKey,
    triggersPerPipe: limits.triggers,
    now: clock.now,
    pause: clock.pause,
    ending,
    version,
    ...door(ground, 'scheduler'),
  })
}
