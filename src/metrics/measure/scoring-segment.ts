/** Segment `metrics-score`: adds the six scores, which the dataset and its best distribution reach together. */

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

/** Makes the segment. A metric without a measurement gives no points. */
export const scoringSegment = ({ weights, now }: ScoringDeps): SegmentKind =>
  metricsSegment({
    names: ['metrics-score', 'score'],
    config: segmentConfig,
    atOnce: 1,
    work: (payload) => withScores(payload, weights, dateTimeOf(now())),
  })

const metrics: readonly string[] = [scoring, ...dimensions.map(dimensionScore)]

function withScores(payload: Payload, weights: Weights, at: string): Payload {
  const target = namedNode(payload.subject.iri)
  const distributions = distributionsOf(payload).map(keyOf)
  const score = scoreOf(measurements(payload.metrics), payload.subject.iri, distributions, weights)
  const quads = [
    ...measurementQuads({ metric: scoring, target, value: score.total, time: at }),
    ...dimensions.flatMap((name) =>
      measurementQuads({
        metric: dimensionScore(name),
        target,
        value: score.dimensions[name],
        time: at,
      }),
    ),
  ]
  return withMeasurements(payload, { metrics, quads, at })
}

/** Score of a dataset in integers; `total` is the sum of the dimensions. */
type Score = {
  readonly total: number
  readonly dimensions: Readonly<Record<Dimension, number>>
  /** Points of each indicator. */
  readonly points: ReadonlyMap<IndicatorName, number>
}

/** Result of each indicator; those that were not measured are absent. */
type IndicatorResults = Map<IndicatorName, boolean>

/**
 * Scores a dataset. Measurements of nodes other than it and `distributions` are left out, because these were removed. Among
 * distributions with the same points that with the smallest key (IRI or label) counts.
 */
export function scoreOf(
  measured: Iterable<MeasuredValue>,
  dataset: string,
  distributions: Iterable<string>,
  weights: Weights,
): Score {
  const datasetResults: IndicatorResults = new Map()
  const keys = [...distributions].sort(compareCodePoints)
  const nodes = new Map<string, IndicatorResults>(keys.map((key) => [key, new Map()]))
  for (const measuredValue of measured)
    addMeasured(
      measuredValue.target === dataset ? datasetResults : nodes.get(measuredValue.target),
      measuredValue,
    )
  const scores = [...nodes.values()].map((results) => pointsOf(datasetResults, results, weights))
  const [first = pointsOf(datasetResults, new Map(), weights), ...others] = scores
  return others.reduce((best, score) => (score.total > best.total ? score : best), first)
}

/** Adds a measurement. The best of several of one metric on one node counts, such as the statuses of several URLs. */
function addMeasured(
  results: IndicatorResults | undefined,
  { metric, value }: MeasuredValue,
): void {
  const indicator = indicatorOf(metric)
  if (!results || !indicator) return
  const isTrue = typeof value === 'number' ? isReachable(value) : value
  results.set(indicator.name, isTrue || results.get(indicator.name) === true)
}

function pointsOf(
  dataset: IndicatorResults,
  distribution: IndicatorResults,
  weights: Weights,
): Score {
  const results = indicators.map(({ name, level }) => {
    const outcomes = [
      ...(level === 'distribution' ? [] : [dataset.get(name)]),
      ...(level === 'dataset' ? [] : [distribution.get(name)]),
    ].filter((outcome) => outcome !== undefined)
    const { dimension, yes, no } = weights[name]
    return { name, dimension, points: outcomes.includes(true) ? yes : outcomes.length > 0 ? no : 0 }
  })
  const sum = (rows: typeof results) => rows.reduce((total, { points }) => total + points, 0)
  return {
    total: sum(results),
    dimensions: byDimension((name) => sum(results.filter(({ dimension }) => dimension === name))),
    points: new Map(results.map(({ name, points }) => [name, points])),
  }
}
