/** The IRIs that graphs mention: what records may have to be looked up for. */

import type { Graph } from '../../rdf/read.ts'

/** Literals count where they spell an IRI out: mappings take them for one. */
export function irisIn(graphs: Iterable<Graph | undefined>): ReadonlySet<string> {
  const iris = new Set<string>()
  for (const graph of new Set(graphs)) {
    for (const { object } of graph?.quads() ?? []) {
      if (object.termType === 'NamedNode') iris.add(object.value)
      else if (object.termType === 'Literal' && /^[a-z][a-z0-9+.-]*:\S+$/i.test(object.value))
        iris.add(object.value)
    }
  }
  return iris
}
