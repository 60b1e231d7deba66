/** The projector with everything around it: concept cache, document builder, index settings, cascades. */

import type { SearchIndex } from '../indices/search-index.ts'
import type { IndexSettings } from '../indices/settings.ts'
import type { Log } from '../log.ts'
import type { Profile } from '../profile/fields.ts'
import type { Names } from '../rdf/names.ts'
import type { GraphStore } from '../store/graph-store.ts'
import type { Landed, Mark } from '../store/marks.ts'
import { conceptCache, loadBundled } from './concepts.ts'
import { documentBuilder } from './document.ts'
import { defaultFacets as facets } from './facets.ts'
import { projectBatch } from './gathering/batch.ts'
import { catalogueContexts } from './gathering/catalogue-contexts.ts'
import { storedConcepts } from './gathering/stored-concepts.ts'
import { cascades } from './loop/cascades.ts'
import { Projector, type ProjectorDeps } from './projector.ts'
import { markEverything } from './reindex.ts'
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
}

export type Projection = {
  readonly settings: readonly IndexSettings[]
  /** The largest version that is known; new ones must lie above it. */
  readonly newest: number
  readonly changed: (marks: readonly Landed[]) => void
  readonly cascaded: (mark: Mark) => void
  readonly settled: (mark: Mark, signal: AbortSignal) => Promise<boolean>
  /** Resources that are not indexed yet. */
  readonly pending: () => number
  readonly idle: (signal: AbortSignal) => Promise<void>
  readonly stop: () => Promise<void>
}

/** Resources per batch, and kept in memory. */
const batch = 100
const capacity = 100_000

/** Starts projecting what earlier processes left; an index that is new or was built otherwise is filled from the store. */
export async function projection(deps: ProjectionDeps): Promise<Projection> {
  const { store, index, names, profile, log } = deps
  const concepts = conceptCache(await loadBundled(deps.vocabularies))
  const stored = storedConcepts({ store, names, concepts, log })
  await stored.load()
  const settings = indexSettings(profile, facets)
  const { rebuild } = await index.configure(settings)
  const known = await index.newest()
  let newest = Math.max(known, deps.now() * 1000)
  if (rebuild || known === 0) {
    const marks = await markEverything(store, names, () => ++newest)
    if (marks > 0) log.warn({ marks }, 'index.rebuilding')
  }
  const builder = documentBuilder({ profile, concepts, names, facets })
  const contexts = catalogueContexts(store, names)
  const gather = { store, index, builder, contexts, names, log, stored }
  const projector = new Projector({
    store,
    log,
    pause: deps.pause,
    batch,
    capacity,
    project: (pending, signal) => projectBatch(gather, pending, signal),
  })
  const cascading = cascades({ store, projector, log })
  await projector.start()
  await cascading.start()
  return {
    settings,
    newest,
    changed: (marks) => projector.changed(marks),
    cascaded: (mark) => cascading.add(mark),
    settled: (mark, signal) => projector.settled(mark, signal),
    pending: () => projector.pending,
    idle: (signal) => projector.idle(signal),
    stop: async () => {
      await cascading.stop()
      await projector.stop()
    },
  }
}
