/** The label that a node carries in its own graph. */

import type { Term } from '@rdfjs/types'
import { dct, foaf, rdfs, schema, skos } from '../../../rdf/namespaces.ts'
import type { JsonObject } from '../json.ts'
import type { Scene } from '../mapping.ts'
import { languageMap, oneText } from '../../../vocabularies/labels.ts'

const predicates = [
  skos('prefLabel').value,
  rdfs('label').value,
  dct('title').value,
  foaf('name').value,
  schema('name').value,
  'https://schema.org/name',
]

function labelsOf(node: Term, scene: Scene): readonly Term[] {
  for (const predicate of predicates) {
    const found = scene.graph.objects(node, predicate)
    if (found.some((term) => term.termType === 'Literal' && term.value.trim() !== '')) return found
  }
  return []
}

/** One label: English, else the default language, else what there is. */
export const labelOf = (node: Term, scene: Scene): string | undefined =>
  node.termType === 'Literal' ? undefined : oneText(labelsOf(node, scene), scene.language)

/** The labels of a node as object language → text. */
export const labelMapOf = (node: Term, scene: Scene): JsonObject | undefined =>
  node.termType === 'Literal' ? undefined : languageMap(labelsOf(node, scene), scene.language)
