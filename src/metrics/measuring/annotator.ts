/** `metrics-annotator`: adds every boolean measurement. */

import type { Quad } from '@rdfjs/types'
import type { SegmentContext, SegmentKind } from '../../pipe/segment.ts'
import { namedNode } from '../../rdf/terms.ts'
import { dateTimeOf, remeasured } from '../dqv/quality-metadata.ts'
import { isCompliant } from '../dqv/validation-report.ts'
import { measurement } from '../dqv/measurements.ts'
import type { Payload } from '../pipe/payload.ts'
import { metricsSegment, segmentConfig } from '../pipe/metrics-segment.ts'
import { indicators } from '../indicators.ts'
import { annotate } from './annotating.ts'
import type { Values } from './values.ts'

export type AnnotatorDeps = {
  /** Asked once per run. */
  readonly values: (signal: AbortSignal) => Promise<Values>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** `dcatApCompliance` is measured when there is a report, and then has no result of severity Violation. */
export function annotatorSegment({ values, now }: AnnotatorDeps): SegmentKind {
  const known = new WeakMap<SegmentContext, Promise<Values>>()
  const valuesFor = (context: SegmentContext, signal: AbortSignal): Promise<Values> => {
    const loaded = known.get(context) ?? values(signal)
    known.set(context, loaded)
    return loaded
  }
  return metricsSegment({
    names: ['metrics-annotator', 'annotator'],
    config: segmentConfig,
    atOnce: 1,
    work: async (payload, _, context, signal) =>
      annotated(payload, await valuesFor(context, signal), dateTimeOf(now())),
  })
}

const booleans: readonly string[] = indicators
  .filter(({ type }) => type === 'boolean')
  .map(({ name }) => name)
const withoutCompliance = booleans.filter((name) => name !== 'dcatApCompliance')

function annotated(payload: Payload, values: Values, at: string): Payload {
  const quads: Quad[] = []
  for (const { on, found } of annotate(payload, values)) {
    for (const [metric, value] of Object.entries(found)) {
      quads.push(...measurement({ metric, on, value, at }))
    }
  }
  const compliant = isCompliant(payload.metrics)
  if (compliant !== undefined) {
    const on = namedNode(payload.subject.iri)
    quads.push(...measurement({ metric: 'dcatApCompliance', on, value: compliant, at }))
  }
  const metrics = compliant === undefined ? withoutCompliance : booleans
  return remeasured(payload, { metrics, quads, at })
}
