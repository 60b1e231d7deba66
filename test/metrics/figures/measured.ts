/** Measured datasets in a store, written down line by line. */

import { dct, dcat, dqv, foaf, prov, rdf, oa, pv, sh } from '../../../src/rdf/namespaces.ts'
import { literal, namedNode, quad } from '../../../src/rdf/terms.ts'
import { toLines } from '../../../src/rdf/lines.ts'
import type { Quad } from '@rdfjs/types'
import type { GraphChange, GraphStore } from '../../../src/store/graph-store.ts'
import { names } from './cache-fixture.ts'

const xsd = 'http://www.w3.org/2001/XMLSchema#'
const measuredAt = '2026-11-21T10:00:00Z'
const failingSince = literal('2026-11-01T10:00:00Z', namedNode(`${xsd}dateTime`))

type Value = boolean | number
type Values = Readonly<Record<string, Value>>

type Violation = {
  readonly severity?: 'Violation' | 'Warning' | 'Info'
  readonly path?: string
  readonly value?: string
  readonly messages?: Readonly<Record<string, string>>
  /** Id of a distribution. */
  readonly focus?: string
}

type MeasuredDistribution = {
  readonly values?: Values
  /** Metric → URL → status. */
  readonly urls?: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly title?: string
}

export type MeasuredDataset = {
  readonly id: string
  readonly titles?: Readonly<Record<string, string>>
  readonly language?: string
  /** IRI → name. */
  readonly publisher?: readonly [iri: string, name: string]
  /** Absent: there is no metrics graph. */
  readonly values?: Values
  readonly distributions?: Readonly<Record<string, MeasuredDistribution>>
  readonly violations?: readonly Violation[]
}

export type MeasuredCatalogue = {
  readonly id: string
  readonly title?: string
  readonly country?: string
  readonly type?: string
  readonly hidden?: boolean
  readonly datasets: readonly MeasuredDataset[]
}

const value = (given: Value) =>
  literal(String(given), namedNode(`${xsd}${typeof given === 'boolean' ? 'boolean' : 'integer'}`))

/** Scores of a dataset: F, A, I, R, C, and their sum. */
export const scores = (...[f, a, i, r, c]: readonly number[]): Values => ({
  findabilityScoring: f ?? 0,
  accessibilityScoring: a ?? 0,
  interoperabilityScoring: i ?? 0,
  reusabilityScoring: r ?? 0,
  contextualityScoring: c ?? 0,
  scoring: (f ?? 0) + (a ?? 0) + (i ?? 0) + (r ?? 0) + (c ?? 0),
})

export async function write(store: GraphStore, catalogue: MeasuredCatalogue): Promise<void> {
  const iri = names.catalogue(catalogue.id)
  const node = namedNode(iri)
  const quads = [quad(node, rdf('type'), dcat('Catalog'))]
  if (catalogue.title !== undefined)
    quads.push(quad(node, dct('title'), literal(catalogue.title, 'en')))
  if (catalogue.type !== undefined) quads.push(quad(node, dct('type'), literal(catalogue.type)))
  if (catalogue.country !== undefined) {
    const table = 'http://publications.europa.eu/resource/authority/country/'
    quads.push(quad(node, dct('spatial'), namedNode(table + catalogue.country)))
  }
  if (catalogue.hidden) quads.push(quad(node, namedNode('urn:x:visibility'), literal('hidden')))
  const add = catalogue.datasets.map(
    ({ id }) => `<${iri}> <${dcat('dataset').value}> <${names.dataset(id)}> .`,
  )
  await store.write([{ graph: iri, content: toLines(quads), add }])
  for (const dataset of catalogue.datasets) await store.write(changesOf(dataset))
}

export function changesOf(dataset: MeasuredDataset): GraphChange[] {
  const graph = names.dataset(dataset.id)
  return [
    { graph, content: toLines(described(dataset)) },
    ...(dataset.values
      ? [{ graph: names.metrics(dataset.id), content: toLines(metrics(dataset)) }]
      : []),
  ]
}

