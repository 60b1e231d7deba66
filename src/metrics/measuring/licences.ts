/** Which licences are known, whatever the spelling of their IRI. */

import type { Term } from '@rdfjs/types'
import { dc, dct, skos } from '../../rdf/namespaces.ts'
import type { Graph } from '../../rdf/read.ts'
import { licenceKey } from '../../vocabularies/licences.ts'
import type { Concept } from './concepts.ts'

/** Whether a value of `dct:license` is one of them; the graph may say more about it. */
export type KnownLicence = (value: Term, graph: Graph) => boolean

/**
 * A value is known by its IRI, by what it says of itself (`skos:exactMatch`, identifiers), or, when it is text, by being an
 * identifier or such an IRI. `closeMatch` counts for the concepts that are trusted with it.
 */
export function knownLicence(
  concepts: readonly Concept[],
  trusted: readonly Concept[],
): KnownLicence {
  const iris = new Set<string>()
  const codes = new Set<string>()
  for (const { iri, exactMatch, codes: own } of [...concepts, ...trusted]) {
    for (const one of [iri, ...exactMatch]) iris.add(licenceKey(one))
    for (const code of own) codes.add(code)
  }
  for (const { closeMatch } of trusted) for (const one of closeMatch) iris.add(licenceKey(one))
  const isKnownText = (text: string) => codes.has(text.trim()) || iris.has(licenceKey(text))
  return (value, graph) => {
    if (value.termType === 'Literal') return isKnownText(value.value)
    if (value.termType === 'NamedNode' && iris.has(licenceKey(value.value))) return true
    return (
      graph.objects(value, exact).some((match) => iris.has(licenceKey(match.value))) ||
      identifiers.some((name) => graph.objects(value, name).some((id) => isKnownText(id.value)))
    )
  }
}

const exact = skos('exactMatch')
const identifiers = [dct('identifier'), dc('identifier')]
