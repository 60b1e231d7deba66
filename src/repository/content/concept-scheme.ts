/** Finds the concept scheme that a vocabulary body is about. */

import type { Quad } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { rdf, skos } from '../../rdf/namespaces.ts'

/**
 * The single `skos:ConceptScheme`; several → the one that most concepts are in; none → the one common `skos:inScheme` value.
 * Fails with `missing-class`.
 */
export function conceptScheme(quads: readonly Quad[]): string {
  const typed = new Set(
    quads
      .filter(
        (q) =>
          q.predicate.value === rdf('type').value && q.object.value === skos('ConceptScheme').value,
      )
      .filter((q) => q.subject.termType === 'NamedNode')
      .map((q) => q.subject.value),
  )
  const members = new Map<string, number>()
  for (const q of quads) {
    if (q.predicate.value !== skos('inScheme').value || q.object.termType !== 'NamedNode') continue
    members.set(q.object.value, (members.get(q.object.value) ?? 0) + 1)
  }
  const candidates = typed.size > 0 ? [...typed] : [...members.keys()]
  const [first, second] = candidates.sort(
    (a, b) => (members.get(b) ?? 0) - (members.get(a) ?? 0) || (a < b ? -1 : 1),
  )
  if (first === undefined || (typed.size === 0 && second !== undefined)) {
    throw new Failure(
      'missing-class',
      'the body describes no skos:ConceptScheme, and its concepts share no single skos:inScheme',
    )
  }
  return first
}
