/** Renames nodes of a body in subject and object position. */

import { keyOf } from '../../rdf/read.ts'
import type { NamedNode, Quad, Quad_Object, Quad_Subject, Term } from '@rdfjs/types'
import type { Names } from '../../rdf/names.ts'
import { unskolemise } from '../../rdf/skolem.ts'
import { namedNode, quad } from '../../rdf/terms.ts'

/** The quads (graph names dropped) with every node of `iris` (key → IRI) under its new name. */
export function rename(quads: readonly Quad[], iris: ReadonlyMap<string, string>): Quad[] {
  const nodes = new Map([...iris].map(([key, iri]) => [key, namedNode(iri)]))
  const named = <T extends Term>(term: T): T | NamedNode =>
    term.termType === 'Literal' ? term : (nodes.get(keyOf(term)) ?? term)
  return quads.map((q) =>
    quad(named<Quad_Subject>(q.subject), q.predicate, named<Quad_Object>(q.object)),
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
