/** `metrics-score`: adds the six scores, which are what the dataset and its best distribution reach together. */

import type { SegmentKind } from '../../pipe/segment.ts'
import { keyOf } from '../../rdf/read.ts'
import { namedNode } from '../../rdf/terms.ts'
import { compareCodePoints } from '../../text/code-points.ts'
import {
  dateTimeOf,
  type MeasuredValue,
  measurementQuads,
  measurements,
  withMeasurements,
} from './measurements.ts'
import {
  byDimension,
  type Dimension,
  dimensions,
  dimensionScore,
  type IndicatorName,
  indicatorOf,
  indicators,
  isReachable,
  scoring,
} from '../indicators.ts'
import { metricsSegment, segmentConfig } from '../pipe/metrics-segment.ts'
import { distributionsOf, type Payload } from '../pipe/payload.ts'
import type { Weights } from './weights.ts'

type ScoringDeps = {
  readonly weights: Weights
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Scores what it finds: a metric without measurement gives nothing. */
export const scoringSegment = ({ weights, now }: ScoringDeps): SegmentKind =>
  metricsSegment({
    names: ['metrics-score', 'score'],
    config: segmentConfig,
    atOnce: 1,
    work: (payload) => withScores(payload, weights, dateTimeOf(now())),
  })

const metrics: readonly string[] = [scoring, ...dimensions.map(dimensionScore)]

function withScores(payload: Payload, weights: Weights, at: string): Payload {
  const on = namedNode(payload.subject.iri)
  const distributions = distributionsOf(payload).map(keyOf)
  const score = scoreOf(measurements(payload.metrics), payload.subject.iri, distributions, weights)
  const quads = [
    ...measurementQuads({ metric: scoring, on, value: score.total, at }),
    ...dimensions.flatMap((name) =>
      measurementQuads({ metric: dimensionScore(name), on, value: score.dimensions[name], at }),
    ),
  ]
  return withMeasurements(payload, { metrics, quads, at })
}

// The score of a dataset: what its best distribution and it reach together.

/** Integers; `total` is the sum of the dimensions. */
type Score = {
  readonly total: number
  readonly dimensions: Readonly<Record<Dimension, number>>
  /** Of each indicator. */
  readonly points: ReadonlyMap<IndicatorName, number>
}

/** Whether an indicator is true; absent: it was not measured. */
type Truth = Map<IndicatorName, boolean>

/**
 * Metrics of distributions that are not named are left out: they are no longer there. Of distributions with the same points that
 * with the smallest IRI counts.
 */
export function scoreOf(
  measured: Iterable<MeasuredValue>,
  dataset: string,
  distributions: Iterable<string>,
  weights: Weights,
): Score {
  const own: Truth = new Map()
  const keys = [...distributions].sort(compareCodePoints)
  const nodes = new Map<string, Truth>(keys.map((key) => [key, new Map()]))
  for (const one of measured) note(one.on === dataset ? own : nodes.get(one.on), one)
  const scores = [...nodes.values()].map((truth) => pointsOf(own, truth, weights))
  const [first = pointsOf(own, new Map(), weights), ...more] = scores
  return more.reduce((best, score) => (score.total > best.total ? score : best), first)
}

/** Of several measurements of one metric on one node the best counts: the statuses of several URLs. */
function note(truth: Truth | undefined, { metric, value }: MeasuredValue): void {
  const indicator = indicatorOf(metric)
  if (!truth || !indicator) return
  const isTrue = typeof value === 'number' ? isReachable(value) : value
  truth.set(indicator.name, isTrue || truth.get(indicator.name) === true)
}

function pointsOf(dataset: Truth, distribution: Truth, weights: Weights): Score {
  const earned = indicators.map(({ name, level }) => {
    const truths = [
      ...(level === 'distribution' ? [] : [dataset.get(name)]),
      ...(level === 'dataset' ? [] : [distribution.get(name)]),
    ].filter((truth) => truth !== undefined)
    const { dimension, yes, no } = weights[name]
    return { name, dimension, points: truths.includes(true) ? yes : truths.length > 0 ? no : 0 }
  })
  const sum = (some: typeof earned) => some.reduce((all, { points }) => all + points, 0)
  return {
    total: sum(earned),
    dimensions: byDimension((name) => sum(earned.filter(({ dimension }) => dimension === name))),
    points: new Map(earned.map(({ name, points }) => [name, points])),
  }
}
