/** The catalogues that datasets embed, kept in memory until they change. */

import { fromLines } from '../../rdf/lines.ts'
import type { Names } from '../../rdf/names.ts'
import { dct } from '../../rdf/namespaces.ts'
import { type Graph, graphOf } from '../../rdf/read.ts'
import { literal, namedNode, quad } from '../../rdf/terms.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import { BoundedCache } from '../../workers/bounded-cache.ts'

const hashQuery = loadQuery('catalogue-hash')
const parentsQuery = loadQuery('catalogue-parents')

type CatalogueContext = {
  readonly id: string
  /** Without links to datasets; with the catalogue that it is part of, whichever side says so. */
  readonly graph: Graph
  readonly hash: string
  /** Kept out of search, with everything in it. */
  readonly hidden: boolean
}

export type CatalogueContexts = {
  /** `undefined` when there is no such catalogue. */
  get(id: string, signal: AbortSignal): Promise<CatalogueContext | undefined>
  forget(id: string): void
}

/** Catalogues are few and small without their links; this many are kept at most. */
const most = 1000

export function catalogueContexts(store: GraphStore, names: Names): CatalogueContexts {
  const cache = new BoundedCache<CatalogueContext>('catalogues', most)
  const prefix = literal(names.catalogue(''))
  const read = async (id: string, signal: AbortSignal): Promise<CatalogueContext | undefined> => {
    const iri = names.catalogue(id)
    const catalogue = namedNode(iri)
    const [text, rows, parents] = await Promise.all([
      store.read(iri, { links: false }, signal),
      store.select(bind(hashQuery, { catalogue }), signal),
      store.select(bind(parentsQuery, { catalogue, prefix }), signal),
    ])
    if (text === undefined) return undefined
    const own = fromLines(text)
    const above = parents.flatMap(({ parent }) =>
      parent && parent.value !== iri
        ? [quad(catalogue, dct('isPartOf'), namedNode(parent.value))]
        : [],
    )
    const graph = graphOf([...own, ...above])
    return { id, graph, hash: rows[0]?.['hash']?.value ?? '', hidden: isHidden(graph, iri) }
  }
  return {
    get: async (id, signal) => {
      const cached = cache.get(id)
      if (cached) return cached
      const context = await read(id, signal)
      if (context) cache.set(id, context)
      return context
    },
    forget: (id) => cache.delete(id),
  }
}

const localName = (iri: string): string => /[^/#:]*$/.exec(iri)?.[0] ?? ''

/**
 * Whether a catalogue says of itself that it is hidden: a property with the local name `visibility`, in any namespace,
 * whose value is an IRI with the local name `hidden`, or the literal `hidden`.
 */
const isHidden = (graph: Graph, catalogue: string): boolean =>
  [...graph.about(catalogue)].some(
    ([predicate, objects]) =>
      localName(predicate) === 'visibility' &&
      objects.some(
        ({ termType, value }) => (termType === 'Literal' ? value : localName(value)) === 'hidden',
      ),
  )
