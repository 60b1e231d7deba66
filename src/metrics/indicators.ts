/** Indicators of the Metadata Quality Assessment (MQA, the method of data.europa.eu), with their dimensions and points. */

import { prefixes } from '../rdf/namespaces.ts'
import { lastName } from '../rdf/iri.ts'
import { recordOf } from '../text/records.ts'

/** The five dimensions, in the order in which they are shown. */
export const dimensions = [
  'findability',
  'accessibility',
  'interoperability',
  'reusability',
  'contextuality',
] as const
/** One of the five dimensions of the method. */
export type Dimension = (typeof dimensions)[number]

/** A value for each dimension. */
export const byDimension = <Value>(valueOf: (dimension: Dimension) => Value) =>
  recordOf(dimensions, valueOf)

/** Nodes on which an indicator is measured: `dates` on the dataset and on its distributions, and they count once. */
type Level = 'dataset' | 'distribution' | 'dates'

/** Facts of an indicator. Points are those of a true measurement; a false or missing one gives none. */
type Facts = {
  readonly dimension: Dimension
  readonly level: Level
  /** `status`: one HTTP status code per URL, true for 200 to 299. */
  readonly type: 'boolean' | 'status'
  readonly points: number
}

const row = (
  dimension: Dimension,
  level: Level,
  points: number,
  type: Facts['type'] = 'boolean',
): Facts => ({ dimension, level, type, points })

/** Local name of the metric → its facts (https://data.europa.eu/mqa/methodology). */
const table = {
  keywordAvailability: row('findability', 'dataset', 30),
  categoryAvailability: row('findability', 'dataset', 30),
  spatialAvailability: row('findability', 'dataset', 20),
  temporalAvailability: row('findability', 'dataset', 20),
  accessUrlStatusCode: row('accessibility', 'distribution', 50, 'status'),
  downloadUrlAvailability: row('accessibility', 'distribution', 20),
  downloadUrlStatusCode: row('accessibility', 'distribution', 30, 'status'),
  formatAvailability: row('interoperability', 'distribution', 20),
  mediaTypeAvailability: row('interoperability', 'distribution', 10),
  formatMediaTypeVocabularyAlignment: row('interoperability', 'distribution', 10),
  formatMediaTypeNonProprietary: row('interoperability', 'distribution', 20),
  formatMediaTypeMachineInterpretable: row('interoperability', 'distribution', 20),
  dcatApCompliance: row('interoperability', 'dataset', 30),
  licenceAvailability: row('reusability', 'distribution', 20),
  knownLicence: row('reusability', 'distribution', 10),
  accessRightsAvailability: row('reusability', 'dataset', 10),
  accessRightsVocabularyAlignment: row('reusability', 'dataset', 5),
  contactPointAvailability: row('reusability', 'dataset', 20),
  publisherAvailability: row('reusability', 'dataset', 10),
  rightsAvailability: row('contextuality', 'distribution', 5),
  byteSizeAvailability: row('contextuality', 'distribution', 5),
  dateIssuedAvailability: row('contextuality', 'dates', 5),
  dateModifiedAvailability: row('contextuality', 'dates', 5),
} as const satisfies Readonly<Record<string, Facts>>

/** Local name of the metric of an indicator (`pv:` + name). */
export type IndicatorName = keyof typeof table
/** Indicator with its name. */
export type Indicator = Facts & { readonly name: IndicatorName }

const isIndicator = (name: string): name is IndicatorName => Object.hasOwn(table, name)

/** All indicators, dimension by dimension. */
export const indicators: readonly Indicator[] = Object.keys(table)
  .filter(isIndicator)
  .map((name) => ({ name, ...table[name] }))

const byName: ReadonlyMap<string, Indicator> = new Map(
  indicators.map((indicator) => [indicator.name, indicator]),
)

const metricNamespace = prefixes['pv'] ?? ''

/** Name of a metric: its IRI without the namespace, or its last name in another namespace. */
export const metricName = (iri: string): string =>
  iri.startsWith(metricNamespace) ? iri.slice(metricNamespace.length) : lastName(iri)

/** Indicator of a metric; `undefined` for an unknown one. */
export const indicatorOf = (name: string): Indicator | undefined => byName.get(name)

/** Metric of the sum of all dimensions. */
export const scoring = 'scoring'

/** Metric of the score of one dimension. */
export const dimensionScore = (dimension: Dimension): `${Dimension}Scoring` => `${dimension}Scoring`

/** Codes in place of an HTTP status: the connection failed, or the URL may not be requested. */
export const pseudoCodes = { connectionFailure: 1100, invalidUrl: 1300 } as const

/** Whether a status code is a success (200 to 299). */
export const isReachable = (status: number): boolean => status >= 200 && status <= 299
