/**
 * Assembles the projector with concept cache, document builder, index settings and cascades; the platform opens it at the start.
 */

import type { JobRunner } from '../jobs/job-runner.ts'
import type { Log } from '../log.ts'
import type { Profile } from '../profile/profile.ts'
import type { Names } from '../rdf/names.ts'
import type { IndexName, IndexSettings } from '../search-index/index-settings.ts'
import type { SearchIndex } from '../search-index/search-index.ts'
import type { GraphStore } from '../store/graph-store.ts'
import type { CommittedMark, Mark } from '../store/marks.ts'
import { versionClock as clock } from '../store/versions.ts'
import { loadVocabularyFiles } from '../vocabularies/authorities.ts'
import type { Pause } from '../workers/pause.ts'
import { documentBuilder } from './building/document.ts'
import { unfitValueFinder } from './building/unfit-values.ts'
import { enrichment, type EnrichmentRule } from './building/enrichment.ts'
import type { FacetConfig } from './building/facets.ts'
import { indexSettings } from './building/index-settings.ts'
import { type FindAffected, cascades, catalogueMembers, vocabularyUsers } from './cascades.ts'
import { ConceptCache } from './concept-cache.ts'
import {
  configureEngine,
  EngineStart,
  type RebuildProgress,
  reindex,
  type StartState,
} from './engine-start.ts'
import { embeddedCatalogues, recordSources } from './indexed-records.ts'
import {
  findingsOf,
  type GatherContext,
  gatherBatch,
  recordPreview,
  type UnstoredRecord,
} from './gathering/gather-batch.ts'
import { StoredConcepts } from './gathering/stored-concepts.ts'
import { indexMaintenance } from './index-maintenance.ts'
import type { DateForm, LeftOutValue } from './mappings/mapping.ts'
import { clearMarks, newestIndexed, newestMark } from './queue.ts'
import { Projector } from './projector.ts'

/** Dependencies and settings of the projection. */
export type ProjectionContext = {
  readonly store: GraphStore
  readonly index: SearchIndex
  readonly names: Names
  readonly profile: Profile
  /** Runs the jobs on the indices; stopped after the projection. */
  readonly jobs: JobRunner
  readonly log: Log
  readonly pause: Pause
  /** Directory of the bundled vocabularies. */
  readonly vocabularies: string
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Default: the facets of the platform. */
  readonly facets?: readonly FacetConfig[]
  /** Rules that fill fields from stored vocabularies; default: none. */
  readonly enrichment?: readonly EnrichmentRule[]
  /** Values of `country.id` that are not countries; default `eu`, `io`. */
  readonly nonCountries?: readonly string[]
  /** Form of dates; default `utc`. */
  readonly dates?: DateForm
  /** Time zone in which searches read days, and times without an offset; UTC when absent. */
  readonly timeZone?: string
  /** Called once per batch with the values that were left out of its documents, for counters. */
  readonly onLeftOut?: (reports: readonly LeftOutValue[]) => void
}

type OlderCopy = 'store' | 'index' | undefined

/** Resources per batch for an engine without `preferredBatch`, and maximum number of queued resources. */
const standardBatch = 100
const capacity = 100_000
/** Milliseconds between two checks of `idle` whether all indices are complete. */
const pollMs = 20
/** Maximum wait of bulk writes for the index, in milliseconds: the index may be slow, and written data is safe without it. */
const maxWaitForIndexerMs = 500
/** Milliseconds between two checks during this wait. */
const indexerPollMs = 5

/**
 * Starts projecting marks of earlier processes, and fills indices that are new or have other settings. A search engine that is
 * unavailable is reached later in the background; what is written meanwhile stays marked.
 */
