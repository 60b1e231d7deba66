/** Changes a part of what is stored of a dataset under its lock; everything else stays as it is, line for line. */

import type { Quad } from '@rdfjs/types'
import { fromLines, toLines } from '../../rdf/lines.ts'
import type { Change } from '../../store/graph-store.ts'
import { markLine, systemChange, type Fresh, type Mark } from '../../store/marks.ts'
import { restamped, timestamp } from '../content/record.ts'
import { datasetLock } from './locks.ts'
import type { WritingDeps } from '../deps.ts'
import { tooManyTriples } from './dataset-plan.ts'
import { unknownCatalogue, unknownDataset, type Located } from './find-dataset.ts'
import { landChanges } from './landing.ts'

/** The dataset that something belongs to, as far as a write needs to know it. */
export type DatasetPlace = Pick<Located, 'id' | 'catalogue' | 'originalId'>

/** Lands changes together with a pending mark for the dataset; `fresh` where the writer has all of it. */
export type Land = (changes: readonly Change[], fresh?: Fresh) => Promise<Mark>

/** Runs `work` while no other write to the dataset runs. What it lands fails when the catalogue is deleted meanwhile. */
export function underDatasetLock<T>(
  deps: WritingDeps,
  { id, catalogue, originalId }: DatasetPlace,
  work: (land: Land) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const start = () => {
    const isGone = deps.deletions.watch(catalogue)
    return work(async (changes, fresh) => {
      const mark = { resource: deps.names.dataset(id), version: deps.versions.next() }
      const pending = systemChange({ add: [markLine('pending', mark)] })
      // Asked in the same turn as the write: a cascade that starts now will see it and take it away.
      if (isGone()) throw unknownCatalogue(catalogue)
      await landChanges(deps, [...changes, pending], [{ ...mark, ...(fresh && { fresh }) }])
      return mark
    })
  }
  return deps.locks.run(datasetLock(catalogue, originalId), start, signal)
}

/** What an edit makes of the graph; without `graph` nothing is written. */
export type Edited<T> = { readonly graph?: readonly Quad[]; readonly result: T }

/** `mark` is absent when nothing was written. */
export type Edit<T> = { readonly result: T; readonly mark?: Mark }

/**
 * Lands what `edit` makes of the stored graph, with a new date of change and hash on the record, in one atomic step. Fails as
 * `edit` does, and with `unknown-dataset`, `too-large` and `too-complex`.
 */
export function editDataset<T>(
  deps: WritingDeps,
  dataset: DatasetPlace,
  edit: (graph: readonly Quad[]) => Promise<Edited<T>>,
  signal: AbortSignal,
): Promise<Edit<T>> {
  const { store, names, triples } = deps
  const { id, catalogue } = dataset
  const graph = names.dataset(id)
  const work = async (land: Land): Promise<Edit<T>> => {
    const before = await store.read(graph, {}, signal)
    if (before === undefined) throw unknownDataset(id)
    const { graph: edited, result } = await edit(fromLines(before))
    if (!edited) return { result }
    if (edited.length > triples) throw tooManyTriples(edited.length, triples)
    const stamp = { id, modified: timestamp(deps.now()), canonical: deps.canonical }
    const content = toLines(await restamped(edited, names, stamp))
    // Read back from the lines: an edit may say again what is there, and documents must not have it twice.
    const fresh = { catalogue, quads: () => fromLines(content), created: false }
    return { result, mark: await land([{ graph, content, before }], fresh) }
  }
  return underDatasetLock(deps, dataset, work, signal)
}
