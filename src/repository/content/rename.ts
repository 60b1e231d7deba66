/** Renames nodes of a body in subject and object position. */

import { keyOf } from '../../rdf/read.ts'
import type { Quad, Quad_Object, Quad_Subject, Term } from '@rdfjs/types'
import { namedNode, quad } from '../../rdf/terms.ts'

/** The quads (graph names dropped) with every node of `iris` (key → IRI) under its new name. */
export function rename(quads: readonly Quad[], iris: ReadonlyMap<string, string>): Quad[] {
  const named = <T extends Term>(term: T): T | ReturnType<typeof namedNode> => {
    if (term.termType === 'Literal') return term
    const iri = iris.get(keyOf(term))
    return iri === undefined ? term : namedNode(iri)
  }
  return quads.map((q) =>
    quad(named<Quad_Subject>(q.subject), q.predicate, named<Quad_Object>(q.object)),
  )
}
