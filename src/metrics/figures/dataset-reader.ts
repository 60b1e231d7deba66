/**
 * Datasets of the store as the figures count them: what they say of themselves, and what was measured of them. One query answers
 * bounded counts of measurements; the metrics graph itself is read only where something in it belongs into a list.
 */

import type { Quad, Term } from '@rdfjs/types'
import { fromLines } from '../../rdf/lines.ts'
import { dct, sh } from '../../rdf/namespaces.ts'
import { namedNode } from '../../rdf/terms.ts'
import type { Row } from '../../store/graph-store.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import { measurements, valueIn } from '../measure/measurements.ts'
import { readReport, type ReportResult } from '../measure/validation-report.ts'
import { byDimension, indicatorOf, isReachable, localName } from '../indicators.ts'
import { cutText, languagesOf, textsOf } from '../localized-texts.ts'
import type { MetricsSource } from './catalogue-reader.ts'
import type { PublisherFigures } from './figures.ts'

/** `measured` is absent when the dataset has no measurements. */
export type ReadDataset = Awaited<ReturnType<typeof readDatasets>>[number]
/** `urls` are those that are not reachable; texts are empty where nothing is known. */
export type DatasetMeasurements = NonNullable<ReadDataset['measured']>

const queries = {
  counts: loadQuery('metrics/measurement-counts'),
  facts: loadQuery('metrics/dataset-facts'),
  names: loadQuery('metrics/publisher-names'),
}

/** In the order of the ids; a few at a time, because readers wait for what is in the store's queue. */
export async function readDatasets(
  source: MetricsSource,
  ids: readonly string[],
  signal: AbortSignal,
) {
  const { store, names } = source
  const measured = await readMeasurements(source, ids, signal)
  const dataset = ids.map((id) => namedNode(names.dataset(id)))
  const rows = await store.select(bind(queries.facts, { dataset }), signal)
  const about = Map.groupBy(rows, (row) => row['dataset']?.value ?? '')
  const publishers = await readPublishers(source, about, signal)
  return ids.map((id) => {
    const own = about.get(names.dataset(id)) ?? []
    const titles = textsOf(objectsOf(own, 'title'))
    const languages = languagesOf(objectsOf(own, 'language'))
    const publisher = publishers.get(names.dataset(id))
    return { id, titles, languages, publisher, measured: measured.get(id) }
  })
}

const objectsOf = (rows: readonly Row[], name: string): readonly Term[] =>
  rows.flatMap(({ predicate, object }) =>
    predicate?.value === dct(name).value && object ? [object] : [],
  )

