/** The quality metrics of a dataset: a graph of their own that goes with the dataset and is replaced as a whole. */

import { Failure } from '../../errors.ts'
import type { Mark } from '../../store/marks.ts'
import type { Outcome, WritingDeps } from '../deps.ts'
import { underDatasetLock, type DatasetPlace, type Land } from '../writing/dataset-edit.ts'
import type { DatasetPut } from '../writing/dataset-plan.ts'
import { unknownDataset } from '../writing/find-dataset.ts'
import { composed, hashOf, measuredAlone } from './composing.ts'

type MetricsPut = Pick<DatasetPut, 'body' | 'precondition'> & {
  readonly dataset: DatasetPlace
}

export type QualityMetrics = {
  /** The lines of the graph, skolemised, and its hash; `undefined` when there is none. */
  read(
    dataset: string,
    signal: AbortSignal,
  ): Promise<{ readonly lines: string; readonly hash: string } | undefined>
  /** Replaces the graph; fails with `unknown-dataset`, `ambiguous-subject`, `invalid-content`, `too-large`. */
  put(request: MetricsPut, signal: AbortSignal): Promise<Outcome>
  /** Fails with `unknown-metrics`. The mark is that of the dataset, whose document has the scores. */
  remove(request: Omit<MetricsPut, 'body'>, signal: AbortSignal): Promise<Mark>
}

export const unknownMetrics = (id: string) =>
  new Failure('unknown-metrics', `the dataset "${id}" has no quality metrics`)

export function qualityMetrics(deps: WritingDeps): QualityMetrics {
  const { store, names } = deps

  const read: QualityMetrics['read'] = async (dataset, signal) => {
    const text = await store.read(names.metrics(dataset), {}, signal)
    return text === undefined ? undefined : { lines: text, hash: hashOf(text) }
  }

  const remove: QualityMetrics['remove'] = ({ dataset, precondition }, signal) => {
    const graph = names.metrics(dataset.id)
    const work = async (land: Land) => {
      const before = await store.read(graph, {}, signal)
      if (before === undefined) throw unknownMetrics(dataset.id)
      precondition(hashOf(before))
      return land([{ graph, drop: true }])
    }
    return underDatasetLock(deps, dataset, work, signal)
  }

  return { read, put: (request, signal) => put(deps, request, signal), remove }
}

async function put(
  deps: WritingDeps,
  { dataset, body, precondition }: MetricsPut,
  signal: AbortSignal,
): Promise<Outcome> {
  const { store, names } = deps
  const [graph, described] = [names.metrics(dataset.id), names.dataset(dataset.id)]
  const sent = await body.parse(graph)
  const work = async (land: Land): Promise<Outcome> => {
    const stored = await store.readAll([described, graph], {}, signal)
    const text = stored.get(described)
    if (text === undefined) throw unknownDataset(dataset.id)
    const { content, said } = await composed(deps, dataset.id, text, sent)
    const before = stored.get(graph)
    precondition(before === undefined ? undefined : hashOf(before))
    const { catalogue } = dataset
    const fresh = measuredAlone({ catalogue, resource: described, text, said })
    const mark = await land([{ graph, content, before: before ?? '' }], fresh)
    const kind = before === undefined ? 'created' : 'updated'
    return { kind, iri: graph, catalogue, hash: hashOf(content), modified: undefined, mark }
  }
  return underDatasetLock(deps, dataset, work, signal)
}
