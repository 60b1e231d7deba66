/** Writes to a part of what is stored of a dataset, under its lock: its graph line for line, or the graph of its metrics. */

import type { Quad } from '@rdfjs/types'
import { fromLines, toLines } from '../../rdf/lines.ts'
import type { Change } from '../../store/graph-store.ts'
import { markLine, systemChange, type Fresh, type Mark } from '../../store/marks.ts'
import { restamped, timestamp } from '../content/catalogue-record.ts'
import type { WriteContext } from '../context.ts'
import { datasetLock } from '../deleting/members.ts'
import { tooManyTriples } from './dataset-plan.ts'
import { unknownCatalogue, unknownDataset, type LocatedDataset } from './find-datasets.ts'
import { landOne } from './write-batch.ts'

/** The dataset that something belongs to, as far as a write needs to know it. */
export type DatasetPlace = Pick<LocatedDataset, 'id' | 'catalogue' | 'originalId'>

/** What an edit changes beside the pending mark of the dataset; without changes nothing is written. */
type DatasetChange<T> = {
  readonly result: T
  readonly changes?: readonly Change[]
  /** For the index, where the writer has all of the dataset. */
  readonly fresh?: Fresh
}

/** `mark` is absent when nothing was written. */
type Edited<T> = { readonly result: T; readonly mark?: Mark }

/** Lands what `plan` wants while no other write to the dataset runs; fails when the catalogue is deleted meanwhile. */
export function changeDataset<T>(
  deps: WriteContext,
  { id, catalogue, originalId }: DatasetPlace,
  plan: () => Promise<DatasetChange<T>>,
  signal: AbortSignal,
): Promise<Edited<T>> {
  const work = async (): Promise<Edited<T>> => {
    const isGone = deps.deletions.watch(catalogue)
    const { result, changes, fresh } = await plan()
    if (!changes) return { result }
    const mark = { resource: deps.names.dataset(id), version: deps.versions.next() }
    const pending = systemChange({ add: [markLine('pending', mark)] })
    const group = { changes: [...changes, pending], marks: [{ ...mark, ...(fresh && { fresh }) }] }
    const check = () => {
      if (isGone()) throw unknownCatalogue(catalogue)
    }
    return landOne(deps, { result: { result, mark }, group, check })
  }
  return deps.locks.run(datasetLock(catalogue, originalId), work, signal)
}

/** What an edit makes of the graph; without `graph` nothing is written. */
type EditedGraph<T> = { readonly graph?: readonly Quad[]; readonly result: T }

/**
 * Lands what `edit` makes of the stored graph, with a new date of change and hash on the record, in one atomic step. Fails as
 * `edit` does, and with `unknown-dataset`, `too-large` and `too-complex`.
 */
export function editDataset<T>(
  deps: WriteContext,
  dataset: DatasetPlace,
  edit: (graph: readonly Quad[]) => Promise<EditedGraph<T>>,
  signal: AbortSignal,
): Promise<Edited<T>> {
  const { store, names, triples } = deps
  const { id, catalogue } = dataset
  const graph = names.dataset(id)
  const plan = async (): Promise<DatasetChange<T>> => {
    const before = await store.read(graph, {}, signal)
    if (before === undefined) throw unknownDataset(id)
    const { graph: edited, result } = await edit(fromLines(before))
    if (!edited) return { result }
    if (edited.length > triples) throw tooManyTriples(edited.length, triples)
    const stamp = { id, modified: timestamp(deps.now()), canonical: deps.canonical }
    const content = toLines(await restamped(edited, names, stamp))
    // Read back from the lines: an edit may say again what is there, and documents must not have it twice.
    const fresh = { catalogue, quads: () => fromLines(content), created: false }
    return { result, changes: [{ graph, content, before }], fresh }
  }
  return changeDataset(deps, dataset, plan, signal)
}
