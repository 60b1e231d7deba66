/** Which nodes of a body are what: a few questions about `rdf:type`, asked once per body. */

import { keyOf } from '../../rdf/read.ts'
import type { Quad, Term } from '@rdfjs/types'
import { dcat, rdf } from '../../rdf/namespaces.ts'

const type = rdf('type').value

export type Classes = {
  /** Keys of the subjects that have one of the classes. */
  of(...names: string[]): ReadonlyMap<string, Term>
  /** The same for one class by its IRI. */
  ofClass(iri: string): ReadonlyMap<string, Term>
}

/** Reads the types of all subjects; `of('Dataset')` takes local names of the DCAT namespace. */
export function classes(quads: readonly Quad[]): Classes {
  const members = new Map<string, Map<string, Term>>()
  for (const quad of quads) {
    if (quad.predicate.value !== type) continue
    const known = members.get(quad.object.value) ?? new Map<string, Term>()
    known.set(keyOf(quad.subject), quad.subject)
    members.set(quad.object.value, known)
  }
  return {
    ofClass: (iri) => members.get(iri) ?? new Map(),
    of: (...names) => new Map(names.flatMap((name) => [...(members.get(dcat(name).value) ?? [])])),
  }
}
