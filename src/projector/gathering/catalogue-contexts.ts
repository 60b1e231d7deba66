/** The catalogues that datasets embed, kept in memory until they change. */

import { fromLines } from '../../rdf/lines.ts'
import type { Names } from '../../rdf/names.ts'
import { graphOf, type Graph } from '../../rdf/read.ts'
import { namedNode } from '../../rdf/terms.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { bind, loadQuery } from '../../store/queries.ts'

const hashQuery = loadQuery('catalogue-hash')

type CatalogueContext = { readonly id: string; readonly graph: Graph; readonly hash: string }

export type CatalogueContexts = {
  /** `undefined` when there is no such catalogue. */
  get(id: string, signal: AbortSignal): Promise<CatalogueContext | undefined>
  forget(id: string): void
}

/** Catalogues are few and small without their links; this many are kept at most. */
const most = 1000

export function catalogueContexts(store: GraphStore, names: Names): CatalogueContexts {
  const kept = new Map<string, CatalogueContext>()

  const read = async (id: string, signal: AbortSignal): Promise<CatalogueContext | undefined> => {
    const iri = names.catalogue(id)
    const [text, rows] = await Promise.all([
      store.read(iri, { links: false }, signal),
      store.select(bind(hashQuery, { catalogue: namedNode(iri) }), signal),
    ])
    if (text === undefined) return undefined
    return { id, graph: graphOf(fromLines(text)), hash: rows[0]?.['hash']?.value ?? '' }
  }

  return {
    get: async (id, signal) => {
      const known = kept.get(id)
      if (known) return known
      const fresh = await read(id, signal)
      if (fresh && kept.size < most) kept.set(id, fresh)
      return fresh
    },
    forget: (id) => {
      kept.delete(id)
    },
  }
}
