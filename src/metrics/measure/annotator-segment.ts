/**
 * Segment `metrics-annotator`: measures every boolean indicator of a dataset and of its distributions, compliance from the report
 * of an earlier segment.
 */

import type { BlankNode, NamedNode, Quad, Term } from '@rdfjs/types'
import type { SegmentContext, SegmentKind } from '../../pipe/segment.ts'
import { dcat, dct } from '../../rdf/namespaces.ts'
import { type Graph, graphOf } from '../../rdf/read.ts'
import { namedNode } from '../../rdf/terms.ts'
import { saysNoLicence } from '../../vocabularies/licences.ts'
import { dateTimeOf, measurementQuads, withMeasurements } from './measurements.ts'
import { isCompliant } from './validation-report.ts'
import { type IndicatorName, indicators } from '../indicators.ts'
import { metricsSegment, segmentConfig } from '../pipe/metrics-segment.ts'
import { distributionsOf, type Payload } from '../pipe/payload.ts'
import { isDate, isValue, type ValueTests } from './measured-values.ts'

type AnnotatorDeps = {
  /** Reads the tables of values, once for each run unless it fails. */
  readonly values: (signal: AbortSignal) => Promise<ValueTests>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Makes the segment. `dcatApCompliance` is measured when there is a report: true without a result of severity Violation. Without
 * a report an older measurement of it stays.
 */
export function annotatorSegment({ values, now }: AnnotatorDeps): SegmentKind {
  const testsByRun = new WeakMap<SegmentContext, Promise<ValueTests>>()
  const valuesFor = async (context: SegmentContext, signal: AbortSignal): Promise<ValueTests> => {
    const tests = testsByRun.get(context) ?? values(signal)
    testsByRun.set(context, tests)
    try {
      return await tests
    } catch (error) {
      testsByRun.delete(context)
      throw error
    }
  }
  return metricsSegment({
    names: ['metrics-annotator', 'annotator'],
    config: segmentConfig,
    atOnce: 1,
    work: async (payload, _, context, signal) =>
      withAnnotations(payload, await valuesFor(context, signal), dateTimeOf(now())),
  })
}

const booleanMetrics: readonly string[] = indicators
  .filter(({ type }) => type === 'boolean')
  .map(({ name }) => name)
const withoutCompliance = booleanMetrics.filter((name) => name !== 'dcatApCompliance')

function withAnnotations(payload: Payload, values: ValueTests, at: string): Payload {
  const quads: Quad[] = []
  for (const { target, results } of measureIndicators(payload, values)) {
    for (const [metric, value] of Object.entries(results)) {
      quads.push(...measurementQuads({ metric, target, value, time: at }))
    }
  }
  const compliant = isCompliant(payload.metrics)
  if (compliant !== undefined) {
    const target = namedNode(payload.subject.iri)
    quads.push(
      ...measurementQuads({ metric: 'dcatApCompliance', target, value: compliant, time: at }),
    )
  }
  const metrics = compliant === undefined ? withoutCompliance : booleanMetrics
  return withMeasurements(payload, { metrics, quads, at })
}

/** Measurements of one node. */
type NodeMeasurements = Readonly<Partial<Record<IndicatorName, boolean>>>
type MeasuredNode = { readonly target: NamedNode | BlankNode; readonly results: NodeMeasurements }

/**
 * Measures the dataset without `dcatApCompliance`, then its distributions in the order of the triples, or those of
 * `distributions`.
 */
export function measureIndicators(
  payload: Pick<Payload, 'subject' | 'dataset'>,
  values: ValueTests,
  { graph, distributions } = {
    graph: graphOf(payload.dataset),
    distributions: distributionsOf(payload),
  },
): readonly MeasuredNode[] {
  const node = namedNode(payload.subject.iri)
  return [
    { target: node, results: measureDataset(reader(graph, node), graph, values) },
    ...distributions.map((target) => ({
      target,
      results: measureDistribution(inheritedReader(graph, target, node), graph, values),
    })),
  ]
}

/** The values of a property of one node. */
type Read = (property: NamedNode) => readonly Term[]

const reader =
  (graph: Graph, node: Term): Read =>
  (property) =>
    graph.objects(node, property).filter(isValue)

/**
 * Values of a distribution, with the licence and the rights of the dataset where it has none. A licence such as `none` does not
 * count.
 */
function inheritedReader(graph: Graph, distribution: Term, dataset: Term): Read {
  const read = reader(graph, distribution)
  const readDataset = reader(graph, dataset)
  const isLicence = (value: Term) => !saysNoLicence(value, graph)
  return (property) => {
    if (property.equals(dct('license'))) {
      const licences = read(property).filter(isLicence)
      return licences.length > 0 ? licences : readDataset(property).filter(isLicence)
    }
    const values = read(property)
    return values.length === 0 && property.equals(dct('rights')) ? readDataset(property) : values
  }
}

function measureDataset(read: Read, graph: Graph, values: ValueTests): NodeMeasurements {
  const has = (property: NamedNode) => read(property).length > 0
  const rights = read(dct('accessRights'))
  return {
    keywordAvailability: has(dcat('keyword')),
    categoryAvailability: has(dcat('theme')),
    spatialAvailability: has(dct('spatial')),
    temporalAvailability: has(dct('temporal')),
    accessRightsAvailability: rights.length > 0,
    accessRightsVocabularyAlignment: rights.some((value) => values.isAccessRight(value, graph)),
    contactPointAvailability: has(dcat('contactPoint')),
    publisherAvailability: has(dct('publisher')),
    dateIssuedAvailability: read(dct('issued')).some(isDate),
    dateModifiedAvailability: read(dct('modified')).some(isDate),
  }
}

function measureDistribution(read: Read, graph: Graph, values: ValueTests): NodeMeasurements {
  const has = (property: NamedNode) => read(property).length > 0
  const formatValues = { formats: read(dct('format')), mediaTypes: read(dcat('mediaType')), graph }
  const licences = read(dct('license'))
  return {
    downloadUrlAvailability: has(dcat('downloadURL')),
    formatAvailability: formatValues.formats.length > 0,
    mediaTypeAvailability: formatValues.mediaTypes.length > 0,
    formatMediaTypeVocabularyAlignment: values.isAligned(formatValues),
    formatMediaTypeNonProprietary: values.isNonProprietary(formatValues),
    formatMediaTypeMachineInterpretable: values.isMachineReadable(formatValues),
    licenceAvailability: licences.length > 0,
    knownLicence: licences.some((value) => values.isKnownLicence(value, graph)),
    rightsAvailability: has(dct('rights')),
    byteSizeAvailability: has(dcat('byteSize')),
    dateIssuedAvailability: read(dct('issued')).some(isDate),
    dateModifiedAvailability: read(dct('modified')).some(isDate),
  }
}
