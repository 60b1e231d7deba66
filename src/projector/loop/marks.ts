/** Pending marks as they stand in the store. */

import type { Change } from '../../store/change.ts'
import { markLine, systemChange, type Mark } from '../../store/marks.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { paged } from '../../store/paged.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import type { Pending } from './queue.ts'

const pendingQuery = loadQuery('pending')
const cascadesQuery = loadQuery('cascades')
const newestQuery = loadQuery('newest-mark')

/** The oldest marks, at most `limit`. */
export async function readMarks(
  store: GraphStore,
  limit: number,
  signal: AbortSignal,
): Promise<Mark[]> {
  const rows = await store.select(paged(bind(pendingQuery, {}), { limit }), signal)
  return rows.flatMap(({ resource, version }) =>
    resource && version ? [{ resource: resource.value, version: Number(version.value) }] : [],
  )
}

/** The largest version of all marks, 0 without any. */
export async function newestMark(store: GraphStore): Promise<number> {
  const [row] = await store.select(bind(newestQuery, {}))
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

/** The change that removes exactly the marks that were read: a newer one survives. */
export const clearing = (done: readonly Pending[]): Change =>
  systemChange({
    remove: done.flatMap(({ resource, marked }) =>
      marked.map((version) => markLine('pending', { resource, version })),
    ),
  })

export const clearingCascade = (mark: Mark): Change =>
  systemChange({ remove: [markLine('cascade', mark)] })
