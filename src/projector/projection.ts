/** The projector with everything around it: concept cache, document builder, index settings, cascades. */

import type { JobRunner } from '../jobs/job-runner.ts'
import type { Log } from '../log.ts'
import type { Profile } from '../profile/profile.ts'
import type { Names } from '../rdf/names.ts'
import type { IndexName, IndexSettings } from '../search-index/index-settings.ts'
import type { SearchIndex } from '../search-index/search-index.ts'
import type { GraphStore } from '../store/graph-store.ts'
import type { CommittedMark, Mark } from '../store/marks.ts'
import { versions as clock } from '../store/versions.ts'
import { loadBundled } from '../vocabularies/authorities.ts'
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
import { findingsOf, type GatherContext, gatherBatch } from './gathering/gather-batch.ts'
import { StoredConcepts } from './gathering/stored-concepts.ts'
import { indexMaintenance } from './index-maintenance.ts'
import type { DateForm, LeftOutValue } from './mappings/mapping.ts'
import { clearMarks, newestIndexed, newestMark } from './queue.ts'
import { Projector } from './projector.ts'

/** The two ends, the profile between them, and what time and log are. */
export type ProjectionContext = {
  readonly store: GraphStore
  readonly index: SearchIndex
  readonly names: Names
  readonly profile: Profile
  /** Runs the work that projects again, fills anew and compares; stopped after the projection. */
  readonly jobs: JobRunner
  readonly log: Log
  readonly pause: Pause
  /** Directory of the bundled vocabularies. */
  readonly vocabularies: string
  /** Epoch milliseconds. */
  readonly now: () => number
  /** By default those of the platform. */
  readonly facets?: readonly FacetConfig[]
  readonly enrichment?: readonly EnrichmentRule[]
  /** Values of `country.id` that are no countries. */
  readonly nonCountries?: readonly string[]
  /** How documents show dates without a time; default `utc`. */
  readonly dates?: DateForm
  /** Zone of dates without a time in searches; UTC when absent. */
  readonly timeZone?: string
  /** Told once per record what of it was left out. */
  readonly leftOut?: (reports: readonly LeftOutValue[]) => void
}

type OlderCopy = 'store' | 'index' | undefined

export type Projection = Awaited<ReturnType<typeof projection>>

/** Resources per batch where the engine does not mind, and kept in memory. */
const standardBatch = 100
const capacity = 100_000
/** Milliseconds between two looks at whether all indices are whole. */
const pollMs = 20
/** Milliseconds that many writes wait for the index at most: it may be slow, and what is written is safe without it. */
const maxWaitForIndexerMs = 500
const indexerPollMs = 5

/**
 * Starts projecting what earlier processes left, and fills the indices that are new or were built otherwise from the store. A
 * search engine that is away is waited for in the background: what is written meanwhile stays marked.
 */
export async function projection(deps: ProjectionContext) {
  const { names, profile, pause } = deps
  const { projector, cascading, engine, gather, versions, olderCopy, upkeep } =
    await startProjector(deps)
  const { contexts, concepts } = gather
  return {
    /** The clock that every write of this process takes its version from. */
    versions,
    onCommitted: (marks: readonly CommittedMark[]): void => projector.changed(marks),
    /** A cascade mark stands in the store. */
    onCascadeMark: (): void => cascading.wake(),
    /** A write failed and may have landed: marks in the store are looked for. */
    onOutcomeUnknown: (): void => {
      projector.recheck()
      cascading.wake()
    },
    /** Whether the index may not have the present state of a resource yet. */
    isPending: (resource: string): boolean => projector.isPending(resource),
    waitUntilIndexed: (mark: Mark, signal: AbortSignal) => projector.waitUntilIndexed(mark, signal),
    /** Resolves when the index keeps up with what is written, when it cannot, or soon: for whoever writes very much. */
    waitForIndexer: async (signal: AbortSignal): Promise<void> => {
      for (
        let ms = 0;
        ms < maxWaitForIndexerMs && projector.isBehind && !signal.aborted;
        ms += indexerPollMs
      )
        await pause(indexerPollMs, signal).catch(() => undefined)
    },
    /** Whether a catalogue is kept out of search, with everything in it. */
    isHidden: async (catalogue: string, signal: AbortSignal): Promise<boolean> => {
      // What is kept of it may be older than a write that is not projected yet.
      if (projector.isPending(names.catalogue(catalogue))) contexts.forget(catalogue)
      return (await contexts.get(catalogue, signal))?.hidden ?? false
    },
    /** What of a record searches do not show, read from the store now; `undefined` where they do not find it. */
    findings: (index: IndexName, id: string, signal: AbortSignal) =>
      findingsOf(gather, { index, id }, signal),
    /** What of a dataset its document will not show; for those who tell the sender. */
    unfitValues: unfitValueFinder({ profile, names, concepts }),
    /** Resources that are not indexed yet. */
    pending: (): number => projector.pending,
    /** Indices that are being filled. */
    rebuilding: (): readonly RebuildProgress[] => engine.rebuilding() ?? [],
    /** Which of the two knew less than the other at the start: somebody has put an older copy of it in its place. */
    olderCopy,
    /** What an operator may have done to the indices. */
    upkeep,
    /** Resolves when nothing waits and no index is being filled; rejects with the signal's reason when it fires first. */
    idle: async (signal: AbortSignal): Promise<void> => {
      while (engine.rebuilding()?.length !== 0) {
        signal.throwIfAborted()
        await pause(pollMs, signal)
      }
      await projector.idle(signal)
    },
    stop: async (): Promise<void> => {
      await upkeep.stop()
      await engine.stop()
      await cascading.stop()
      await projector.stop()
    },
  }
}

