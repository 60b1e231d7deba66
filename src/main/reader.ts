/**
 * Opens a reader: a process that answers what only reads from triplestore and search engine, beside the one that writes, and sends
 * everything else on to that one. Its data directory is scratch.
 */

import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writerClient } from '../client/forwarding.ts'
import { StartRefused } from '../errors.ts'
import { Accounts } from '../http/accounts.ts'
import { apiKeys } from '../http/api-key.ts'
import { type FetchHandler, gateway, type MountedApp } from '../http/app.ts'
import { forwardingApp } from '../http/forwarding.ts'
import { rootApp } from '../http/root.ts'
import { JobRunner } from '../jobs/job-runner.ts'
import { portalApp } from '../portal/portal-app.ts'
import { portInProcess } from '../portal/ports.ts'
import { indexSettings } from '../projector/building/index-settings.ts'
import { newestIndexed } from '../projector/queue.ts'
import { names as namesOf } from '../rdf/names.ts'
import { openRepository } from '../repository/repository.ts'
import { publicLimits } from '../repository/sparql-app.ts'
import { ckanMounts } from '../search/ckan/ckan-calls.ts'
import type { IndexSettings } from '../search-index/index-settings.ts'
import type { GraphStore } from '../store/graph-store.ts'
import { openReadingStore, runWithStore } from '../store/open-store.ts'
import { versionClock } from '../store/versions.ts'
import { backgroundLoop } from '../workers/background-loop.ts'
import { showNeighbour } from '../workers/numbers.ts'
import { pause } from '../workers/pause.ts'
import { clock } from './clock.ts'
import { openSearch } from './embedding.ts'
import { acquireDirectory, openProfile, type StartContext } from './engines.ts'
import { readerHealth, readiness } from './health.ts'
import { baseOfWriter, refuseWriterDirectory } from './identity.ts'
import { showNeighbours } from './numbers.ts'
import { furtherPaths, httpAt, httpOptions, servicePaths, version } from './platform-context.ts'
import { type OpenPlatform, rootOptions } from './open-platform.ts'
import { publicPorts, resourceRedirects, withPages } from './portal.ts'
import { readerRoutes, type ReaderRoutes } from './reader-routes.ts'
import { searchService, sparqlService } from './reading-services.ts'
import { reportWaiting } from './waiting.ts'

/** Milliseconds between two looks for what the writer has changed, and without one of the store until the process is not ready. */
const [followMs, lostMs] = [1000, 10_000]

type Reader = Awaited<ReturnType<typeof openReaderEngines>>

/** Opens the reader. Rejects when the store belongs to another platform, or the profile has problems. */
export async function openReadingPlatform(shell: StartContext): Promise<OpenPlatform> {
  const { log, numbers } = shell
  const now = () => performance.now()
  const engines = await openReaderEngines(shell)
  const context = { ...shell, ...engines }
  const writer = writerClient({ origins: shell.config.writerUrls, log, pause, now })
  const repository = await readingRepository(context)
  const follower = follow(context, () => repository.context.idLists.forget())
  const watch = readiness(engines.store, { elapsed: now, pause, log })
  const isReady = () => watch.isReady() && follower.isCurrent()
  showNeighbour('store', () => watch.storeHealth() !== undefined)
  showNeighbour('engine', follower.hasEngine)
  showNeighbour('writer', writer.isUp)
  showNeighbours(numbers)
  const forwarding = forwardingApp(httpOptions(context), writer)
  const routes = readerRoutes({ writer: forwarding, now })
  const mounted = mountedHere(context, repository.app, routes, forwarding)
  const site = siteOf(context, mounted, routes)
  return {
    readiness: { ...watch, isReady },
    handlerOf: (part) => {
      const root = rootApp({
        ...rootOptions(context),
        part,
        health: () => readerHealth(context, writer.isUp(), watch.isStopping()),
        isReady,
        ...(!site && part !== 'administration' && { middleware: resourceRedirects(context) }),
      })
      if (part === 'administration') return root
      return gateway([...mounted, { base: '', app: site ? withPages(root, site) : root }])
    },
    key: '',
    addresses: [],
    beginStop: async () => {
      await Promise.all([watch.stop(), follower.stop()])
    },
    close: async () => {
      await writer.stop()
      await repository.stop()
      await engines.close()
    },
  }
}

async function openReaderEngines(shell: StartContext) {
  const { config: given, log, numbers, waiting } = shell
  if (!given.triplestore) throw new StartRefused('A reader needs PLATFORM_TRIPLESTORE_CONFIG.')
  await refuseWriterDirectory(given)
  const profile = await openProfile(shell)
  const directory = await acquireDirectory(shell)
  const dataDir = emptyScratch(given.dataDir)
  let names = namesOf(given.baseUri, given.segments)
  const onWaiting = reportWaiting(waiting, 'store')
  const store = await openReadingStore(given.triplestore, {
    log,
    limits: publicLimits(given),
    isCatalogue: (graph) => names.idOf('catalogue', graph) !== undefined,
    random: Math.random,
    pause,
    onWaiting,
  })
  const baseUri = await runWithStore(() => baseOfWriter(given, store), { log, pause, onWaiting })
  // The form of dates matters to the writer alone, which makes the documents.
  const search = { ...given.search, dates: given.search.dates ?? ('faithful' as const) }
  const config = { ...given, dataDir, baseUri, search }
  names = namesOf(baseUri, config.segments)
  const { index, embedding } = await openSearch({ config, log, numbers })
  const jobs = new JobRunner({ path: join(dataDir, 'jobs.sqlite'), log, ...clock })
  const accounts = new Accounts({
    path: join(dataDir, 'accounts.sqlite'),
    now: Date.now,
    hasAdministrator: true,
  })
  return {
    config,
    profile,
    names,
    store,
    index,
    embedding,
    jobs,
    accounts,
    // All requests with keys go to the writer.
    keys: apiKeys({}),
    close: async () => {
      await jobs.stop()
      accounts.close()
      await index.close()
      await store.close()
      directory.release()
    },
  }
}

