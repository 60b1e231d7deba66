/** Pending marks as they stand in the store. */

import { systemGraph, xsd } from '../rdf/namespaces.ts'
import { literal } from '../rdf/terms.ts'
import type { Change, GraphStore, Row } from '../store/graph-store.ts'
import { fact, markLine, systemChange, type Mark } from '../store/marks.ts'
import { bind, loadQuery, paged, type Query } from '../store/queries.ts'
import type { Pending } from './queue.ts'

const pendingQuery = loadQuery('pending')
const cascadesQuery = loadQuery('cascades')
const newestQuery = loadQuery('newest-mark')
const indexedQuery = loadQuery('newest-indexed')

/** Marks read at a time: some stores do not sort more. */
const page = 5000

/** The oldest marks, at most `limit`. */
export async function readMarks(
  store: GraphStore,
  limit: number,
  signal: AbortSignal,
): Promise<Mark[]> {
  const found: Mark[] = []
  while (found.length < limit) {
    const most = Math.min(page, limit - found.length)
    const after = literal(String(found.at(-1)?.version ?? 0), xsd('integer'))
    const rows = await store.select(paged(bind(pendingQuery, { after }), { limit: most }), signal)
    found.push(...marksIn(rows, 'resource'))
    if (rows.length < most) break
  }
  return found
}

const marksIn = (rows: readonly Row[], name: string): readonly Mark[] =>
  rows.flatMap(({ [name]: resource, version }) =>
    resource && version ? [{ resource: resource.value, version: Number(version.value) }] : [],
  )

async function newest(store: Pick<GraphStore, 'select'>, query: Query): Promise<number> {
  const [row] = await store.select(bind(query, {}))
  return Number(row?.['newest']?.value ?? 0)
}

/** The largest version of all marks, 0 without any. */
export const newestMark = (store: GraphStore): Promise<number> => newest(store, newestQuery)

/** The largest version whose mark was cleared, 0 where a version that keeps none has written the store. */
export const newestIndexed = (store: Pick<GraphStore, 'select'>): Promise<number> =>
  newest(store, indexedQuery)

/** Catalogues whose datasets wait to be projected again, at most `limit`. */
export async function readCascades(
  store: GraphStore,
  limit: number,
  signal: AbortSignal,
): Promise<Mark[]> {
  const rows = await store.select(paged(bind(cascadesQuery, {}), { limit }), signal)
  return [...marksIn(rows, 'catalogue')]
}

/**
 * The change that removes exactly the marks that were read: a newer one survives. The store knows from then on how far the index
 * had come.
 */
export function clearing(
  done: readonly Pending[],
  { indexed, before }: { readonly indexed: number; readonly before: number },
): Change {
  const line = (version: number) => fact(systemGraph, 'indexed', String(version))
  const moves = indexed !== before
  return systemChange({
    remove: [
      ...done.flatMap(({ resource, marked }) =>
        marked.map((version) => markLine('pending', { resource, version })),
      ),
      ...(moves ? [line(before)] : []),
    ],
    add: moves ? [line(indexed)] : [],
  })
}

export const clearingCascade = (mark: Mark): Change =>
  systemChange({ remove: [markLine('cascade', mark)] })
