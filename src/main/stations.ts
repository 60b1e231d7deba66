/** The doors of all services of this process, and what stands behind them. */

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Service } from '../config.ts'
import type { ApiKeys } from '../http/api-key.ts'
import type { App } from '../http/app.ts'
import type { Entrance } from '../http/gateway.ts'
import type { Secrets } from '../http/secrets/registry.ts'
import type { Names } from '../rdf/names.ts'
import { sparqlApp } from '../repository/sparql/app.ts'
import { openRepository } from '../repository/station.ts'
import { locks } from '../repository/writing/locks.ts'
import { schedulerApp } from '../scheduler/app.ts'
import { searchApp } from '../search/app.ts'
import type { Engines, Shell } from './engines.ts'
import { openHarvesting, type Harvesting } from './harvesting.ts'
import { currentSettings, pause } from './search-engine.ts'

export const version = '0.1.0'

export const places = {
  repo: '/api/hub/repo',
  search: '/api/hub/search',
  sparql: '/sparql',
  harvest: '/api/segments',
  scheduler: '/api/scheduler',
} as const satisfies Record<Service, string>

export type Ground = {
  readonly shell: Shell
  readonly engines: Engines
  readonly keys: ApiKeys
  /** One of the keys: what the process does through its own public doors. */
  readonly key: string
  readonly secrets: Secrets
}

/** Opens what this process runs; `stop` ends what goes on behind the doors. */
export async function openStations(
  ground: Ground,
): Promise<{ readonly entrances: Entrance[]; readonly stop: () => Promise<void> }> {
  const { config } = ground.shell
  const runs = (name: Service) => config.services.includes(name)
  const repository = runs('repo') ? await repositoryStation(ground) : undefined
  const harvesting =
    runs('harvest') || runs('scheduler')
      ? await harvestingRooms(ground, repository?.app)
      : undefined
  const ending = new AbortController()
  const apps: Readonly<Record<Service, () => App | undefined>> = {
    repo: () => repository?.app,
    search: () => searchStation(ground),
    sparql: () => sparqlStation(ground),
    harvest: () => undefined,
    scheduler: () => harvesting && schedulerStation(ground, harvesting, ending.signal),
  }
  const entrances = config.services.flatMap((name) => {
    const app = apps[name]()
    return app ? [{ base: places[name], app }] : []
  })
  const stop = async () => {
    ending.abort()
    await harvesting?.stop()
    await repository?.stop()
  }
  return { entrances, stop }
}

/** The public address of a service, without a slash at its end. */
export const serviceAddress = (names: Names, place: string): string => names.base + place.slice(1)

/** What every door has; a search or query sent by POST changes nothing: pages of other origins may send it. */
const door = ({ shell, engines }: Ground, name: Service, reads: readonly string[] = []) => ({
  address: serviceAddress(engines.names, places[name]),
  http: {
    ...httpOptions(shell),
    base: places[name],
    cors: { origins: shell.config.corsOrigins, reads },
  },
})

export const httpOptions = ({ config, log, numbers }: Shell) => ({
  log,
  metrics: numbers,
  requestMs: config.limits.requestMs,
  trustedProxies: config.trustedProxies,
})

const repositoryStation = (ground: Ground) => {
  const { shell, engines, keys } = ground
  const { config, log } = shell
  return openRepository({
    ...engines,
    ...engines.projection,
    log,
    keys,
    version,
    pause,
    directory: join(config.dataDir, 'deleted'),
    scratch: join(config.dataDir, 'scratch'),
    days: config.restoreDays,
    limits: config.limits,
    triples: config.limits.triples,
    locks: locks(),
    now: () => new Date(),
    uuid: randomUUID,
    ...door(ground, 'repo'),
  })
}

const searchStation = (ground: Ground): App => {
  const { engines } = ground
  const { search, limits } = ground.shell.config
  return searchApp({
    ...engines,
    ...search,
    settings: () => currentSettings(engines.index),
    limits,
    now: () => new Date(),
    portal: pagesOf(search.portal ?? engines.names.base),
    version,
    ...door(ground, 'search', ['POST']),
  })
}

/** Addresses of the pages that people read about a record. */
const pagesOf =
  (portal: string) =>
  (kind: string, id: string, language?: string): string => {
    const page = `${portal}${kind}s/${encodeURIComponent(id)}`
    return language === undefined ? page : `${page}?locale=${encodeURIComponent(language)}`
  }

const sparqlStation = (ground: Ground): App =>
  sparqlApp({
    store: ground.engines.store,
    queryBytes: ground.shell.config.limits.sparqlQueryBytes,
    ...door(ground, 'sparql', ['POST']),
  })

const harvestingRooms = (ground: Ground, repository: App | undefined): Promise<Harvesting> => {
  const { config, log } = ground.shell
  const address = serviceAddress(ground.engines.names, places.repo)
  const own = repository && {
    address,
    fetch: async (request: Request) => repository.fetch(request),
  }
  return openHarvesting({ ...ground, config, log, version, repository: own })
}

const schedulerStation = (ground: Ground, harvesting: Harvesting, ending: AbortSignal): App => {
  const { limits } = ground.shell.config
  return schedulerApp({
    ...harvesting,
    confirm: (runId, signal) => harvesting.harvest.confirm(runId, signal),
    keys: ground.keys,
    bodyBytes: limits.bodyBytes,
    writesPerKey: limits.writesPerKey,
    now: Date.now,
    pause,
    ending,
    version,
    ...door(ground, 'scheduler'),
  })
}
