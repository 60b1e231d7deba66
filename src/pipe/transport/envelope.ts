/** The pipe on its way between processes: which segment works next, what it carries, and where its output goes. */

import type { Failure } from '../../errors.ts'
import { isSecretName } from '../../secrets.ts'
import type { Endpoint, Json, JsonObject, Payload, Pipe, Segment } from '../document.ts'
import type { Completeness, RecordMessage, Stage } from '../message.ts'

type Load = { readonly payload?: Payload; readonly back?: Endpoint }

/** What the model of pipes knows: a strict reader refuses the whole message for any other key. `config` is free. */
const modelled = {
  header: [
    'id',
    'name',
    'title',
    'version',
    'context',
    'transport',
    'runId',
    'startTime',
    'lastRun',
  ],
  segment: ['id', 'name', 'segmentNumber', 'title', 'processed', 'errorHandlerId'],
  endpoint: ['protocol', 'address', 'method'],
} as const

/**
 * The pipe as the segment of that number gets it, with the keys of the model alone: all before it are done, nothing else
 * carries a payload.
 */
export function outgoing(pipe: Pipe, number: number, { payload, back }: Load): Pipe {
  const next = following(pipe, number)?.header.segmentNumber
  const segments = pipe.body.segments.map((segment): Segment => {
    const { segmentNumber } = segment.header
    const { endpoint, config } = segment.body
    const header = {
      ...only(segment.header, modelled.segment),
      processed: segmentNumber < number,
    }
    if (segmentNumber === number) {
      const named = endpoint && { endpoint: only(endpoint, modelled.endpoint) }
      return { header, body: { ...named, config, ...(payload && { payload }) } }
    }
    const told = back ? segmentNumber === next && back : endpoint
    return {
      header,
      body: {
        ...(told && { endpoint: only(told, modelled.endpoint) }),
        // Only who comes later and gets the message from somebody else needs what is his.
        config: back || segmentNumber < number ? withoutSecrets(config) : config,
      },
    }
  })
  return { header: only(pipe.header, modelled.header), body: { segments } }
}

/** The object with those of its keys whose values are no objects: the model has none there. */
function only<Value extends object, Key extends string>(
  value: Value,
  keys: readonly Key[],
): Pick<Value, Extract<keyof Value, Key>> {
  const known = Object.entries(value).filter(
    ([key, inner]) => keys.some((one) => one === key) && typeof inner !== 'object',
  )
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are the ones that were asked for
  return Object.fromEntries(known) as Pick<Value, Extract<keyof Value, Key>>
}

/** The segment that a message is for: the first one that is not done. */
export const ownSegment = (pipe: Pipe): Segment | undefined =>
  pipe.body.segments.find(({ header }) => !header.processed)

/** The segment after the one of that number. */
export const following = (pipe: Pipe, number: number): Segment | undefined =>
  pipe.body.segments.find(({ header }) => header.segmentNumber > number)

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

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function withoutSecrets(config: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(config)
      .filter(([name, value]) => isObject(value) || !isSecretName(name))
      .map(([name, value]) => [name, discreet(value)]),
  )
}

function discreet(value: Json): Json {
  if (Array.isArray(value)) return value.map(discreet)
  return isObject(value) ? withoutSecrets(value) : value
}

// What a message between processes carries, written.

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
    ...plain(extra),
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
 * The last message of an import: all ids that the source offers, and whether the importer vouches for that. `records` says how many of them were
 * sent, because those that are known to be unchanged were not.
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
  dataInfo: JsonObject,
): Payload => ({
  header: { seqNumber, dataType: 'text' },
  body: { dataMimeType, data, dataInfo },
})

/** What JSON has words for. */
function plain(extra: Readonly<Record<string, unknown>>): JsonObject {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what was JSON text is JSON
  return JSON.parse(JSON.stringify(extra)) as Record<string, Json>
}
