/** Counts as figures: means as points, shares in percent with one decimal. */

import { indicators, type Dimension, type IndicatorName } from '../../words/indicators.ts'
import type { Aggregate, DimensionScore, Measured, MetricName, Shares } from '../figures.ts'
import { reachability, type Tally } from './tally.ts'

/** Points of a true measurement, by indicator. */
export type Points = Readonly<Record<IndicatorName, number>>

/** The points of all indicators of each dimension together. */
export type Maxima = Readonly<Record<Dimension, number>>

export function maximaOf(points: Points): Maxima {
  const most = (dimension: Dimension) =>
    indicators
      .filter((indicator) => indicator.dimension === dimension)
      .reduce((sum, { name }) => sum + points[name], 0)
  return {
    findability: most('findability'),
    accessibility: most('accessibility'),
    interoperability: most('interoperability'),
    reusability: most('reusability'),
    contextuality: most('contextuality'),
  }
}

/** The status metrics, and what follows from each. */
const derived = {
  accessUrlStatusCode: 'accessUrlAccessibility',
  downloadUrlStatusCode: 'downloadUrlAccessibility',
} as const

const isDerived = (name: string): name is keyof typeof derived => Object.hasOwn(derived, name)

/** All that can be told, in the order of the dimensions. */
export const metricNames: readonly MetricName[] = indicators.flatMap(({ name }) =>
  isDerived(name) ? [name, derived[name]] : [name],
)

export function aggregateOf(tally: Tally, maxima: Maxima): Aggregate {
  const [scored, points] = tally.score
  const shares = new Map<string, Shares | null>()
  for (const { name, type } of indicators) {
    if (type === 'boolean') shares.set(name, yesNo(tally.answers[name]))
    else {
      const codes = tally.codes[name]
      shares.set(name, codes ? byCode(codes) : null)
      if (isDerived(name)) shares.set(derived[name], codes ? yesNo(reachability(codes)) : null)
    }
  }
  const score = (dimension: Dimension) =>
    dimensionScore(tally.dimensions[dimension], maxima[dimension])
  return {
    score: scored === 0 ? null : Math.round(points / scored),
    dimensions: {
      findability: score('findability'),
      accessibility: score('accessibility'),
      interoperability: score('interoperability'),
      reusability: score('reusability'),
      contextuality: score('contextuality'),
    },
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each name is given its share
    metrics: Object.fromEntries(
      metricNames.map((name) => [name, shares.get(name) ?? null]),
    ) as Aggregate['metrics'],
  }
}

export const measuredOf = (tally: Tally, bands: readonly { readonly id: string }[]): Measured => ({
  all: tally.all,
  datasets: tally.datasets,
  distributions: tally.distributions,
  bands: bands.map(({ id }) => ({ id, datasets: tally.bands[id] ?? 0 })),
})

/** Percent with one decimal. */
const percent = (part: number, whole: number): number => Math.round((part * 1000) / whole) / 10

function dimensionScore(sum: Tally['score'] | undefined, max: number): DimensionScore | null {
  if (sum === undefined || sum[0] === 0) return null
  const [count, points] = sum
  return {
    points: Math.round(points / count),
    percentage: max === 0 ? 0 : percent(points, count * max),
    max,
  }
}

/** Shares of yes and no; `null` where nothing was counted. */
export function yesNo(counts: readonly [number, number] | undefined): Shares | null {
  const [yes, no] = counts ?? [0, 0]
  if (yes + no === 0) return null
  const share = percent(yes, yes + no)
  return [
    { name: 'yes', percentage: share },
    { name: 'no', percentage: Math.round((100 - share) * 10) / 10 },
  ]
}

/** Shares of status codes, the largest first. */
export function byCode(codes: Readonly<Record<string, number>>): Shares {
  const counts = Object.entries(codes)
  const all = counts.reduce((sum, [, count]) => sum + count, 0)
  return counts
    .toSorted(([one, many], [other, more]) => more - many || Number(one) - Number(other))
    .map(([name, count]) => ({ name, percentage: percent(count, all) }))
}
