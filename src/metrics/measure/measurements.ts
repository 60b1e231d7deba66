/**
 * Measurements in the Data Quality Vocabulary (W3C DQV): written in one form, read in those of older versions and of others; and
 * the metadata node of a dataset with the additions of segments.
 */

import type { BlankNode, Literal, NamedNode, Quad } from '@rdfjs/types'
import { isIri } from '../../rdf/iri.ts'
import { computedOn, dct, dqv, prov, pv, rdf, xsd } from '../../rdf/namespaces.ts'
import { firstObject, graphOf, keyOf, literalOf } from '../../rdf/read.ts'
import { blankNode, literal, namedNode, quad } from '../../rdf/terms.ts'
import { indicatorOf, metricName } from '../indicators.ts'
import { metricsNode, type Payload } from '../pipe/payload.ts'
import { reportAnnotation, type ReportGraph, withoutReport } from './validation-report.ts'

/** An `xsd:dateTime` in UTC, to the second. */
export const dateTimeOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

type Addition = {
  /** Local names of the metrics whose older measurements are replaced. */
  readonly metrics: readonly string[]
  readonly quads: readonly Quad[]
  /** Lexical form of an `xsd:dateTime`. */
  readonly at: string
}

/** Replaces the measurements of metrics in a payload. */
export const withMeasurements = (payload: Payload, { metrics, quads, at }: Addition): Payload => ({
  ...payload,
  metrics: metadataQuads(payload, at).concat(
    withoutMetadata(payload, withoutMetrics(payload.metrics, metrics)),
    quads,
  ),
})

/** Replaces the report of the validation in a payload. */
export function withReport(payload: Payload, report: ReportGraph, time: string): Payload {
  const dataset = namedNode(payload.subject.iri)
  return {
    ...payload,
    metrics: metadataQuads(payload, time).concat(
      withoutMetadata(payload, withoutReport(payload.metrics)),
      reportAnnotation({ dataset, time, report }),
    ),
  }
}

/** Statements about the metadata node: its type, its dataset, and when it was made. */
function metadataQuads(payload: Payload, at: string): Quad[] {
  const node = metricsNode(payload)
  return [
    quad(node, rdf('type'), dqv('QualityMetadata')),
    quad(node, prov('generatedAtTime'), literal(at, xsd('dateTime'))),
    quad(namedNode(payload.subject.iri), dqv('hasQualityMetadata'), node),
  ]
}

const metadataLink = dqv('hasQualityMetadata').value
const metadataProperties: ReadonlySet<string> = new Set([
  rdf('type').value,
  prov('generatedAtTime').value,
])

function withoutMetadata(
  { metricsGraph, subject }: Payload,
  quads: readonly Quad[],
): readonly Quad[] {
  return quads.filter((q) => {
    if (q.subject.value === metricsGraph) return !metadataProperties.has(q.predicate.value)
    return !(q.predicate.value === metadataLink && q.subject.value === subject.iri)
  })
}

/** Measurement that a segment writes. */
export type Measurement = {
  /** Local name of the metric. */
  readonly metric: string
  /** The dataset or the distribution. */
  readonly target: NamedNode | BlankNode
  readonly value: boolean | number
  /** Lexical form of an `xsd:dateTime`. */
  readonly time: string
  /** URL that was checked. */
  readonly url?: string
  /** When the URL began to fail. */
  readonly failingSince?: string
}

const terms = {
  since: dct('valid'),
  link: dqv('hasQualityMeasurement'),
  type: rdf('type'),
  class: dqv('QualityMeasurement'),
  metric: dqv('isMeasurementOf'),
  computedOn: dqv('computedOn'),
  value: dqv('value'),
  time: prov('generatedAtTime'),
  source: prov('wasDerivedFrom'),
} as const

const booleanLiterals = {
  true: literal('true', xsd('boolean')),
  false: literal('false', xsd('boolean')),
}

const valueTerm = (value: boolean | number): Literal =>
  typeof value === 'number' ? literal(String(value), xsd('integer')) : booleanLiterals[`${value}`]

