/** The names under which clients know the figures, and which of them they ask for. */

import { dimensions, indicatorOf, type Dimension } from '../../words/indicators.ts'
import { metricNames } from '../counting/aggregate.ts'
import type { MetricName } from '../figures.ts'

/** Keys of a document that may be asked for. */
export type Key = Dimension | 'score' | 'info'

/** Where the figures have another name than the metric. */
const renamed: Readonly<Partial<Record<MetricName, string>>> = {
  accessUrlStatusCode: 'accessUrlStatusCodes',
  downloadUrlStatusCode: 'downloadUrlStatusCodes',
  formatMediaTypeVocabularyAlignment: 'formatMediaTypeAlignment',
  formatMediaTypeMachineInterpretable: 'formatMediaTypeMachineReadable',
  knownLicence: 'licenceAlignment',
  accessRightsVocabularyAlignment: 'accessRightsAlignment',
}

const dimensionOf = (name: MetricName): Dimension => indicatorOf(name)?.dimension ?? 'accessibility'

/** Dimension → its metrics, each with its key. */
const byDimension = new Map(
  dimensions.map((dimension) => [
    dimension,
    metricNames
      .filter((name) => dimensionOf(name) === dimension)
      .map((name) => ({ name, key: renamed[name] ?? name })),
  ]),
)

export const metricsIn = (
  dimension: Dimension,
): readonly { readonly name: MetricName; readonly key: string }[] =>
  byDimension.get(dimension) ?? []

/** Everything, where nothing is asked for. */
export const wanted = (filter: readonly string[] | undefined, key: Key): boolean =>
  filter === undefined || filter.length === 0 || filter.includes(key)

export const dimensionsIn = (filter: readonly string[] | undefined): readonly Dimension[] =>
  dimensions.filter((dimension) => wanted(filter, dimension))
