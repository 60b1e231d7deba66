/** What was measured of one dataset and of its distributions, as the store has them at this moment, as documents. */

import type { Quad } from '@rdfjs/types'
import { Failure, shown } from '../../errors.ts'
import { fromLines } from '../../rdf/lines.ts'
import type { Names } from '../../rdf/names.ts'
import { dcat, dct } from '../../rdf/namespaces.ts'
import { graphOf, type Graph } from '../../rdf/read.ts'
import { namedNode } from '../../rdf/terms.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import { type MeasuredValue, measurements } from '../measure/measurements.ts'
import { readReport } from '../measure/validation-report.ts'
import {
  byDimension,
  type Dimension,
  dimensions,
  type IndicatorName,
  indicatorOf,
  isReachable,
} from '../indicators.ts'
import { languagesOf, localText, textsOf } from '../localized-texts.ts'
import { readCatalogues, type MetricsSource } from './catalogue-reader.ts'
import { byCode, yesNo } from './counts.ts'

const queries = {
  catalogues: loadQuery('dataset-catalogues'),
  holders: loadQuery('distribution-datasets'),
}

type LiveDataset = {
  readonly id: string
  readonly iri: string
  /** The dataset with its distributions. */
  readonly graph: Graph
  /** Its metrics graph. */
  readonly metrics: readonly Quad[]
}

/** Throws `unknown-dataset`, also for those in hidden catalogues, and `unknown-metrics`. */
export async function readDataset(
  source: MetricsSource,
  id: string,
  signal: AbortSignal,
): Promise<LiveDataset> {
  const { store, names } = source
  const [iri, metrics] = [names.dataset(id), names.metrics(id)]
  // What cannot be an id does not get as far as the store.
  if (names.idOf('dataset', iri) === undefined) throw unknownDataset(id)
  const [rows, texts] = await Promise.all([
    store.select(bind(queries.catalogues, { dataset: [namedNode(iri)] }), signal),
    store.readAll([iri, metrics], {}, signal),
  ])
  const catalogues = rows.flatMap(
    (row) => names.idOf('catalogue', row['catalogue']?.value ?? '') ?? [],
  )
  const facts = await readCatalogues(source, catalogues, signal)
  if (![...facts.values()].some(({ isHidden }) => !isHidden)) throw unknownDataset(id)
  const [text, measured] = [texts.get(iri), texts.get(metrics)]
  if (text === undefined) throw unknownDataset(id)
  if (measured === undefined)
    throw new Failure('unknown-metrics', `the dataset ${shown(id)} was not measured`)
  return { id, iri, graph: graphOf(fromLines(text)), metrics: fromLines(measured) }
}

const unknownDataset = (id: string) =>
  new Failure('unknown-dataset', `there is no dataset ${shown(id)}`)

/** The id of the dataset that has a distribution. Throws `unknown-distribution`. */
export async function datasetOfDistribution(
  { store, names }: MetricsSource,
  uuid: string,
  signal: AbortSignal,
): Promise<string> {
  const iri = names.distribution(uuid)
  const unknown = () =>
    new Failure('unknown-distribution', `there is no distribution ${shown(uuid)}`)
  if (names.idOf('distribution', iri) === undefined) throw unknown()
  const query = bind(queries.holders, { distribution: namedNode(iri) })
  for (const row of await store.select(query, signal)) {
    const id = names.idOf('dataset', row['dataset']?.value ?? '')
    if (id !== undefined) return id
  }
  throw unknown()
}

/** In the order in which clients know them; those of contextuality are grouped. */
const order = {
  findability: [
    'keywordAvailability',
    'categoryAvailability',
    'spatialAvailability',
    'temporalAvailability',
  ],
  accessibility: ['accessUrlStatusCode', 'downloadUrlAvailability', 'downloadUrlStatusCode'],
  interoperability: [
    'dcatApCompliance',
    'formatAvailability',
    'mediaTypeAvailability',
    'formatMediaTypeVocabularyAlignment',
    'formatMediaTypeNonProprietary',
    'formatMediaTypeMachineInterpretable',
  ],
  reusability: [
    'accessRightsAvailability',
    'accessRightsVocabularyAlignment',
    'contactPointAvailability',
    'publisherAvailability',
    'licenceAvailability',
    'knownLicence',
  ],
  contextuality: ['byteSizeAvailability', 'rightsAvailability'],
} as const satisfies Readonly<Record<Dimension, readonly IndicatorName[]>>

const dates = ['dateModifiedAvailability', 'dateIssuedAvailability'] as const

type Value = boolean | number | object | null
type JsonObject = Readonly<Record<string, unknown>>

