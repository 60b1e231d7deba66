/** The indicators of a report: how many fulfil each, and what is missing. */

import type { Aggregate, MetricName, Shares } from '../figures/figures.ts'
import type { Weights } from '../scoring/weights.ts'
import { indicators, type IndicatorName } from '../indicators.ts'
import type { IndicatorFigure } from './report.ts'

/** Whether a URL works is told by the share of good status codes. */
const derived: Partial<Record<IndicatorName, MetricName>> = {
  accessUrlStatusCode: 'accessUrlAccessibility',
  downloadUrlStatusCode: 'downloadUrlAccessibility',
}

/** All of them, dimension by dimension. */
export const indicatorFigures = (
  metrics: Aggregate['metrics'],
  weights: Weights,
): readonly IndicatorFigure[] =>
  indicators.map(({ name, type }) => {
    const { dimension, yes: points, no } = weights[name]
    const share = yesOf(metrics[derived[name] ?? name])
    return {
      name,
      dimension,
      type,
      points,
      share,
      missing: share === null ? 0 : ((points - no) * (100 - share)) / 100,
      codes: type === 'status' ? (metrics[name] ?? []) : [],
    }
  })

const yesOf = (shares: Shares | null): number | null =>
  shares === null ? null : (shares.find(({ name }) => name === 'yes')?.percentage ?? 0)

/** Those that something is missing of, the most first. */
export const worstOf = (figures: readonly IndicatorFigure[]): readonly IndicatorFigure[] =>
  figures.filter(({ missing }) => missing > 0).toSorted((one, other) => other.missing - one.missing)
