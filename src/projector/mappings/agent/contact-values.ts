/** Mail addresses, telephone numbers and web addresses, which vCard writes in three ways (vCard ontology 2.6). */

import { compareCodePoints } from '../../../text/code-points.ts'
import type { Term } from '@rdfjs/types'
import { vcard } from '../../../rdf/namespaces.ts'
import { isBlank, type Scene } from '../mapping.ts'

const valuePredicates = [vcard('hasValue').value, vcard('value').value]

/** The text of a value: an IRI, a literal, or what a node gives as its value. */
function spelled(term: Term, scene: Scene): string | undefined {
  for (const predicate of valuePredicates) {
    const [text] = scene.graph
      .objects(term, predicate)
      .map(({ value }) => value.trim())
      .filter((value) => value !== '')
      .sort(compareCodePoints)
    if (term.termType !== 'Literal' && text !== undefined) return text
  }
  if (term.termType !== 'Literal' && isBlank(term, scene)) return undefined
  return term.value.trim() || undefined
}

/** The first value, by code point, of the first predicate that has one. */
export function valueOf(
  predicates: readonly string[],
  node: Term,
  scene: Scene,
): string | undefined {
  for (const predicate of predicates) {
    const texts = scene.graph.objects(node, predicate).flatMap((term) => spelled(term, scene) ?? [])
    if (texts.length > 0) return texts.sort(compareCodePoints)[0]
  }
  return undefined
}

/** All values of all predicates. */
export const valuesOf = (predicates: readonly string[], node: Term, scene: Scene): string[] =>
  predicates.flatMap((predicate) =>
    scene.graph.objects(node, predicate).flatMap((term) => spelled(term, scene) ?? []),
  )

/** A mail address with `mailto:`, which is added when it is missing and the text looks like an address. */
export function emailOf(
  predicates: readonly string[],
  node: Term,
  scene: Scene,
): string | undefined {
  const text = valueOf(predicates, node, scene)
  if (text === undefined || !text.includes('@')) return text
  return /^[a-z][a-z0-9+.-]*:/i.test(text) ? text : `mailto:${text}`
}

/** An absolute http(s) address. */
export function webAddress(term: Term): string | undefined {
  const text = term.value.trim()
  return term.termType !== 'BlankNode' && /^https?:\/\/[^\s<>"{}|\\^`]+$/i.test(text)
    ? text
    : undefined
}
