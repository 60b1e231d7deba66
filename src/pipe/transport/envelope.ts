/**
 * Writes and reads messages between processes. A message is the pipe document for one segment, with a payload (`Payload`) for
 * it; the message that starts an importer has none.
 */

import { hash } from 'node:crypto'
import { z } from 'zod'
import { Failure, type Kind, shown } from '../../errors.ts'
import { problems } from '../../http/problem.ts'
import { isSecretName } from '../../secrets.ts'
import { isJsonObject, type Json, type JsonObject, boundedJson, toJson } from '../../text/json.ts'
import type { Endpoint, Payload, Pipe, Segment } from '../document.ts'
import { type Completeness, type RecordMessage, type Stage, runStages } from '../message.ts'
import { validatePipe } from '../pipe-schema.ts'

/** Keys of the pipe model. Strict receivers refuse messages with other keys. `config` may contain anything. */
const modelKeys = {
  header: 'id name title version context transport runId startTime lastRun'.split(' '),
  segment: 'id name segmentNumber title processed errorHandlerId'.split(' '),
  endpoint: 'protocol address method'.split(' '),
}

/**
 * Pipe for the segment with that number, reduced to the keys of the model. Earlier segments are marked as processed; only
 * this one has a payload. With `returnTo`, the segment sends its output there instead of to the next segment.
 */
export function outgoingPipe(
  pipe: Pipe,
  number: number,
  { payload, returnTo }: { readonly payload?: Payload; readonly returnTo?: Endpoint },
): Pipe {
  const next = segmentAfter(pipe, number)
  const segments = pipe.body.segments.map((segment): Segment => {
    const { header, body } = segment
    const isTarget = header.segmentNumber === number
    const returnEndpoint = segment === next ? returnTo : undefined
    const endpoint = isTarget || !returnTo ? body.endpoint : returnEndpoint
    // Secrets are sent only to segments that receive the pipe from this message.
    const maySendSecrets = isTarget || (!returnTo && header.segmentNumber > number)
    return {
      header: {
        ...pickScalars(header, modelKeys.segment),
        processed: header.segmentNumber < number,
      },
      body: {
        endpoint: endpoint && pickScalars(endpoint, modelKeys.endpoint),
        config: maySendSecrets ? body.config : withoutSecrets(body.config),
        payload: isTarget ? payload : undefined,
      },
    }
  })
  return { header: pickScalars(pipe.header, modelKeys.header), body: { segments } }
}

/** Picks the given keys whose values are no objects; the model has no objects there. */
function pickScalars<Value extends object>(value: Value, keys: readonly string[]): Value {
  const scalars = Object.entries(value).filter(
    ([key, inner]) => keys.includes(key) && typeof inner !== 'object',
  )
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- everything that the type demands is of the model
  return Object.fromEntries(scalars) as Value
}

/** Reads the pipe of a received message. Throws `invalid-parameter`. */
export function parseMessage(value: Json): Pipe {
  const validated = validatePipe(value)
  if ('pipe' in validated) return validated.pipe
  throw new Failure('invalid-parameter', 'the message is not a pipe', {
    errors: validated.problems,
  })
}

/** Segment that a message is for: the first unprocessed one. */
export const targetSegment = (pipe: Pipe): Segment | undefined =>
  pipe.body.segments.find(({ header }) => !header.processed)

/** Segment after the one with that number. */
export const segmentAfter = (pipe: Pipe, number: number): Segment | undefined =>
  pipe.body.segments.find(({ header }) => header.segmentNumber > number)

/** Payload of a segment. Throws `invalid-parameter` if it is missing. */
function payloadOf({ body }: Segment): Payload {
  if (body.payload) return body.payload
  throw new Failure('invalid-parameter', 'the message has no payload for the segment')
}

/**
 * Payload that a foreign segment returns for the next one. If it is missing, the segment has dropped the record, and its own
 * payload names that record. Throws `invalid-parameter` if both are missing.
 */
export function returnedPayload(message: Pipe, target: Segment): Payload {
  if (target.body.payload) return target.body.payload
  const { segmentNumber } = target.header
  const sender = message.body.segments.findLast(
    ({ header }) => header.segmentNumber < segmentNumber,
  )
  const identifier = sender?.body.payload?.body.dataInfo?.['identifier']
  if (identifier === undefined) return payloadOf(target)
  return payload(1, '', 'text/plain', { identifier, content: 'dropped' })
}

