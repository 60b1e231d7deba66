/** Opens what all services need: store, index, profile, the projection between them, jobs, and the watches of disk and files. */

import type { PageShell } from '../portal/page-shell.ts'
import { hash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Config } from '../config/config.ts'
import { Failure } from '../errors.ts'
import type { Metrics } from '../http/metrics.ts'
import type { LongAnswers } from '../http/context.ts'
import { JobRunner } from '../jobs/job-runner.ts'
import { type Lease, openLease } from '../lease.ts'
import type { Log } from '../log.ts'
import type { Profile } from '../profile/profile.ts'
import { loadProfile } from '../profile/load-profile.ts'
import { enrichmentWarnings } from '../projector/building/enrichment.ts'
import { checkFacets, unservedFacets } from '../projector/building/facets.ts'
import { projection, type ProjectionContext } from '../projector/projection.ts'
import { type Names, names as namesOf } from '../rdf/names.ts'
import { publicLimits } from '../repository/sparql-app.ts'
import { recordsIn } from '../search-index/sqlite/stored-records.ts'
import { setAside } from '../sqlite.ts'
import { openStore, runWithStore } from '../store/open-store.ts'
import { pause } from '../workers/pause.ts'
import { clock } from './clock.ts'
import { checkFiles, hasContent, processLeaseName, watchedFiles } from './data-files.ts'
import { openDisk, watchedStore } from './disk.ts'
import { openSearch } from './embedding.ts'
import {
  checkOwner,
  identify,
  readIdentity,
  refuseLost,
  identityWriter,
  type StartOptions,
} from './identity.ts'
import { openStorage, refuseLostPlace } from './storage.ts'
import { reportWaiting, type Waiting } from './waiting.ts'

/** Dependencies that exist before the engines are open, so that the port can say what the start waits for. */
export type StartContext = {
  readonly config: Config
  readonly log: Log
  readonly numbers: Metrics
  readonly waiting: Waiting
  readonly longAnswers: LongAnswers
  readonly startOptions: StartOptions
  readonly version: string
  /** Layout of pages; absent without the service `portal`. */
  readonly pages?: PageShell
}

/** Path of a file of the product, such as `shapes/default`. */
export const shipped = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** Directory of pipes: `pipes` where the process runs, or that of the product where there is none at the start. */
export const pipeDirectory = () => (existsSync('pipes') ? 'pipes' : shipped('pipes'))

/** Open engines; `close` ends them. */
export type Engines = Awaited<ReturnType<typeof openEngines>>

/**
 * Opens the engines as soon as no other process uses the data directory. Rejects when a file cannot be opened, the profile has
 * problems, or store and directory do not belong together.
 */
export async function openEngines(shell: StartContext) {
  const { log, numbers } = shell
  const profile = await openProfile(shell)
  refuseLostPlace(shell.config.dataDir, shell.startOptions.empty)
  const lease = await acquireDirectory(shell)
  const storage = openStorage({
    directory: shell.config.dataDir,
    ...watchedFiles(unusedFiles(shell.config)),
    log,
    now: () => performance.now(),
  })
  const disk = openDisk({ directory: shell.config.dataDir, log, pause, storage })
  const opened = await openOwnStore(shell)
  const { config, identity, isOther } = opened
  const watches = { disk: config.triplestore ? undefined : disk, storage }
  const store = watchedStore(opened.store, watches)
  const names = namesOf(config.baseUri, config.segments)
  const { index, embedding } = await openSearch({ config, log, numbers })
  const jobs = new JobRunner({ path: join(config.dataDir, 'jobs.sqlite'), log, ...clock })
  const projector = await startProjection(shell, { store, index, names, profile, config, jobs })
  const close = async () => {
    await projector.stop()
    await jobs.stop()
    await index.close()
    await store.close()
    await disk.stop()
    lease.release()
  }
  return {
    store,
    disk,
    storage,
    index,
    embedding,
    names,
    profile,
    config,
    identityWriter: identityWriter(identity, config.dataDir, log),
    isOther,
    /** Sets the listener for the moment when this process has the lease of the store again. */
    onRegained: opened.onRegained,
    projection: projector,
    jobs,
    close,
  }
}

/** Starts the projection from the store into the index. */
function startProjection(
  { log, numbers, waiting }: StartContext,
  {
    config,
    ...engines
  }: Pick<ProjectionContext, 'store' | 'index' | 'names' | 'profile' | 'jobs'> & {
    readonly config: Config
  },
) {
  const { facets, nonCountries, dates, vocabulary: enrichment } = config.search
  const deps: ProjectionContext = {
    ...engines,
    log,
    vocabularies: shipped('shapes/vocabularies'),
    enrichment,
    pause,
    now: Date.now,
    onLeftOut: numbers.leftOut,
    timeZone: config.portal.timeZone,
    facets,
    nonCountries,
    dates,
  }
  return runWithStore(() => projection(deps), {
    log,
    pause,
    onWaiting: reportWaiting(waiting, 'store'),
  })
}

