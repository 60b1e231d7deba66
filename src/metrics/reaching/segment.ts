/** `metrics-accessibility`: one status per URL of every distribution, as a measurement. */

import type { SegmentContext, SegmentKind } from '../../pipe/segment.ts'
import type { Message } from '../../pipe/message.ts'
import { dateTimeOf, remeasured } from '../dqv/quality-metadata.ts'
import { measurement, type Measurement } from '../dqv/measurements.ts'
import { payloadOf, type Payload } from '../pipe/payload.ts'
import { metricsSegment, segmentConfig } from '../pipe/metrics-segment.ts'
import { invalid } from './checking.ts'
import type { Verdict } from './asking.ts'
import type { Reach, ReachRun } from './reach.ts'
import { placesOf, statusMetrics, type Place } from './urls.ts'
import { within } from './window.ts'

/**
 * Datasets that wait for answers at once. At one request per second a host with every hundredth dataset lets a hundred
 * pass in a second, and one that is slow stands in nobody's way until this many have gathered behind it.
 */
const datasetsAhead = 512
/** Triples that they may have together: about 60 MB. Large datasets wait in smaller company. */
const triplesAhead = 150_000

/** Adds `accessUrlStatusCode` and `downloadUrlStatusCode`; the order of the records stays. */
export function reachingSegment({ reach }: { readonly reach: Reach }): SegmentKind {
  const runs = new WeakMap<SegmentContext, ReachRun>()
  const runOf = (context: SegmentContext): ReachRun => {
    const known = runs.get(context) ?? reach.begin(context.runId, context.sink)
    runs.set(context, known)
    return known
  }
  const kind = metricsSegment({
    names: ['metrics-accessibility', 'accessibility'],
    config: segmentConfig,
    atOnce: datasetsAhead,
    work: (payload, _, context, signal) =>
      measured({ payload, run: runOf(context), reach }, signal),
  })
  return {
    ...kind,
    open: (config, place) => {
      const opened = kind.open(config, place)
      if (!opened.ok || config['skip'] === true) return opened
      return { ...opened, run: within({ most: triplesAhead, weigh: triplesOf }, opened.run) }
    },
  }
}

/** A record that cannot be read is refused by the segment itself. */
async function triplesOf(message: Message, { pipe }: SegmentContext): Promise<number> {
  if (message.kind !== 'record') return 0
  const payload = await payloadOf(message, pipe).catch(() => undefined)
  return payload ? payload.dataset.length + payload.metrics.length : 1
}

type Work = { readonly payload: Payload; readonly run: ReachRun; readonly reach: Reach }

async function measured({ payload, run, reach }: Work, signal: AbortSignal): Promise<Payload> {
  const { catalogue } = payload.subject
  const verdictOn = async ({ url, isIri }: Place): Promise<Verdict | undefined> =>
    url !== undefined && isIri
      ? run.verdict(url, catalogue, signal)
      : { status: invalid, at: reach.now() }
  const found = await Promise.all(
    placesOf(payload).map(async (place) => ({ place, verdict: await verdictOn(place) })),
  )
  const quads = found.flatMap(({ place, verdict }) =>
    verdict ? measurement(measurementOf(place, verdict)) : [],
  )
  return remeasured(payload, { metrics: statusMetrics, quads, at: dateTimeOf(reach.now()) })
}

const measurementOf = ({ metric, on, url }: Place, { status, at }: Verdict): Measurement => ({
  metric,
  on,
  value: status,
  at: dateTimeOf(at),
  ...(url !== undefined && { from: url }),
})