/** Path of a return address, relative to the address of the segments. */
export const returnPath = (token: string): string => `/r/${token}/pipe`

const returnQueues = 'returns-'

/** Name of the queue for messages returned to one process. */
export type ReturnQueue = `${typeof returnQueues}${string}`

/**
 * Whether the endpoint belongs to another Cartulary, which understands refused records and incomplete lists. The form of its
 * address is the only sign, because the model has no key for it.
 */
export function understandsProblems(endpoint: Endpoint | undefined): boolean {
  const address = endpoint?.address ?? ''
  const [queue = ''] = address.split('/').slice(-1)
  return /\/api\/segments\/r\/[\w-]{20,200}\/pipe$/.test(address) || queue.startsWith(returnQueues)
}

/** Copies a config without members that have the name of a secret, at any depth. */
const withoutSecrets = (config: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(config)
      .filter(([name]) => !isSecretName(name))
      .map(([name, value]) => [name, withoutNestedSecrets(value)]),
  )

function withoutNestedSecrets(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNestedSecrets)
  return isJsonObject(value) ? withoutSecrets(value) : value
}

// Writing payloads.

/** Number of a record in its run, the number of records that the source declares, and the catalogue of the pipe. */
export type RecordPosition = {
  /** Number from 1. */
  readonly counter: number
  readonly total?: number
  readonly catalogue?: string
}

/** Payload of a record: its text, and its metadata in `dataInfo`. */
export function recordPayload(record: RecordMessage, position: RecordPosition): Payload {
  const { originalId, sourceId, sourceHash: hash, extra = {} } = record
  const identifier = originalId ?? sourceId
  const aliases = record.aliases.length > 0 ? record.aliases : undefined
  const info = { ...extra, ...position, identifier, hash, aliases }
  return payload(position.counter, record.text, record.mediaType, info)
}

/** Payload for a record that the source declared as deleted. */
export const deletedPayload = (identifier: string, position: RecordPosition): Payload =>
  payload(position.counter, '', 'text/plain', { ...position, identifier, deleted: true })

/** Payload for a refused record; only for receivers that `understandsProblems`. */
export function problemPayload(
  { problem: { kind: slug, detail }, stage }: { readonly problem: Failure; readonly stage: Stage },
  identifier: string | undefined,
  position: RecordPosition,
): Payload {
  const problem = { slug, detail, stage }
  const info = { ...position, identifier, content: 'problem', problem }
  return payload(position.counter, '', 'text/plain', info)
}

/**
 * Payload of the last message of an import: all ids of the source, and whether the list is complete. `records` is the number
 * of records, deletions and problems that were sent, because unchanged records are not.
 */
export function listPayload(
  ids: readonly string[],
  records: number,
  { completeness, catalogue }: Pick<RecordPosition, 'catalogue'> & { completeness: Completeness },
): Payload {
  const complete = completeness.kind === 'complete'
  const fingerprint = complete ? completeness.fingerprint : undefined
  const info = { content: 'identifierList', complete, records, fingerprint, catalogue }
  return payload(records + 1, JSON.stringify(ids), 'application/json', info)
}

/** Builds a payload; undefined members of `dataInfo` are left out. */
const payload = (
  seqNumber: number,
  data: string,
  dataMimeType: string,
  dataInfo: Readonly<Record<string, unknown>>,
): Payload => ({
  header: { seqNumber, dataType: 'text' },
  body: { dataMimeType, data, dataInfo: toJson(dataInfo) },
})

// Reading payloads. Invalid optional members count as absent, because senders differ.

/** A record in a received message. */
export type ArrivedRecord = {
  readonly kind: 'record'
  /** Key of the message; equal for repeated deliveries. */
  readonly key: string
  /** Original id in the source, or the platform id in metrics pipes; absent if the message has none. */
  readonly id?: string
  readonly counter?: number
  readonly total?: number
  readonly aliases: readonly string[]
  readonly text: string
  readonly mediaType: string
  /** Keys of `dataInfo` that have no member here. */
  readonly extra: Readonly<Record<string, unknown>>
}

/** Determines the identifier of a record from its graph, if its message has none. */
export type Identify = (
  record: Pick<ArrivedRecord, 'text' | 'mediaType'>,
) => Promise<string | undefined>

