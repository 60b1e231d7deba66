/** The projector with everything around it: concept cache, document builder, index settings, cascades. */

import type { Log } from '../log.ts'
import type { Profile } from '../profile/profile.ts'
import type { Names } from '../rdf/names.ts'
import type { IndexName } from '../search-index/index-settings.ts'
import type { SearchIndex } from '../search-index/search-index.ts'
import type { GraphStore } from '../store/graph-store.ts'
import type { Landed, Mark } from '../store/marks.ts'
import { versions as clock, type VersionClock } from '../store/versions.ts'
import { loadBundled } from '../vocabularies/authorities.ts'
import { unfitValues, type UnfitValues } from './building/document.ts'
import { documentBuilder } from './building/document.ts'
import { enrichment, type EnrichmentRule } from './building/enrichment.ts'
import type { FacetConfig } from './building/facets.ts'
import { indexSettings } from './building/index-settings.ts'
import { type Affected, cascades, catalogueMembers } from './cascades.ts'
import { conceptCache } from './concept-cache.ts'
import { type EngineState, configuredOrAway, engineStart } from './engine-start.ts'
import { type GatherContext, gatherBatch } from './gathering/gather-batch.ts'
import { catalogueContexts } from './gathering/catalogue-contexts.ts'
import { storedConcepts } from './gathering/stored-concepts.ts'
import { vocabularyUsers } from './gathering/vocabulary-users.ts'
import { recordsOf } from './indexed-records.ts'
import type { Report } from './mappings/mapping.ts'
import { clearing, newestIndexed, newestMark } from './marks.ts'
import { Projector, type ProjectorDeps } from './projector.ts'
import { type Rebuilding, reindex } from './reindex.ts'
import { indexMaintenance, type IndexMaintenance } from './maintenance/maintenance.ts'

export type ProjectionDeps = Pick<ProjectorDeps, 'pause'> & {
  readonly store: GraphStore
  readonly index: SearchIndex
  readonly names: Names
  readonly profile: Profile
  readonly log: Log
  /** Directory of the bundled vocabularies. */
  readonly vocabularies: string
  /** Epoch milliseconds. */
  readonly now: () => number
  /** By default those of the platform. */
  readonly facets?: readonly FacetConfig[]
  readonly enrichment?: readonly EnrichmentRule[]
  /** Values of `country.id` that are no countries. */
  readonly nonCountries?: readonly string[]
  /** Told once per record what of it was left out. */
  readonly leftOut?: (reports: readonly Report[]) => void
}

export type Projection = {
  /** The clock that every write of this process takes its version from. */
  readonly versions: VersionClock
  readonly changed: (marks: readonly Landed[]) => void
  /** A cascade mark stands in the store. */
  readonly cascaded: () => void
  /** A write failed and may have landed: marks in the store are looked for. */
  readonly unsure: () => void
  /** Whether the index may not have the present state of a resource yet. */
  readonly awaits: (resource: string) => boolean
  readonly settled: (mark: Mark, signal: AbortSignal) => Promise<boolean>
  /** Resolves when the index keeps up with what is written, when it cannot, or soon: for whoever writes very much. */
  readonly keptUp: (signal: AbortSignal) => Promise<void>
  /** Whether a catalogue is kept out of search, with everything in it. */
  readonly hides: (catalogue: string, signal: AbortSignal) => Promise<boolean>
  /** What of a dataset its document will not show; for those who tell the sender. */
  readonly unfitValues: UnfitValues
  /** Resources that are not indexed yet. */
  readonly pending: () => number
  /** Indices that are being filled. */
  readonly rebuilding: () => readonly Rebuilding[]
  /** Resolves when nothing waits and no index is being filled; rejects with the signal's reason when it fires first. */
  readonly idle: (signal: AbortSignal) => Promise<void>
  /** Which of the two knew less than the other at the start: somebody has put an older copy of it in its place. */
  readonly olderCopy: OlderCopy
  /** What an operator may have done to the indices. */
  readonly upkeep: IndexMaintenance
  readonly stop: () => Promise<void>
}

/** Resources per batch where the engine does not mind, and kept in memory. */
const standardBatch = 100
const capacity = 100_000
/** Milliseconds between two looks at whether all indices are whole. */
const pollMs = 20
/** Milliseconds that many writes wait for the index at most: it may be slow, and what is written is safe without it. */
const keptUpMs = 500
const keptUpPollMs = 5

/**
 * Starts projecting what earlier processes left, and fills the indices that are new or were built otherwise from the store. A
 * search engine that is away is waited for in the background: what is written meanwhile stays marked.
 */
