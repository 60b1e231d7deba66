/** What tests of the quality segments stand on: messages, a context without a run, and segments one behind the other. */

import type { Failure } from '../../../src/errors.ts'
import { loadValueTests } from '../../../src/metrics/measure/measured-values.ts'
import { annotatorSegment } from '../../../src/metrics/measure/annotator-segment.ts'
import { scoringSegment } from '../../../src/metrics/measure/scoring-segment.ts'
import { loadWeights } from '../../../src/metrics/measure/weights.ts'
import type { JsonObject } from '../../../src/text/json.ts'
import type { Message, RecordMessage } from '../../../src/pipe/message.ts'
import type { SegmentFunction, SegmentKind } from '../../../src/pipe/segment.ts'
import { contextOf } from '../context.ts'

export const never = new AbortController().signal

export const context = contextOf('run-1')

export const prefixes = `
  @prefix adms: <http://www.w3.org/ns/adms#> .
  @prefix dc: <http://purl.org/dc/elements/1.1/> .
  @prefix dcat: <http://www.w3.org/ns/dcat#> .
  @prefix dct: <http://purl.org/dc/terms/> .
  @prefix dqv: <http://www.w3.org/ns/dqv#> .
  @prefix prov: <http://www.w3.org/ns/prov#> .
  @prefix pv: <https://piveau.eu/ns/voc#> .
  @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
  @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
  @prefix eu: <http://publications.europa.eu/resource/authority/> .
  @prefix : <https://example.org/> .
`

/** A record with some Turtle or TriG about the dataset `:ds`. */
export const record = (text: string, more: Partial<RecordMessage> = {}): RecordMessage => ({
  kind: 'record',
  counter: 1,
  sourceId: 'ds',
  aliases: [],
  mediaType: 'application/trig',
  text: prefixes + text,
  findings: [],
  extra: { identifier: 'ds', catalogue: 'cat', source: 'dcat-ap' },
  ...more,
})

export const isRecord = (message: Message): message is RecordMessage => message.kind === 'record'

/** The function of a segment whose config is right. */
export function opened(kind: SegmentKind, config: JsonObject = {}): SegmentFunction {
  const found = kind.open(config, { trust: 'trusted' })
  if (!found.ok) throw new Error(JSON.stringify(found.problems))
  return found.run
}

async function* stream(messages: readonly Message[]): AsyncGenerator<Message> {
  yield* messages
}

/** Everything that comes out behind the last segment. */
export async function runThrough(
  segments: readonly SegmentFunction[],
  messages: readonly Message[],
  signal = never,
): Promise<Message[]> {
  let current: AsyncIterable<Message> = stream(messages)
  for (const segment of segments) current = segment(current, context, signal)
  const found: Message[] = []
  for await (const message of current) found.push(message)
  return found
}

/** The one record that comes out; the failure when it was refused. */
export async function one(
  segments: readonly SegmentFunction[],
  message: RecordMessage,
): Promise<RecordMessage> {
  const [found] = await runThrough(segments, [message])
  if (found?.kind === 'refused') throw found.problem satisfies Failure
  if (found?.kind !== 'record') throw new Error('nothing came out')
  return found
}

export const at = '2026-11-21T10:00:00Z'
export const now = () => Date.parse(at)

export const weightsFile = new URL('../../../shapes/metrics/weights.ttl', import.meta.url).pathname
export const noStore = () => Promise.resolve(undefined)

export const defaultValues = () =>
  loadValueTests({ licenceSchemes: [], literalFormats: true, read: noStore })

/** Annotator and scoring as they are shipped. */
export async function segments(): Promise<{
  annotator: SegmentFunction
  scoring: SegmentFunction
}> {
  const { weights } = await loadWeights(weightsFile)
  return {
    annotator: opened(annotatorSegment({ values: await defaultValues(), now })),
    scoring: opened(scoringSegment({ weights, now })),
  }
}
