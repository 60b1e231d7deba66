/** Documents of the concepts of a stored vocabulary. */

import type { Document } from '../../search-index/search-index.ts'
import { skos } from '../../rdf/namespaces.ts'
import type { Graph } from '../../rdf/read.ts'
import { fingerprint } from '../../text/fingerprint.ts'
import { columnsOf } from './columns.ts'
import { addText, indexFields, noLanguage, nothingIndexed } from './index-fields.ts'
import { objectOf, type JsonObject } from '../mappings/mapping.ts'
import { oneText } from '../../vocabularies/labels.ts'
import { type Concept, conceptsOf } from '../../vocabularies/concept.ts'
import { preferred } from '../../vocabularies/concept-table.ts'
import type { BuilderDeps, Built } from './assemble.ts'

type Place = {
  /** Id of the vocabulary. */
  readonly vocabulary: string
  readonly version: number
  readonly hash: string
}

export type ConceptsInput = Place & {
  /** IRI of its concept scheme. */
  readonly scheme: string
  readonly graph: Graph
}

export type ConceptPlace = Place & {
  /** Label of the vocabulary. */
  readonly title: string
  /** The id of the concept inside the vocabulary; of several with one id only the first has it. */
  readonly name: string
}

function recordOf({ id, iri, scheme, prefLabel, altLabel, extensions }: Concept): JsonObject {
  const alternatives = Object.entries(altLabel).map(([language, [text = '']]) => [language, text])
  return {
    id,
    resource: iri,
    in_scheme: scheme,
    pref_label: prefLabel,
    ...objectOf({
      alt_label: objectOf(Object.fromEntries(alternatives)),
      extensions: objectOf({ ...extensions }),
    }),
  }
}

/** Only what the profile's shape asks for. */
function chosen(record: JsonObject, names: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([name]) => names.has(name)))
}

/** The builder of concept documents. Concepts without a label are left out of `all`. */
export function conceptBuilder({ profile }: BuilderDeps) {
  const columns = columnsOf(profile.concept.fields)
  const names = new Set(profile.concept.fields.map(({ name }) => name))

  const one = (concept: Concept, { vocabulary, name, title, version, hash }: ConceptPlace) => {
    const record = chosen(recordOf(concept), names)
    const indexed = nothingIndexed()
    addText(indexed.text, 'id', noLanguage, concept.id)
    indexFields(indexed, columns, record, ['en'])
    for (const [language, texts] of names.has('alt_label') ? Object.entries(concept.altLabel) : [])
      for (const text of texts) addText(indexed.text, 'alt_label', language, text)
    indexed.numbers['resource'] = fingerprint(concept.iri)
    const facets = { vocabulary: [{ id: vocabulary, title }] }
    const place = { index: 'vocabulary', id: `${vocabulary}/${name}`, version, hash } as const
    const document: Document = { ...place, ...indexed, facets, record }
    return { document, reports: [] }
  }

  const all = (input: ConceptsInput): Built[] => {
    const { vocabulary, scheme, graph, version, hash } = input
    const title = oneText(graph.objects(scheme, skos('prefLabel')), 'en') ?? vocabulary
    const taken = new Set<string>()
    const labelled = conceptsOf(graph, scheme).filter(
      ({ prefLabel }) => Object.keys(prefLabel).length > 0,
    )
    return preferred(labelled).map((concept) => {
      const name = taken.has(concept.id) ? encodeURIComponent(concept.iri) : concept.id
      taken.add(concept.id)
      return one(concept, { vocabulary, title, name, version, hash })
    })
  }

  return { one, all }
}
