/**
 * Reads values that are described instead of named: a blank or foreign node means the concept whose IRI, code or label it has.
 * Search documents and metrics use the same rule.
 */

import type { Term } from '@rdfjs/types'
import { dc, dct, foaf, owl, rdf, rdfs, skos } from '../rdf/namespaces.ts'
import { namedNode } from '../rdf/terms.ts'
import type { Graph } from '../rdf/read.ts'
import { compareCodePoints } from '../text/code-points.ts'

/** Properties whose value is the concept itself or its code, the most specific first. */
const identifyingProperties = [
  owl('sameAs'),
  skos('exactMatch'),
  dct('identifier'),
  dc('identifier'),
  skos('notation'),
  rdf('value'),
  rdfs('seeAlso'),
  foaf('page'),
  dct('type'),
]

/** Properties whose value is a name; the last ones have texts that are used where there is no name. */
const labellingProperties = [
  skos('prefLabel'),
  rdfs('label'),
  dct('title'),
  foaf('name'),
  namedNode('http://schema.org/name'),
  namedNode('https://schema.org/name'),
  rdf('value'),
  dc('title'),
  skos('altLabel'),
  rdfs('comment'),
  dct('description'),
  skos('notation'),
  dct('identifier'),
  dc('identifier'),
]

const isText = ({ termType, value }: Term) => termType === 'Literal' && value.trim() !== ''

const sorted = (terms: readonly Term[]): readonly Term[] =>
  terms.length < 2 ? terms : terms.toSorted((a, b) => compareCodePoints(a.value, b.value))

/** Values of the first labelling property of a node; none for a literal. */
export function labelTerms(node: Term, graph: Graph): readonly Term[] {
  if (node.termType === 'Literal' || graph.about(node).size === 0) return []
  for (const property of labellingProperties) {
    const texts = graph.objects(node, property).filter(isText)
    if (texts.length > 0) return texts
  }
  return []
}

/** Values in which each node with labels is replaced by them. */
export const labelledTerms = (values: readonly Term[], graph: Graph): readonly Term[] =>
  values.flatMap((value) => {
    const labels = labelTerms(value, graph)
    return labels.length > 0 ? labels : [value]
  })

/** IRIs and codes of the concept that a node means, by property and code point. */
const identityTerms = (node: Term, graph: Graph): readonly Term[] =>
  graph.about(node).size === 0
    ? []
    : identifyingProperties.flatMap((property) =>
        sorted(graph.objects(node, property)).filter((term) => term.termType !== 'BlankNode'),
      )

/** A value and its alternatives, the best first: the IRIs and codes of its node, then its labels. */
export function nameCandidates(value: Term, graph: Graph): readonly Term[] {
  if (value.termType === 'Literal') return [value]
  return [value, ...identityTerms(value, graph), ...sorted(labelTerms(value, graph))]
}

/** First result of `lookup` for a value, its IRIs, codes or labels; `undefined` when it finds none. */
export function meaningOf<Meaning>(
  value: Term,
  graph: Graph,
  lookup: (name: string) => Meaning | undefined,
): Meaning | undefined {
  for (const term of nameCandidates(value, graph)) {
    const name = term.termType === 'BlankNode' ? '' : term.value.trim()
    const meaning = name === '' ? undefined : lookup(name)
    if (meaning !== undefined) return meaning
  }
  return undefined
}

/** First http IRI among the identifying properties of a node; `undefined` for a literal. */
export const identityIri = (node: Term, graph: Graph): string | undefined =>
  node.termType === 'Literal'
    ? undefined
    : identityTerms(node, graph)
        .map(({ value }) => value.trim())
        .find((name) => /^https?:\/\/[^\s<>"{}|\\^`]+$/i.test(name))
