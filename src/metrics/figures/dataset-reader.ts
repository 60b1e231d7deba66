/** Reads datasets with their measurements from the store, and selects what the figures count of them. */

import { isIri } from '../../rdf/iri.ts'
import { Failure, shown } from '../../errors.ts'
import { readLines } from '../../rdf/lines.ts'
import { dct, foaf, skos, vcard } from '../../rdf/namespaces.ts'
import { graphOf, type Graph } from '../../rdf/read.ts'
import { namedNode } from '../../rdf/terms.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import { byDimension, indicatorOf, isReachable, metricName } from '../indicators.ts'
import { cutText, languagesOf, textsOf } from '../localized-texts.ts'
import { measurements, type MeasuredValue } from '../measure/measurements.ts'
import { readReport, type ReportGraph, type ReportResult } from '../measure/validation-report.ts'
import { readCatalogues, type MetricsSource } from './catalogue-reader.ts'
import type { PublisherFigures } from './figures.ts'

/** Dataset with its measurements as the store has it. */
export type StoredDataset = {
  readonly id: string
  readonly iri: string
  /** The dataset with its distributions; empty when there is none. */
  readonly graph: Graph
  /** Whether it has a metrics graph. */
  readonly isMeasured: boolean
  readonly measuredValues: readonly MeasuredValue[]
  /** Report of the last validation. */
  readonly report: ReportGraph | undefined
}

