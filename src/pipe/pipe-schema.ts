/** Schema of the pipe document, for pipe files and for messages of other processes; describes problems as sentences. */

import { isJsonObject, type Json, type JsonObject } from '../text/json.ts'
import { z } from 'zod'
import { type Complaint, jsonPointer } from '../errors.ts'
import type { Pipe } from './document.ts'
import { readText } from './pipe-text.ts'

type PipeResult =
  | { readonly pipe: Pipe }
  | { readonly problems: readonly Complaint[]; readonly name?: string }

/** Limits of a pipe document; `segments` is their number. */
export type PipeLimits = {
  /** Size of a file in bytes. */
  readonly pipeBytes: number
  readonly segments: number
}

export const standardLimits: PipeLimits = { pipeBytes: 5 * 2 ** 20, segments: 32 }

/**
 * Validates a parsed pipe, stored or received. Keeps unknown keys, fills blank and missing members with their defaults, if they
 * have some, and sorts the segments. Problems have JSON pointers; `name` is the name of the pipe if it could be read.
 */
export function validatePipe(value: Json, mostSegments = standardLimits.segments): PipeResult {
  const result = document.safeParse(withoutBlanks(value))
  const problems = result.success
    ? numberProblems(result.data.body.segments, mostSegments)
    : result.error.issues.map(complaint)
  if (!result.success || problems.length > 0) {
    const { success, data } = pipeWithName.safeParse(value)
    return { problems: problems.slice(0, 100), ...(success && { name: data.header.name }) }
  }
  const { body } = result.data
  const segments = body.segments.toSorted((a, b) => a.header.segmentNumber - b.header.segmentNumber)
  return { pipe: { ...result.data, body: { ...body, segments } } }
}

/**
 * Reads a stored pipe as JSON or YAML, by the suffix of `name`. Drops members that belong to a run: run id, times, payloads,
 * processed flags.
 */
export function readPipe(text: string, name: string, limits = standardLimits): PipeResult {
  if (Buffer.byteLength(text) > limits.pipeBytes) return { problems: [tooLarge(limits)] }
  const read = readText(text, name)
  if (!read.ok) return { problems: read.problems }
  const validated = validatePipe(read.value, limits.segments)
  if (!('pipe' in validated)) return validated
  const { header, body, ...otherMembers } = validated.pipe
  const { runId: _id, startTime: _start, lastRun: _last, ...headerWithoutRun } = header
  const segments = body.segments.map((segment) => {
    const { payload: _payload, ...bodyWithoutPayload } = segment.body
    return { ...segment, header: { ...segment.header, processed: false }, body: bodyWithoutPayload }
  })
  return { pipe: { ...otherMembers, header: headerWithoutRun, body: { ...body, segments } } }
}

export const tooLarge = (limits: PipeLimits) => ({
  detail: `must be at most ${limits.pipeBytes} bytes (pipeBytes)`,
})

const complaint = (issue: z.core.$ZodIssue): Complaint => ({
  pointer: jsonPointer(...issue.path),
  detail: issue.message,
})

function numberProblems(
  segments: readonly { header: { segmentNumber: number } }[],
  mostSegments: number,
): Complaint[] {
  if (segments.length > mostSegments) {
    return [{ pointer: '/body/segments', detail: `must hold at most ${mostSegments} segments` }]
  }
  const numbers = segments.map(({ header }) => header.segmentNumber)
  return numbers.flatMap((number, index) => {
    const first = numbers.indexOf(number)
    if (first === index) return []
    const pointer = `/body/segments/${index}/header/segmentNumber`
    return [{ pointer, detail: `must be unique; segment ${first} has ${number} too` }]
  })
}

/** Members that are ignored when blank (`null` or an empty object); other platforms write such values. */
const optionalMembers: ReadonlySet<string> = new Set(
  'title context runId startTime lastRun endpoint payload dataMimeType dataInfo config processed'.split(
    ' ',
  ),
)
/** Objects with arbitrary content. */
const freeObjects: ReadonlySet<string> = new Set(['config', 'dataInfo'])

const isBlank = (key: string, value: Json) =>
  value === null
    ? optionalMembers.has(key) || key === 'header'
    : optionalMembers.has(key) && isJsonObject(value) && Object.keys(value).length === 0

/** Removes the members of `optionalMembers` that are blank, and each `header` that is `null`; not within free objects. */
function withoutBlanks(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutBlanks)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) => !isBlank(key, inner))
      .map(([key, inner]) => [key, freeObjects.has(key) ? inner : withoutBlanks(inner)]),
  )
}

const text = (error: string) => z.string({ error })
const objectOf = <Shape extends z.core.$ZodLooseShape>(
  members: Shape,
  error = 'must be an object',
) => z.looseObject(members, { error })

const nameRule = 'must be text of 1 to 200 characters without control characters, / and \\'
/** Names that may appear in URL paths and log lines; they are never used as file names. */
// oxlint-disable-next-line no-control-regex -- they are what must not be there
const nameForm = /^(?!\.{1,2}$)[^\u0000-\u001f\u007f-\u009f\u2028\u2029/\\]{1,200}$/
const name = text(nameRule).regex(nameForm, { error: nameRule })
const idRule = 'must be text of 1 to 200 characters, such as a UUID; put numbers in quotes'
const versionRule = 'must be text with major version 1 or 2, such as "2.0.0"'
const numberRule = { error: 'must be a whole number, 0 or more' }
const optionalText = text('must be text; put numbers in quotes').optional()
const object = z.custom<JsonObject>(isJsonObject, { error: 'must be an object' })

/** Time as any text; other platforms write milliseconds since 1970. */
const time = z.preprocess((value) => {
  const date = new Date(typeof value === 'number' ? value : Number.NaN)
  return Number.isNaN(date.getTime()) ? value : date.toISOString()
}, text('must be a time, as text or in milliseconds since 1970').optional())

const payload = objectOf({
  header: objectOf({
    seqNumber: z.int(numberRule).min(0).default(0),
    dataType: z.enum(['text', 'base64'], { error: 'must be text or base64' }).default('text'),
  }).prefault({}),
  body: objectOf({
    data: text('must be text').default(''),
    dataMimeType: optionalText,
    dataInfo: object.optional(),
  }),
})

const endpoint = objectOf(
  { protocol: optionalText, address: text('must be an address'), method: optionalText },
  'must be an object with address',
)

const segment = objectOf(
  {
    header: objectOf(
      {
        name,
        segmentNumber: z.int(numberRule).min(0, numberRule),
        title: optionalText,
        processed: z.boolean({ error: 'must be true or false' }).default(false),
      },
      'must be an object with name and segmentNumber',
    ),
    body: z.preprocess(
      (value) => value ?? {},
      objectOf({
        config: object.default({}),
        endpoint: endpoint.optional(),
        payload: payload.optional(),
      }),
    ),
  },
  'must be an object with header and body',
)

const header = objectOf(
  {
    id: text(idRule).min(1, { error: idRule }).max(200, { error: idRule }),
    name,
    title: optionalText,
    context: optionalText,
    transport: z.literal('payload', { error: 'must be "payload"' }),
    version: text(versionRule).regex(/^[12](\.|$)/, { error: versionRule }),
    runId: optionalText,
    startTime: time,
    lastRun: time,
  },
  'must be an object with id, name, transport and version',
)

const segments = z
  .array(segment, { error: 'must be an array of segments' })
  .min(1, { error: 'must hold at least one segment' })

const document = objectOf(
  { header, body: objectOf({ segments }, 'must be an object with segments') },
  'must be an object with header and body',
)

const pipeWithName = z.looseObject({ header: z.looseObject({ name }) })
