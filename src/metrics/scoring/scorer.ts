/** `metrics-score`: adds the six scores. */

import type { SegmentKind } from '../../pipe/segment.ts'
import { keyOf } from '../../rdf/read.ts'
import { namedNode } from '../../rdf/terms.ts'
import { dateTimeOf, remeasured } from '../dqv/quality-metadata.ts'
import { measurement, measurements } from '../dqv/measurements.ts'
import { distributionsOf, type Payload } from '../pipe/payload.ts'
import { metricsSegment, segmentConfig } from '../pipe/metrics-segment.ts'
import { dimensions, dimensionScore, scoring } from '../indicators.ts'
import { scoreOf } from './scoring.ts'
import type { Weights } from './weights.ts'

export type ScoringDeps = {
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
    ...measurement({ metric: scoring, on, value: score.total, at }),
    ...dimensions.flatMap((name) =>
      measurement({ metric: dimensionScore(name), on, value: score.dimensions[name], at }),
    ),
  ]
  return remeasured(payload, { metrics, quads, at })
}
