/** A whole catalogue, batch by batch: its own graph, then its datasets, each as one write left it. */

import type { Part } from '../../rdf/writing/document.ts'
import { linkLines } from '../deleting/members.ts'
import { describedGraphs, idBatches, memberList, type ListDeps } from './lists.ts'

/** Datasets that are read, written and sent together: a dump holds two such batches in memory. */
const batchSize = 100

/**
 * Fails when there is no such catalogue, also when it goes while it is written. Datasets that come meanwhile may be missing,
 * those that go are left out together with the links to them.
 */
export async function* dumpOf(
  deps: ListDeps,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<readonly Part[]> {
  const { names, demand } = deps
  const catalogue = names.catalogue(id)
  const members = memberList(deps, id)
  await demand(id, signal)
  yield await describedGraphs(deps, [catalogue], signal)
  const batches = mapAhead(idBatches(members, batchSize, signal), (ids) =>
    members.described(ids, signal),
  )
  for await (const datasets of batches) {
    const links = datasets.flatMap(({ graph = '' }) => {
      const dataset = names.idOf('dataset', graph)
      return dataset === undefined ? [] : linkLines(names, { catalogue: id, id: dataset })
    })
    if (links.length > 0) yield [{ graph: catalogue, lines: `${links.join('\n')}\n` }, ...datasets]
  }
  await demand(id, signal)
}

/** Works on the next one while the last one is being used. */
async function* mapAhead<From, To>(
  source: AsyncIterable<From>,
  work: (one: From) => Promise<To>,
): AsyncGenerator<To> {
  let running: Promise<To> | undefined
  for await (const one of source) {
    const last = running
    running = work(one)
    // Whoever waits for it hears of it; until then it must not end the process.
    running.catch(() => undefined)
    if (last) yield await last
  }
  if (running) yield await running
}