/** Reads datasets in the order of the ids. Callers ask for a few at a time, because other readers wait meanwhile. */
export async function readDatasets(
  { store, names }: MetricsSource,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<readonly StoredDataset[]> {
  const graphs = [...ids.map(names.dataset), ...ids.map(names.metrics)]
  const texts = await store.readAll(graphs, {}, signal)
  const datasets: StoredDataset[] = []
  for (const id of ids) {
    const [iri, text] = [names.dataset(id), texts.get(names.metrics(id))]
    const metrics = await readLines(text ?? '')
    datasets.push({
      id,
      iri,
      graph: graphOf(await readLines(texts.get(iri) ?? '')),
      isMeasured: text !== undefined,
      measuredValues: measurements(metrics),
      report: readReport(metrics),
    })
  }
  return datasets
}

const queries = {
  catalogues: loadQuery('dataset-catalogues'),
  holders: loadQuery('distribution-datasets'),
}

/** Reads a measured dataset. Throws `unknown-dataset`, also for those in hidden catalogues alone, and `unknown-metrics`. */
export async function readDataset(
  source: MetricsSource,
  id: string,
  signal: AbortSignal,
): Promise<StoredDataset> {
  const { store, names } = source
  const iri = names.dataset(id)
  const unknownDataset = () => new Failure('unknown-dataset', `there is no dataset ${shown(id)}`)
  // What cannot be an id does not get as far as the store.
  if (names.idOf('dataset', iri) === undefined) throw unknownDataset()
  const query = bind(queries.catalogues, { dataset: [namedNode(iri)] })
  const [rows, [dataset]] = await Promise.all([
    store.select(query, signal),
    readDatasets(source, [id], signal),
  ])
  const ids = rows.flatMap((row) => names.idOf('catalogue', row['catalogue']?.value ?? '') ?? [])
  const catalogues = await readCatalogues(source, ids, signal)
  const isVisible = [...catalogues.values()].some(({ isHidden }) => !isHidden)
  if (!isVisible || dataset === undefined || dataset.graph.size === 0) throw unknownDataset()
  if (dataset.isMeasured) return dataset
  throw new Failure('unknown-metrics', `the dataset ${shown(id)} was not measured`)
}

/** The id of the dataset that has a distribution. Throws `unknown-distribution`. */
export async function datasetOfDistribution(
  { store, names }: MetricsSource,
  id: string,
  signal: AbortSignal,
): Promise<string> {
  const iri = names.distribution(id)
  const isId = isIri(iri) && names.idOf('distribution', iri) !== undefined
  const query = () => bind(queries.holders, { distribution: namedNode(iri) })
  for (const row of isId ? await store.select(query(), signal) : []) {
    const dataset = names.idOf('dataset', row['dataset']?.value ?? '')
    if (dataset !== undefined) return dataset
  }
  throw new Failure('unknown-distribution', `there is no distribution ${shown(id)}`)
}

/** Parts of a dataset that are counted and listed. `urls` are those that are not reachable. */
export type CountedDataset = ReturnType<typeof countedDataset>

/**
 * Selects what is counted. A dataset counts as measured when its metrics graph has measurements or a report. IRIs with the
 * `genidPrefix` replace blank nodes in the store and mean nothing outside.
 */
export function countedDataset(dataset: StoredDataset, genidPrefix: string) {
  const { id, iri, graph, measuredValues, report } = dataset
  const isNode = (value: string) => value.startsWith(genidPrefix)
  const score = (metric: string): number | null => {
    const value = measuredValues.find((measured) => measured.metric === metric)?.value
    return typeof value === 'number' ? value : null
  }
  const countedValues = measuredValues.filter(({ metric }) => indicatorOf(metric))
  return {
    id,
    publisher: publisherOf(dataset, isNode),
    titles: textsOf(graph.objects(iri, dct('title'))),
    languages: languagesOf(graph.objects(iri, dct('language'))),
    isMeasured: measuredValues.length > 0 || report !== undefined,
    score: score('scoring'),
    points: byDimension((name) => score(`${name}Scoring`)),
    distributions: new Set(
      countedValues.flatMap(({ metric, target }) =>
        indicatorOf(metric)?.level === 'distribution' ? target : [],
      ),
    ).size,
    counted: countedValues,
    urls: countedValues.flatMap(({ metric, target, value, url, time }) =>
      typeof value !== 'number' || isReachable(value)
        ? []
        : {
            type: urlTypeOf(metric),
            distribution: target === iri ? '' : target,
            url: cutText(url ?? ''),
            status: value,
            checked: time ?? null,
          },
    ),
    violations: (report?.results ?? []).map((result) => violationOf(result, isNode)),
  }
}

const nameProperties = [foaf('name'), skos('prefLabel'), vcard('fn')]

/** First publisher by IRI. Where it has no IRI, its name identifies it; without both there is none. */
function publisherOf(
  { iri, graph }: StoredDataset,
  isNode: (iri: string) => boolean,
): PublisherFigures | undefined {
  const publishers = graph.objects(iri, dct('publisher'))
  const [node] = publishers.toSorted((a, b) => (a.value < b.value ? -1 : 1))
  if (!node) return undefined
  const nameTerms =
    node.termType === 'Literal'
      ? [node]
      : nameProperties.flatMap((property) => graph.objects(node, property))
  // By code units, so that all stores answer the same.
  const [name] = nameTerms
    .flatMap(({ termType, value }) => (termType === 'Literal' ? cutText(value.trim()) : []))
    .filter((text) => text !== '')
    .sort()
  const key = node.termType !== 'NamedNode' || isNode(node.value) ? name : node.value
  return key === undefined ? undefined : { key, name: name ?? key }
}

function violationOf(
  { severity, component, path, value, messages }: ReportResult,
  isNode: (iri: string) => boolean,
) {
  const iri = path && 'termType' in path && path.termType === 'NamedNode' ? path.value : ''
  const isNothing = value === undefined || value.termType === 'BlankNode' || isNode(value.value)
  return {
    severity,
    path: isNode(iri) ? '' : iri,
    component: metricName(component),
    value: isNothing ? null : cutText(value.value),
    messages: textsOf(messages),
  }
}

/** `accessUrlStatusCode` → `accessUrl` */
export const urlTypeOf = (metric: string): 'accessUrl' | 'downloadUrl' =>
  metric.startsWith('access') ? 'accessUrl' : 'downloadUrl'
