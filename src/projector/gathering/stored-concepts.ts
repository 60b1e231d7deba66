/** Keeps the concept cache up with the vocabularies in the store. */

import type { Log } from '../../log.ts'
import { fromLines } from '../../rdf/lines.ts'
import type { Names } from '../../rdf/names.ts'
import { graphOf, type Graph } from '../../rdf/read.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { paged } from '../../store/protocol/paged.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import type { ConceptCache } from '../concepts.ts'
import { conceptsOf } from '../vocabulary/reading.ts'

const vocabularies = loadQuery('vocabularies')

/** More vocabularies than this are not looked up by mappings. */
const most = 10_000

export type StoredConcepts = {
  /** The present state of a vocabulary; without a graph it is gone and a bundled table comes back. */
  replace(vocabulary: string, scheme: string | undefined, graph: Graph | undefined): void
  /** Reads all stored vocabularies; to be called once before the first projection. */
  load(signal?: AbortSignal): Promise<void>
}

export function storedConcepts(deps: {
  readonly store: GraphStore
  readonly names: Names
  readonly concepts: ConceptCache
  readonly log: Log
}): StoredConcepts {
  const { store, names, concepts, log } = deps
  const schemes = new Map<string, string>()

  const replace: StoredConcepts['replace'] = (vocabulary, scheme, graph) => {
    const before = schemes.get(vocabulary)
    if (before !== undefined && before !== scheme) concepts.replace(before, undefined)
    if (scheme === undefined || !graph) {
      schemes.delete(vocabulary)
      return
    }
    schemes.set(vocabulary, scheme)
    concepts.replace(scheme, conceptsOf(graph, scheme))
  }

  const load: StoredConcepts['load'] = async (signal) => {
    const page = paged(bind(vocabularies, {}), { limit: most })
    for (const { resource, scheme } of await store.select(page, signal)) {
      const id = names.idOf('vocabulary', resource?.value ?? '')
      const text = scheme && (await store.read(scheme.value, {}, signal))
      if (id !== undefined && scheme && text) replace(id, scheme.value, graphOf(fromLines(text)))
    }
    if (schemes.size > 0) log.info({ vocabularies: schemes.size }, 'concepts.loaded')
  }

  return { replace, load }
}
