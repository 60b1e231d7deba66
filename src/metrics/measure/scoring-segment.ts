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
    work: (payload) => scored(payload, weights, dateTimeOf(now())),
  })

const metrics: readonly string[] = [scoring, ...dimensions.map(dimensionScore)]

function scored(payload: Payload, weights: Weights, at: string): Payload {
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

type Score = {
  /** Sum of the dimensions. */
  readonly total: number
  readonly dimensions: Readonly<Record<Dimension, number>>
}

/** Whether an indicator is true; absent: it was not measured. */
type Truth = Map<IndicatorName, boolean>

/** Metrics of distributions that are not named are left out: they are no longer there. */
export function scoreOf(
  measured: Iterable<MeasuredValue>,
  dataset: string,
  distributions: Iterable<string>,
  weights: Weights,
): Score {
  const nodes = new Map<string, Truth>([dataset, ...distributions].map((key) => [key, new Map()]))
  for (const one of measured) note(nodes.get(one.on), one)
  const own = nodes.get(dataset) ?? new Map()
  nodes.delete(dataset)
  let best: { readonly key: string; readonly score: Score } | undefined
  for (const [key, truth] of nodes) {
    const score = pointsOf(own, truth, weights)
    const order = best ? score.total - best.score.total : 1
    if (!best || order > 0 || (order === 0 && compareCodePoints(key, best.key) < 0)) {
      best = { key, score }
    }
  }
  return best?.score ?? pointsOf(own, new Map(), weights)
}

/** Of several measurements of one metric on one node the best counts: the statuses of several URLs. */
function note(truth: Truth | undefined, { metric, value }: MeasuredValue): void {
  const indicator = indicatorOf(metric)
  if (!truth || !indicator) return
  const isTrue = typeof value === 'number' ? isReachable(value) : value
  truth.set(indicator.name, isTrue || truth.get(indicator.name) === true)
}

function pointsOf(dataset: Truth, distribution: Truth, weights: Weights): Score {
  const points = {
    findability: 0,
    accessibility: 0,
    interoperability: 0,
    reusability: 0,
    contextuality: 0,
  }
  for (const { name, level } of indicators) {
    const truth =
      level === 'dataset'
        ? dataset.get(name)
        : level === 'distribution'
          ? distribution.get(name)
          : either(dataset.get(name), distribution.get(name))
    if (truth === undefined) continue
    const { dimension, yes, no } = weights[name]
    points[dimension] += truth ? yes : no
  }
  return { total: dimensions.reduce((sum, name) => sum + points[name], 0), dimensions: points }
}

const either = (one: boolean | undefined, other: boolean | undefined): boolean | undefined =>
  one === undefined ? other : one || other === true
