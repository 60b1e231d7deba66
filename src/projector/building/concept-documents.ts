/** Documents of the concepts of a stored vocabulary. */

import type { Document } from '../../indices/search-index.ts'
import { skos } from '../../rdf/namespaces.ts'
import type { Graph } from '../../rdf/read.ts'
import { columnsOf } from '../indexing/columns.ts'
import { indexFields, nothingIndexed } from '../indexing/index-fields.ts'
import { addText, noLanguage } from '../indexing/texts.ts'
import { objectOf, type JsonObject } from '../mappings/json.ts'
import { oneText } from '../mappings/text/languages.ts'
import type { Concept } from '../vocabulary/concept.ts'
import { conceptsOf } from '../vocabulary/reading.ts'
import { preferred } from '../vocabulary/table.ts'
import type { BuilderDeps, Built } from './deps.ts'

export type ConceptsInput = {
  /** Id of the vocabulary. */
  readonly vocabulary: string
  /** IRI of its concept scheme. */
  readonly scheme: string
  readonly graph: Graph
  readonly version: number
  readonly hash: string
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

/** The builder of concept documents. Concepts without a label are left out. */
export function conceptBuilder({ profile }: BuilderDeps) {
  const columns = columnsOf(profile.concept.fields)
  const names = new Set(profile.concept.fields.map(({ name }) => name))

  const documentOf = (
    concept: Concept,
    id: string,
    input: ConceptsInput,
    title: string,
  ): Document => {
    const { vocabulary, version, hash } = input
    const record = chosen(recordOf(concept), names)
    const indexed = nothingIndexed()
    addText(indexed.text, 'id', noLanguage, concept.id)
    indexFields(indexed, columns, record, ['en'])
    for (const [language, texts] of names.has('alt_label') ? Object.entries(concept.altLabel) : [])
      for (const text of texts) addText(indexed.text, 'alt_label', language, text)
    const facets = { vocabulary: [{ id: vocabulary, title }] }
    return { index: 'vocabulary', id, version, hash, ...indexed, facets, record }
  }

  return (input: ConceptsInput): Built[] => {
    const { vocabulary, scheme, graph } = input
    const title = oneText(graph.objects(scheme, skos('prefLabel')), 'en') ?? vocabulary
    const taken = new Set<string>()
    const labelled = conceptsOf(graph, scheme).filter(
      ({ prefLabel }) => Object.keys(prefLabel).length > 0,
    )
    return preferred(labelled).map((concept) => {
      const name = taken.has(concept.id) ? encodeURIComponent(concept.iri) : concept.id
      taken.add(concept.id)
      return { document: documentOf(concept, `${vocabulary}/${name}`, input, title), reports: [] }
    })
  }
}
