/** Segment `metrics-accessibility`: measures one status for each URL of every distribution. */

import type { BlankNode, NamedNode } from '@rdfjs/types'
import type { SegmentContext, SegmentKind } from '../../pipe/segment.ts'
import { dcat } from '../../rdf/namespaces.ts'
import { keyOf } from '../../rdf/read.ts'
import { dateTimeOf, measurementQuads, withMeasurements } from '../measure/measurements.ts'
import { metricsSegment, segmentConfig } from '../pipe/metrics-segment.ts'
import { distributionsOf, type Payload } from '../pipe/payload.ts'
import type { UrlReach, ReachRun, UrlStatus } from './url-reach.ts'
import { pseudoCodes } from '../indicators.ts'

/**
 * Datasets that wait for answers at once. A slow host delays the datasets of others only when this many wait for it; more
 * would take too much memory where datasets are large.
 */
const datasetsAhead = 128

/** Makes the segment that adds `accessUrlStatusCode` and `downloadUrlStatusCode`; the order of the records stays. */
export function urlStatusSegment({ reach }: { readonly reach: UrlReach }): SegmentKind {
  const runs = new WeakMap<SegmentContext, ReachRun>()
  const runOf = (context: SegmentContext): ReachRun => {
    const run = runs.get(context) ?? reach.begin(context.runId, context.sink)
    runs.set(context, run)
    return run
  }
  return metricsSegment({
    names: ['metrics-accessibility', 'accessibility'],
    config: segmentConfig,
    atOnce: datasetsAhead,
    work: (payload, _, context, signal) =>
      withStatuses({ payload, run: runOf(context), reach }, signal),
  })
}

type Work = { readonly payload: Payload; readonly run: ReachRun; readonly reach: UrlReach }

async function withStatuses({ payload, run, reach }: Work, signal: AbortSignal): Promise<Payload> {
  const { catalogue } = payload.subject
  const statusOfUse = async ({ url, isIri }: UrlUse): Promise<UrlStatus | undefined> =>
    url !== undefined && isIri
      ? run.statusOf(url, catalogue, signal)
      : { status: pseudoCodes.invalidUrl, at: reach.now() }
  const quads = await Promise.all(
    urlUsesOf(payload).map(async (use) => {
      const urlStatus = await statusOfUse(use)
      if (!urlStatus) return []
      const { metric, distribution: target, url } = use
      const { status: value, at, since } = urlStatus
      const failingSince = since === undefined ? undefined : dateTimeOf(since)
      const times = { time: dateTimeOf(at), failingSince }
      return measurementQuads({ metric, target, value, url, ...times })
    }),
  )
  const at = dateTimeOf(reach.now())
  return withMeasurements(payload, { metrics: statusMetrics, quads: quads.flat(), at })
}

/** Metrics that this segment measures, one value for each URL. */
const statusMetrics = ['accessUrlStatusCode', 'downloadUrlStatusCode'] as const

type UrlUse = {
  readonly metric: (typeof statusMetrics)[number]
  /** The distribution. */
  readonly distribution: NamedNode | BlankNode
  /** Text of the URL in the record; absent for a blank node. */
  readonly url?: string
  /** Whether it is written as an IRI; only those can be URLs. */
  readonly isIri: boolean
}

/** Access and download URLs of every distribution, each once; empty literals are left out. */
export function urlUsesOf(payload: Payload): readonly UrlUse[] {
  const distributions = new Map(distributionsOf(payload).map((on) => [keyOf(on), on]))
  const uses = new Map<string, UrlUse>()
  for (const { subject, predicate, object } of payload.dataset) {
    const metric = metrics.get(predicate.value)
    const distribution = metric && distributions.get(keyOf(subject))
    if (!distribution || (object.termType === 'Literal' && object.value.trim() === '')) continue
    const url = object.termType === 'BlankNode' ? {} : { url: object.value }
    const key = `${metric} ${keyOf(distribution)} ${object.termType} ${object.value}`
    uses.set(key, { metric, distribution, ...url, isIri: object.termType === 'NamedNode' })
  }
  return [...uses.values()]
}

const metrics: ReadonlyMap<string, UrlUse['metric']> = new Map([
  [dcat('accessURL').value, 'accessUrlStatusCode'],
  [dcat('downloadURL').value, 'downloadUrlStatusCode'],
])