export async function projection(deps: ProjectionDeps): Promise<Projection> {
  const { store, names, profile, log, pause, facets } = deps
  const gather = await gathering(deps)
  const settings = indexSettings(profile, facets, rulesOf(deps))
  const configured = await configuredOrAway(deps, settings)
  const { indexed, marked, olderCopy } = await copiesCompared(deps, configured)
  const versions = clock(Math.max(configured?.newest ?? 0, marked), deps.now)
  const projector = projecting(deps, { ...gather, indexed })
  await projector.start()
  const cascading = cascades({ store, projector, log, pause, affected: affectedBy(deps, versions) })
  const records = () =>
    recordsOf({ store, names, profile, contexts: catalogueContexts(store, names) })
  const reindexDeps = { ...deps, records, projector, indexed: () => newestIndexed(store) }
  const fill = (rebuild: readonly IndexName[]) => reindex(reindexDeps, rebuild)
  const engine = engineStart({ ...deps, fill, found: versions.raise }, settings, configured)
  return {
    versions,
    changed: (marks) => projector.changed(marks),
    cascaded: () => cascading.wake(),
    unsure: () => {
      projector.recheck()
      cascading.wake()
    },
    awaits: (resource) => projector.awaits(resource),
    settled: (mark, signal) => projector.settled(mark, signal),
    keptUp: (signal) => keptUp(projector, pause, signal),
    hides: async (catalogue, signal) => {
      // What is kept of it may be older than a write that is not projected yet.
      if (projector.awaits(names.catalogue(catalogue))) gather.contexts.forget(catalogue)
      return (await gather.contexts.get(catalogue, signal))?.hidden ?? false
    },
    unfitValues: unfitValues({ profile, names, concepts: gather.concepts }),
    pending: () => projector.pending,
    rebuilding: () => engine.rebuilding() ?? [],
    olderCopy,
    upkeep: indexMaintenance({ ...deps, records, projector, engine }),
    idle: async (signal) => {
      while (engine.rebuilding()?.length !== 0) {
        signal.throwIfAborted()
        await pause(pollMs, signal)
      }
      await projector.idle(signal)
    },
    stop: async () => {
      await engine.stop()
      await cascading.stop()
      await projector.stop()
    },
  }
}

/** A cascade mark on a vocabulary means the records that use its concepts, one on a catalogue what is in it. */
const affectedBy =
  ({ store, names, log, pause }: ProjectionDeps, { next }: VersionClock) =>
  (mark: Mark, signal: AbortSignal): Promise<Affected> =>
    names.idOf('vocabulary', mark.resource) === undefined
      ? Promise.resolve({ pages: catalogueMembers(store, mark.resource, signal) })
      : vocabularyUsers({ store, names, log, next, pause }, mark, signal)

type OlderCopy = 'store' | 'index' | undefined

/** What the store says of how far the index is, mended where that is not so: it is told once. */
async function copiesCompared(
  { store, log }: Pick<ProjectionDeps, 'store' | 'log'>,
  engine: EngineState | undefined,
) {
  const before = await newestIndexed(store)
  const marked = Math.max(before, await newestMark(store))
  const olderCopy = olderOf(engine, { indexed: before, marked })
  if (!engine || !olderCopy) return { indexed: before, marked, olderCopy }
  const indexed = engine.newest
  log.warn({ older: olderCopy, index: indexed, store: marked }, 'copy.older')
  await store.write([clearing([], { indexed, before })]).catch((error: unknown) => {
    // Of a full disk it is told again at the next start.
    log.warn({ err: error }, 'copy.unnoted')
  })
  return { indexed, marked, olderCopy }
}

/** Unknown while the engine is away, while an index is being filled, and for a store of a version that keeps no count. */
function olderOf(
  engine: EngineState | undefined,
  { indexed, marked }: { readonly indexed: number; readonly marked: number },
): OlderCopy {
  if (!engine || engine.rebuild.length > 0 || indexed === 0) return undefined
  if (engine.newest > marked) return 'store'
  return engine.newest < indexed ? 'index' : undefined
}

async function keptUp(
  projector: Pick<Projector, 'lags'>,
  pause: ProjectionDeps['pause'],
  signal: AbortSignal,
): Promise<void> {
  for (let ms = 0; ms < keptUpMs && projector.lags && !signal.aborted; ms += keptUpPollMs)
    await pause(keptUpPollMs, signal)
}

/** What documents follow from beside the profile and its facets. */
const rulesOf = ({ enrichment: rules = [], nonCountries }: ProjectionDeps): readonly unknown[] =>
  nonCountries ? [...rules, { nonCountries }] : rules

/** What every batch is gathered and built with. */
async function gathering(deps: ProjectionDeps): Promise<GatherContext> {
  const { store, index, names, profile, log, leftOut } = deps
  const { facets, nonCountries, enrichment: rules = [] } = deps
  const concepts = conceptCache(await loadBundled(deps.vocabularies))
  const stored = storedConcepts({ store, names, concepts, log })
  await stored.load()
  const builder = documentBuilder({
    profile,
    concepts,
    names,
    ...(facets && { facets }),
    ...(nonCountries && { nonCountries }),
    ...(rules.length > 0 && { enrich: enrichment(rules, stored.lookup, profile) }),
  })
  const contexts = catalogueContexts(store, names)
  const common = { store, index, builder, contexts, names, profile, concepts, log, stored }
  return leftOut ? { ...common, leftOut } : common
}

function projecting(
  { store, index, names, log, pause }: ProjectionDeps,
  { indexed, ...gather }: GatherContext & { readonly indexed: number },
) {
  const kinds = ['catalogue', 'vocabulary'] as const
  return new Projector({
    store,
    log,
    pause,
    indexed,
    batch: index.batch ?? standardBatch,
    capacity,
    isFirst: (resource) => kinds.some((kind) => names.idOf(kind, resource) !== undefined),
    gather: (pending, signal) => gatherBatch(gather, pending, signal),
  })
}
