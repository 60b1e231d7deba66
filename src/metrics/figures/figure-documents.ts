/** Figures and their history as documents, under the names that clients know. */

import { dimensions, indicatorOf, type Dimension } from '../indicators.ts'
import { localText } from '../localized-texts.ts'
import { metricNames } from './counts.ts'
import type { Aggregate, CatalogueFigures, MetricName, HistorySnapshot } from './figures.ts'

/** Keys of a document that may be asked for; all where nothing is asked for. */
export type Filter = readonly string[] | undefined

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
const byDimension = Map.groupBy(metricNames, dimensionOf)

const isWanted = (filter: Filter, key: string): boolean =>
  filter === undefined || filter.length === 0 || filter.includes(key)

type Leaves = {
  readonly info: unknown
  readonly score: unknown
  readonly dimension: (name: Dimension) => unknown
  readonly metric: (name: MetricName) => unknown
}

/** The one shape of all figures; `info` is absent for the whole portal. */
const document = (filter: Filter, { info, score, dimension, metric }: Leaves) => ({
  ...(info !== undefined && isWanted(filter, 'info') && { info }),
  ...(isWanted(filter, 'score') && { score }),
  ...Object.fromEntries(
    dimensions
      .filter((name) => isWanted(filter, name))
      .map((name) => {
        const metrics = byDimension.get(name) ?? []
        const shares = metrics.map((one) => [renamed[one] ?? one, metric(one)])
        return [name, { score: dimension(name), ...Object.fromEntries(shares) }]
      }),
  ),
})

export const aggregateDocument = (aggregate: Aggregate, info: unknown, filter: Filter) =>
  document(filter, {
    info,
    score: aggregate.score,
    dimension: (name) => aggregate.dimensions[name],
    metric: (name) => aggregate.metrics[name],
  })

/** How the scores of dimensions are written: two generations of clients know one form each. */
export type HistoryForm = 'history' | 'historical'

/** Each leaf as a list over time; what was not measured on a day is left out of it. */
export function historyDocument(
  snapshots: readonly HistorySnapshot[],
  info: unknown,
  { filter, form }: { readonly filter: Filter; readonly form: HistoryForm },
) {
  const over = <T>(read: (aggregate: Aggregate) => T | null | undefined) =>
    snapshots.flatMap(({ day, aggregate }) => {
      const value = read(aggregate) ?? null
      return value === null ? [] : [{ day, value }]
    })
  const keyed = (list: readonly { readonly day: string; readonly value: unknown }[]) =>
    list.map(({ day, value }) => ({ [day]: value }))
  return document(filter, {
    info,
    score: keyed(over(({ score }) => score)),
    dimension: (name) =>
      form === 'history'
        ? keyed(over((aggregate) => aggregate.dimensions[name]?.points))
        : over((aggregate) => aggregate.dimensions[name]).map(
            ({ day: date, value: { points, percentage } }) => ({
              date,
              value: { points, percentage },
            }),
          ),
    metric: (name) => keyed(over((aggregate) => aggregate.metrics[name])),
  })
}

/** A catalogue as clients read it, in English or its main language. */
export function catalogueInfo(catalogue: CatalogueFigures) {
  const { id, titles, descriptions, languages, country, type } = catalogue
  const text = (texts: CatalogueFigures['titles']) =>
    localText(texts, { locale: 'en', languages, id: '' }).text
  return {
    id,
    title: text(titles) || id,
    description: text(descriptions),
    spatial: country,
    type,
  }
}
