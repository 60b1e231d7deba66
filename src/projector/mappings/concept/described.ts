/** The JSON of a known concept; made once per concept, because the same few concepts stand in every record. */

import type { Concept } from '../../../vocabularies/concept.ts'
import type { JsonObject } from '../json.ts'

/** Makes a function of a concept that remembers what it made. */
export function remembered<T>(make: (concept: Concept) => T): (concept: Concept) => T {
  const made = new WeakMap<Concept, T>()
  return (concept) => {
    const found = made.get(concept)
    if (found !== undefined) return found
    const value = make(concept)
    made.set(concept, value)
    return value
  }
}

/** `{id, label, resource}` with the English label. */
export const labelled = remembered(({ id, label, iri }): JsonObject => ({
  id,
  label,
  resource: iri,
}))

/** `{id, label: {language: text}, resource}` with all labels. */
export const multilingual = remembered(({ id, label, prefLabel, iri }): JsonObject => ({
  id,
  label: Object.keys(prefLabel).length > 0 ? prefLabel : { en: label },
  resource: iri,
}))
