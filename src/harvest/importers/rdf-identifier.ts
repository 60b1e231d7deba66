/** The identifier of a record that was handed over without one, as an importer of RDF would read it out of the graph. */

import { Failure } from '../../errors.ts'
import { graphOf } from '../../rdf/read.ts'
import { toLines } from '../../rdf/lines.ts'
import { dcat, rdf } from '../../rdf/namespaces.ts'
import { identifiersIn } from '../importing/cutting/parcels.ts'
import { nowhere, quadsOf } from '../transform/record-quads.ts'

/** The dataset's `dct:identifier`, else its IRI; `undefined` unless there is exactly one dataset with either. */
export async function identifierOf(record: {
  readonly text: string
  readonly mediaType: string
}): Promise<string | undefined> {
  const quads = await quadsOf({ ...record, baseIri: nowhere }).catch(unreadable)
  const graph = graphOf(quads)
  const nodes = [dcat('Dataset'), dcat('DatasetSeries')].flatMap((type) =>
    graph.subjectsOf(rdf('type'), type),
  )
  const [node] = nodes
  if (node === undefined || new Set(nodes).size !== 1) return undefined
  const [identifier] = identifiersIn(toLines(graph.quads(node)))
  return identifier ?? (node.startsWith('_:') ? undefined : node)
}

/** What cannot be read has no identifier; why is told where it is written. */
function unreadable(error: unknown): [] {
  if (error instanceof Failure) return []
  throw error
}
