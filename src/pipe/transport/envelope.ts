/** What processes send each other: the pipe as the next segment gets it, and its payload, written and read. */

import { isJsonObject, type Json, type JsonObject } from '../../text/json.ts'
import { hash } from 'node:crypto'
import { Failure, type Kind, shown } from '../../errors.ts'
import { problems } from '../../http/problem.ts'
import { isSecretName } from '../../secrets.ts'
import type { Endpoint, Payload, Pipe, Segment } from '../document.ts'
import { type Completeness, type RecordMessage, type Stage, stages } from '../message.ts'
import { shapedPipe } from '../pipe-schema.ts'

/** What the model of pipes knows: a strict reader refuses the whole message for any other key. `config` is free. */
const modelled = {
  header: 'id name title version context transport runId startTime lastRun'.split(' '),
  segment: 'id name segmentNumber title processed errorHandlerId'.split(' '),
  endpoint: 'protocol address method'.split(' '),
}

/**
 * The pipe as the segment of that number gets it, with the keys of the model alone: all before it are done, nothing else
 * carries a payload. `back` is where the output goes instead of the next segment.
 */
export function outgoing(
  pipe: Pipe,
  number: number,
  { payload, back }: { readonly payload?: Payload; readonly back?: Endpoint },
): Pipe {
  const next = following(pipe, number)?.header.segmentNumber
  const segments = pipe.body.segments.map(({ header, body }): Segment => {
    const { segmentNumber } = header
    const { config } = body
    const isOwn = segmentNumber === number
    const endpoint = isOwn || !back ? body.endpoint : segmentNumber === next && back
    // Only who comes later and gets the message from somebody else needs what is his.
    const isOpen = isOwn || (!back && segmentNumber > number)
    return {
      header: { ...only(header, modelled.segment), processed: segmentNumber < number },
      body: {
        ...(endpoint && { endpoint: only(endpoint, modelled.endpoint) }),
        config: isOpen ? config : withoutSecrets(config),
        ...(isOwn && payload && { payload }),
      },
    }
  })
  return { header: only(pipe.header, modelled.header), body: { segments } }
}

/** The object with those of its keys whose values are no objects: the model has none there. */
function only<Value extends object>(value: Value, keys: readonly string[]): Value {
  const known = Object.entries(value).filter(
    ([key, inner]) => keys.includes(key) && typeof inner !== 'object',
  )
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- everything that the type demands is of the model
  return Object.fromEntries(known) as Value
}

/** The pipe that came as a message. Throws `invalid-parameter`. */
export function messageIn(value: Json): Pipe {
  const shaped = shapedPipe(value)
  if ('pipe' in shaped) return shaped.pipe
  throw new Failure('invalid-parameter', 'the message is no pipe', { errors: shaped.problems })
}

/** The segment that a message is for: the first one that is not done. */
export const ownSegment = (pipe: Pipe): Segment | undefined =>
  pipe.body.segments.find(({ header }) => !header.processed)

/** The segment after the one of that number. */
export const following = (pipe: Pipe, number: number): Segment | undefined =>
  pipe.body.segments.find(({ header }) => header.segmentNumber > number)

/** What a message holds for a segment. Throws `invalid-parameter` when that is nothing. */
export function payloadIn({ body }: Segment): Payload {
  if (body.payload) return body.payload
  throw new Failure('invalid-parameter', 'the message carries nothing for the segment')
}

/** The path of a return address, below the address of the segments. */
export const returnPath = (token: string): string => `/r/${token}/pipe`

const returnQueues = 'returns-'

/** A queue for what comes back to one process. */
export type ReturnQueue = `${typeof returnQueues}${string}`

/**
 * Whether whoever is at the endpoint understands what only a platform says: records that were refused on the way, lists
 * that are not complete. Its address tells: no key of the model could.
 */