function described({
  id,
  titles,
  language,
  publisher,
  distributions = {},
}: MeasuredDataset): Quad[] {
  const node = namedNode(names.dataset(id))
  const quads = [quad(node, rdf('type'), dcat('Dataset'))]
  for (const [tag, title] of Object.entries(titles ?? {}))
    quads.push(quad(node, dct('title'), literal(title, tag)))
  if (language !== undefined) quads.push(quad(node, dct('language'), namedNode(language)))
  if (publisher) {
    const [iri, name] = publisher
    quads.push(
      quad(node, dct('publisher'), namedNode(iri)),
      quad(namedNode(iri), foaf('name'), literal(name)),
    )
  }
  for (const [uuid, { title }] of Object.entries(distributions)) {
    const own = namedNode(names.distribution(uuid))
    quads.push(quad(node, dcat('distribution'), own), quad(own, rdf('type'), dcat('Distribution')))
    if (title !== undefined) quads.push(quad(own, dct('title'), literal(title, 'en')))
  }
  return quads
}

function metrics({ id, values = {}, distributions = {}, violations }: MeasuredDataset): Quad[] {
  const graph = names.metrics(id)
  const dataset = names.dataset(id)
  let number = 0
  const fresh = () => namedNode(`${names.genid(graph)}${String((number += 1)).padStart(16, '0')}`)
  const measurement = (metric: string, on: string, given: Value, from?: string) => {
    const node = fresh()
    const quads = [
      quad(namedNode(on), dqv('hasQualityMeasurement'), node),
      quad(node, rdf('type'), dqv('QualityMeasurement')),
      quad(node, dqv('isMeasurementOf'), pv(metric)),
      quad(node, dqv('computedOn'), namedNode(on)),
      quad(node, dqv('value'), value(given)),
      quad(node, prov('generatedAtTime'), literal(measuredAt, namedNode(`${xsd}dateTime`))),
    ]
    if (given === 404) quads.push(quad(node, dct('valid'), failingSince))
    return from === undefined
      ? quads
      : [...quads, quad(node, prov('wasDerivedFrom'), namedNode(from))]
  }
  const quads = [quad(namedNode(graph), rdf('type'), dqv('QualityMetadata'))]
  for (const [metric, given] of Object.entries(values))
    quads.push(...measurement(metric, dataset, given))
  for (const [uuid, { values: own = {}, urls = {} }] of Object.entries(distributions)) {
    const on = names.distribution(uuid)
    for (const [metric, given] of Object.entries(own)) quads.push(...measurement(metric, on, given))
    for (const [metric, statuses] of Object.entries(urls))
      for (const [url, status] of Object.entries(statuses))
        quads.push(...measurement(metric, on, status, url))
  }
  return violations ? [...quads, ...reported(dataset, violations, fresh)] : quads
}

function reported(
  dataset: string,
  violations: readonly Violation[],
  fresh: () => ReturnType<typeof namedNode>,
): Quad[] {
  const [note, report] = [fresh(), fresh()]
  const quads = [
    quad(namedNode(dataset), dqv('hasQualityAnnotation'), note),
    quad(note, rdf('type'), dqv('QualityAnnotation')),
    quad(note, oa('hasBody'), report),
    quad(report, rdf('type'), sh('ValidationReport')),
  ]
  for (const { severity = 'Violation', path, value: given, messages = {}, focus } of violations) {
    const node = fresh()
    quads.push(
      quad(report, sh('result'), node),
      quad(node, rdf('type'), sh('ValidationResult')),
      quad(node, sh('resultSeverity'), sh(severity)),
      quad(node, sh('sourceConstraintComponent'), sh('MinCountConstraintComponent')),
    )
    if (path !== undefined) quads.push(quad(node, sh('resultPath'), namedNode(path)))
    if (given !== undefined) quads.push(quad(node, sh('value'), literal(given)))
    if (focus !== undefined)
      quads.push(quad(node, sh('focusNode'), namedNode(names.distribution(focus))))
    for (const [tag, text] of Object.entries(messages))
      quads.push(quad(node, sh('resultMessage'), literal(text, tag)))
  }
  return quads
}
