/** What all services stand on: store, index, profile and the projection between them. */

import { join } from 'node:path'
import type { Config } from '../config.ts'
import { Failure } from '../errors.ts'
import type { Metrics } from '../http/metrics.ts'
import { openLease, type Lease } from '../lease.ts'
import type { Log } from '../log.ts'
import type { Profile } from '../profile/fields.ts'
import { loadProfile } from '../profile/load.ts'
import { enrichmentWarnings } from '../projector/enriching/places.ts'
import { checkFacets, unservedFacets } from '../projector/facets.ts'
import { projection } from '../projector/projection.ts'
import type { Report } from '../projector/mappings/mapping.ts'
import { names as namesOf } from '../rdf/names.ts'
import { publicLimits } from '../repository/sparql/limits.ts'
import { openStore, withStore } from '../store/open.ts'
import { openIndex, pause } from './search-engine.ts'
import { telling, type Waiting } from './waiting.ts'

/** What runs before the engines are up: a door that says so. */
export type Shell = {
  readonly config: Config
  readonly log: Log
  readonly numbers: Metrics
  readonly waiting: Waiting
}

/** A file that comes with the code. */
export const shipped = (path: string) => new URL(`../../${path}`, import.meta.url).pathname

export type Engines = Awaited<ReturnType<typeof openEngines>>

/** Rejects when a file cannot be opened or the profile has problems. */
export async function openEngines({ config, log, numbers, waiting }: Shell) {
  const directory = (name: string) => join(config.dataDir, name)
  const names = namesOf(config.baseUri, config.segments)
  const profile = await loadProfile(config.profile.directory ?? shipped('shapes/default'), {
    enabled: config.profile.enabled,
  })
  const { facets, nonCountries, vocabulary: enrichment } = config.search
  checkFacets(profile, facets)
  warnAbout(profile, config, log)
  const lease = await alone({ config, log, waiting })
  const store = await openStore(config.triplestore, {
    directory: directory('store'),
    log,
    limits: publicLimits(config),
    isCatalogue: (graph) => names.idOf('catalogue', graph) !== undefined,
    random: Math.random,
    pause,
    told: telling(waiting, 'store'),
  })
  if (!config.triplestore) numbers.store(() => store.health())
  const index = await openIndex(config, log)
  const vocabularies = shipped('shapes/vocabularies')
  const deps = {
    store,
    index,
    names,
    profile,
    log,
    vocabularies,
    enrichment,
    pause,
    now: Date.now,
    leftOut: (reports: readonly Report[]) => numbers.leftOut(reports),
    ...(facets && { facets }),
    ...(nonCountries && { nonCountries }),
  }
  const projected = await withStore(() => projection(deps), {
    log,
    pause,
    told: telling(waiting, 'store'),
  })
  const close = async () => {
    await projected.stop()
    await index.close()
    await store.close()
    lease?.release()
  }
  return { store, index, names, profile, projection: projected, close }
}

/**
 * Resolves when no other process works in the data directory, whose engines would not see what this one writes: the one that
 * starts again ends soon, and one that was started by mistake waits for ever and does no harm. Engines elsewhere need none.
 */
async function alone({
  config,
  log,
  waiting,
}: Pick<Shell, 'config' | 'log' | 'waiting'>): Promise<Lease | undefined> {
  if (config.triplestore && config.searchEngine) return undefined
  const lease = openLease(join(config.dataDir, 'process.lease'))
  const take = async () => {
    if (lease.held()) return lease
    throw new Failure('store-unavailable', `Another process works in ${config.dataDir}.`)
  }
  return withStore(take, { log, pause, told: telling(waiting, 'data-directory') })
}

/** What of profile and configuration has no effect, in the log once. */
function warnAbout(profile: Profile, { search }: Config, log: Log): void {
  for (const warning of profile.warnings) log.warn({ warning }, 'profile.warning')
  for (const facet of unservedFacets(profile, search.facets)) log.warn(facet, 'facet.unserved')
  for (const warning of enrichmentWarnings(search.vocabulary, profile))
    log.warn({ warning }, 'enrichment.warning')
}
