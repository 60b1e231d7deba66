/** Renames nodes of a body in subject and object position. */

import { keyOf } from '../../rdf/read.ts'
import type { NamedNode, Quad, Quad_Object, Quad_Subject, Term } from '@rdfjs/types'
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
