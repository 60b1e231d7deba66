/** A whole catalogue, batch by batch: its own graph, then its datasets, each as one write left it. */

import type { Part } from '../../rdf/writing/document.ts'
import { linkLines } from '../deleting/removal.ts'
import { idBatches } from './list.ts'
import type { ListDeps, Lists } from './lists.ts'
import { graphsOf } from './lookup.ts'

/** Datasets that are read, written and sent together: what a dump holds in memory. */
const batchSize = 50

type DumpDeps = Pick<ListDeps, 'store' | 'names'> & {
  readonly lists: Lists
  readonly catalogues: Pick<ListDeps, 'demand'>
}

/**
 * Fails when there is no such catalogue, also when it goes while it is written. Datasets that come meanwhile may be missing,
 * those that go are left out together with the links to them.
 */
export async function* dumpOf(
  deps: DumpDeps,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<readonly Part[]> {
  const { names, lists, catalogues } = deps
  const catalogue = names.catalogue(id)
  const members = lists.members(id)
  await catalogues.demand(id, signal)
  yield await graphsOf(deps, [catalogue], signal)
  for await (const ids of idBatches(members, batchSize, signal)) {
    const datasets = await members.described(ids, signal)
    const links = datasets.flatMap(({ graph = '' }) => {
      const dataset = names.idOf('dataset', graph)
      return dataset === undefined ? [] : linkLines(names, { catalogue: id, id: dataset })
    })
    if (links.length > 0) yield [{ graph: catalogue, lines: `${links.join('\n')}\n` }, ...datasets]
  }
  await catalogues.demand(id, signal)
}
