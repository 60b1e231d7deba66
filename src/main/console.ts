/** Opens the console with the parts of the services of this process. */

import type { Parts, RecordsPart, RepositoryPart } from '../console/console-parts.ts'
import { openConsole, type Console } from '../console/console-service.ts'
import { Failure } from '../errors.ts'
import { vocabularyPart } from '../console/vocabulary-commands.ts'
import type { App } from '../http/app.ts'
import { hasRole } from '../http/roles.ts'
import type { JsonObject } from '../text/json.ts'
import type { ReconcileSchedule } from '../projector/reconcile.ts'
import type { OpenRepository } from '../repository/repository.ts'
import { maskSecrets } from '../scheduler/masking.ts'
import type { SitemapKeeper } from '../search/feeds/sitemap-cache.ts'
import { clock } from './clock.ts'
import { shipped } from './engines.ts'
import {
  httpOptions,
  inside,
  ownRepository,
  servicePaths,
  type PlatformContext,
} from './platform-context.ts'
import type { Harvesting } from './harvesting.ts'
import { catalogueLaunch, refreshOf } from './metrics.ts'
import { currentSettings, effectiveBoosts, engineHealth } from './search-engine.ts'

/** Services of this process that have commands. */
type OtherServices = {
  readonly harvesting: Harvesting | undefined
  readonly repository: OpenRepository | undefined
  readonly reconciling: ReconcileSchedule
  readonly search: { readonly app: App; readonly sitemap: SitemapKeeper } | undefined
}

/**
 * Opens the page and the telnet server of the console as configured; `undefined` where it does not run. Rejects when a port is
 * taken.
 */
export async function consoleService(
  context: PlatformContext,
  services: OtherServices,
): Promise<Console | undefined> {
  const { config, keys, secrets, log } = context
  if (!config.shell || !config.services.includes('console')) return undefined
  return openConsole({
    config: config.shell,
    parts: partsOf(context, services),
    keys,
    log,
    now: clock.now,
    clean: (text) => secrets.clean(text),
    http: { ...httpOptions(context), base: servicePaths.console },
    host: config.host,
    limits: config.limits,
  })
}

function partsOf(context: PlatformContext, services: OtherServices): Parts {
  const { config, index, keys } = context
  const { harvesting, repository, search } = services
  const scheduler = harvesting && config.services.includes('scheduler') && schedulerOf(harvesting)
  return {
    ...(scheduler && { scheduler }),
    ...(harvesting?.measuring && { metrics: { refresh: refreshOf(harvesting.measuring) } }),
    ...(repository && {
      repository: repositoryOf(context, services, repository),
      records: { ask: askAs(context, repository) },
    }),
    ...(search && {
      search: {
        sitemap: async () =>
          (await search.sitemap.remake()).pages.reduce((sum, { addresses }) => sum + addresses, 0),
        boosts: () => effectiveBoosts(currentSettings(index), config.search.boosts),
        facets: () =>
          currentSettings(index).flatMap((settings) =>
            settings.facets.map(({ id }) => ({ index: settings.index, id })),
          ),
      },
    }),
    jobs: context.jobs,
    keys: {
      accounts: context.accounts,
      invitationAddress: (token) =>
        `${config.publicUrl ?? config.baseUri}${config.portal.defaultLanguage}/invitation/${token}`,
      isAdministrator: (id) =>
        hasRole(keys.active(id)?.permissions ?? [], 'administrator', undefined),
      now: clock.now,
    },
    status: () => statusOf(context, services),
  }
}

