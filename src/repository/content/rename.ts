/** Renames nodes of a body: as subjects, and as objects where a predicate points to a node and not to an address. */

import { keyOf } from '../../rdf/read.ts'
import type { NamedNode, Quad, Quad_Object, Term } from '@rdfjs/types'
import type { Names } from '../../rdf/names.ts'
import { adms, dcat, dct, dqv, foaf, prov } from '../../rdf/namespaces.ts'
import { unskolemise } from '../../rdf/skolem.ts'
import { namedNode, quad } from '../../rdf/terms.ts'

/**
 * Predicates whose objects are renamed together with the node that they name, each with its reason. Sources often name a
 * distribution by the URL that it gives and a dataset by its landing page: the object of any other predicate may be that
 * address, and stays as sent.
 */
const structure: readonly (readonly [predicate: NamedNode, reason: string])[] = [
  [dcat('distribution'), 'a dataset holds its distributions'],
  [adms('sample'), 'a sample is a distribution of its dataset'],
  [dcat('dataset'), 'a catalogue lists its datasets'],
  [dcat('catalog'), 'a catalogue lists its sub-catalogues'],
  [foaf('primaryTopic'), 'a catalogue record describes one resource'],
  [dcat('servesDataset'), 'a data service serves datasets'],
  [dcat('inSeries'), 'a dataset is in a series'],
  [dct('hasPart'), 'resources consist of resources'],
  [dct('isPartOf'), 'resources are parts of resources'],
  [dct('hasVersion'), 'a resource has versions'],
  [dct('isVersionOf'), 'a resource is a version of another'],
  [dcat('hasVersion'), 'the same in DCAT 3'],
  [dct('relation'), 'resources are related to resources'],
  [dct('source'), 'a resource is derived from another'],
  [dct('replaces'), 'a resource replaces another'],
  [prov('entity'), 'a qualified derivation or attribution refers to a resource'],
  [dqv('hasQualityMetadata'), 'a resource has a graph of quality metadata'],
]

const structural: ReadonlySet<string> = new Set(structure.map(([{ value }]) => value))

/** Whether the objects of a predicate are nodes that may be renamed, and never addresses. */
export const isStructural = (predicate: string): boolean => structural.has(predicate)

/**
 * The quads (graph names dropped) with every node of `iris` (key → IRI) under its new name: subjects, blank nodes wherever
 * they stand, and IRIs as objects of structural predicates.
 */
export function rename(quads: readonly Quad[], iris: ReadonlyMap<string, string>): Quad[] {
  const nodes = new Map([...iris].map(([key, iri]) => [key, namedNode(iri)]))
  const named = <T extends Term>(term: T): T | NamedNode => nodes.get(keyOf(term)) ?? term
  const isRenamed = ({ predicate, object }: Quad) =>
    object.termType === 'BlankNode' ||
    (object.termType === 'NamedNode' && isStructural(predicate.value))
  return quads.map((q) =>
    quad(named(q.subject), q.predicate, isRenamed(q) ? named<Quad_Object>(q.object) : q.object),
  )
}

/**
 * The body with the IRIs that stand for blank nodes of these resources made blank nodes again (RDF 1.1 Concepts, 3.5), so that
 * what was read as it is stored comes back as it was sent. Those of other resources stay: whoever drops what is foreign
 * drops them too.
 */
export function blankAgain(
  quads: readonly Quad[],
  names: Names,
  owners: Iterable<string>,
): readonly Quad[] {
  const { genidPrefix: prefix } = names
  const isNode = ({ termType, value }: Term) => termType === 'NamedNode' && value.startsWith(prefix)
  if (!quads.some(({ subject, object }) => isNode(subject) || isNode(object))) return quads
  const resources = new Set(owners)
  const theirs = new Set([...resources].map((iri) => names.genid(iri)))
  const which = (iri: string) =>
    theirs.has(iri.slice(0, iri.indexOf('/', prefix.length) + 1)) && !resources.has(iri)
  return unskolemise(quads, { prefix, which })
}
