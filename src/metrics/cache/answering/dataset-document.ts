/** What was measured of one dataset and of its distributions, as documents. */

import { dcat, dct } from '../../../rdf/namespaces.ts'
import type { Names } from '../../../rdf/names.ts'
import { measurements, reportOf, type Measured } from '../../dqv/reading.ts'
import { spoken } from '../../reports/telling/spoken.ts'
import {
  dimensions,
  indicatorOf,
  isReachable,
  type Dimension,
  type IndicatorName,
} from '../../words/indicators.ts'
import { byCode, yesNo } from '../counting/aggregate.ts'
import { languagesOf, textsOf } from '../refreshing/texts.ts'
import type { LiveDataset } from './live.ts'

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

type Wish = { readonly names: Names; readonly locale: string }
type Value = boolean | number | object | null
type Told = Readonly<Record<string, unknown>>

/** Single-key objects of what there is. */
const told = (metrics: readonly string[], valueOf: (metric: string) => Value | undefined): Told[] =>
  metrics.flatMap((metric) => {
    const value = valueOf(metric)
    return value === undefined || value === null ? [] : [{ [metric]: value }]
  })

export function datasetDocument({ id, iri, graph, metrics }: LiveDataset, { locale }: Wish): Told {
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
    title: spoken(titles, { locale, languages, id }).text,
    scores: Object.fromEntries(dimensions.map((name) => [name, number(`${name}Scoring`)])),
  }
  const document: Record<string, unknown> = { info }
  for (const dimension of dimensions) document[dimension] = told(order[dimension], valueOf)
  document['contextuality'] = [
    ...told(order.contextuality, valueOf),
    { dataset: told(dates, own) },
    { distributions: told(dates, (metric) => sharesOf(metric, parts(metric))) },
  ]
  return document
}

/** Of booleans yes and no, of status codes one share each. */
function sharesOf(metric: string, measured: readonly Measured[]) {
  if (measured.length === 0) return undefined
  const counts = Map.groupBy(measured, ({ value }) => value)
  if (indicatorOf(metric)?.type === 'boolean')
    return yesNo([counts.get(true)?.length ?? 0, counts.get(false)?.length ?? 0])
  return byCode(
    Object.fromEntries([...counts].map(([value, some]) => [String(value), some.length])),
  )
}

/** One array for each distribution of the dataset, by id. */
export function distributionDocuments(
  { iri, graph, metrics }: LiveDataset,
  { names, locale }: Wish,
): readonly (readonly Told[])[] {
  const all = Map.groupBy(measurements(metrics), ({ on }) => on)
  const results = reportOf(metrics)?.results
  const languages = languagesOf(graph.objects(iri, dct('language')))
  const distributions = graph.objects(iri, dcat('distribution')).flatMap(({ value }) => {
    const id = names.idOf('distribution', value)
    return id === undefined ? [] : [{ id, iri: value }]
  })
  return distributions
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map((distribution): Told[] => {
      const measured = all.get(distribution.iri) ?? []
      const titles = textsOf(graph.objects(distribution.iri, dct('title')))
      const wish = { locale, languages, id: distribution.id }
      const info = {
        'distribution-id': distribution.id,
        'distribution-uri': distribution.iri,
        'distribution-title': spoken(titles, wish).text,
      }
      const part = (metricNames: readonly string[]) =>
        told(metricNames, (metric) => bestOf(measured.filter((one) => one.metric === metric)))
      const found = results?.filter(({ focusNode }) => focusNode?.value === distribution.iri)
      return [
        { info },
        { accessibility: part(order.accessibility) },
        { interoperability: part(order.interoperability) },
        { reusability: part(order.reusability) },
        { contextuality: part([...order.contextuality, ...dates]) },
        { validation: found ? validation(found) : {} },
      ]
    })
}

/** Of several URLs the one that scores. */
function bestOf(measured: readonly Measured[]): boolean | number | undefined {
  const values = measured.map(({ value }) => value)
  const codes = values
    .filter((value) => typeof value === 'number')
    .sort((one, other) => one - other)
  return codes.find(isReachable) ?? codes[0] ?? values[0]
}

function validation(results: readonly { readonly severity: string }[]) {
  const count = (severity: string) => results.filter((one) => one.severity === severity).length
  return {
    errors: count('Violation'),
    warnings: count('Warning'),
    infos: count('Info'),
    itemCount: results.length,
  }
}
