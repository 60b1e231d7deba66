/** Pending and cascade marks as they stand in the store, and how far the index had come. */

import { systemGraph, xsd } from '../rdf/namespaces.ts'
import { literal } from '../rdf/terms.ts'
import type { Change, GraphStore, Row } from '../store/graph-store.ts'
import { fact, type Mark, markLine, systemChange } from '../store/marks.ts'
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
): Promise<readonly Mark[]> {
  const marks: Mark[] = []
  for (let most = 0, rows = 0; rows === most && marks.length < limit;) {
    most = Math.min(page, limit - marks.length)
    const after = literal(String(marks.at(-1)?.version ?? 0), xsd('integer'))
    const read = await store.select(paged(bind(pendingQuery, { after }), { limit: most }), signal)
    marks.push(...marksIn(read, 'resource'))
    rows = read.length
  }
  return marks
}

/** Catalogues and vocabularies whose users wait to be projected again, at most `limit`. */
export const readCascades = async (
  store: GraphStore,
  limit: number,
  signal: AbortSignal,
): Promise<readonly Mark[]> =>
  marksIn(await store.select(paged(bind(cascadesQuery, {}), { limit }), signal), 'catalogue')

const marksIn = (rows: readonly Row[], name: string): readonly Mark[] =>
  rows.flatMap(({ [name]: resource, version }) =>
    resource && version ? [{ resource: resource.value, version: Number(version.value) }] : [],
  )

async function newest(store: GraphStore, query: Query): Promise<number> {
  const [row] = await store.select(bind(query, {}))
  return Number(row?.['newest']?.value ?? 0)
}

/** The largest version of all marks, 0 without any. */
export const newestMark = (store: GraphStore): Promise<number> => newest(store, newestQuery)

/** The largest version whose mark was cleared, 0 where a version that keeps none has written the store. */
export const newestIndexed = (store: GraphStore): Promise<number> => newest(store, indexedQuery)

/**
 * The change that removes exactly the marks that were read: a newer one survives. The store knows from then on how far the index
 * had come.
 */
export function clearing(
  done: readonly Pending[],
  { indexed, before }: { readonly indexed: number; readonly before: number },
): Change {
  const lines = (version: number) =>
    indexed === before ? [] : [fact(systemGraph, 'indexed', String(version))]
  const marks = done.flatMap(({ resource, marked }) =>
    marked.map((version) => markLine('pending', { resource, version })),
  )
  return systemChange({ remove: [...marks, ...lines(before)], add: lines(indexed) })
}
