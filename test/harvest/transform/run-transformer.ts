/** Runs one transformer by itself over given records: real workers, a log that is remembered, no importer. */

import { setTimeout as sleep } from 'node:timers/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Failure } from '../../../src/errors.ts'
import {
  type TransformDeps,
  type TransformLimits,
  usualTransformLimits,
} from '../../../src/harvest/transform/transformer.ts'
import { logger } from '../../../src/log.ts'
import type { JsonObject } from '../../../src/text/json.ts'
import type { Finding, Message, RecordMessage } from '../../../src/pipe/message.ts'
import type { SegmentContext, SegmentKind, SegmentPlace } from '../../../src/pipe/segment.ts'

export const dataset = (n: number) => `https://city.example/dataset/${n}`

/** A small dataset as N-Triples. */
export const triplesOf = (n: number): string =>
  `<${dataset(n)}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/ns/dcat#Dataset> .
<${dataset(n)}> <http://purl.org/dc/terms/title> "Trees ${n}"@en .
<${dataset(n)}> <http://www.w3.org/ns/dcat#contactPoint> _:c .
_:c <http://www.w3.org/2006/vcard/ns#fn> "Office" .
`

export const record = (n: number, more: Partial<RecordMessage> = {}): RecordMessage => ({
  kind: 'record',
  counter: n,
  sourceId: `id-${n}`,
  aliases: [],
  mediaType: 'application/n-triples',
  text: triplesOf(n),
  sourceUrl: 'https://city.example/catalog.ttl',
  findings: [],
  ...more,
})

export const jsonRecord = (n: number, value: unknown): RecordMessage =>
  record(n, { mediaType: 'application/json', text: JSON.stringify(value) })

export const end: Message = { kind: 'end', completeness: { kind: 'complete', fingerprint: 'f' } }

export type TransformerRun = {
  readonly messages: readonly Message[]
  /** Texts of the records that came out. */
  readonly texts: readonly string[]
  /** Problems of those that did not. */
  readonly problems: readonly string[]
  /** Told of those that did not. */
  readonly findings: readonly Finding[]
  /** What ended the run. */
  readonly failure?: Failure
  /** How many messages were asked for. */
  readonly asked: number
  readonly log: readonly Record<string, unknown>[]
}

export type TransformerRunOptions = {
  readonly input?: readonly Message[]
  readonly limits?: Partial<TransformLimits>
  readonly deps?: Partial<TransformDeps>
  readonly place?: Partial<SegmentPlace>
  readonly context?: Partial<SegmentContext>
  readonly signal?: AbortSignal
  /** Told of each message that comes out, before the next is asked for. */
  readonly meanwhile?: (message: Message) => void
}

const scratch = join(tmpdir(), `cartulary-transforming-${process.pid}`)

const depsOf = ({ limits, deps }: TransformerRunOptions): TransformDeps => ({
  limits: { ...usualTransformLimits, ...limits },
  scratch,
  secret: () => undefined,
  allow: [],
  now: () => Date.UTC(2026, 0, 2, 3, 4, 5),
  pause: (ms, signal) => sleep(ms, undefined, { signal }),
  ...deps,
})

type Kind = (deps: TransformDeps) => SegmentKind

/** Complaints about a config as `key: detail`; none when it is right. */
export function problemsOf(
  kind: Kind,
  config: JsonObject,
  setting: TransformerRunOptions = {},
): string[] {
  const opened = kind(depsOf(setting)).open(config, { trust: 'trusted', ...setting.place })
  return opened.ok ? [] : opened.problems.map(({ key, detail }) => `${key}: ${detail}`)
}

/** The digest of what decides how a record comes out. */
export function shapeOf(kind: Kind, config: JsonObject, place: Partial<SegmentPlace> = {}) {
  const opened = kind(depsOf({})).open(config, { trust: 'trusted', ...place })
  return opened.ok ? opened.outputHash : undefined
}

export async function runTransformer(
  kind: Kind,
  config: JsonObject,
  setting: TransformerRunOptions = {},
): Promise<TransformerRun> {
  const opened = kind(depsOf(setting)).open(config, { trust: 'trusted', ...setting.place })
  if (!opened.ok) throw new Error(JSON.stringify(opened.problems))
  let asked = 0
  async function* input(): AsyncGenerator<Message> {
    for (const message of setting.input ?? [record(1), record(2), end]) {
      asked += 1
      yield message
    }
  }
  const lines: string[] = []
  const log = logger('debug', { write: (line) => void lines.push(line) })
  const findings: Finding[] = []
  const told = { ...sink, finding: (finding: Finding) => void findings.push(finding) }
  const context = { runId: 'r1', pipe: 'p1', sink: told, log, dryRun: false, ...setting.context }
  const messages: Message[] = []
  let failure: Failure | undefined
  try {
    const signal = setting.signal ?? AbortSignal.timeout(60_000)
    for await (const message of opened.run(input(), context, signal)) {
      messages.push(message)
      setting.meanwhile?.(message)
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    failure = error
  }
  return {
    messages,
    texts: messages.flatMap((one) => (one.kind === 'record' ? [one.text] : [])),
    problems: messages.flatMap((one) => (one.kind === 'refused' ? [one.problem.message] : [])),
    findings,
    ...(failure && { failure }),
    asked,
    log: lines.map((line) => JSON.parse(line)),
  }
}

const sink: SegmentContext['sink'] = {
  item: () => {},
  finding: () => {},
  total: () => {},
  offered: () => {},
  adopted: () => {},
  page: () => {},
  request: () => {},
  alive: () => {},
  processed: () => {},
  outcome: () => {},
}
