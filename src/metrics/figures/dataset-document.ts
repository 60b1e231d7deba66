/** Documents with the measurements of one dataset and of its distributions, for the endpoints of `list-routes.ts`. */

import type { Names } from '../../rdf/names.ts'
import { dcat, dct } from '../../rdf/namespaces.ts'
import {
  byDimension,
  type Dimension,
  dimensions,
  dimensionScore,
  indicatorOf,
  indicators,
  type Indicator,
  isReachable,
  scoring,
} from '../indicators.ts'
import { languagesOf, pickLocalText, textsOf } from '../localized-texts.ts'
import type { MeasuredValue } from '../measure/measurements.ts'
import { scoreOf } from '../measure/scoring-segment.ts'
import type { Weights } from '../measure/weights.ts'
import { codeShares, yesNoShares } from './counts.ts'
import { type StoredDataset, urlTypeOf } from './dataset-reader.ts'

type JsonObject = Readonly<Record<string, unknown>>

/** Single-key objects of the indicators of a dimension on some levels; those that were not measured are left out. */
const entriesOf = (
  dimension: Dimension,
  levels: readonly Indicator['level'][],
  valueOf: (metric: string) => unknown,
): JsonObject[] =>
  levels
    .flatMap((level) => indicators.filter((indicator) => indicator.level === level))
    .filter((indicator) => indicator.dimension === dimension)
    .map(({ name }) => ({ [name]: valueOf(name) }))
    .filter((entry) => Object.values(entry).some((value) => value !== undefined && value !== null))

/** Document of a dataset with shares over its distributions, and the points that each indicator gives by its best one. */
export function datasetDocument(dataset: StoredDataset, weights: Weights, locale: string): object {
  const { id, iri, measuredValues, report } = dataset
  const datasetValue = (metric: string) =>
    measuredValues.find((measured) => measured.metric === metric && measured.target === iri)?.value
  const shares = (metric: string) =>
    sharesOf(
      metric,
      measuredValues.filter((measured) => measured.metric === metric && measured.target !== iri),
    )
  const number = (metric: string) => Number(datasetValue(metric) ?? Number.NaN)
  const score = (metric: string) => (Number.isNaN(number(metric)) ? null : number(metric))
  const valueOf = (metric: string) =>
    indicatorOf(metric)?.level === 'dataset' ? datasetValue(metric) : shares(metric)
  const dates = (read: typeof valueOf) => entriesOf('contextuality', ['dates'], read)
  const distributions = distributionsOf(dataset).map(({ value }) => value)
  const { points } = scoreOf(measuredValues, iri, distributions, weights)
  return {
    info: {
      'dataset-id': id,
      'dataset-uri': iri,
      score: score(scoring),
      title: titleOf(dataset, iri, id, locale),
      scores: byDimension((name) => score(dimensionScore(name))),
      measured:
        measuredValues.flatMap(({ time }) => time ?? []).reduce((a, b) => (a > b ? a : b), '') ||
        null,
    },
    points: Object.fromEntries(
      indicators.map(({ name }) => [
        name,
        { points: points.get(name) ?? 0, max: weights[name].yes },
      ]),
    ),
    ...byDimension((name) => entriesOf(name, ['dataset', 'distribution'], valueOf)),
    contextuality: [
      ...entriesOf('contextuality', ['distribution'], shares),
      { dataset: dates(datasetValue) },
      { distributions: dates(shares) },
    ],
    validation: report ? severities(report.results) : {},
  }
}

const distributionsOf = ({ iri, graph }: StoredDataset) => graph.objects(iri, dcat('distribution'))

/** Title of the dataset or of one of its distributions; its id where it has none. */
function titleOf({ iri, graph }: StoredDataset, node: string, id: string, locale: string): string {
  const languages = languagesOf(graph.objects(iri, dct('language')))
  return pickLocalText(textsOf(graph.objects(node, dct('title'))), { locale, languages, id }).text
}

/** Shares of measured values: yes and no of booleans, one for each status code. */
function sharesOf(metric: string, measured: readonly MeasuredValue[]) {
  if (measured.length === 0) return undefined
  const counts = Map.groupBy(measured, ({ value }) => value)
  if (indicatorOf(metric)?.type === 'boolean')
    return yesNoShares(counts.get(true)?.length ?? 0, counts.get(false)?.length ?? 0)
  return codeShares(
    Object.fromEntries([...counts].map(([value, values]) => [String(value), values.length])),
  )
}

/** Documents of the distributions of a dataset, by id in ascending order. */
export function distributionDocuments(
  dataset: StoredDataset,
  names: Names,
  locale: string,
): ReadonlyMap<string, readonly JsonObject[]> {
  const idsAndIris = distributionsOf(dataset).flatMap(({ value }) => {
    const id = names.idOf('distribution', value)
    return id === undefined ? [] : [[id, value] as const]
  })
  const byNode = Map.groupBy(dataset.measuredValues, ({ target }) => target)
  const results = dataset.report?.results
  const documentOf = (id: string, iri: string): JsonObject[] => {
    const measured = byNode.get(iri) ?? []
    const best = (metric: string) => bestOf(measured.filter((value) => value.metric === metric))
    const part = (name: Dimension) => entriesOf(name, ['distribution', 'dates'], best)
    const ownResults = results?.filter(({ focusNode }) => focusNode?.value === iri)
    return [
      {
        info: {
          'distribution-id': id,
          'distribution-uri': iri,
          'distribution-title': titleOf(dataset, iri, id, locale),
        },
      },
      // No indicator of findability, the first dimension, is measured on distributions.
      ...dimensions.slice(1).map((name) => ({ [name]: part(name) })),
      { links: linksOf(measured) },
      { validation: ownResults ? severities(ownResults) : {} },
    ]
  }
  const sorted = idsAndIris.toSorted(([one], [other]) => (one < other ? -1 : 1))
  return new Map(sorted.map(([id, iri]) => [id, documentOf(id, iri)]))
}

/** Value of a metric that counts for the score where several URLs have one. */
function bestOf(measured: readonly MeasuredValue[]): boolean | number | undefined {
  const values = measured.map(({ value }) => value)
  const codes = values.filter((value) => typeof value === 'number').sort((a, b) => a - b)
  return codes.find(isReachable) ?? codes[0] ?? values[0]
}

/** Links with their last status, its time, and the time of the first failure since they last worked. */
const linksOf = (measured: readonly MeasuredValue[]) =>
  measured
    .filter(({ metric }) => indicatorOf(metric)?.type === 'status')
    .map(({ metric, value, url, time, failingSince }) => ({
      type: urlTypeOf(metric),
      url: url ?? null,
      statusCode: value,
      checked: time ?? null,
      failingSince: failingSince ?? null,
    }))

function severities(results: readonly { readonly severity: string }[]) {
  const count = (severity: string) =>
    results.filter((result) => result.severity === severity).length
  return {
    errors: count('Violation'),
    warnings: count('Warning'),
    infos: count('Info'),
    itemCount: results.length,
  }
}
