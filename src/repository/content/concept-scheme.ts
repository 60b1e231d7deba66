/** Finds the concept scheme that a vocabulary body is about, while the body goes by. */

import type { Quad } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { rdf, skos } from '../../rdf/namespaces.ts'

/** Schemes that are kept in mind; a body with more is no vocabulary. */
const most = 100_000

const [type, inScheme] = [rdf('type').value, skos('inScheme').value]
const schemeClass = skos('ConceptScheme').value

export type SchemeFinder = {
  readonly take: (quad: Quad) => void
  /**
   * The single `skos:ConceptScheme`; several → the one that most concepts are in; none → the one common `skos:inScheme` value.
   * Fails with `missing-class`.
   */
  readonly found: () => string
}

export function schemeFinder(): SchemeFinder {
  const typed = new Set<string>()
  const members = new Map<string, number>()
  const take = ({ subject, predicate, object }: Quad) => {
    if (predicate.value === type) {
      if (object.value === schemeClass && subject.termType === 'NamedNode') typed.add(subject.value)
    } else if (predicate.value === inScheme && object.termType === 'NamedNode') {
      members.set(object.value, (members.get(object.value) ?? 0) + 1)
    }
    if (typed.size + members.size > most) {
      throw new Failure('too-complex', `the body names more than ${most} concept schemes`)
    }
  }
  const found = () => {
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
  return { take, found }
}
