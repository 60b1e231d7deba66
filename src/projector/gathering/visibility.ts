/** Which catalogues are kept out of search, with everything in them. */

import type { Quad } from '@rdfjs/types'

const localName = (iri: string): string => /[^/#:]*$/.exec(iri)?.[0] ?? ''

/**
 * Whether a catalogue says of itself that it is hidden: a property with the local name `visibility`, in any namespace,
 * whose value is an IRI with the local name `hidden`, or the literal `hidden`.
 */
export function isHidden(quads: Iterable<Quad>, catalogue: string): boolean {
  for (const { subject, predicate, object } of quads) {
    if (subject.value !== catalogue || localName(predicate.value) !== 'visibility') continue
    if (
      object.termType === 'Literal'
        ? object.value === 'hidden'
        : localName(object.value) === 'hidden'
    )
      return true
  }
  return false
}