/** Single-key objects of what there is. */
const entries = (
  metrics: readonly string[],
  valueOf: (metric: string) => Value | undefined,
): JsonObject[] =>
  metrics.flatMap((metric) => {
    const value = valueOf(metric)
    return value === undefined || value === null ? [] : [{ [metric]: value }]
  })

/** The dataset with shares over its distributions; metrics that were not measured are left out. */
export function datasetDocument(
  { id, iri, graph, metrics }: LiveDataset,
  locale: string,
): JsonObject {
  const all = measurements(metrics)
  const own = (metric: string) => all.find((one) => one.metric === metric && one.on === iri)?.value
  const parts = (metric: string) => all.filter((one) => one.metric === metric && one.on !== iri)
  const valueOf = (metric: string) =>
    indicatorOf(metric)?.level === 'dataset' ? own(metric) : sharesOf(metric, parts(metric))
  const number = (metric: string) => {
    const value = own(metric)
    return typeof value === 'number' ? value : null
  }
  const titles = textsOf(graph.objects(iri, dct('title')))
  const languages = languagesOf(graph.objects(iri, dct('language')))
  const info = {
    'dataset-id': id,
    'dataset-uri': iri,
    score: number('scoring'),
    title: localText(titles, { locale, languages, id }).text,
    scores: byDimension((name) => number(`${name}Scoring`)),
  }
  const document: Record<string, unknown> = { info }
  for (const dimension of dimensions) document[dimension] = entries(order[dimension], valueOf)
  document['contextuality'] = [
    ...entries(order.contextuality, valueOf),
    { dataset: entries(dates, own) },
    { distributions: entries(dates, (metric) => sharesOf(metric, parts(metric))) },
  ]
  return document
}

/** Of booleans yes and no, of status codes one share each. */
function sharesOf(metric: string, measured: readonly MeasuredValue[]) {
  if (measured.length === 0) return undefined
  const counts = Map.groupBy(measured, ({ value }) => value)
  if (indicatorOf(metric)?.type === 'boolean')
    return yesNo(counts.get(true)?.length ?? 0, counts.get(false)?.length ?? 0)
  return byCode(
    Object.fromEntries([...counts].map(([value, some]) => [String(value), some.length])),
  )
}

/** One array for each distribution of the dataset, by id in ascending order. */
export function distributionDocuments(
  { iri, graph, metrics }: LiveDataset,
  names: Names,
  locale: string,
): ReadonlyMap<string, readonly JsonObject[]> {
  const all = Map.groupBy(measurements(metrics), ({ on }) => on)
  const results = readReport(metrics)?.results
  const languages = languagesOf(graph.objects(iri, dct('language')))
  const documentOf = (id: string, distribution: string): JsonObject[] => {
    const titles = textsOf(graph.objects(distribution, dct('title')))
    const info = {
      'distribution-id': id,
      'distribution-uri': distribution,
      'distribution-title': localText(titles, { locale, languages, id }).text,
    }
    const measured = Map.groupBy(all.get(distribution) ?? [], ({ metric }) => metric)
    const part = (metricNames: readonly string[]) =>
      entries(metricNames, (metric) => bestOf(measured.get(metric) ?? []))
    const own = results?.filter(({ focusNode }) => focusNode?.value === distribution)
    return [
      { info },
      { accessibility: part(order.accessibility) },
      { interoperability: part(order.interoperability) },
      { reusability: part(order.reusability) },
      { contextuality: part([...order.contextuality, ...dates]) },
      { validation: own ? severities(own) : {} },
    ]
  }
  const found = graph.objects(iri, dcat('distribution')).flatMap(({ value }) => {
    const id = names.idOf('distribution', value)
    return id === undefined ? [] : [[id, value] as const]
  })
  const sorted = found.toSorted(([one], [other]) => (one < other ? -1 : 1))
  return new Map(sorted.map(([id, distribution]) => [id, documentOf(id, distribution)]))
}

/** Of several URLs the one that scores. */
function bestOf(measured: readonly MeasuredValue[]): boolean | number | undefined {
  const values = measured.map(({ value }) => value)
  const codes = values
    .filter((value) => typeof value === 'number')
    .sort((one, other) => one - other)
  return codes.find(isReachable) ?? codes[0] ?? values[0]
}

function severities(results: readonly { readonly severity: string }[]) {
  const count = (severity: string) => results.filter((one) => one.severity === severity).length
  return {
    errors: count('Violation'),
    warnings: count('Warning'),
    infos: count('Info'),
    itemCount: results.length,
  }
}
