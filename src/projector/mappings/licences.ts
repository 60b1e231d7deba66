/**
 * Mapping of licences: concepts of the licence table in all their spellings, described nodes, IRIs of other vocabularies, names.
 */

import type { Term } from '@rdfjs/types'
import type { JsonObject } from '../../text/json.ts'
import { type Concept, schemes } from '../../vocabularies/concept.ts'
import { identityIri, meaningOf } from '../../vocabularies/described-values.ts'
import { preferredText } from '../../vocabularies/labels.ts'
import { licenceOf as licenceNames, saysNoLicence } from '../../vocabularies/licences.ts'
import { memoiseByConcept, textId } from './concepts.ts'
import {
  eachValue,
  iriLike,
  keyedBy,
  nodeIri,
  objectOf,
  predicateIris,
  type MappingContext,
  type CompiledField,
} from './mapping.ts'
import { nodeLabel } from './texts.ts'

const authorityLicence = memoiseByConcept(
  ({ id, label, definition, exactMatch, iri, extensions }: Concept): JsonObject => ({
    id,
    label,
    ...(definition !== undefined && { description: definition }),
    resource: exactMatch[0] ?? iri,
    ...(extensions.licensing_assistant && { la_url: extensions.licensing_assistant }),
  }),
)

/**
 * Returns the licence for an IRI, `undefined` for one in no vocabulary. A licence of the licence table has its code as id, one of
 * another vocabulary its IRI, as if that vocabulary were not installed: links and filters of clients contain it. A rule of
 * enrichment may set another id.
 */
function licenceByIri(iri: string, { concepts }: MappingContext): JsonObject | undefined {
  const concept = concepts.find(iri) ?? concepts.licences.byIri(iri)
  if (!concept || concept.scheme === schemes.licence) return concept && authorityLicence(concept)
  const { label, definition: description } = concept
  return { id: iri, label, ...(description !== undefined && { description }), resource: iri }
}

/** Finds the licence for one name of a value: an address in any spelling, a code or a name. */
function licenceNamed(name: string, context: MappingContext): JsonObject | undefined {
  const { licences, authorities } = context.concepts
  const licence = licences.byIri(name) ?? licences.byText(name)
  const match = licence ? undefined : licenceNames({ title: name.slice(0, 2000) }, authorities)
  const concept = licence ?? (match?.kind === 'iri' ? licences.byIri(match.iri) : undefined)
  if (concept) return licenceByIri(concept.iri, context)
  // A name may refer to a licence that is in no table; an address alone adds nothing.
  if (match?.kind !== 'iri' || match.iri === name) return undefined
  return { id: match.iri, label: name, resource: match.iri }
}

const licencePredicates = {
  id: predicateIris('dct:identifier dc:identifier'),
  description: predicateIris('dct:description'),
}

/** Returns a licence that the graph describes. */
function describedLicence(node: Term, context: MappingContext): JsonObject | undefined {
  const { graph, language } = context
  const text = (name: 'id' | 'description') =>
    licencePredicates[name]
      .map((predicate) => preferredText(graph.objects(node, predicate), language))
      .find((description) => description !== undefined)
  const label = nodeLabel(node, context)
  const id = text('id') ?? (label && textId(label))
  const resource = nodeIri(node, context) ?? identityIri(node, graph)
  if (label === undefined && id === undefined && nodeIri(node, context) !== undefined)
    return undefined
  const description = text('description')
  return objectOf({
    id: id ?? resource,
    label: label ?? id ?? resource,
    description: description === label ? undefined : description,
    resource,
  })
}

function licenceOf(
  node: Term,
  context: MappingContext,
  { path }: CompiledField,
): JsonObject | undefined {
  const iri = iriLike(node, context)
  const knownJson = iri === undefined ? undefined : licenceByIri(iri, context)
  if (knownJson) return knownJson
  if (saysNoLicence(node, context.graph)) return undefined
  const json =
    meaningOf(node, context.graph, (name) => licenceNamed(name, context)) ??
    (node.termType === 'Literal' ? undefined : describedLicence(node, context))
  if (json) return json
  if (iri !== undefined) return { id: iri, label: iri, resource: iri }
  if (node.termType !== 'Literal') return undefined
  const label = node.value.trim()
  context.report(path, 'unknown-concept', label)
  return { id: textId(label), label }
}

/** License: `{id, label, description?, resource, la_url?}`. */
export const license = eachValue(
  (node, context, field) =>
    keyedBy(licenceOf(node, context, field), 'resource', 'id') ?? 'unknown-concept',
)
