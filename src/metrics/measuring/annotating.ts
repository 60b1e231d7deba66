/** Every boolean indicator of one dataset and its distributions. */

import type { BlankNode, NamedNode, Term } from '@rdfjs/types'
import { dcat, dct } from '../../rdf/namespaces.ts'
import { graphOf, type Graph } from '../../rdf/read.ts'
import { namedNode } from '../../rdf/terms.ts'
import { distributionsOf, type Payload } from '../pipe/payload.ts'
import type { IndicatorName } from '../indicators.ts'
import { isDate, isValue, type Values } from './values.ts'

/** What is measured on one node. */
type Found = Readonly<Partial<Record<IndicatorName, boolean>>>
export type Annotated = { readonly on: NamedNode | BlankNode; readonly found: Found }

/** The dataset first, then its distributions in the order of the triples. Samples are not distributions. */
export function annotate(payload: Payload, values: Values): readonly Annotated[] {
  const graph = graphOf(payload.dataset)
  const node = namedNode(payload.subject.iri)
  const distributions = distributionsOf(payload)
  return [
    { on: node, found: ofDataset(reader(graph, node), values) },
    ...distributions.map((on) => ({ on, found: ofDistribution(reader(graph, on), graph, values) })),
  ]
}

/** The values of a property of one node. */
type Read = (property: NamedNode) => readonly Term[]

const reader =
  (graph: Graph, node: Term): Read =>
  (property) =>
    graph.objects(node, property).filter(isValue)

function ofDataset(read: Read, values: Values): Found {
  const has = (property: NamedNode) => read(property).length > 0
  const rights = read(dct('accessRights'))
  return {
    keywordAvailability: has(dcat('keyword')),
    categoryAvailability: has(dcat('theme')),
    spatialAvailability: has(dct('spatial')),
    temporalAvailability: has(dct('temporal')),
    accessRightsAvailability: rights.length > 0,
    accessRightsVocabularyAlignment: rights.some(values.isAccessRight),
    contactPointAvailability: has(dcat('contactPoint')),
    publisherAvailability: has(dct('publisher')),
    dateIssuedAvailability: read(dct('issued')).some(isDate),
    dateModifiedAvailability: read(dct('modified')).some(isDate),
  }
}

function ofDistribution(read: Read, graph: Graph, values: Values): Found {
  const has = (property: NamedNode) => read(property).length > 0
  const given = { formats: read(dct('format')), mediaTypes: read(dcat('mediaType')) }
  const licences = read(dct('license'))
  return {
    downloadUrlAvailability: has(dcat('downloadURL')),
    formatAvailability: given.formats.length > 0,
    mediaTypeAvailability: given.mediaTypes.length > 0,
    formatMediaTypeVocabularyAlignment: values.isAligned(given),
    formatMediaTypeNonProprietary: values.isNonProprietary(given),
    formatMediaTypeMachineInterpretable: values.isMachineReadable(given),
    licenceAvailability: licences.length > 0,
    knownLicence: licences.some((value) => values.isKnownLicence(value, graph)),
    rightsAvailability: has(dct('rights')),
    byteSizeAvailability: has(dcat('byteSize')),
    dateIssuedAvailability: read(dct('issued')).some(isDate),
    dateModifiedAvailability: read(dct('modified')).some(isDate),
  }
}