/** Commands of the repository and of its indices. */
function repositoryOf(
  context: PlatformContext,
  { harvesting, search, reconciling }: OtherServices,
  repository: OpenRepository,
): RepositoryPart {
  const { pending, maintenance } = context.projection
  return {
    repair: repository.maintenance.repair,
    repairAddresses: repository.maintenance.repairAddresses,
    repairStore: repository.maintenance.repairStore,
    restore: (what, signal) => restoreDatasets(context, { harvesting, repository }, what, signal),
    ...(harvesting && { launch: catalogueLaunch(context, harvesting) }),
    ...vocabularyPart({
      repository: `${inside}${servicePaths.repo}`,
      ...(search && { search: `${inside}${servicePaths.search}` }),
      fetch: async (request) => {
        const isSearch = new URL(request.url).pathname.startsWith(`${servicePaths.search}/`)
        return (isSearch && search ? search.app : repository.app).fetch(request)
      },
      key: () => context.key.ownRepository(),
      bundled: shipped('shapes/vocabularies'),
    }),
    index: maintenance.projectAgain,
    reindex: maintenance.refill,
    reconcile: ({ dryRun }, progress, signal) =>
      reconciling.reconcile({ dryRun, progress }, signal),
    pending: async (signal) => {
      const since = await maintenance.oldestPending(signal)
      const oldest = since !== undefined && { oldest: Math.max(0, clock.now() - since) / 1000 }
      return { count: pending(), ...oldest }
    },
    tombstones: (catalogue, signal) => tombstonesOf(repository, catalogue, signal),
    clear: (options, progress, signal) =>
      repository.maintenance.clear({ ...options, progress }, signal),
  }
}

/** Makes the function that calls the repository as the holder of a key: the repository decides what is permitted. */
const askAs =
  ({ key }: PlatformContext, repository: OpenRepository): RecordsPart['ask'] =>
  async (path, init, keyId) => {
    const { address, fetch } = ownRepository(repository)
    const headers = new Headers(init.headers)
    headers.set('X-API-Key', key.acting())
    headers.set('Acting-For', keyId)
    headers.set('Acting-By', 'console')
    return fetch(new Request(address + path, { ...init, headers }))
  }

async function* tombstonesOf(
  { maintenance }: OpenRepository,
  catalogue: string | undefined,
  signal: AbortSignal,
) {
  for await (const { id, catalogue: indexedIn, deletedAt } of maintenance.tombstones(
    catalogue,
    signal,
  ))
    yield { id, catalogue: indexedIn, deleted: deletedAt }
}

const schedulerOf = ({ harvest, pipes, launcher, runs, triggers }: Harvesting) => ({
  pipes,
  launcher,
  runs,
  triggers,
  confirm: (runId: string, signal: AbortSignal) => harvest.confirm(runId, signal),
  adopt: async ({ pipe, from }: { readonly pipe: string; readonly from: string }) =>
    harvest.adopt(pipe, from),
  duplicates: (catalogue: string | undefined, signal: AbortSignal) =>
    harvest.duplicates(catalogue, signal),
  mask: (pipe: JsonObject) => maskSecrets(pipe),
})

/** Restores what a run removed, or a dataset: by the ledger of the harvests where they know the id, else by the repository. */
async function restoreDatasets(
  { key }: PlatformContext,
  {
    harvesting,
    repository,
  }: Pick<OtherServices, 'harvesting'> & { readonly repository: OpenRepository },
  id: string,
  signal: AbortSignal,
) {
  try {
    if (harvesting) return await harvesting.harvest.restore(id, signal)
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'unknown-dataset') throw error
  }
  const repositoryAccess = ownRepository(repository)
  const address = `${repositoryAccess.address}/datasets/${encodeURIComponent(id)}/restore`
  const headers = { 'X-API-Key': key.ownRepository() }
  const answer = await repositoryAccess.fetch(
    new Request(address, { method: 'POST', headers, signal }),
  )
  if (answer.status === 201) return { restored: 1, failed: [] }
  const { detail }: { readonly detail?: string } = JSON.parse((await answer.text()) || '{}')
  const kind = answer.status === 404 ? 'unknown-dataset' : 'conflict'
  throw new Failure(kind, detail ?? `the repository answered ${answer.status}`)
}

async function statusOf(
  context: PlatformContext,
  { harvesting, reconciling }: OtherServices,
): Promise<JsonObject> {
  const [store, index] = await Promise.all([context.store.health(), engineHealth(context.index)])
  return {
    services: [...context.config.services],
    store: store.ready ? 'ready' : 'away',
    index: index.ready ? 'ready' : 'away',
    ...(index.details && { indexDetails: index.details }),
    pending: context.projection.pending(),
    reconciled: reconciling.last() ?? null,
    ...(harvesting && {
      pipes: harvesting.pipes.list().length,
      active: harvesting.launcher.active().length,
      leads: harvesting.triggers.isLeader(),
    }),
  }
}