/** By the IRI of the dataset: its first publisher. Where that has no IRI, its name identifies it. */
async function readPublishers(
  { store, names }: MetricsSource,
  about: ReadonlyMap<string, readonly Row[]>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, PublisherFigures>> {
  const first = new Map<string, Term>()
  for (const [dataset, rows] of about) {
    const [one] = objectsOf(rows, 'publisher').toSorted((a, b) => (a.value < b.value ? -1 : 1))
    if (one) first.set(dataset, one)
  }
  const nodes = [...first].filter(([, { termType }]) => termType === 'NamedNode')
  const dataset = nodes.map(([iri, publisher]) => [namedNode(iri), publisher])
  const named =
    nodes.length === 0 ? [] : await store.select(bind(queries.names, { dataset }), signal)
  const called = Map.groupBy(named, (row) => row['publisher']?.value ?? '')
  const publishers = new Map<string, PublisherFigures>()
  for (const [iri, { termType, value }] of first) {
    const isNode = termType !== 'NamedNode' || value.startsWith(names.genidPrefix)
    const name = termType === 'Literal' ? cutText(value.trim()) : firstName(called.get(value) ?? [])
    const key = isNode ? name : value
    if (key) publishers.set(iri, { key, name: name ?? key })
  }
  return publishers
}

/** By code points, so that all stores answer the same. */
const firstName = (rows: readonly Row[]): string | undefined =>
  rows
    .flatMap(({ name }) => (name?.termType === 'Literal' ? [cutText(name.value.trim())] : []))
    .filter((name) => name !== '')
    .sort()[0]

/** By id; datasets that were not measured are no keys. */
async function readMeasurements(
  { store, names }: MetricsSource,
  ids: readonly string[],
  signal: AbortSignal,
) {
  const graph = ids.map((id) => namedNode(names.metrics(id)))
  const rows = await store.select(bind(queries.counts, { graph }), signal)
  const lines = new Map(
    rows.map((row) => [row['graph']?.value ?? '', linesOf(row['counts']?.value ?? '')]),
  )
  const listed = [...lines].filter(([, own]) => own.some(isListed)).map(([name]) => name)
  const texts = await store.readAll(listed, {}, signal)
  const isNode = (iri: string) => iri.startsWith(names.genidPrefix)
  const measured = ids.flatMap((id) => {
    const counted = lines.get(names.metrics(id)) ?? []
    if (counted.length === 0) return []
    const quads = fromLines(texts.get(names.metrics(id)) ?? '')
    const results = readReport(quads)?.results ?? []
    const urls = urlsIn(quads, names.dataset(id))
    const violations = results.map((result) => violationOf(result, isNode))
    return [[id, { ...countsIn(counted), urls, violations }] as const]
  })
  return new Map(measured)
}

type Line = { readonly metric: string; readonly text: string; readonly count: number }

/** Lines of a metric, a value and a count; values that hold white space are none of ours. */
const linesOf = (counts: string): readonly Line[] =>
  counts.split('\n').flatMap((line) => {
    const [, iri = '', text = '', count] = /^(\S+) (\S*) (\d+)$/.exec(line) ?? []
    return count === undefined ? [] : [{ metric: metricOf(iri), text, count: Number(count) }]
  })

const result = sh('result').value
/** Metrics are recognised by their local name; the results of a validation are none. */
const metricOf = (iri: string) => (iri === result ? result : localName(iri))

const isListed = ({ metric, text }: Line): boolean =>
  metric === result || (indicatorOf(metric)?.type === 'status' && !isReachable(Number(text)))

/** How often each metric has a value, and the scores that there is one of; `null` where something was not scored. */
function countsIn(lines: readonly Line[]) {
  const all = lines.flatMap(({ metric, text, count }) => {
    const value = valueIn(metric, text)
    return value === undefined ? [] : [{ metric, value, count }]
  })
  const score = (name: string): number | null => {
    const value = all.find(({ metric }) => metric === name)?.value
    return typeof value === 'number' ? value : null
  }
  const counted = all.filter(({ metric }) => indicatorOf(metric))
  const points = byDimension((name) => score(`${name}Scoring`))
  return { score: score('scoring'), points, distributions: distributionsIn(counted), counted }
}

/** Every distribution has one measurement of each of its boolean metrics. */
function distributionsIn(
  counted: readonly { readonly metric: string; readonly value: unknown; readonly count: number }[],
): number {
  const sums = new Map<string, number>()
  for (const { metric, value, count } of counted)
    if (typeof value === 'boolean' && indicatorOf(metric)?.level === 'distribution')
      sums.set(metric, (sums.get(metric) ?? 0) + count)
  return Math.max(0, ...sums.values())
}

const urlTypes = new Map<string, 'accessUrl' | 'downloadUrl'>([
  ['accessUrlStatusCode', 'accessUrl'],
  ['downloadUrlStatusCode', 'downloadUrl'],
])

const urlsIn = (quads: readonly Quad[], dataset: string) =>
  measurements(quads).flatMap(({ metric, on, value, from, at }) => {
    const type = urlTypes.get(metric)
    if (!type || typeof value !== 'number' || isReachable(value)) return []
    const distribution = on === dataset ? '' : on
    return [{ distribution, type, url: cutText(from ?? ''), status: value, checked: at ?? null }]
  })

/** `isNode`: IRIs that the store has in the place of blank nodes mean nothing outside. */
function violationOf(
  { severity, component, path, value, messages }: ReportResult,
  isNode: (iri: string) => boolean,
) {
  const iri = path && 'termType' in path && path.termType === 'NamedNode' ? path.value : ''
  const isNothing = value === undefined || value.termType === 'BlankNode' || isNode(value.value)
  return {
    severity,
    path: isNode(iri) ? '' : iri,
    component: localName(component),
    value: isNothing ? null : cutText(value.value),
    messages: textsOf(messages),
  }
}
