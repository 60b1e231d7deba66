/** Pending marks as they stand in the store. */

import { systemGraph, xsd } from '../rdf/namespaces.ts'
import { literal } from '../rdf/terms.ts'
import type { Change, GraphStore } from '../store/graph-store.ts'
import { fact, markLine, systemChange, type Mark } from '../store/marks.ts'
import { bind, loadQuery, paged } from '../store/queries.ts'
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
    const marks = await readPage(store, { after: found.at(-1)?.version ?? 0, most }, signal)
    found.push(...marks)
    if (marks.length < most) break
  }
  return found
}

async function readPage(
  store: GraphStore,
  { after, most }: { readonly after: number; readonly most: number },
  signal: AbortSignal,
): Promise<Mark[]> {
  const query = bind(pendingQuery, { after: literal(String(after), xsd('integer')) })
  const rows = await store.select(paged(query, { limit: most }), signal)
  return rows.flatMap(({ resource, version }) =>
    resource && version ? [{ resource: resource.value, version: Number(version.value) }] : [],
  )
}

/** The largest version of all marks, 0 without any. */
export async function newestMark(store: GraphStore): Promise<number> {
  const [row] = await store.select(bind(newestQuery, {}))
  return Number(row?.['newest']?.value ?? 0)
}

/** The largest version whose mark was cleared, 0 where a version that keeps none has written the store. */
export async function newestIndexed(store: Pick<GraphStore, 'select'>): Promise<number> {
  const [row] = await store.select(bind(indexedQuery, {}))
  return Number(row?.['newest']?.value ?? 0)
}

/** Catalogues whose datasets wait to be projected again, at most `limit`. */
export async function readCascades(
  store: GraphStore,
  limit: number,
  signal: AbortSignal,
): Promise<Mark[]> {
  const rows = await store.select(paged(bind(cascadesQuery, {}), { limit }), signal)
  return rows.flatMap(({ catalogue, version }) =>
    catalogue && version ? [{ resource: catalogue.value, version: Number(version.value) }] : [],
  )
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