/** Opens the store and checks whose data it is; the returned `config` has the base IRI of the data and the form of its dates. */
async function openOwnStore({ config, log, waiting, startOptions, version }: StartContext) {
  const directory = config.dataDir
  const kept = await readIdentity(directory)
  const unused = unusedFiles(config)
  const had = kept?.files ?? []
  checkFiles({ directory, reset: startOptions.reset, had, unused, log })
  const indexed = config.searchEngine ? 0 : recordsIn(join(directory, 'search'))
  if (!config.triplestore && !hasContent(join(directory, 'store', 'store.db')))
    refuseLost({ kept, indexed, startOptions, config })
  const onWaiting = reportWaiting(waiting, 'store')
  const known = { config, startOptions, kept, indexed, version, log, newId: randomUUID() }
  let names = namesOf(config.baseUri, config.segments)
  let onLeaseRegained: (() => void) | undefined
  const store = await openStore(config.triplestore, {
    directory: join(directory, 'store'),
    log,
    limits: publicLimits(config),
    isCatalogue: (graph) => names.idOf('catalogue', graph) !== undefined,
    rule: indexRule(names),
    random: Math.random,
    pause,
    onWaiting,
    loading: (now) => {
      waiting.progress = now
    },
    lease: {
      ...leaseHolder(config.dataDir),
      checkStore: (found) => checkOwner(known, found),
      onWaiting: reportWaiting(waiting, 'lease'),
      onRegained: () => onLeaseRegained?.(),
    },
  })
  const given = { ...known, store }
  const { identity, isOther } = await runWithStore(() => identify(given), {
    log,
    pause,
    onWaiting,
  }).catch(async (error: unknown) => {
    // Releases the lease, so that another process need not wait until it expires.
    await store.close()
    throw error
  })
  const { baseUri } = identity
  names = namesOf(baseUri, config.segments)
  if (isOther) forgetStore(config, log)
  const search = { ...config.search, dates: config.search.dates ?? identity.dates }
  const onRegained = (listener: () => void): void => void (onLeaseRegained = listener)
  return { store, identity, config: { ...config, baseUri, search }, isOther, onRegained }
}

/** Rule for the statements that the index of the embedded store leaves out. */
const indexRule = (names: Names) => ({
  metrics: names.metrics(''),
  datasets: names.dataset(''),
  records: names.record(''),
  distributions: names.distribution(''),
  genids: names.genidPrefix,
  base: names.base,
})

/** Files that are not used because a server replaces them. */
const unusedFiles = ({ triplestore, searchEngine }: Config): readonly string[] => [
  ...(triplestore ? ['store/store.db'] : []),
  ...(searchEngine ? ['search/index.db'] : []),
]

/** Sets aside the files that describe another store: the index and the ledger. */
function forgetStore({ dataDir }: Config, log: Log): void {
  for (const name of ['search/index.db', 'harvest.sqlite']) {
    const file = join(dataDir, name)
    const kept = setAside(file)
    const why = 'It belongs to another store.'
    if (kept !== undefined) log.warn({ file, why, kept }, 'file.set-aside')
  }
}

/** Name of this process in the lease of the store; a process of the same host and data directory is its predecessor. */
function leaseHolder(dataDir: string) {
  const host = hostname().replace(/[^\w.-]/g, '_')
  const place = hash('sha256', `${hostname()} ${resolve(dataDir)}`).slice(0, 12)
  return {
    holder: `${host}:${process.pid}:${Date.now()}:${place}`,
    isPredecessor: (holder: string) => holder.endsWith(`:${place}`),
  }
}

/**
 * Waits until no other process uses the data directory: its engines would not see what this one writes. A predecessor ends soon;
 * a process that was started by mistake waits for ever and does no harm.
 */
export async function acquireDirectory({ config, log, waiting }: StartContext): Promise<Lease> {
  const lease = openLease(join(config.dataDir, processLeaseName))
  const tryAcquire = async () => {
    if (lease.held()) return lease
    throw new Failure(
      'store-unavailable',
      `Another process works in ${config.dataDir}: this one waits until that one ends. A data directory has one process at a time, whatever PLATFORM_SERVICES says; a second platform needs a PLATFORM_DATA_DIR of its own.`,
    )
  }
  return runWithStore(tryAcquire, {
    log,
    pause,
    onWaiting: reportWaiting(waiting, 'data-directory'),
  })
}

/** Loads the profile; logs its warnings, and what has no effect in facets and enrichment. */
export async function openProfile({ config, log }: StartContext): Promise<Profile> {
  const { directory, enabled } = config.profile
  const { facets, vocabulary } = config.search
  const profile = await loadProfile(directory ?? shipped('shapes/default'), { enabled })
  checkFacets(profile, facets)
  for (const warning of profile.warnings) log.warn({ warning }, 'profile.warning')
  for (const facet of unservedFacets(profile, facets)) log.warn(facet, 'facet.ignored')
  for (const warning of enrichmentWarnings(vocabulary, profile))
    log.warn({ warning }, 'enrichment.warning')
  return profile
}