/** The last message of an import, or of one of its pages. */
export type ArrivedList = {
  readonly kind: 'list'
  readonly ids: ReadonlySet<string>
  /** Number of records that were sent, if known: a platform does not send unchanged ones. */
  readonly records?: number
  readonly complete: boolean
  readonly fingerprint?: string
}

/** A record that the sender refuses; `stage` is where it failed. */
type ArrivedProblem = Pick<ArrivedRecord, 'key' | 'id' | 'counter'> & {
  readonly kind: 'problem'
  readonly stage: Stage
  readonly problem: Failure
}

/** A received message, interpreted. */
export type Arrival =
  | ArrivedRecord
  | ArrivedList
  | { readonly kind: 'deleted'; readonly key: string; readonly id: string }
  /** The sender does not return the record. */
  | { readonly kind: 'dropped'; readonly key: string; readonly id: string }
  | ArrivedProblem

const number = z.int().optional().catch(undefined)
/** Some senders use numbers as ids. */
const text = z
  .union([z.string(), z.number()])
  .transform(String)
  .pipe(z.string().regex(/\S/).max(2000))
  .optional()
  .catch(undefined)

const recordInfo = z.looseObject({
  identifier: text,
  counter: number,
  current: number,
  total: z.int().min(0).optional().catch(undefined),
  aliases: z.array(z.unknown()).catch([]),
})
const listInfo = z.object({ records: number, fingerprint: text })
const listItems = z.array(z.unknown())
const problemInfo = z
  .object({ slug: text, detail: text, stage: z.enum(runStages).catch('transform') })
  .catch({ slug: undefined, detail: undefined, stage: 'transform' })

/** Interprets a payload. Throws `invalid-parameter` for a malformed list. */
export function parseArrival(payload: Payload): Arrival {
  const { data, dataInfo: info = {}, dataMimeType: mediaType } = payload.body
  const isBase64 = payload.header.dataType === 'base64'
  const text = isBase64 ? Buffer.from(data, 'base64').toString('utf8') : data
  if (info['content'] === 'identifierList') return listOf(text, info)
  const { identifier: id, counter, current, total, aliases, ...extra } = recordInfo.parse(info)
  // One record may be returned as several with different ids or texts; the key covers both.
  const { content = '', problem = '', deleted = '' } = info
  const identity = JSON.stringify([content, id ?? '', problem, deleted, text])
  const key = hash('sha256', identity, 'base64')
  if (deleted === true && id !== undefined) return { kind: 'deleted', key, id }
  if (content === 'dropped' && id !== undefined) return { kind: 'dropped', key, id }
  const common = { key, id, counter: counter ?? current }
  if (content === 'problem') return { kind: 'problem', ...common, ...problemOf(problem) }
  return {
    kind: 'record',
    ...common,
    total,
    aliases: aliases.filter((alias) => typeof alias === 'string'),
    text,
    mediaType: mediaType ?? 'application/n-triples',
    extra,
  }
}

/** Problem for a record whose message has no identifier. */
export const withoutIdentifier = ({ key, counter }: ArrivedRecord): ArrivedProblem => {
  const problem = new Failure('item-no-identifier', 'the message has no identifier')
  return { kind: 'problem', key, counter, stage: 'transform', problem }
}

function listOf(text: string, info: JsonObject): ArrivedList {
  const { success, data: list = [] } = listItems.safeParse(jsonOrNothing(text))
  if (!success) {
    throw new Failure('invalid-parameter', 'an identifier list must be a JSON array of ids')
  }
  const ids = list.filter((id) => typeof id === 'string' || typeof id === 'number')
  const { records, fingerprint } = listInfo.parse(info)
  const complete = info['complete'] !== false
  return { kind: 'list', ids: new Set(ids.map(String)), complete, records, fingerprint }
}

function jsonOrNothing(text: string): unknown {
  try {
    return boundedJson(text)
  } catch {
    return undefined
  }
}

const isKind = (slug: string): slug is Kind => Object.hasOwn(problems, slug)

function problemOf(value: Json): Pick<ArrivedProblem, 'stage' | 'problem'> {
  const {
    slug = '',
    detail = 'the record was refused on its way',
    stage,
  } = problemInfo.parse(value)
  const kind = isKind(slug) && slug !== 'internal' ? slug : 'transform-failed'
  return { stage, problem: new Failure(kind, shown(detail)) }
}
