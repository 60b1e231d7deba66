/** Takes away doubts about tombstones by looking into the store: what it holds is not deleted. */

import type { Names } from '../../../rdf/names.ts'
import { namedNode } from '../../../rdf/terms.ts'
import type { GraphStore } from '../../../store/graph-store.ts'
import { bind, loadQuery } from '../../../store/queries.ts'
import type { Doubt, Page, Tombstone, Tombstones } from '../tombstones.ts'

const presentQuery = loadQuery('present-resources')

/** Resources asked about in one query. */
const most = 500

export type DoubtDeps = {
  readonly store: Pick<GraphStore, 'select'>
  readonly names: Names
  readonly tombstones: Tombstones
}

const iris: Record<Tombstone['kind'], (names: Names, id: string) => string> = {
  dataset: (names, id) => names.dataset(id),
  catalogue: (names, id) => names.catalogue(id),
  resource: (names, id) => names.resource('', '').slice(0, -1) + id,
}

/** Those of some tombstones whose resource the store holds. */
export async function present<T extends Pick<Tombstone, 'kind' | 'id'>>(
  { store, names }: Omit<DoubtDeps, 'tombstones'>,
  tombstones: readonly T[],
  signal: AbortSignal,
): Promise<ReadonlySet<T>> {
  const iriOf = ({ kind, id }: T) => iris[kind](names, id)
  const found = new Set<string>()
  for (let start = 0; start < tombstones.length; start += most) {
    const resource = tombstones.slice(start, start + most).map((one) => namedNode(iriOf(one)))
    const rows = await store.select(bind(presentQuery, { resource }), signal)
    for (const row of rows) if (row['resource']) found.add(row['resource'].value)
  }
  return new Set(tombstones.filter((one) => found.has(iriOf(one))))
}

/**
 * Settles tombstones whose resource is gone and discards those whose resource is there: the process may have died, or the
 * store may have been lost sight of, between tombstone and removal.
 */
export async function resolveDoubts(deps: DoubtDeps, signal: AbortSignal): Promise<void> {
  const { tombstones } = deps
  for (;;) {
    const doubts = tombstones.doubts(most)
    if (doubts.length === 0) return
    const there = await present(deps, doubts, signal)
    const serials = (which: boolean) =>
      doubts.filter((one) => there.has(one) === which).map(({ serial }) => serial)
    tombstones.discard(serials(true))
    tombstones.settle(serials(false))
  }
}

/** A page of tombstones; one whose resource has come back by another way is discarded and not told. */
export async function truthfulPage(
  deps: DoubtDeps,
  { catalogue, ...page }: Page & { readonly catalogue: string | undefined },
  signal: AbortSignal,
): Promise<readonly Tombstone[]> {
  const listed: readonly (Tombstone & Doubt)[] = deps.tombstones.list(catalogue, page)
  const there = await present(deps, listed, signal)
  deps.tombstones.discard([...there].map(({ serial }) => serial))
  return listed.filter((one) => !there.has(one)).map(told)
}

const told = ({
  kind,
  id,
  originalId,
  catalogue,
  deletedAt,
  restorableUntil,
}: Tombstone): Tombstone => ({ kind, id, originalId, catalogue, deletedAt, restorableUntil })