export async function projection(deps: ProjectionContext) {
  const { names, profile, pause } = deps
  const started = await startProjector(deps)
  const { projector, cascading, engine, gather, versions, olderCopy, maintenance } = started
  const { catalogueCache, concepts } = gather
  return {
    /** Clock that gives every write of this process its version. */
    versions,
    onCommitted: (marks: readonly CommittedMark[]): void => projector.changed(marks),
    /** Called when the store has a new cascade mark. */
    onCascadeMark: (): void => cascading.wake(),
    /**
     * Called when a write failed but may have been committed, or another process may have written: looks for marks in the store.
     */
    onOutcomeUnknown: (): void => {
      projector.recheck()
      cascading.wake()
    },
    /** Tells whether a write of the resource may not be indexed yet; as `mayBePending` of `Projector`. */
    isPending: (resource: string): boolean => projector.mayBePending(resource),
    waitUntilIndexed: (mark: Mark, signal: AbortSignal) => projector.waitUntilIndexed(mark, signal),
    /** Waits until the index keeps up with writes, is unavailable, or half a second is over; for bulk writes. */
    waitForIndexer: async (signal: AbortSignal): Promise<void> => {
      const mostWaits = maxWaitForIndexerMs / indexerPollMs
      for (let n = 0; n < mostWaits && projector.isBehind && !signal.aborted; n++)
        await pause(indexerPollMs, signal).catch(() => undefined)
    },
    /** Tells whether a catalogue is excluded from search, with all its members; false for one that does not exist. */
    isHidden: async (catalogue: string, signal: AbortSignal): Promise<boolean> => {
      // The cached catalogue may be older than a write that is not projected yet.
      if (projector.isPending(names.catalogue(catalogue))) catalogueCache.forget(catalogue)
      return (await catalogueCache.get(catalogue, signal))?.isHidden ?? false
    },
    /**
     * Lists the values of a record that do not fit their fields, read from the store; `undefined` where searches do not find the
     * record.
     */
    findings: (index: IndexName, id: string, signal: AbortSignal) =>
      findingsOf(gather, { index, id }, signal),
    /** Shows the document of a record that is not stored, and the values that are left out of it; as `recordPreview`. */
    preview: (record: UnstoredRecord, signal: AbortSignal) => recordPreview(gather, record, signal),
    /** Lists the values of a dataset that its document will not show, for the findings of a harvest. */
    unfitValues: unfitValueFinder({ profile, names, concepts }),
    /** Number of resources that are not indexed yet. */
    pending: (): number => projector.pending,
    /** Seconds since the oldest write that is not indexed yet; 0 without any. */
    oldestPendingSeconds: (): number => secondsSince(projector.oldestVersion, deps.now()),
    /** Indices that are being filled; none while the engine has not been reached. */
    rebuilding: (): readonly RebuildProgress[] => engine.rebuilding() ?? [],
    /** Side that held an older state at the start, because an older copy of it was restored; `undefined` for neither. */
    olderCopy,
    /** Maintenance of the indices by operators. */
    maintenance,
    /** Resolves when nothing is pending and no index is being filled; rejects with the reason of the signal. */
    idle: async (signal: AbortSignal): Promise<void> => {
      while (engine.rebuilding()?.length !== 0) {
        signal.throwIfAborted()
        await pause(pollMs, signal)
      }
      await projector.idle(signal)
    },
    stop: async (): Promise<void> => {
      await maintenance.stop()
      await engine.stop()
      await cascading.stop()
      await projector.stop()
    },
  }
}

/** Seconds since a version was given, 0 without one: versions are microseconds since 1970. */
const secondsSince = (version: number | undefined, now: number): number =>
  version === undefined ? 0 : Math.max(0, now - version / 1000) / 1000