/**
 * Writes a measurement as a fresh blank node, linked from the measured node; booleans and integers. Its triples are in the order
 * in which they are stored, so that they need not be sorted.
 */
export function measurementQuads({
  metric,
  target,
  value,
  time: at,
  url,
  failingSince,
}: Measurement): Quad[] {
  const node = blankNode()
  const quads = [
    quad(target, terms.link, node),
    ...(failingSince === undefined
      ? []
      : [quad(node, terms.since, literal(failingSince, xsd('dateTime')))]),
    quad(node, terms.type, terms.class),
    quad(node, terms.computedOn, target),
    quad(node, terms.metric, pv(metric)),
    quad(node, terms.value, valueTerm(value)),
    quad(node, terms.time, literal(at, xsd('dateTime'))),
  ]
  // What a dataset calls a URL need not be an IRI.
  if (url !== undefined)
    quads.push(quad(node, terms.source, isIri(url) ? namedNode(url) : literal(url)))
  return quads
}

/** Measurement that was read from a metrics graph. */
export type MeasuredValue = {
  /** Local name of the metric. */
  readonly metric: string
  /** Key of what was measured: an IRI, or `_:label`. */
  readonly target: string
  readonly value: boolean | number
  /** URL that was checked. */
  readonly url?: string
  /** Time of the measurement, as it is written. */
  readonly time?: string
  /** When the URL began to fail. */
  readonly failingSince?: string
}

/** Reads the measurements that have a metric, a target and a readable value, in the order of their first triples. */
export function measurements(quads: Iterable<Quad>): readonly MeasuredValue[] {
  const graph = graphOf(quads)
  const targets = new Map<string, string>()
  for (const { subject, predicate, object } of graph.quads())
    if (predicate.value === terms.link.value) targets.set(keyOf(object), keyOf(subject))
  return [...graph.subjects()].flatMap((node) => {
    const metric = firstObject(graph, node, terms.metric)
    const valueLiteral = literalOf(graph, node, terms.value)
    const [computedTerm] = computedOn.flatMap((iri) => graph.objects(node, iri))
    const target = computedTerm ? keyOf(computedTerm) : targets.get(node)
    if (!metric || !valueLiteral || target === undefined) return []
    const name = metricName(metric.value)
    const value = valueIn(name, valueLiteral.value.trim(), valueLiteral.datatype.value)
    const url = firstObject(graph, node, terms.source)?.value
    const time = firstObject(graph, node, terms.time)?.value
    const failingSince = firstObject(graph, node, terms.since)?.value
    return value === undefined ? [] : [{ metric: name, target, value, url, time, failingSince }]
  })
}

const booleanTexts: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

/** Reads a value: a boolean or a number as the metric demands whatever its datatype; for an unknown metric by its text. */
function valueIn(metric: string, text: string, datatype = ''): boolean | number | undefined {
  const word = text.toLowerCase()
  const indicator = indicatorOf(metric)
  const isBoolean = indicator
    ? indicator.type === 'boolean'
    : datatype.endsWith('#boolean') || word === 'true' || word === 'false'
  if (isBoolean)
    return booleanTexts.get(word) ?? booleanTexts.get(String(Number(word || Number.NaN)))
  const number = word === '' ? Number.NaN : Number(word)
  return Number.isFinite(number) ? number : undefined
}

/** Quads without the measurements of metrics and the links to them. */
export function withoutMetrics(quads: readonly Quad[], metrics: Iterable<string>): readonly Quad[] {
  const names = new Set(metrics)
  const replacedNodes = new Set<string>()
  for (const { subject, predicate, object } of quads) {
    if (predicate.value === terms.metric.value && names.has(metricName(object.value)))
      replacedNodes.add(keyOf(subject))
  }
  if (replacedNodes.size === 0) return quads
  return quads.filter(
    ({ subject, predicate, object }) =>
      !replacedNodes.has(keyOf(subject)) &&
      !(predicate.value === terms.link.value && replacedNodes.has(keyOf(object))),
  )
}
