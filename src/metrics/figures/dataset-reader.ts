/**
 * Datasets of the store as the figures count them: what they say of themselves, and what was measured of them. One query answers
 * bounded counts of measurements; the metrics graph itself is read only where something in it belongs into a list.
 */

import type { Quad, Term } from '@rdfjs/types'
import { fromLines } from '../../rdf/lines.ts'
import { dct } from '../../rdf/namespaces.ts'
import { namedNode } from '../../rdf/terms.ts'
import type { Row } from '../../store/graph-store.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import { measurements, valueIn } from '../dqv/measurements.ts'
import { readReport, type ReportResult } from '../dqv/validation-report.ts'
import { indicatorOf, isReachable, type Dimension } from '../indicators.ts'
import { cutText, languagesOf, textsOf, type LocalizedTexts } from '../localized-texts.ts'
import { localName, sh } from '../dqv/quality-terms.ts'
import type { MetricsSource } from './catalogue-reader.ts'
import { byDimension } from './counts.ts'
import type { PublisherFigures, Severity } from './figures.ts'

/** `measured` is absent when the dataset has no measurements. */
export type ReadDataset = {
  readonly id: string
  readonly titles: LocalizedTexts
  readonly languages: readonly string[]
  readonly publisher: PublisherFigures | undefined
  readonly measured?: DatasetMeasurements
}

export type DatasetMeasurements = {
  readonly score: number | null
  readonly points: Readonly<Record<Dimension, number | null>>
  readonly distributions: number
  readonly counted: readonly CountedValue[]
  /** Those that are not reachable. */
  readonly urls: readonly UnreachableUrl[]
  readonly violations: readonly FoundViolation[]
}

/** How often a metric has that value. */
type CountedValue = {
  readonly metric: string
  readonly value: boolean | number
  readonly count: number
}

type FoundViolation = {
  readonly severity: Severity
  /** IRI; `''` where there is none. */
  readonly path: string
  /** Local name of the constraint component; `''` where there is none. */
  readonly component: string
  readonly value: string | null
  readonly messages: LocalizedTexts
}

type UnreachableUrl = {
  /** IRI of what was measured. */
  readonly distribution: string
  readonly type: 'accessUrl' | 'downloadUrl'
  /** `''` where the measurement does not tell it. */
  readonly url: string
  readonly status: number
  readonly checked: string | null
}

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
): Promise<readonly ReadDataset[]> {
  const { store, names } = source
  const measured = await readMeasurements(source, ids, signal)
  const dataset = ids.map((id) => namedNode(names.dataset(id)))
  const rows = await store.select(bind(queries.facts, { dataset }), signal)
  const about = Map.groupBy(rows, (row) => row['dataset']?.value ?? '')
  const publishers = await readPublishers(source, about, signal)
  return ids.map((id): ReadDataset => {
    const iri = names.dataset(id)
    const own = about.get(iri) ?? []
    const found = measured.get(id)
    return {
      id,
      titles: textsOf(objectsOf(own, 'title')),
      languages: languagesOf(objectsOf(own, 'language')),
      publisher: publishers.get(iri),
      ...(found && { measured: found }),
    }
  })
}

const objectsOf = (rows: readonly Row[], name: string): readonly Term[] =>
  rows.flatMap(({ predicate, object }) =>
    predicate?.value === dct(name).value && object ? [object] : [],
  )

/** By the IRI of the dataset: its first publisher. Where that has no IRI, its name is all that tells it from others. */
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
): Promise<ReadonlyMap<string, DatasetMeasurements>> {
  const graphs = new Map(ids.map((id) => [names.metrics(id), id]))
  const values = { graph: [...graphs.keys()].map((graph) => namedNode(graph)) }
  const found = new Map<string, DatasetMeasurements>()
  const listed: string[] = []
  for (const row of await store.select(bind(queries.counts, values), signal)) {
    const graph = row['graph']?.value ?? ''
    const [id, lines] = [graphs.get(graph), linesOf(row['counts']?.value ?? '')]
    if (id === undefined || lines.length === 0) continue
    found.set(id, measurementsOf(lines))
    if (lines.some(isListed)) listed.push(graph)
  }
  const texts = await store.readAll(listed, {}, signal)
  for (const graph of listed) {
    const [id = '', text] = [graphs.get(graph), texts.get(graph)]
    const counted = found.get(id)
    if (!counted || text === undefined) continue
    const quads = fromLines(text)
    const isNode = (iri: string) => iri.startsWith(names.genidPrefix)
    found.set(id, {
      ...counted,
      urls: urlsIn(quads, names.dataset(id)),
      violations: (readReport(quads)?.results ?? []).map((result) => violationOf(result, isNode)),
    })
  }
  return found
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

function measurementsOf(lines: readonly Line[]): DatasetMeasurements {
  const counted = lines.flatMap(({ metric, text, count }): CountedValue[] => {
    const value = valueIn(metric, text)
    return value === undefined ? [] : [{ metric, value, count }]
  })
  const score = (name: string): number | null => {
    const value = counted.find(({ metric }) => metric === name)?.value
    return typeof value === 'number' ? value : null
  }
  return {
    score: score('scoring'),
    points: byDimension((name) => score(`${name}Scoring`)),
    distributions: distributionsIn(counted),
    counted: counted.filter(({ metric }) => indicatorOf(metric)),
    urls: [],
    violations: [],
  }
}

/** Every distribution has one measurement of each of its boolean metrics. */
function distributionsIn(counted: readonly CountedValue[]): number {
  const ofDistributions = counted.filter(
    ({ metric, value }) =>
      typeof value === 'boolean' && indicatorOf(metric)?.level === 'distribution',
  )
  const byMetric = Map.groupBy(ofDistributions, ({ metric }) => metric)
  return Math.max(
    0,
    ...[...byMetric.values()].map((some) => some.reduce((n, one) => n + one.count, 0)),
  )
}

const urlTypes: ReadonlyMap<string, UnreachableUrl['type']> = new Map([
  ['accessUrlStatusCode', 'accessUrl'],
  ['downloadUrlStatusCode', 'downloadUrl'],
])

const urlsIn = (quads: readonly Quad[], dataset: string): readonly UnreachableUrl[] =>
  measurements(quads).flatMap(({ metric, on, value, from, at }): UnreachableUrl[] => {
    const type = urlTypes.get(metric)
    if (!type || typeof value !== 'number' || isReachable(value)) return []
    const distribution = on === dataset ? '' : on
    return [{ distribution, type, url: cutText(from ?? ''), status: value, checked: at ?? null }]
  })

/** `isNode`: the store has IRIs in the place of blank nodes, which tell nobody anything. */
function violationOf(
  { severity, component, path, value, messages }: ReportResult,
  isNode: (iri: string) => boolean,
): FoundViolation {
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
