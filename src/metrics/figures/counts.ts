/**
 * Counts of measurements of a scope, and the figures that follow from them: means as points, shares in percent with one decimal.
 */

import type { Sqlite } from '../../sqlite.ts'
import { byDimension, indicators, isReachable, type Dimension } from '../indicators.ts'
import type { Weights } from '../measure/weights.ts'
import type {
  Aggregate,
  DimensionScore,
  HistorySpan,
  MetricName,
  Scope,
  Shares,
} from './figures.ts'
import { recordOf } from '../../text/records.ts'

/**
 * Number of times that a metric has a value. Beside the metrics by local name (`true`, `false`, or a status code): `datasets`
 * (`all`, `measured`, and the number of their `distributions`), `bands` by id, and of `scoring` and each dimension `count` and
 * `sum`.
 */
export type ScopeCounts = Readonly<Record<string, Readonly<Record<string, number>>>>

/** Points of all indicators of each dimension together. */
export type Maxima = Readonly<Record<Dimension, number>>

/** Adds up the points that a dataset can have in each dimension. */
export const maximaOf = (weights: Weights): Maxima =>
  byDimension((name) =>
    Object.values(weights).reduce(
      (sum, { dimension, yes }) => sum + (dimension === name ? yes : 0),
      0,
    ),
  )

/** Kind and key of a scope, in the history and in conditions. */
export function scopeKey(scope: Scope): readonly [kind: string, key: string] {
  if (scope === 'global') return ['global', '']
  const [[kind, key] = ['', '']] = Object.entries(scope)
  return [kind, key]
}

/** Rows of `measurement` that belong to a scope, as a condition with its values. */
export function scopeCondition(scope: Scope) {
  const [kind, key] = scopeKey(scope)
  const catalogues = { catalogue: 'WHERE id = ?1', country: 'WHERE country = ?1' }[kind] ?? ''
  const publisher = kind === 'publisher' ? '?1' : "''"
  return {
    where: `version IN (SELECT version FROM counted_catalogue ${catalogues}) AND publisher = ${publisher}`,
    values: kind === 'global' ? [] : [key],
  }
}

/**
 * Counts of a scope; `undefined` for a catalogue that is not served, a country without catalogues and a publisher without
 * datasets.
 */
export function scopeCounts(file: Sqlite, scope: Scope): ScopeCounts | undefined {
  const { where, values } = scopeCondition(scope)
  const rows = file.rows(
    `SELECT name, value, sum(count) AS count FROM measurement WHERE kind = 'metric' AND ${where} GROUP BY name, value`,
    ...values,
  )
  const counts: Record<string, Record<string, number>> = {}
  for (const { name, value, count } of rows)
    (counts[String(name)] ??= {})[String(value)] = Number(count)
  return rows.length > 0 || scope === 'global' ? counts : undefined
}

/** Characters of a day that are equal within a period. */
const periods = { year: 4, month: 7, day: 10 } as const

/** Counts of the last day of each period that has one, ascending. */
export function historyCounts(file: Sqlite, scope: Scope, { from, to, resolution }: HistorySpan) {
  const lastDays =
    'SELECT max(day) FROM history WHERE kind = ?1 AND key = ?2 AND day BETWEEN ?3 AND ?4'
  const sql = `SELECT day, tally FROM history WHERE kind = ?1 AND key = ?2 AND day IN (${lastDays} GROUP BY substr(day, 1, ?5)) ORDER BY day`
  return file.rows(sql, ...scopeKey(scope), from, to, periods[resolution]).map(({ day, tally }) => {
    const counts: ScopeCounts = JSON.parse(String(tally))
    return { day: String(day), counts }
  })
}

/** Status metrics, each with the metric that follows from it. */
export const accessibilityMetrics: Readonly<Record<string, MetricName>> = {
  accessUrlStatusCode: 'accessUrlAccessibility',
  downloadUrlStatusCode: 'downloadUrlAccessibility',
}

/** All metrics of an aggregate, in the order of the dimensions. */
export const metricNames: readonly MetricName[] = indicators.flatMap(({ name }) => [
  name,
  ...(accessibilityMetrics[name] ? [accessibilityMetrics[name]] : []),
])

/** Means of points, rounded at the end, and shares of every metric; `null` where nothing was counted. */
export function aggregateOf(counts: ScopeCounts, maxima: Maxima): Aggregate {
  const shares = new Map<string, Shares | null>()
  for (const { name, type } of indicators) {
    const values = counts[name]
    if (type === 'boolean')
      shares.set(name, yesNoShares(values?.['true'] ?? 0, values?.['false'] ?? 0))
    else if (values)
      shares
        .set(name, codeShares(values))
        .set(accessibilityMetrics[name] ?? '', reachability(values))
  }
  const { count = 0, sum = 0 } = counts['scoring'] ?? {}
  return {
    score: count === 0 ? null : Math.round(sum / count),
    dimensions: byDimension((name) => meanPoints(counts[name], maxima[name])),
    metrics: recordOf(metricNames, (name) => shares.get(name) ?? null),
  }
}

const percent = (part: number, whole: number): number => Math.round((part * 1000) / whole) / 10

function meanPoints(values: ScopeCounts[string] | undefined, max: number): DimensionScore | null {
  const { count = 0, sum = 0 } = values ?? {}
  if (count === 0) return null
  return {
    points: Math.round(sum / count),
    percentage: max === 0 ? 0 : percent(sum, count * max),
    max,
  }
}

/** Shares of yes and no; `null` where nothing was counted. */
export function yesNoShares(yes: number, no: number): Shares | null {
  if (yes + no === 0) return null
  const share = percent(yes, yes + no)
  return [
    { name: 'yes', percentage: share },
    { name: 'no', percentage: Math.round((100 - share) * 10) / 10 },
  ]
}

/** Shares of status codes, the largest first. */
export function codeShares(codes: Readonly<Record<string, number>>): Shares {
  const total = sumOf(Object.values(codes))
  return Object.entries(codes)
    .toSorted(
      ([codeA, countA], [codeB, countB]) => countB - countA || Number(codeA) - Number(codeB),
    )
    .map(([name, count]) => ({ name, percentage: percent(count, total) }))
}

function reachability(codes: Readonly<Record<string, number>>): Shares | null {
  const reachable = Object.entries(codes).filter(([code]) => isReachable(Number(code)))
  const yes = sumOf(reachable.map(([, count]) => count))
  return yesNoShares(yes, sumOf(Object.values(codes)) - yes)
}

const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0)
