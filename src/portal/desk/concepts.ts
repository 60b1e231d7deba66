/** Concepts for forms: what a typed label, code or address means, and how a concept is called. */

import { keysOf } from '../../text/records.ts'
import { nearest } from '../../text/nearest.ts'
import { type Authorities, conceptIri, shippedAuthorities } from '../../vocabularies/authorities.ts'
import { type Concept, schemes } from '../../vocabularies/concept.ts'
import { labelsOf } from '../../vocabularies/concept-table.ts'
import { formatIri, mediaTypeIri } from '../../vocabularies/formats.ts'

/** Look-ups in the vocabularies that come with the platform; a scheme that is none of them is empty. */
export type Concepts = {
  /** IRI of the concept that a text means. */
  readonly find: (scheme: string | undefined, text: string) => string | undefined
  /** Concept whose label is nearest to a text with typing errors. */
  readonly near: (
    scheme: string | undefined,
    text: string,
    language: string,
  ) => { readonly iri: string; readonly label: string } | undefined
  readonly label: (iri: string, language: string) => string | undefined
  /** Concepts in use. */
  readonly list: (scheme: string | undefined) => readonly Concept[]
}

/** Label of a concept in a language, else in English or any other. */
export const labelOfConcept = ({ prefLabel, label }: Concept, language: string): string =>
  prefLabel[language] ?? label

/** Makes the look-ups. */
function conceptsFor(authorities: Authorities): Concepts {
  const nameOf = (scheme: string | undefined) =>
    keysOf(schemes).find((name) => schemes[name] === scheme)
  const list = (scheme: string | undefined) => {
    const name = nameOf(scheme)
    return name ? authorities.table(name).concepts.filter(({ deprecated }) => !deprecated) : []
  }
  return {
    list,
    find: (scheme, text) => {
      if (scheme?.includes('media-types')) return mediaTypeIri(text, authorities)
      const name = nameOf(scheme)
      if (name === undefined) return undefined
      return (
        conceptIri(name, text, authorities) ??
        (name === 'fileType' ? formatIri(text, authorities) : undefined)
      )
    },
    near: (scheme, text, language) => {
      const labels = new Map(
        list(scheme).flatMap((concept) => labelsOf(concept).map((label) => [label, concept])),
      )
      const concept = labels.get(nearest(text, [...labels.keys()]) ?? '')
      return concept && { iri: concept.iri, label: labelOfConcept(concept, language) }
    },
    label: (iri, language) => {
      const concept = authorities.concept(iri)
      const [, mediaType] = /\/media-types\/(.+)$/.exec(iri) ?? []
      return concept ? labelOfConcept(concept, language) : mediaType
    },
  }
}

/** Makes the look-ups in the vocabularies that come with the platform. */
export const shippedConcepts = (): Promise<Concepts> => shippedAuthorities().then(conceptsFor)
