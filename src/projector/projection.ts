/** The projector with everything around it: concept cache, document builder, index settings, cascades. */

import type { SearchIndex } from '../indices/search-index.ts'
import type { IndexName, IndexSettings } from '../indices/settings.ts'
import type { Log } from '../log.ts'
import type { Profile } from '../profile/fields.ts'
import type { Names } from '../rdf/names.ts'
import type { GraphStore } from '../store/graph-store.ts'
import type { Landed, Mark } from '../store/marks.ts'
import { versions as clock, type Versions } from '../store/versions.ts'
import { conceptCache, loadBundled } from './concepts.ts'
import { documentBuilder } from './document.ts'
import type { EnrichmentRule } from './enriching/enrichment.ts'
import { defaultFacets, type FacetConfig } from './facets.ts'
import { projectBatch } from './gathering/batch.ts'
import { catalogueContexts } from './gathering/catalogue-contexts.ts'
import { storedConcepts } from './gathering/stored-concepts.ts'
import { cascades } from './loop/cascades.ts'
import type { Report } from './mappings/mapping.ts'
import { Projector, type ProjectorDeps } from './projector.ts'
import { newestMark } from './loop/marks.ts'
import { markLost } from './reindex.ts'
import { indexSettings } from './settings.ts'

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
  /** Told once per record what of it was left out. */
  readonly leftOut?: (reports: readonly Report[]) => void
}

/** How far the filling of an index is; until it ends the old documents answer. */
export type Rebuilding = { readonly index: IndexName; readonly done: number; readonly of: number }

export type Projection = {
  readonly settings: readonly IndexSettings[]
  /** The clock that every write of this process takes its version from. */
  readonly versions: Versions
  readonly changed: (marks: readonly Landed[]) => void
  /** A cascade mark stands in the store. */
  readonly cascaded: () => void
  /** A write failed and may have landed: marks in the store are looked for. */
  readonly unsure: () => void
  /** Whether the index may not have the present state of a resource yet. */
  readonly awaits: (resource: string) => boolean
  readonly settled: (mark: Mark, signal: AbortSignal) => Promise<boolean>
  /** Whether a catalogue is kept out of search, with everything in it. */
  readonly hides: (catalogue: string, signal: AbortSignal) => Promise<boolean>
  /** Resources that are not indexed yet. */
  readonly pending: () => number
  /** Indices that are being filled. */
  readonly rebuilding: () => readonly Rebuilding[]
  readonly idle: (signal: AbortSignal) => Promise<void>
  readonly stop: () => Promise<void>
}

/** Resources per batch, and kept in memory. */
const batch = 100
const capacity = 100_000

/** Starts projecting what earlier processes left; an index that is new or was built otherwise is filled from the store. */
export async function projection(deps: ProjectionDeps): Promise<Projection> {
  const { store, index, names, profile, log, facets = defaultFacets } = deps
  const concepts = conceptCache(await loadBundled(deps.vocabularies))
  const stored = storedConcepts({ store, names, concepts, log })
  await stored.load()
  const settings = indexSettings(profile, facets)
  const versions = await prepared(deps, settings)
  const builder = documentBuilder({ profile, concepts, names, facets })
  const contexts = catalogueContexts(store, names)
  const gather = { store, index, builder, contexts, names, profile, concepts, log, stored }
  const projector = new Projector({
    store,
    log,
    pause: deps.pause,
    batch,
    capacity,
    isFirst: (resource) => names.idOf('dataset', resource) === undefined,
    project: (pending, signal) => projectBatch(gather, pending, signal),
  })
  await projector.start()
  const cascading = cascades({ store, projector, log, next: versions.next, pause: deps.pause })
  return {
    settings,
    versions,
    changed: (marks) => projector.changed(marks),
    cascaded: () => cascading.wake(),
    unsure: () => {
      projector.recheck()
      cascading.wake()
    },
    awaits: (resource) => projector.awaits(resource),
    settled: (mark, signal) => projector.settled(mark, signal),
    hides: async (catalogue, signal) => (await contexts.get(catalogue, signal))?.hidden ?? false,
    pending: () => projector.pending,
    rebuilding: () => [],
    idle: (signal) => projector.idle(signal),
    stop: async () => {
      await cascading.stop()
      await projector.stop()
    },
  }
}

/** Configures the index, sets the clock behind every version that is known, and marks what the index does not have. */
async function prepared(
  deps: ProjectionDeps,
  settings: readonly IndexSettings[],
): Promise<Versions> {
  const { store, index, names, log } = deps
  const { rebuild } = await index.configure(settings)
  const versions = clock(Math.max(await index.newest(), await newestMark(store)), deps.now)
  // An index without entries is marked too: the process may have died between emptying it and marking.
  const { documents } = await index.health()
  const lost = {
    datasets: rebuild.length > 0 || documents.dataset === 0,
    catalogues: rebuild.length > 0 || documents.catalogue === 0,
    vocabularies: rebuild.length > 0 || documents.vocabulary === 0,
  }
  const marks = await markLost(store, names, { lost, next: versions.next })
  if (marks > 0) log.warn({ marks }, 'index.filling')
  return versions
}
