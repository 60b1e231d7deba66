/** Removes datasets: the tombstone is durable first, then the store loses the dataset, then the tombstone counts. */

import { namedNode } from '../../rdf/terms.ts'
import type { Mark } from '../../store/marks.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import type { RepositoryDeps } from '../deps.ts'
import { landEach } from '../writing/landing.ts'
import { removal } from './removal.ts'
import type { Remains, Tombstones } from './tombstones.ts'

const originsQuery = loadQuery('dataset-origins')

export type RemovingDeps = RepositoryDeps & { readonly tombstones: Tombstones }

/** What happened to one dataset. */
export type Removed = { readonly id: string } & (
  | { readonly mark: Mark }
  | { readonly failure: unknown }
)

export type Doomed = {
  readonly catalogue: string
  readonly datasets: readonly Pick<Remains, 'id' | 'originalId'>[]
  /** The version of the deletion of the whole catalogue, if that is why. */
  readonly deletion?: number
}

/** The datasets as they are stored; one that is linked and not there has an empty content. */
export async function remainsOf(
  { store, names }: Pick<RepositoryDeps, 'store' | 'names'>,
  { datasets, ...common }: Doomed,
  signal: AbortSignal,
): Promise<readonly Remains[]> {
  const graphs = datasets.flatMap(({ id }) => [names.dataset(id), names.metrics(id)])
  const texts = await store.readAll(graphs, {}, signal)
  return datasets.map((dataset) => ({
    ...common,
    ...dataset,
    kind: 'dataset',
    content: texts.get(names.dataset(dataset.id)) ?? '',
    metrics: texts.get(names.metrics(dataset.id)) ?? '',
  }))
}

/**
 * Each dataset is an atomic step of its own; the caller holds their locks. With `keepIndex` searches go on finding it. A failure means that nobody knows: the dataset may
 * be gone, and then its tombstone will be found by whoever takes away the doubts.
 */
export async function removeDatasets(
  deps: RemovingDeps,
  remains: readonly Remains[],
  { at, keepIndex = false }: { readonly at: Date; readonly keepIndex?: boolean },
): Promise<readonly Removed[]> {
  const { names, versions, tombstones } = deps
  const doomed = remains.map(({ id, catalogue }) => {
    const mark = { resource: names.dataset(id), version: versions.next() }
    const marks = keepIndex ? [] : [mark]
    return { id, mark, marks, changes: removal(names, { catalogue, id }, marks) }
  })
  const kept = tombstones.keep(
    remains.filter(({ content }) => content !== ''),
    at,
  )
  const failures = await landEach(deps, doomed)
  const removed = doomed.map(({ id, mark }, at): Removed => {
    const failure = failures[at]
    return failure === undefined ? { id, mark } : { id, failure }
  })
  kept.end(removed.flatMap((one) => ('mark' in one ? [one.id] : [])))
  return removed
}

/** The ids at the origin of some datasets; one without a record has none. */
export async function originsOf(
  { store, names }: Pick<RepositoryDeps, 'store' | 'names'>,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<readonly Pick<Remains, 'id' | 'originalId'>[]> {
  const dataset = ids.map((id) => [namedNode(names.dataset(id)), namedNode(names.record(id))])
  const rows = await store.select(bind(originsQuery, { dataset }), signal)
  const origins = new Map(
    rows.map((row) => [row['dataset']?.value, row['originalId']?.value] as const),
  )
  return ids.map((id) => ({ id, originalId: origins.get(names.dataset(id)) }))
}