export function understandsProblems(endpoint: Endpoint | undefined): boolean {
  const address = endpoint?.address ?? ''
  const [queue = ''] = address.split('/').slice(-1)
  return /\/api\/segments\/r\/[\w-]{20,200}\/pipe$/.test(address) || queue.startsWith(returnQueues)
}

const withoutSecrets = (config: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(config)
      .filter(([name, value]) => isJsonObject(value) || !isSecretName(name))
      .map(([name, value]) => [name, discreet(value)]),
  )

function discreet(value: Json): Json {
  if (Array.isArray(value)) return value.map(discreet)
  return isJsonObject(value) ? withoutSecrets(value) : value
}

// Payloads, written.

/** Where a record stands among those of its run. */
type Standing = {
  /** Running number from 1. */
  readonly counter: number
  readonly total?: number
  readonly catalogue?: string
}

/** One record: its text, and in `dataInfo` what is known of it. */
export function recordPayload(record: RecordMessage, standing: Standing): Payload {
  const { originalId, sourceId, sourceHash, aliases, extra = {} } = record
  return payload(standing.counter, record.text, record.mediaType, {
    ...extra,
    ...standing,
    identifier: originalId ?? sourceId,
    ...(sourceHash !== undefined && { hash: sourceHash }),
    ...(aliases.length > 0 && { aliases }),
  })
}

/** A record that the source has declared deleted. */
export const deletedPayload = (id: string, standing: Standing): Payload =>
  payload(standing.counter, '', 'text/plain', { ...standing, identifier: id, deleted: true })

/** A record that was refused on its way; only for processes that say that they understand it. */
export function problemPayload(
  { problem, stage }: { readonly problem: Failure; readonly stage: Stage },
  id: string | undefined,
  standing: Standing,
): Payload {
  return payload(standing.counter, '', 'text/plain', {
    ...standing,
    ...(id !== undefined && { identifier: id }),
    content: 'problem',
    problem: { slug: problem.kind, detail: problem.detail, stage },
  })
}

/**
 * The last message of an import: all ids that the source offers, and whether the importer vouches for that. `records` says
 * how many of them were sent, because those that are known to be unchanged were not.
 */
export function listPayload(
  ids: readonly string[],
  records: number,
  { completeness, catalogue }: Pick<Standing, 'catalogue'> & { completeness: Completeness },
): Payload {
  const fingerprint = completeness.kind === 'complete' ? completeness.fingerprint : undefined
  return payload(records + 1, JSON.stringify(ids), 'application/json', {
    content: 'identifierList',
    complete: completeness.kind === 'complete',
    records,
    ...(fingerprint !== undefined && { fingerprint }),
    ...(catalogue !== undefined && { catalogue }),
  })
}

const payload = (
  seqNumber: number,
  data: string,
  dataMimeType: string,
  dataInfo: Readonly<Record<string, unknown>>,
): Payload => ({
  header: { seqNumber, dataType: 'text' },
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what was JSON text is JSON
  body: { dataMimeType, data, dataInfo: JSON.parse(JSON.stringify(dataInfo)) as JsonObject },
})

// Payloads, read.

export type ArrivedRecord = {
  readonly kind: 'record'
  /** Repeats of a message have the same one. */
  readonly key: string
  /** Original id in the source, or the platform's id in metrics pipes; absent where the message names none. */
  readonly id?: string
  readonly counter?: number
  readonly total?: number
  readonly aliases: readonly string[]
  readonly text: string
  readonly mediaType: string
  /** Keys of `dataInfo` that mean nothing to us. */
  readonly extra: JsonObject
}

/** The identifier of a record that its message does not name, out of its graph; `undefined` when there is none. */
export type Identify = (
  record: Pick<ArrivedRecord, 'text' | 'mediaType'>,
) => Promise<string | undefined>

export type ArrivedList = {
  readonly kind: 'list'
  readonly ids: ReadonlySet<string>
  /** How many of them were sent, where the sender says it: a platform does not send what is known to be unchanged. */
  readonly records?: number
  readonly complete: boolean
  readonly fingerprint?: string
}

