/**
 * Values that are described instead of named: a blank or foreign node stands for the concept whose IRI, code or label it gives. One
 * rule for search documents and for measuring.
 */

import type { Term } from '@rdfjs/types'
import { dc, dct, foaf, owl, rdf, rdfs, skos } from '../rdf/namespaces.ts'
import { namedNode } from '../rdf/terms.ts'
import type { Graph } from '../rdf/read.ts'
import { compareCodePoints } from '../text/code-points.ts'

/** Properties whose value is the concept itself or its code, the strictest first. */
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

/** Properties whose value is a name or, further down, a text that has to do for one. */
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

/** The texts of the first property that labels a node; none of a literal. */
export function labelTerms(node: Term, graph: Graph): readonly Term[] {
  if (node.termType === 'Literal' || graph.about(node).size === 0) return []
  for (const property of labellingProperties) {
    const texts = graph.objects(node, property).filter(isText)
    if (texts.length > 0) return texts
  }
  return []
}

/** Values with the labels of a node in its place; a node without labels stays. */
export const labelledTerms = (values: readonly Term[], graph: Graph): readonly Term[] =>
  values.flatMap((value) => {
    const labels = labelTerms(value, graph)
    return labels.length > 0 ? labels : [value]
  })

/** The IRIs and codes by which a node says what it stands for, by property and code point. */
const identityTerms = (node: Term, graph: Graph): readonly Term[] =>
  graph.about(node).size === 0
    ? []
    : identifyingProperties.flatMap((property) =>
        sorted(graph.objects(node, property)).filter((term) => term.termType !== 'BlankNode'),
      )

/** A value and what may stand in its place, the best first: IRIs and codes that its node gives, then its labels. */
export function nameCandidates(value: Term, graph: Graph): readonly Term[] {
  if (value.termType === 'Literal') return [value]
  return [value, ...identityTerms(value, graph), ...sorted(labelTerms(value, graph))]
}

/** The first meaning that `lookup` knows for a value, an IRI, a code or a label of it. */
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

/** The first IRI that a node without a name of its own gives for what it stands for. */
export const identityIri = (node: Term, graph: Graph): string | undefined =>
  node.termType === 'Literal'
    ? undefined
    : identityTerms(node, graph)
        .map(({ value }) => value.trim())
        .find((name) => /^https?:\/\/[^\s<>"{}|\\^`]+$/i.test(name))
