/**
 * Measurements in the Data Quality Vocabulary (W3C DQV): as we write them, and as older versions and others did; the node that
 * stands for the quality metadata of a dataset, and what a segment adds to it.
 */

import type { BlankNode, Literal, NamedNode, Quad } from '@rdfjs/types'
import { isIri } from '../../rdf/iri.ts'
import { computedOn, dct, dqv, prov, pv, rdf, xsd } from '../../rdf/namespaces.ts'
import { first, graphOf, keyOf, literalOf } from '../../rdf/read.ts'
import { blankNode, literal, namedNode, quad } from '../../rdf/terms.ts'
import { indicatorOf, metricName } from '../indicators.ts'
import { metricsNode, type Payload } from '../pipe/payload.ts'
import { annotation, type ReportGraph, withoutReport } from './validation-report.ts'

// The node that stands for the quality metadata of a dataset, and what a segment adds to it.

/** An `xsd:dateTime` in UTC, to the second. */
export const dateTimeOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

type Addition = {
  /** Local names of the metrics of which no older measurement stays. */
  readonly metrics: readonly string[]
  readonly quads: readonly Quad[]
  /** Lexical form of an `xsd:dateTime`. */
  readonly at: string
}

/** The payload with these measurements in place of the older ones of the same metrics. */
export const withMeasurements = (payload: Payload, { metrics, quads, at }: Addition): Payload => ({
  ...payload,
  metrics: frame(payload, at).concat(
    unframed(payload, withoutMetrics(payload.metrics, metrics)),
    quads,
  ),
})

/** The payload with this report in place of an older one. */
export function withReport(payload: Payload, report: ReportGraph, at: string): Payload {
  const dataset = namedNode(payload.subject.iri)
  return {
    ...payload,
    metrics: frame(payload, at).concat(
      unframed(payload, withoutReport(payload.metrics)),
      annotation({ dataset, at, report }),
    ),
  }
}

/** What says that there is quality metadata, of which dataset and since when. */
function frame(payload: Payload, at: string): Quad[] {
  const node = metricsNode(payload)
  return [
    quad(node, rdf('type'), dqv('QualityMetadata')),
    quad(node, prov('generatedAtTime'), literal(at, xsd('dateTime'))),
    quad(namedNode(payload.subject.iri), dqv('hasQualityMetadata'), node),
  ]
}

const link = dqv('hasQualityMetadata').value
const framing: ReadonlySet<string> = new Set([rdf('type').value, prov('generatedAtTime').value])

function unframed({ metricsGraph, subject }: Payload, quads: readonly Quad[]): readonly Quad[] {
  return quads.filter((q) => {
    if (q.subject.value === metricsGraph) return !framing.has(q.predicate.value)
    return !(q.predicate.value === link && q.subject.value === subject.iri)
  })
}

/** What a segment has measured, to be written. */
export type Measurement = {
  /** Local name of the metric. */
  readonly metric: string
  /** The dataset or the distribution. */
  readonly on: NamedNode | BlankNode
  readonly value: boolean | number
  /** Lexical form of an `xsd:dateTime`. */
  readonly at: string
  /** URL that was asked. */
  readonly from?: string
  /** When the URL began to fail. */
  readonly since?: string
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

const truths = { true: literal('true', xsd('boolean')), false: literal('false', xsd('boolean')) }

const valueTerm = (value: boolean | number): Literal =>
  typeof value === 'number' ? literal(String(value), xsd('integer')) : truths[`${value}`]

/**
 * A measurement as a fresh blank node, linked from what was measured; booleans and integers. Its triples come in the order in which
 * they are stored, so that they need not be sorted.
 */
export function measurementQuads({ metric, on, value, at, from, since }: Measurement): Quad[] {
  const node = blankNode()
  const quads = [
    quad(on, terms.link, node),
    ...(since === undefined ? [] : [quad(node, terms.since, literal(since, xsd('dateTime')))]),
    quad(node, terms.type, terms.class),
    quad(node, terms.computedOn, on),
    quad(node, terms.metric, pv(metric)),
    quad(node, terms.value, valueTerm(value)),
    quad(node, terms.time, literal(at, xsd('dateTime'))),
  ]
  // What a dataset calls a URL need not be an IRI.
  if (from !== undefined)
    quads.push(quad(node, terms.source, isIri(from) ? namedNode(from) : literal(from)))
  return quads
}

/** A measurement as it was read from a metrics graph, whoever wrote it. */
export type MeasuredValue = {
  /** Local name of the metric. */
  readonly metric: string
  /** Key of what was measured: an IRI, or `_:label`. */
  readonly on: string
  readonly value: boolean | number
  /** URL that was asked. */
  readonly from?: string
  /** When, as it was written. */
  readonly at?: string
  /** When the URL began to fail. */
  readonly since?: string
}

/** All that have a metric, a target and a value that can be read, in the order in which they begin. */
export function measurements(quads: Iterable<Quad>): readonly MeasuredValue[] {
  const graph = graphOf(quads)
  const targets = new Map<string, string>()
  for (const { subject, predicate, object } of graph.quads())
    if (predicate.value === terms.link.value) targets.set(keyOf(object), keyOf(subject))
  return [...graph.subjects()].flatMap((node) => {
    const metric = first(graph, node, terms.metric)
    const written = literalOf(graph, node, terms.value)
    const [target] = computedOn.flatMap((iri) => graph.objects(node, iri))
    const on = target ? keyOf(target) : targets.get(node)
    if (!metric || !written || on === undefined) return []
    const name = metricName(metric.value)
    const value = valueIn(name, written.value.trim(), written.datatype.value)
    const from = first(graph, node, terms.source)?.value
    const at = first(graph, node, terms.time)?.value
    const since = first(graph, node, terms.since)?.value
    return value === undefined ? [] : [{ metric: name, on, value, from, at, since }]
  })
}

const truth: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

/** The metric decides what it is that was written, whatever the datatype; of an unknown metric the text does. */
function valueIn(metric: string, text: string, datatype = ''): boolean | number | undefined {
  const word = text.toLowerCase()
  const indicator = indicatorOf(metric)
  const isBoolean = indicator
    ? indicator.type === 'boolean'
    : datatype.endsWith('#boolean') || word === 'true' || word === 'false'
  if (isBoolean) return truth.get(word) ?? truth.get(String(Number(word || Number.NaN)))
  const number = word === '' ? Number.NaN : Number(word)
  return Number.isFinite(number) ? number : undefined
}

/** The quads without the measurements of these metrics. */
export function withoutMetrics(quads: readonly Quad[], metrics: Iterable<string>): readonly Quad[] {
  const wanted = new Set(metrics)
  const old = new Set<string>()
  for (const { subject, predicate, object } of quads) {
    if (predicate.value === terms.metric.value && wanted.has(metricName(object.value)))
      old.add(keyOf(subject))
  }
  if (old.size === 0) return quads
  return quads.filter(
    ({ subject, predicate, object }) =>
      !old.has(keyOf(subject)) && !(predicate.value === terms.link.value && old.has(keyOf(object))),
  )
}
