/** Terms of the vocabularies that only quality metadata speaks. */

import type { NamedNode } from '@rdfjs/types'
import { prefixes, type Vocabulary } from '../../rdf/namespaces.ts'
import { namedNode } from '../../rdf/terms.ts'

function vocabulary(namespace: string): Vocabulary {
  const known = new Map<string, NamedNode>()
  return (localName) => {
    let term = known.get(localName)
    if (!term) known.set(localName, (term = namedNode(namespace + localName)))
    return term
  }
}

/** The namespace in which clients and stored queries look for metrics. */
const metricNamespace = prefixes['pv'] ?? ''

/** A metric or a dimension. */
export const pv = vocabulary(metricNamespace)
/** Web Annotation Vocabulary (W3C). */
export const oa = vocabulary(prefixes['oa'] ?? '')
/** Shapes Constraint Language (W3C). */
export const sh = vocabulary(prefixes['sh'] ?? '')

/** What stands behind the last `#`, `/` or `:`; metrics are recognised by it in any namespace. */
export const localName = (iri: string): string =>
  iri.startsWith(metricNamespace)
    ? iri.slice(metricNamespace.length)
    : iri.slice(Math.max(iri.lastIndexOf('#'), iri.lastIndexOf('/'), iri.lastIndexOf(':')) + 1)