async function startProjector(deps: ProjectionContext) {
  const { store, index, names, profile, jobs, log, pause, now } = deps
  const gather = await gatherContext(deps)
  const settings = settingsOf(deps)
  const initialState = await configureEngine({ index, log }, settings)
  const copies = await comparedCopies(store, log, initialState)
  const { indexedVersion, newestMarked, olderCopy } = copies
  const versions = clock(Math.max(initialState?.newestVersion ?? 0, newestMarked), now)
  const projector = new Projector({
    store,
    log,
    pause,
    indexedVersion,
    batchSize: index.preferredBatch ?? standardBatch,
    capacity,
    isEmbedded: (resource) =>
      (names.idOf('catalogue', resource) ?? names.idOf('vocabulary', resource)) !== undefined,
    gather: (pending, signal) => gatherBatch(gather, pending, signal),
  })
  await projector.start()
  // A mark on a vocabulary affects the records that use its concepts, one on a catalogue its members.
  const affected: FindAffected = async (mark, signal) =>
    names.idOf('vocabulary', mark.resource) === undefined
      ? { pages: catalogueMembers(store, mark.resource, signal) }
      : vocabularyUsers({ store, names, log, nextVersion: versions.next, pause }, mark, signal)
  const cascadeLoop = cascades({ store, projector, jobs, log, pause, affected })
  const records = () =>
    recordSources({ store, names, profile, catalogueCache: embeddedCatalogues(store, names) })
  const indexedNow = () => newestIndexed(store)
  const reindexContext = { index, log, pause, now, records, projector, indexed: indexedNow }
  const fill = (indices: readonly IndexName[]) => reindex(reindexContext, indices)
  const engineContext = { index, log, pause, fill, onReached: versions.raise }
  const engine = new EngineStart(engineContext, settings, initialState)
  const maintenanceContext = {
    store,
    index,
    names,
    profile,
    jobs,
    log,
    pause,
    records,
    projector,
    engine,
  }
  const maintenance = indexMaintenance(maintenanceContext)
  return { projector, cascading: cascadeLoop, engine, gather, versions, olderCopy, maintenance }
}

/** Makes the settings of all indices, with the other settings that documents depend on. */
function settingsOf(deps: ProjectionContext): readonly IndexSettings[] {
  const { profile, facets, nonCountries, dates, timeZone } = deps
  return indexSettings(profile, facets, [
    ...(deps.enrichment ?? []),
    ...(nonCountries ? [{ nonCountries }] : []),
    ...(dates === 'faithful' ? [{ dates }] : []),
    ...(timeZone !== undefined && timeZone !== 'UTC' ? [{ timeZone }] : []),
  ])
}

/** Creates the dependencies for gathering and building batches. */
async function gatherContext(deps: ProjectionContext): Promise<GatherContext> {
  const { store, index, names, profile, log, onLeftOut } = deps
  const { facets, nonCountries, dates, timeZone, enrichment: rules = [] } = deps
  const concepts = new ConceptCache(await loadVocabularyFiles(deps.vocabularies))
  const stored = new StoredConcepts({ store, names, concepts, log })
  await stored.load()
  const builder = documentBuilder({
    profile,
    concepts,
    names,
    facets,
    nonCountries,
    dates,
    timeZone,
    ...(rules.length > 0 && { enrich: enrichment(rules, stored.lookup, profile) }),
  })
  const catalogueCache = embeddedCatalogues(store, names)
  return { store, index, builder, catalogueCache, names, profile, concepts, log, stored, onLeftOut }
}

/**
 * Compares the newest indexed version in the store with that of the engine, logs a difference, and records the version of the
 * engine in the store. Nothing is compared while the engine is unavailable or an index is being filled, nor with a store that
 * records no version.
 */
async function comparedCopies(store: GraphStore, log: Log, engine: StartState | undefined) {
  const indexedVersion = await newestIndexed(store)
  const newestMarked = Math.max(indexedVersion, await newestMark(store))
  const { newestVersion = 0, rebuild = [] } = engine ?? {}
  let olderCopy: OlderCopy
  if (engine && rebuild.length === 0 && indexedVersion > 0) {
    if (newestVersion > newestMarked) olderCopy = 'store'
    else if (newestVersion < indexedVersion) olderCopy = 'index'
  }
  if (!olderCopy) return { indexedVersion, newestMarked, olderCopy }
  log.warn({ older: olderCopy, index: newestVersion, store: newestMarked }, 'copy.older')
  await store
    .write([clearMarks([], { indexedVersion: newestVersion, previousVersion: indexedVersion })])
    // On a full disk this fails; the warning is repeated at the next start.
    .catch((error: unknown) => log.warn({ err: error }, 'copy.write-failed'))
  return { indexedVersion: newestVersion, newestMarked, olderCopy }
}
