/** Licences: concepts of the licence table in all their spellings, described nodes, foreign IRIs, names. */

import { compareCodePoints } from '../../../text/code-points.ts'
import type { Term } from '@rdfjs/types'
import { dc, dct, rdfs, skos } from '../../../rdf/namespaces.ts'
import { schemes, type Concept } from '../../../vocabularies/concept.ts'
import { objectOf, type JsonObject } from '../json.ts'
import { iriLike, iriOf, settle, type Mapping, type Ranked, type Scene } from '../mapping.ts'
import { normalised } from '../text/keywords.ts'
import { oneText } from '../../../vocabularies/labels.ts'
import { remembered } from './described.ts'

const ofAuthority = remembered(
  ({ id, label, definition, exactMatch, iri, extensions }: Concept): JsonObject => ({
    id,
    label,
    ...(definition !== undefined && { description: definition }),
    resource: exactMatch[0] ?? iri,
    ...(extensions.licensing_assistant && { la_url: extensions.licensing_assistant }),
  }),
)

/**
 * A licence of another vocabulary keeps its IRI as id, whether or not that vocabulary is installed: links and filters of
 * clients hold it. A rule of enrichment may name another id.
 */
function fromConcept(concept: Concept, iri: string): JsonObject {
  if (concept.scheme === schemes.licence) return ofAuthority(concept)
  const { label, definition } = concept
  return {
    id: iri,
    label,
    ...(definition !== undefined && { description: definition }),
    resource: iri,
  }
}

const labels = [
  skos('prefLabel').value,
  dct('title').value,
  skos('altLabel').value,
  rdfs('label').value,
]
const identifiers = [dct('identifier').value, dc('identifier').value]
const exactMatch = skos('exactMatch').value
const description = dct('description').value

function firstText(node: Term, predicates: readonly string[], scene: Scene): string | undefined {
  for (const predicate of predicates) {
    const text = oneText(scene.graph.objects(node, predicate), scene.language)
    if (text !== undefined) return text
  }
  return undefined
}

const known = (iri: string, scene: Scene) =>
  scene.concepts.find(iri) ?? scene.concepts.licenceByIri(iri)

function described(node: Term, scene: Scene): JsonObject | undefined {
  const matches = scene.graph
    .objects(node, exactMatch)
    .flatMap((term) => iriOf(term, scene) ?? [])
    .sort(compareCodePoints)
  for (const iri of matches) {
    const concept = known(iri, scene)
    if (concept) return fromConcept(concept, iri)
  }
  const label = firstText(node, labels, scene)
  const id = firstText(node, identifiers, scene) ?? (label && normalised(label))
  const resource = matches[0] ?? iriOf(node, scene)
  if (label === undefined && id === undefined && matches.length === 0) return undefined
  return objectOf({
    id: id || resource,
    label: label ?? id ?? resource,
    description: firstText(node, [description], scene),
    resource,
  })
}

function named(text: string, scene: Scene): JsonObject | undefined {
  const concept = scene.concepts.licenceByText(text)
  if (concept) return ofAuthority(concept)
  const id = normalised(text)
  return id === '' ? undefined : { id, label: text }
}

function licenceOf(node: Term, scene: Scene): JsonObject | undefined {
  const iri = iriLike(node, scene)
  const concept = iri === undefined ? undefined : known(iri, scene)
  if (concept && iri !== undefined) return fromConcept(concept, iri)
  if (node.termType !== 'Literal') {
    const json = described(node, scene)
    if (json) return json
  }
  if (iri !== undefined) return { id: iri, label: iri, resource: iri }
  return node.termType === 'Literal' ? named(node.value.trim(), scene) : undefined
}

const keyOf = (json: JsonObject) => {
  const key = json['resource'] ?? json['id']
  return typeof key === 'string' ? key : ''
}

/** License: `{id, label, description?, resource, la_url?}`. */
export const license: Mapping = (nodes, site, scene) => {
  const values: Ranked[] = []
  for (const node of nodes) {
    const json = licenceOf(node, scene)
    if (json) values.push({ key: keyOf(json), json })
    else scene.report(site.path, 'unknown-concept', node)
  }
  return settle(values, site, scene)
}