async function startProjector(deps: ProjectionContext) {
  const { store, index, names, profile, jobs, log, pause, now } = deps
  const gather = await gatherContext(deps)
  const settings = settingsOf(deps)
  const first = await configureEngine({ index, log }, settings)
  const { indexed, marked, olderCopy } = await comparedCopies(store, log, first)
  const versions = clock(Math.max(first?.newest ?? 0, marked), now)
  const projector = new Projector({
    store,
    log,
    pause,
    indexed,
    batch: index.batch ?? standardBatch,
    capacity,
    isFirst: (resource) =>
      (names.idOf('catalogue', resource) ?? names.idOf('vocabulary', resource)) !== undefined,
    gather: (pending, signal) => gatherBatch(gather, pending, signal),
  })
  await projector.start()
  // A mark on a vocabulary means the records that use its concepts, one on a catalogue what is in it.
  const affected: FindAffected = async (mark, signal) =>
    names.idOf('vocabulary', mark.resource) === undefined
      ? { pages: catalogueMembers(store, mark.resource, signal) }
      : vocabularyUsers({ store, names, log, next: versions.next, pause }, mark, signal)
  const cascading = cascades({ store, projector, jobs, log, pause, affected })
  const records = () =>
    recordSources({ store, names, profile, contexts: embeddedCatalogues(store, names) })
  const indexedNow = () => newestIndexed(store)
  const filling = { index, log, pause, now, records, projector, indexed: indexedNow }
  const fill = (indices: readonly IndexName[]) => reindex(filling, indices)
  const context = { index, log, pause, fill, onReached: versions.raise }
  const engine = new EngineStart(context, settings, first)
  const maintained = { store, index, names, profile, jobs, log, pause, records, projector, engine }
  const upkeep = indexMaintenance(maintained)
  return { projector, cascading, engine, gather, versions, olderCopy, upkeep }
}

/** Settings of all indices, with everything but the profile and its facets from which documents follow. */
function settingsOf(deps: ProjectionContext): readonly IndexSettings[] {
  const { profile, facets, nonCountries, dates, timeZone } = deps
  return indexSettings(profile, facets, [
    ...(deps.enrichment ?? []),
    ...(nonCountries ? [{ nonCountries }] : []),
    ...(dates === 'faithful' ? [{ dates }] : []),
    ...(timeZone !== undefined && timeZone !== 'UTC' ? [{ timeZone }] : []),
  ])
}

/** What every batch is gathered and built with. */
async function gatherContext(deps: ProjectionContext): Promise<GatherContext> {
  const { store, index, names, profile, log, leftOut } = deps
  const { facets, nonCountries, dates, timeZone, enrichment: rules = [] } = deps
  const concepts = new ConceptCache(await loadBundled(deps.vocabularies))
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
  const contexts = embeddedCatalogues(store, names)
  return { store, index, builder, contexts, names, profile, concepts, log, stored, leftOut }
}

/**
 * What the store says of how far the index is, mended where that is not so: it is told once. Unknown while the engine is away, while
 * an index is being filled, and for a store of a version that keeps no count.
 */
async function comparedCopies(store: GraphStore, log: Log, engine: StartState | undefined) {
  const indexed = await newestIndexed(store)
  const marked = Math.max(indexed, await newestMark(store))
  const { newest = 0, rebuild = [] } = engine ?? {}
  let olderCopy: OlderCopy
  if (engine && rebuild.length === 0 && indexed > 0) {
    if (newest > marked) olderCopy = 'store'
    else if (newest < indexed) olderCopy = 'index'
  }
  if (!olderCopy) return { indexed, marked, olderCopy }
  log.warn({ older: olderCopy, index: newest, store: marked }, 'copy.older')
  await store
    .write([clearMarks([], { indexed: newest, before: indexed })])
    // Of a full disk it is told again at the next start.
    .catch((error: unknown) => log.warn({ err: error }, 'copy.write-failed'))
  return { indexed: newest, marked, olderCopy }
}
