/** Concepts of a vocabulary as far as values are compared with them (W3C SKOS). */

import type { Quad, Term } from '@rdfjs/types'
import { ctl, dc, dct, skos } from '../../rdf/namespaces.ts'
import { graphOf, instances, type Graph } from '../../rdf/read.ts'

export type Concept = {
  readonly iri: string
  /** Identifiers and notations; the last step of the IRI when there are none. */
  readonly codes: readonly string[]
  readonly exactMatch: readonly string[]
  readonly closeMatch: readonly string[]
  /** File types: what the assessment of metadata quality counts. */
  readonly isMachineReadable: boolean
  readonly isNonProprietary: boolean
}

const concept = skos('Concept')

/** All concepts of a vocabulary. */
export function conceptsOf(quads: readonly Quad[]): readonly Concept[] {
  const graph = graphOf(quads)
  const iris = instances(graph, concept).filter((key) => !key.startsWith('_:'))
  return iris.map((iri) => conceptOf(graph, iri))
}

function conceptOf(graph: Graph, iri: string): Concept {
  const codes = [dc('identifier'), dct('identifier'), skos('notation')]
    .flatMap((name) => graph.objects(iri, name))
    .flatMap((term) => (term.termType === 'Literal' ? [term.value.trim()] : []))
  return {
    iri,
    codes: codes.length > 0 ? codes : [iri.slice(iri.lastIndexOf('/') + 1)],
    exactMatch: iris(graph.objects(iri, skos('exactMatch'))),
    closeMatch: iris(graph.objects(iri, skos('closeMatch'))),
    isMachineReadable: isTrue(graph.objects(iri, ctl('machineReadable'))),
    isNonProprietary: isTrue(graph.objects(iri, ctl('nonProprietary'))),
  }
}

const iris = (terms: readonly Term[]) =>
  terms.flatMap((term) => (term.termType === 'NamedNode' ? [term.value] : []))

const isTrue = (terms: readonly Term[]) => terms.some(({ value }) => value === 'true')
