/** The node that stands for the quality metadata of a dataset, and what a segment adds to it. */

import type { Quad } from '@rdfjs/types'
import { dqv, prov, rdf, xsd } from '../../rdf/namespaces.ts'
import { literal, namedNode, quad } from '../../rdf/terms.ts'
import { metricsNode, type Payload } from '../pipe/payload.ts'
import { replaced } from './measurements.ts'
import { annotation, type ReportGraph, withoutReport } from './validation-report.ts'

/** An `xsd:dateTime` in UTC, to the second. */
export const dateTimeOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

type Addition = {
  /** Local names of the metrics of which no older measurement stays. */
  readonly metrics: readonly string[]
  readonly quads: readonly Quad[]
  /** Lexical form of an `xsd:dateTime`. */
  readonly at: string
}

/** The payload with these measurements in place of the older ones of the same metrics. */
export const withMeasurements = (payload: Payload, { metrics, quads, at }: Addition): Payload => ({
  ...payload,
  metrics: frame(payload, at).concat(unframed(payload, replaced(payload.metrics, metrics)), quads),
})

/** The payload with this report in place of an older one. */
export function withReport(payload: Payload, report: ReportGraph, at: string): Payload {
  const dataset = namedNode(payload.subject.iri)
  return {
    ...payload,
    metrics: frame(payload, at).concat(
      unframed(payload, withoutReport(payload.metrics)),
      annotation({ dataset, at, report }),
    ),
  }
}

/** What says that there is quality metadata, of which dataset and since when. */
function frame(payload: Payload, at: string): Quad[] {
  const node = metricsNode(payload)
  return [
    quad(node, rdf('type'), dqv('QualityMetadata')),
    quad(node, prov('generatedAtTime'), literal(at, xsd('dateTime'))),
    quad(namedNode(payload.subject.iri), dqv('hasQualityMetadata'), node),
  ]
}

const link = dqv('hasQualityMetadata').value
const framing: ReadonlySet<string> = new Set([rdf('type').value, prov('generatedAtTime').value])

function unframed({ metricsGraph, subject }: Payload, quads: readonly Quad[]): readonly Quad[] {
  return quads.filter((q) => {
    if (q.subject.value === metricsGraph) return !framing.has(q.predicate.value)
    return !(q.predicate.value === link && q.subject.value === subject.iri)
  })
}
