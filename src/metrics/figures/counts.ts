/** Counts of measurements of a scope, and the figures that follow from them: means as points, shares in percent with one decimal. */

import type { Sqlite } from '../../sqlite.ts'
import {
  dimensions,
  indicators,
  isReachable,
  type Dimension,
  type IndicatorName,
} from '../indicators.ts'
import type {
  Aggregate,
  DimensionScore,
  MeasuredCounts,
  MetricName,
  Scope,
  Shares,
} from './figures.ts'

/**
 * How often a metric has a value. Beside the metrics by local name (`true`, `false`, or a status code): `datasets` (`all`,
 * `measured`, and the number of their `distributions`), `bands` by id, and of `scoring` and each dimension `count` and `sum`.
 */
export type ScopeCounts = Readonly<Record<string, Readonly<Record<string, number>>>>

/** Points of a true measurement, by indicator. */
export type Points = Readonly<Record<IndicatorName, number>>

/** The points of all indicators of each dimension together. */
export type Maxima = Readonly<Record<Dimension, number>>

/** A value for each dimension. */
export const byDimension = <Value>(valueOf: (dimension: Dimension) => Value) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each dimension is given
  Object.fromEntries(dimensions.map((name) => [name, valueOf(name)])) as Readonly<
    Record<Dimension, Value>
  >

export const maximaOf = (points: Points): Maxima =>
  byDimension((dimension) =>
    indicators
      .filter((indicator) => indicator.dimension === dimension)
      .reduce((sum, { name }) => sum + points[name], 0),
  )

/** Which rows of the tables with editions and publishers a scope has, as a condition with its values. */
export function rowsOf(scope: Scope): { readonly where: string; readonly values: string[] } {
  if (scope === 'global')
    return { where: "publisher = '' AND edition IN (SELECT edition FROM served)", values: [] }
  if ('publisher' in scope)
    return {
      where:
        'publisher = ?1 AND edition IN (SELECT edition FROM publishers JOIN served USING (edition) WHERE key = ?1)',
      values: [scope.publisher],
    }
  const [column, value] =
    'catalogue' in scope ? ['id', scope.catalogue] : ['country', scope.country]
  const where = `publisher = '' AND edition IN (SELECT edition FROM served WHERE ${column} = ?1)`
  return { where, values: [value] }
}

/** `undefined` for a catalogue that is not served, a country without catalogues and a publisher without datasets. */
export function scopeCounts(file: Sqlite, scope: Scope): ScopeCounts | undefined {
  const { where, values } = rowsOf(scope)
  const rows = file.rows(
    `SELECT metric, value, sum(count) AS count FROM measurements WHERE ${where} GROUP BY metric, value`,
    ...values,
  )
  const counts: Record<string, Record<string, number>> = {}
  for (const { metric, value, count } of rows)
    (counts[String(metric)] ??= {})[String(value)] = Number(count)
  return rows.length > 0 || scope === 'global' ? counts : undefined
}

/** The status metrics, and what follows from each. */
const derived = {
  accessUrlStatusCode: 'accessUrlAccessibility',
  downloadUrlStatusCode: 'downloadUrlAccessibility',
} as const

const isDerived = (name: string): name is keyof typeof derived => Object.hasOwn(derived, name)

/** All metrics of an aggregate, in the order of the dimensions. */
export const metricNames: readonly MetricName[] = indicators.flatMap(({ name }) =>
  isDerived(name) ? [name, derived[name]] : [name],
)

export function aggregateOf(counts: ScopeCounts, maxima: Maxima): Aggregate {
  const shares = new Map<string, Shares | null>()
  for (const { name, type } of indicators) {
    const values = counts[name]
    if (type === 'boolean') shares.set(name, yesNo(values?.['true'] ?? 0, values?.['false'] ?? 0))
    else if (values) shares.set(name, byCode(values))
    if (isDerived(name) && values) shares.set(derived[name], reachability(values))
  }
  const { count = 0, sum = 0 } = counts['scoring'] ?? {}
  return {
    score: count === 0 ? null : Math.round(sum / count),
    dimensions: byDimension((name) => dimensionScore(counts[name], maxima[name])),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each name is given its share
    metrics: Object.fromEntries(
      metricNames.map((name) => [name, shares.get(name) ?? null]),
    ) as Aggregate['metrics'],
  }
}

/** How many datasets there are, were measured, and were scored in each band. */
export function measuredCounts(
  counts: ScopeCounts,
  bands: readonly { readonly id: string }[],
): MeasuredCounts {
  const { all = 0, measured = 0, distributions = 0 } = counts['datasets'] ?? {}
  const inBand = counts['bands'] ?? {}
  return {
    all,
    datasets: measured,
    distributions,
    bands: bands.map(({ id }) => ({ id, datasets: inBand[id] ?? 0 })),
  }
}

const percent = (part: number, whole: number): number => Math.round((part * 1000) / whole) / 10

function dimensionScore(
  values: ScopeCounts[string] | undefined,
  max: number,
): DimensionScore | null {
  const { count = 0, sum = 0 } = values ?? {}
  if (count === 0) return null
  return {
    points: Math.round(sum / count),
    percentage: max === 0 ? 0 : percent(sum, count * max),
    max,
  }
}

/** Shares of yes and no; `null` where nothing was counted. */
export function yesNo(yes: number, no: number): Shares | null {
  if (yes + no === 0) return null
  const share = percent(yes, yes + no)
  return [
    { name: 'yes', percentage: share },
    { name: 'no', percentage: Math.round((100 - share) * 10) / 10 },
  ]
}

/** Shares of status codes, the largest first. */
export function byCode(codes: Readonly<Record<string, number>>): Shares {
  const all = sumOf(Object.values(codes))
  return Object.entries(codes)
    .toSorted(([one, many], [other, more]) => more - many || Number(one) - Number(other))
    .map(([name, count]) => ({ name, percentage: percent(count, all) }))
}

function reachability(codes: Readonly<Record<string, number>>): Shares | null {
  const reached = Object.entries(codes).filter(([code]) => isReachable(Number(code)))
  const yes = sumOf(reached.map(([, count]) => count))
  return yesNo(yes, sumOf(Object.values(codes)) - yes)
}

const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0)
