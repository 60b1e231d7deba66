/** What the console of this process can do. */

import type { Parts, RepositoryPart } from '../console/parts.ts'
import { openConsole, type Console } from '../console/station.ts'
import { vocabularyPart } from '../console/vocabularies/inside.ts'
import type { App } from '../http/app.ts'
import type { JsonObject } from '../pipe/document.ts'
import type { Repository } from '../repository/station.ts'
import { masked } from '../scheduler/masking.ts'
import type { SitemapKeeper } from '../search/sitemap/keeper.ts'
import { clock } from './clock.ts'
import { shipped } from './engines.ts'
import { httpOptions, places, type Ground } from './ground.ts'
import type { Harvesting } from './harvesting.ts'
import { catalogueLaunch, refreshOf } from './metrics.ts'
import { currentSettings, engineHealth } from './search-engine.ts'

/** The stations of this process that have commands. */
type Neighbours = {
  readonly harvesting: Harvesting | undefined
  readonly repository: Repository | undefined
  readonly search: { readonly app: App; readonly sitemap: SitemapKeeper } | undefined
}

/** Opens the doors that the configuration names; rejects when a port is taken. */
export async function consoleStation(
  ground: Ground,
  neighbours: Neighbours,
): Promise<Console | undefined> {
  const { shell, keys, secrets } = ground
  const { config, log } = shell
  if (!config.shell || !config.services.includes('console')) return undefined
  return openConsole({
    config: config.shell,
    parts: partsOf(ground, neighbours),
    keys,
    log,
    now: clock.now,
    pause: clock.pause,
    clean: (text) => secrets.clean(text),
    http: { ...httpOptions(shell), base: places.console },
    host: config.host,
    limits: config.limits,
  })
}

function partsOf(ground: Ground, neighbours: Neighbours): Parts {
  const { config } = ground.shell
  const { index } = ground.engines
  const { harvesting, repository, search } = neighbours
  const scheduler = harvesting && config.services.includes('scheduler') && schedulerOf(harvesting)
  return {
    ...(scheduler && { scheduler }),
    ...(harvesting?.measuring && { metrics: { refresh: refreshOf(harvesting.measuring) } }),
    ...(repository && { repository: repositoryOf(ground, { ...neighbours, repository }) }),
    ...(search && {
      search: {
        sitemap: async () =>
          (await search.sitemap.remade()).pages.reduce((sum, { addresses }) => sum + addresses, 0),
        boosts: () => config.search.boosts,
        facets: () =>
          currentSettings(index).flatMap((settings) =>
            settings.facets.map(({ id }) => ({ index: settings.index, id })),
          ),
      },
    }),
    status: () => statusOf(ground, harvesting),
  }
}

/** Of a repository and of the indices that follow it. */
function repositoryOf(
  ground: Ground,
  { repository, harvesting, search }: Neighbours & { readonly repository: Repository },
): RepositoryPart {
  const { pending, upkeep } = ground.engines.projection
  return {
    repair: repository.chores.repair,
    ...(harvesting && {
      restore: (what, signal) => restored(harvesting, what, signal),
      launch: catalogueLaunch(ground, harvesting, {
        address: `${inside}${places.repo}`,
        fetch: async (request) => repository.app.fetch(request),
      }),
    }),
    ...vocabularyPart({
      repository: `${inside}${places.repo}`,
      ...(search && { search: `${inside}${places.search}` }),
      fetch: async (request) => {
        const isSearch = new URL(request.url).pathname.startsWith(`${places.search}/`)
        return (isSearch && search ? search.app : repository.app).fetch(request)
      },
      key: ground.key,
      bundled: shipped('shapes/vocabularies'),
    }),
    index: upkeep.again,
    reindex: upkeep.refill,
    reconcile: ({ dryRun }, progress, signal) => upkeep.reconcile({ dryRun, progress }, signal),
    pending: async () => ({ count: pending() }),
    tombstones: (catalogue, signal) => tombstonesOf(repository, catalogue, signal),
    clear: (options, progress, signal) => repository.chores.clear({ ...options, progress }, signal),
  }
}

/** Where nobody but this process is asked. */
const inside = 'http://localhost'

async function* tombstonesOf(
  { chores }: Repository,
  catalogue: string | undefined,
  signal: AbortSignal,
) {
  for await (const { id, catalogue: home, deletedAt } of chores.tombstones(catalogue, signal))
    yield { id, catalogue: home, deleted: deletedAt }
}

const schedulerOf = ({ harvest, pipes, launcher, runs, triggers }: Harvesting) => ({
  pipes,
  launcher,
  runs,
  triggers,
  confirm: (runId: string, signal: AbortSignal) => harvest.confirm(runId, signal),
  adopt: async ({ pipe, from }: { readonly pipe: string; readonly from: string }) =>
    harvest.adopt(pipe, from),
  masked: (pipe: JsonObject) => masked(pipe),
})

async function* restored(
  { harvest }: Harvesting,
  what: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { restored: count, failed } = await harvest.restore(what, signal)
  yield `${count} restored`
  for (const { id, reason } of failed) yield `${id}: ${reason}`
}

async function statusOf(
  { engines, shell }: Ground,
  harvesting: Harvesting | undefined,
): Promise<JsonObject> {
  const [store, index] = await Promise.all([engines.store.health(), engineHealth(engines.index)])
  return {
    services: [...shell.config.services],
    store: store.ready ? 'ready' : 'away',
    index: index.ready ? 'ready' : 'away',
    pending: engines.projection.pending(),
    ...(harvesting && {
      pipes: harvesting.pipes.list().length,
      active: harvesting.launcher.active().length,
      leads: harvesting.triggers.leads(),
    }),
  }
}
