/** `metrics-accessibility`: one status per URL of every distribution, as a measurement. Works ahead within bounds, and keeps the order. */

import type { BlankNode, NamedNode } from '@rdfjs/types'
import type { Message } from '../../pipe/message.ts'
import type { SegmentContext, SegmentFunction, SegmentKind } from '../../pipe/segment.ts'
import { dcat } from '../../rdf/namespaces.ts'
import { keyOf } from '../../rdf/read.ts'
import { unlessAborted } from '../../workers/condition.ts'
import {
  dateTimeOf,
  type Measurement,
  measurementQuads,
  withMeasurements,
} from '../measure/measurements.ts'
import { metricsSegment, segmentConfig } from '../pipe/metrics-segment.ts'
import { distributionsOf, type Payload, payloadOf } from '../pipe/payload.ts'
import type { UrlReach, ReachRun, UrlVerdict } from './url-reach.ts'
import { pseudoCodes } from '../indicators.ts'

/**
 * Datasets that wait for answers at once. At one request per second a host with every hundredth dataset lets a hundred
 * pass in a second, and one that is slow stands in nobody's way until this many have gathered behind it.
 */
const datasetsAhead = 512
/** Triples that they may have together: about 60 MB. Large datasets wait in smaller company. */
const triplesAhead = 150_000

/** Adds `accessUrlStatusCode` and `downloadUrlStatusCode`; the order of the records stays. */
export function reachingSegment({ reach }: { readonly reach: UrlReach }): SegmentKind {
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

type Work = { readonly payload: Payload; readonly run: ReachRun; readonly reach: UrlReach }

async function measured({ payload, run, reach }: Work, signal: AbortSignal): Promise<Payload> {
  const { catalogue } = payload.subject
  const verdictOn = async ({ url, isIri }: UrlUse): Promise<UrlVerdict | undefined> =>
    url !== undefined && isIri
      ? run.verdict(url, catalogue, signal)
      : { status: pseudoCodes.invalidUrl, at: reach.now() }
  const found = await Promise.all(
    urlUsesOf(payload).map(async (place) => ({ place, verdict: await verdictOn(place) })),
  )
  const quads = found.flatMap(({ place, verdict }) =>
    verdict ? measurementQuads(measurementOf(place, verdict)) : [],
  )
  return withMeasurements(payload, { metrics: statusMetrics, quads, at: dateTimeOf(reach.now()) })
}

const measurementOf = ({ metric, on, url }: UrlUse, { status, at }: UrlVerdict): Measurement => ({
  metric,
  on,
  value: status,
  at: dateTimeOf(at),
  ...(url !== undefined && { from: url }),
})

// Where a dataset says that its files are.

/** The metrics that are measured here, one value per URL. */
const statusMetrics = ['accessUrlStatusCode', 'downloadUrlStatusCode'] as const

type UrlUse = {
  readonly metric: (typeof statusMetrics)[number]
  /** The distribution. */
  readonly on: NamedNode | BlankNode
  /** As it is written; absent for a blank node. */
  readonly url?: string
  /** An IRI: only these can be URLs. */
  readonly isIri: boolean
}

/** Every access and download URL of every distribution, once each; literals without text are none. */
export function urlUsesOf(payload: Payload): readonly UrlUse[] {
  const distributions = new Map(distributionsOf(payload).map((on) => [keyOf(on), on]))
  const uses = new Map<string, UrlUse>()
  for (const { subject, predicate, object } of payload.dataset) {
    const metric = metrics.get(predicate.value)
    const on = metric && distributions.get(keyOf(subject))
    if (!on || (object.termType === 'Literal' && object.value.trim() === '')) continue
    const url = object.termType === 'BlankNode' ? {} : { url: object.value }
    const key = `${metric} ${keyOf(on)} ${object.termType} ${object.value}`
    uses.set(key, { metric, on, ...url, isIri: object.termType === 'NamedNode' })
  }
  return [...uses.values()]
}

const metrics: ReadonlyMap<string, UrlUse['metric']> = new Map([
  [dcat('accessURL').value, 'accessUrlStatusCode'],
  [dcat('downloadURL').value, 'downloadUrlStatusCode'],
])

// How much may be under way in a segment that works ahead, in the size of what it holds.

type Window = {
  /** What may be held at once; a single message may weigh more. */
  readonly most: number
  readonly weigh: (message: Message, context: SegmentContext) => Promise<number>
}

/**
 * The segment, which gives exactly one message for each that it takes and keeps their order, takes another one only when
 * the weight of those that it holds leaves room.
 */
export const within = ({ most, weigh }: Window, run: SegmentFunction): SegmentFunction =>
  async function* (input, context, signal) {
    const weights: number[] = []
    let held = 0
    let wake: (() => void) | undefined
    const isFull = (weight: number) => held > 0 && held + weight > most
    async function* entering(): AsyncGenerator<Message> {
      for await (const message of input) {
        const weight = await weigh(message, context)
        while (isFull(weight)) {
          const { promise, resolve } = Promise.withResolvers<void>()
          wake = resolve
          await unlessAborted(promise, signal)
        }
        weights.push(weight)
        held += weight
        yield message
      }
    }
    for await (const message of run(entering(), context, signal)) {
      yield message
      held -= weights.shift() ?? 0
      wake?.()
    }
  }
