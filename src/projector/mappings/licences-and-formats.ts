/** Licences: concepts of the licence table in all their spellings, described nodes, foreign IRIs, names. */

import type { Term } from '@rdfjs/types'
import { dc, dct, rdfs, skos } from '../../rdf/namespaces.ts'
import { compareCodePoints } from '../../text/code-points.ts'
import { type Concept, schemes } from '../../vocabularies/concept.ts'
import { oneText } from '../../vocabularies/labels.ts'
import { labelled, remembered } from './concepts.ts'
import {
  afterLast,
  eachValue,
  iriLike,
  isBlank,
  keyedBy,
  nodeIri,
  objectOf,
  type Scene,
} from './mapping.ts'
import type { JsonObject } from '../../text/json.ts'
import { mediaTypeOf, normalised } from './texts.ts'

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
  const { label, definition: description } = concept
  return { id: iri, label, ...(description !== undefined && { description }), resource: iri }
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
    .flatMap((term) => nodeIri(term, scene) ?? [])
    .sort(compareCodePoints)
  for (const iri of matches) {
    const concept = known(iri, scene)
    if (concept) return fromConcept(concept, iri)
  }
  const label = firstText(node, labels, scene)
  const id = firstText(node, identifiers, scene) ?? (label && normalised(label))
  const resource = matches[0] ?? nodeIri(node, scene)
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

/** License: `{id, label, description?, resource, la_url?}`. */
export const license = eachValue(
  (node, scene) => keyedBy(licenceOf(node, scene), 'resource', 'id') ?? 'unknown-concept',
)

// File formats: concepts of the file-type table from IRIs, media types, codes, endings and common names.

function byMediaType(type: string, scene: Scene, resource?: string): JsonObject {
  const concept = scene.concepts.formatByMediaType(type)
  if (concept) return labelled(concept)
  return { id: type, label: type, ...(resource !== undefined && { resource }) }
}

function lastSegment(iri: string): string {
  const segment = afterLast(iri.replace(/[?#]+$/, '').replace(/\/+$/, ''))
  try {
    return decodeURIComponent(segment)
  } catch (cause) {
    if (cause instanceof URIError) return segment
    throw cause
  }
}

function byIri(iri: string, scene: Scene): JsonObject {
  const concept = scene.concepts.find(iri)
  if (concept) return labelled(concept)
  const type = mediaTypeOf(iri)
  if (type !== undefined) return byMediaType(type, scene, iri)
  const name = lastSegment(iri)
  return { id: name, label: name, resource: iri }
}

const topLevel =
  /^(?:application|audio|chemical|font|image|message|model|multipart|text|video|x-[a-z]+)\//

function byText(text: string, scene: Scene): JsonObject | undefined {
  const concept = scene.concepts.formatByText(text)
  if (concept) return labelled(concept)
  const type = mediaTypeOf(text)
  if (type !== undefined && topLevel.test(type)) return byMediaType(type, scene)
  const id = normalised(text)
  return id === '' ? undefined : { id, label: text }
}

/** The format that a term names; `undefined` for what names none. */
export function formatOf(node: Term, scene: Scene): JsonObject | undefined {
  const iri = iriLike(node, scene)
  if (iri !== undefined) return byIri(iri, scene)
  return node.termType === 'Literal' ? byText(node.value.trim(), scene) : undefined
}

/** Format: `{id, label, resource}`. */
export const format = eachValue((node, scene) =>
  isBlank(node, scene) ? 'not-an-iri' : keyedBy(formatOf(node, scene), 'resource', 'id'),
)
