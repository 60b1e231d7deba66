/** Index of triples in memory, with look-ups by subject and predicate. */
import type { Literal, NamedNode, Quad, Term } from '@rdfjs/types'

/** A node: a term, an IRI as a string, or a blank node as `_:label`. */
export type Node = Term | string

/** Triples indexed by subject and predicate; graph names are ignored. */
export type Graph = {
  readonly size: number
  /** Objects in the order of the triples; empty if there are none. */
  readonly objects: (subject: Node, predicate: NamedNode | string) => readonly Term[]
  /** Objects of a subject by predicate IRI. */
  readonly about: (subject: Node) => ReadonlyMap<string, readonly Term[]>
  /** Keys of all subjects: IRIs, and `_:label` for blank nodes. */
  readonly subjects: () => Iterable<string>
  /** IRIs of the predicates of a subject. */
  readonly predicates: (subject: Node) => Iterable<string>
  /** Keys of the subjects with this object. */
  readonly subjectsOf: (predicate: NamedNode | string, object: Term) => readonly string[]
  /** Triples of one subject, or all. */
  readonly quads: (subject?: Node) => readonly Quad[]
}

/** Key of a node: its IRI, or `_:label` for a blank node. */
export function keyOf(node: Node): string {
  if (typeof node === 'string') return node
  return node.termType === 'BlankNode' ? `_:${node.value}` : node.value
}

const emptyList: readonly never[] = []
const emptyMap: ReadonlyMap<string, readonly never[]> = new Map<string, readonly never[]>()
const iriOf = (predicate: NamedNode | string) =>
  typeof predicate === 'string' ? predicate : predicate.value

/** Triples of one subject, and its objects by predicate IRI. */
type About = { readonly quads: Quad[]; readonly objects: Map<string, Term[]> }

/** Indexes triples in linear time. */
export function graphOf(quads: Iterable<Quad>): Graph {
  const triples = [...quads]
  const index = new Map<string, About>()
  for (const quad of triples) {
    const key = keyOf(quad.subject)
    let about = index.get(key)
    if (!about) index.set(key, (about = { quads: [], objects: new Map() }))
    about.quads.push(quad)
    const objects = about.objects.get(quad.predicate.value)
    if (objects) objects.push(quad.object)
    else about.objects.set(quad.predicate.value, [quad.object])
  }
  return {
    size: triples.length,
    objects: (subject, predicate) =>
      index.get(keyOf(subject))?.objects.get(iriOf(predicate)) ?? emptyList,
    about: (subject) => index.get(keyOf(subject))?.objects ?? emptyMap,
    subjects: () => index.keys(),
    predicates: (subject) => index.get(keyOf(subject))?.objects.keys() ?? emptyList,
    subjectsOf: (predicate, object) => {
      const iri = iriOf(predicate)
      const subjects: string[] = []
      for (const [key, about] of index)
        if (about.objects.get(iri)?.some((term) => term.equals(object))) subjects.push(key)
      return subjects
    },
    quads: (subject) =>
      subject === undefined ? triples : (index.get(keyOf(subject))?.quads ?? emptyList),
  }
}

/** First object. */
export const firstObject = (
  graph: Graph,
  subject: Node,
  predicate: NamedNode | string,
): Term | undefined => graph.objects(subject, predicate)[0]

/** First literal object. */
export const literalOf = (
  graph: Graph,
  subject: Node,
  predicate: NamedNode | string,
): Literal | undefined =>
  graph.objects(subject, predicate).find((term): term is Literal => term.termType === 'Literal')

/** Lexical form of the first literal object. */
export const textOf = (
  graph: Graph,
  subject: Node,
  predicate: NamedNode | string,
): string | undefined => literalOf(graph, subject, predicate)?.value

const type = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type'

/** Whether a node has the class as `rdf:type`. */
export const isA = (graph: Graph, node: Node, cls: NamedNode | string): boolean =>
  graph
    .objects(node, type)
    .some((term) => term.termType === 'NamedNode' && term.value === iriOf(cls))

/** Keys of all nodes with the class as `rdf:type`, in the order of their first triples. */
export const instances = (graph: Graph, cls: NamedNode | string): readonly string[] =>
  [...graph.subjects()].filter((subject) => isA(graph, subject, cls))

/**
 * Triples that describe a node: its own and those of all blank nodes reachable from it. `follow` selects further objects to
 * include (such as distributions). Cycles are handled.
 */
export function closure(
  graph: Graph,
  node: Node,
  follow: (quad: Quad) => boolean = () => false,
): Quad[] {
  const visited = new Set([keyOf(node)])
  const triples: Quad[] = []
  for (const key of visited) {
    for (const quad of graph.quads(key)) {
      triples.push(quad)
      if (quad.object.termType === 'BlankNode' || follow(quad)) visited.add(keyOf(quad.object))
    }
  }
  return triples
}
