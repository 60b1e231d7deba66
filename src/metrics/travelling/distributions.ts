/** Which distributions of a dataset are measured. */

import type { BlankNode, NamedNode } from '@rdfjs/types'
import { dcat } from '../../rdf/namespaces.ts'
import { keyOf } from '../../rdf/read.ts'
import type { Payload } from './subject.ts'

const distribution = dcat('distribution').value

/** Objects of `dcat:distribution`, each once, in the order of the triples; samples are none, and text is none. */
export function distributionsOf({
  subject,
  dataset,
}: Pick<Payload, 'subject' | 'dataset'>): readonly (NamedNode | BlankNode)[] {
  const found = new Map<string, NamedNode | BlankNode>()
  for (const { subject: about, predicate, object } of dataset) {
    if (predicate.value !== distribution || about.value !== subject.iri) continue
    if (object.termType === 'NamedNode' || object.termType === 'BlankNode') {
      found.set(keyOf(object), object)
    }
  }
  return [...found.values()]
}
