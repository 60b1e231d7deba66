/** The list of the distributions of one dataset: everything about them stands in the dataset's graph. */

import type { Quad } from '@rdfjs/types'
import { toLines } from '../../rdf/lines.ts'
import { dct } from '../../rdf/namespaces.ts'
import type { Names } from '../../rdf/names.ts'
import { graphOf, literalOf } from '../../rdf/read.ts'
import { unskolemise } from '../../rdf/skolem.ts'
import { describe, linkedDistributions } from '../distributions/description.ts'
import type { List } from './list.ts'

/** `quads`: the graph of the dataset as it is stored. */
export function distributionList(dataset: string, quads: readonly Quad[], names: Names): List {
  const graph = graphOf(quads)
  const { genidPrefix: prefix } = names
  const ids = linkedDistributions(graph, names.dataset(dataset)).flatMap(
    (iri) => names.idOf('distribution', iri) ?? [],
  )
  return {
    path: `/datasets/${dataset}/distributions`,
    ids: async () => ids,
    uriRefs: async (chosen) => chosen.map(names.distribution),
    originalIds: async (chosen) =>
      chosen.flatMap(
        (id) => literalOf(graph, names.distribution(id), dct('identifier'))?.value ?? [],
      ),
    described: async (chosen) =>
      chosen.map((id) => {
        const iri = names.distribution(id)
        return { graph: iri, lines: toLines(unskolemise(describe(graph, iri, names), { prefix })) }
      }),
  }
}
