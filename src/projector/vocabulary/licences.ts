/** Licences are written in many ways; these normal forms find the one that is meant. */

import type { Concept } from './concept.ts'
import { firstWins } from './table.ts'

/** Letters and digits only, lower case: `CC-BY 4.0` and `CC_BY_4_0` are the same. */
const squashed = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')

/** An IRI without what does not tell licences apart: scheme, `www.`, trailing `/`, `legalcode`, `deed` and their languages. */
const similar = (iri: string): string =>
  iri
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\/(?:www\.)?/, '')
    .replace(/\/+$/, '')
    .replace(/\/(?:legalcode|deed)(?:\.[a-z_-]+)?$/, '')
    .replace(/\/+$/, '')

export type Licences = {
  readonly byIri: (iri: string) => Concept | undefined
  readonly byText: (text: string) => Concept | undefined
}

/**
 * Lookups over the licences and over every concept that says what it exactly matches. Both lists are in order of
 * preference.
 */
export function licencesOf(licences: readonly Concept[], matching: readonly Concept[]): Licences {
  const exact = firstWins(
    [...licences, ...matching].flatMap((concept) =>
      concept.exactMatch.map((iri) => [iri, concept] as const),
    ),
  )
  const alike = firstWins(
    [...licences, ...matching].flatMap((concept) =>
      [...concept.exactMatch, concept.iri].map((iri) => [similar(iri), concept] as const),
    ),
  )
  const texts = firstWins([
    ...licences.map((concept) => [squashed(concept.id), concept] as const),
    ...licences.flatMap((concept) =>
      Object.values(concept.prefLabel).map((label) => [squashed(label), concept] as const),
    ),
    ...licences.flatMap((concept) =>
      Object.values(concept.altLabel)
        .flat()
        .map((label) => [squashed(label), concept] as const),
    ),
  ])
  return {
    byIri: (iri) => exact.get(iri) ?? alike.get(similar(iri)),
    byText: (text) => texts.get(squashed(text)),
  }
}