type ArrivedProblem = {
  readonly kind: 'problem'
  readonly key: string
  readonly id?: string
  readonly counter?: number
  readonly stage: Stage
  readonly problem: Failure
}

export type Arrival =
  | ArrivedRecord
  /** The last message of an import, or of a page of it. */
  | ArrivedList
  | { readonly kind: 'deleted'; readonly key: string; readonly id: string }
  | ArrivedProblem
  /** No payload: the segment is to begin by itself. */
  | { readonly kind: 'start' }

/** Throws `Failure` `invalid-parameter` for a list that is none. */
export function arrivalOf(payload: Payload | undefined): Arrival {
  if (!payload) return { kind: 'start' }
  const { data, dataInfo: info = {}, dataMimeType: mediaType } = payload.body
  const isBase64 = payload.header.dataType === 'base64'
  const text = isBase64 ? Buffer.from(data, 'base64').toString('utf8') : data
  const { identifier, counter: n, current, total: announced, aliases, ...extra } = info
  if (info['content'] === 'identifierList') return listOf(text, info)
  const id = textOf(identifier)
  const counter = numberOf(n) ?? numberOf(current)
  // One record may come out as several: those differ in their ids, or in what they say.
  const { content = '', problem = '', deleted = '' } = info
  const said = JSON.stringify([content, id ?? '', problem, deleted, text])
  const common = {
    key: hash('sha256', said, 'base64'),
    ...(id !== undefined && { id }),
    ...(counter !== undefined && { counter }),
  }
  if (content === 'problem') return { kind: 'problem', ...common, ...problemOf(problem) }
  if (deleted === true && id !== undefined) return { kind: 'deleted', key: common.key, id }
  const total = numberOf(announced)
  return {
    kind: 'record',
    ...common,
    ...(total !== undefined && total >= 0 && { total }),
    aliases: Array.isArray(aliases) ? aliases.filter((alias) => typeof alias === 'string') : [],
    text,
    mediaType: mediaType ?? 'application/n-triples',
    extra,
  }
}

/** The record as one whose message names no identifier. */
export const nameless = ({ key, counter }: ArrivedRecord): ArrivedProblem => ({
  kind: 'problem',
  key,
  ...(counter !== undefined && { counter }),
  stage: 'transform',
  problem: new Failure('item-no-identifier', 'the message names no identifier'),
})

function listOf(text: string, info: JsonObject): ArrivedList {
  const fingerprint = textOf(info['fingerprint'])
  const records = numberOf(info['records'])
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch {
    list = undefined
  }
  if (!Array.isArray(list)) {
    throw new Failure('invalid-parameter', 'an identifier list is a JSON array of ids')
  }
  const ids = list.filter((id) => typeof id === 'string' || typeof id === 'number')
  return {
    kind: 'list',
    ids: new Set(ids.map(String)),
    ...(records !== undefined && { records }),
    complete: info['complete'] !== false,
    ...(fingerprint !== undefined && { fingerprint }),
  }
}

const isKind = (slug: string): slug is Kind => Object.hasOwn(problems, slug)

function problemOf(said: Json): Pick<ArrivedProblem, 'stage' | 'problem'> {
  const { slug, detail, stage } = isJsonObject(said) ? said : {}
  const kind = textOf(slug) ?? ''
  return {
    stage: stages.find((one) => one === stage) ?? 'transform',
    problem: new Failure(
      isKind(kind) && kind !== 'internal' ? kind : 'transform-failed',
      shown(textOf(detail) ?? 'the record was refused on its way'),
    ),
  }
}

const longestId = 2000
/** An id may be a number where somebody has counted. */
const textOf = (value: Json | undefined): string | undefined => {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && text.trim() !== '' && text.length <= longestId
    ? text
    : undefined
}
const numberOf = (value: Json | undefined): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined
