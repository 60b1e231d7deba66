/** A dataset and what was measured of it, as the store has them at this moment. */

import type { Quad } from '@rdfjs/types'
import { Failure, shown } from '../../../errors.ts'
import { fromLines } from '../../../rdf/lines.ts'
import { graphOf, type Graph } from '../../../rdf/read.ts'
import { namedNode } from '../../../rdf/terms.ts'
import { bind, loadQuery } from '../../../store/queries.ts'
import { catalogueFacts, type Source } from '../refreshing/catalogues.ts'

const queries = {
  homes: loadQuery('dataset-catalogues'),
  holders: loadQuery('distribution-datasets'),
}

export type LiveDataset = {
  readonly id: string
  readonly iri: string
  /** The dataset with its distributions. */
  readonly graph: Graph
  /** Its metrics graph. */
  readonly metrics: readonly Quad[]
}

/** Throws `unknown-dataset`, also for those in hidden catalogues, and `unknown-metrics`. */
export async function liveDataset(
  source: Source,
  id: string,
  signal: AbortSignal,
): Promise<LiveDataset> {
  const { store, names } = source
  const [iri, metrics] = [names.dataset(id), names.metrics(id)]
  // Whoever asks for what can be no id shall not get as far as the store.
  if (names.idOf('dataset', iri) === undefined) throw unknownDataset(id)
  const [homes, texts] = await Promise.all([
    store.select(bind(queries.homes, { dataset: [namedNode(iri)] }), signal),
    store.readAll([iri, metrics], {}, signal),
  ])
  const catalogues = homes.flatMap(
    (row) => names.idOf('catalogue', row['catalogue']?.value ?? '') ?? [],
  )
  const facts = await catalogueFacts(source, catalogues, signal)
  if (![...facts.values()].some((one) => one !== 'hidden')) throw unknownDataset(id)
  const [text, measured] = [texts.get(iri), texts.get(metrics)]
  if (text === undefined) throw unknownDataset(id)
  if (measured === undefined)
    throw new Failure('unknown-metrics', `the dataset ${shown(id)} was not measured`)
  return { id, iri, graph: graphOf(fromLines(text)), metrics: fromLines(measured) }
}

const unknownDataset = (id: string) =>
  new Failure('unknown-dataset', `there is no dataset ${shown(id)}`)

/** The id of the dataset that has a distribution. Throws `unknown-distribution`. */
export async function holderOf(
  { store, names }: Source,
  uuid: string,
  signal: AbortSignal,
): Promise<string> {
  const iri = names.distribution(uuid)
  const unknown = () =>
    new Failure('unknown-distribution', `there is no distribution ${shown(uuid)}`)
  if (names.idOf('distribution', iri) === undefined) throw unknown()
  const query = bind(queries.holders, { distribution: namedNode(iri) })
  for (const row of await store.select(query, signal)) {
    const id = names.idOf('dataset', row['dataset']?.value ?? '')
    if (id !== undefined) return id
  }
  throw unknown()
}
