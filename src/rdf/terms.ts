/** RDF/JS terms that keep lexical forms and language tags exactly as given. */
import type {
  BlankNode,
  DefaultGraph,
  Literal,
  NamedNode,
  Quad,
  Quad_Graph,
  Quad_Object,
  Quad_Predicate,
  Quad_Subject,
  Term,
} from '@rdfjs/types'

/** Maximum length of a literal in UTF-8 bytes that all supported stores keep. */
export const maxLiteralBytes = 2 ** 20

type TermOrNothing = Term | null | undefined

class Iri implements NamedNode {
  readonly value: string
  constructor(value: string) {
    this.value = value
  }
  get termType() {
    return 'NamedNode' as const
  }
  equals(other: TermOrNothing): boolean {
    return other === this || (other?.termType === 'NamedNode' && other.value === this.value)
  }
}

class Blank implements BlankNode {
  readonly value: string
  constructor(value: string) {
    this.value = value
  }
  get termType() {
    return 'BlankNode' as const
  }
  equals(other: TermOrNothing): boolean {
    return other === this || (other?.termType === 'BlankNode' && other.value === this.value)
  }
}

class Text implements Literal {
  readonly value: string
  readonly language: string
  readonly datatype: NamedNode
  constructor(value: string, language: string, datatype: NamedNode) {
    this.value = value
    this.language = language
    this.datatype = datatype
  }
  get termType() {
    return 'Literal' as const
  }
  equals(other: TermOrNothing): boolean {
    return (
      other === this ||
      (other?.termType === 'Literal' &&
        other.value === this.value &&
        other.language === this.language &&
        other.datatype.value === this.datatype.value)
    )
  }
}

class NoGraph implements DefaultGraph {
  get termType() {
    return 'DefaultGraph' as const
  }
  get value() {
    return '' as const
  }
  equals(other: TermOrNothing): boolean {
    return other?.termType === 'DefaultGraph'
  }
}

class Statement implements Quad {
  readonly subject: Quad_Subject
  readonly predicate: Quad_Predicate
  readonly object: Quad_Object
  readonly graph: Quad_Graph
  constructor(triple: Pick<Quad, 'subject' | 'predicate' | 'object'>, graph: Quad_Graph) {
    this.subject = triple.subject
    this.predicate = triple.predicate
    this.object = triple.object
    this.graph = graph
  }
  get termType() {
    return 'Quad' as const
  }
  get value() {
    return '' as const
  }
  equals(other: TermOrNothing): boolean {
    return (
      other?.termType === 'Quad' &&
      this.subject.equals(other.subject) &&
      this.predicate.equals(other.predicate) &&
      this.object.equals(other.object) &&
      this.graph.equals(other.graph)
    )
  }
}

const xsdString = new Iri('http://www.w3.org/2001/XMLSchema#string')
const langString = new Iri('http://www.w3.org/1999/02/22-rdf-syntax-ns#langString')
const noGraph = new NoGraph()
let labelCount = 0

/** Named node; the IRI is not validated (see `isIri`). */
export const namedNode = (iri: string): NamedNode => new Iri(iri)

/** Blank node; without a label, one that is unique in this process. */
export const blankNode = (label = `n${++labelCount}`): BlankNode => new Blank(label)

/** Literal with a language tag (string), a datatype (named node), or neither (`xsd:string`). */
export function literal(value: string, languageOrDatatype?: string | NamedNode): Literal {
  if (!languageOrDatatype) return new Text(value, '', xsdString)
  return typeof languageOrDatatype === 'string'
    ? new Text(value, languageOrDatatype, langString)
    : new Text(value, '', languageOrDatatype)
}

/** The default graph, a singleton. */
export const defaultGraph = (): DefaultGraph => noGraph

/** Quad, in the default graph unless another is given. */
export const quad = (
  subject: Quad_Subject,
  predicate: Quad_Predicate,
  object: Quad_Object,
  graph: Quad_Graph = noGraph,
): Quad => new Statement({ subject, predicate, object }, graph)

/** The triple of a quad in the default graph; the same object if it is there. */
export const inDefaultGraph = (q: Quad): Quad =>
  q.graph === noGraph ? q : quad(q.subject, q.predicate, q.object)
