/** Figures and their history as documents. */

import type { Aggregate, Snapshot } from '../figures.ts'
import { dimensionsIn, metricsIn, wanted } from './keys.ts'

type Filter = readonly string[] | undefined

/** `info` is absent for the whole portal. */
export function aggregateDocument(aggregate: Aggregate, info: unknown, filter: Filter) {
  const part = (dimension: ReturnType<typeof dimensionsIn>[number]) => ({
    score: aggregate.dimensions[dimension],
    ...Object.fromEntries(
      metricsIn(dimension).map(({ name, key }) => [key, aggregate.metrics[name]]),
    ),
  })
  return {
    ...(info !== undefined && wanted(filter, 'info') && { info }),
    ...(wanted(filter, 'score') && { score: aggregate.score }),
    ...Object.fromEntries(dimensionsIn(filter).map((dimension) => [dimension, part(dimension)])),
  }
}

/** In which form the scores of dimensions stand: two generations of clients know one each. */
export type Form = 'history' | 'historical'

/** Each leaf as a list over time; what was not measured on a day is left out of it. */
export function historyDocument(
  snapshots: readonly Snapshot[],
  info: unknown,
  { filter, form }: { readonly filter: Filter; readonly form: Form },
) {
  const over = <T>(read: (aggregate: Aggregate) => T | null) =>
    snapshots.flatMap(({ day, aggregate }) => {
      const value = read(aggregate)
      return value === null ? [] : [{ [day]: value }]
    })
  const part = (dimension: ReturnType<typeof dimensionsIn>[number]) => ({
    score:
      form === 'history'
        ? over(({ dimensions }) => dimensions[dimension]?.points ?? null)
        : snapshots.flatMap(({ day: date, aggregate }) => {
            const score = aggregate.dimensions[dimension]
            if (score === null) return []
            const { points, percentage } = score
            return [{ date, value: { points, percentage } }]
          }),
    ...Object.fromEntries(
      metricsIn(dimension).map(({ name, key }) => [key, over(({ metrics }) => metrics[name])]),
    ),
  })
  return {
    ...(info !== undefined && wanted(filter, 'info') && { info }),
    ...(wanted(filter, 'score') && { score: over(({ score }) => score) }),
    ...Object.fromEntries(dimensionsIn(filter).map((dimension) => [dimension, part(dimension)])),
  }
}