/** Makes the directory of files that a reader does not keep: those of an earlier start would name records that are gone. */
function emptyScratch(directory: string): string {
  const scratch = join(directory, 'reader')
  rmSync(scratch, { recursive: true, force: true })
  mkdirSync(scratch, { recursive: true, mode: 0o700 })
  return scratch
}

/** Follows the writer: what is cached of the store or the indices is forgotten soon after it has changed. */
function follow(context: StartContext & Reader, onStoreChanged: () => void) {
  const { store, index, log } = context
  let [indexed, differing] = [-1, '']
  let [storeAt, indexAt] = [-Infinity, -Infinity]
  const lookAtStore = async () => {
    const newest = await newestIndexed(store)
    if (newest !== indexed) onStoreChanged()
    indexed = newest
    storeAt = performance.now()
  }
  const lookAtIndex = async (signal: AbortSignal) => {
    const hasChanged = await index.attach?.(signal)
    indexAt = performance.now()
    if (!hasChanged) return
    const others = otherFacets(context).join()
    if (others !== differing && others !== '') log.warn({ indices: others }, 'facets.differ')
    differing = others
  }
  const timing = { log, pause, firstMs: 0, longestRetryMs: 5 * followMs }
  const loops = [lookAtStore, lookAtIndex].map((look) =>
    backgroundLoop('writer.follow-failed', followMs, look, timing),
  )
  const isRecent = (at: number) => performance.now() - at < lostMs
  return {
    isCurrent: () => isRecent(storeAt),
    hasEngine: () => isRecent(indexAt),
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}

/** Indices that have other facets than profile and configuration of this process say; searches use those of the index. */
function otherFacets({ index, profile, config }: Reader): readonly string[] {
  const idsOf = ({ facets }: IndexSettings) => facets.map(({ id }) => id).join()
  const own = new Map(
    indexSettings(profile, config.search.facets, []).map((one) => [one.index, idsOf(one)]),
  )
  return index
    .currentSettings()
    .flatMap((found) => (own.get(found.index) === idsOf(found) ? [] : [found.index]))
}

/** For what a reader never does, because it sends such requests on. */
const notHere = (): never => {
  throw new Error('a reader does not write')
}

/** Repository that answers from the store alone. */
function readingRepository(context: StartContext & Reader) {
  const { config, store } = context
  const complete: GraphStore = {
    ...store,
    write: async () => notHere(),
    writeEach: async () => notHere(),
  }
  const { accounts, log, jobs, keys, names, profile } = context
  const { limits } = config
  return openRepository({
    isReader: true,
    store: complete,
    log,
    jobs,
    keys,
    limits,
    names,
    profile,
    accounts,
    versions: versionClock(0, Date.now),
    onCommitted: notHere,
    onCascadeMark: notHere,
    onOutcomeUnknown: notHere,
    waitForIndexer: async () => notHere(),
    waitUntilIndexed: async () => notHere(),
    isPending: () => false,
    isHidden: async () => false,
    indexedCatalogueOf: async () => undefined,
    version,
    pause,
    directory: join(config.dataDir, 'deleted'),
    days: config.restoreDays,
    recordsPath: join(config.dataDir, 'records.sqlite'),
    versionLimits: config.versions,
    triples: config.limits.triples,
    canonical: { work: config.limits.canonicalWork, blankNodes: config.limits.blankNodes },
    now: () => new Date(),
    uuid: randomUUID,
    ...httpAt(context, servicePaths.repo),
  })
}

/** Services that answer here, and those that the writer has, by their paths. */
function mountedHere(
  context: StartContext & Reader,
  repository: FetchHandler,
  routes: ReaderRoutes,
  forwarding: FetchHandler,
): readonly MountedApp[] {
  const { services } = context.config
  const search = services.includes('search')
    ? routes(
        searchService({
          ...context,
          findings: async () => notHere(),
          preview: async () => notHere(),
        }).app,
        ['POST'],
      )
    : forwarding
  const sparql = services.includes('sparql') ? routes(sparqlService(context), ['POST']) : forwarding
  const others = Object.values({ ...servicePaths, ...furtherPaths }).filter((path) => path !== '')
  const here = new Map<string, FetchHandler>([
    [servicePaths.repo, services.includes('repo') ? routes(repository) : forwarding],
    [servicePaths.search, search],
    [servicePaths.sparql, sparql],
    ...ckanMounts.map((base) => [base, search] as const),
  ])
  return [...new Set([...others, ...here.keys()])].map((base) => ({
    base,
    app: here.get(base) ?? forwarding,
  }))
}

/** Pages for people who are not signed in; absent where the portal does not run. */
function siteOf(
  context: StartContext & Reader,
  mounted: readonly MountedApp[],
  routes: ReaderRoutes,
): FetchHandler | undefined {
  const { pages } = context
  if (!pages) return undefined
  const services = gateway(mounted)
  const app = portalApp({
    redirectFromIris: resourceRedirects(context),
    shell: pages,
    ports: publicPorts((path) => portInProcess(services, path)),
    previews: undefined,
    sessions: undefined,
    ...httpAt(context, ''),
  })
  return routes(app)
}
