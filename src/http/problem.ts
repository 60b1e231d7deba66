/** Problem documents (RFC 9457) of failures, messages for invalid parameters, and the schema of problems for OpenAPI. */

import { z } from '@hono/zod-openapi'
import { Failure, jsonPointer, printable, shown, type Complaint, type Kind } from '../errors.ts'
import { isDiskFull } from '../sqlite.ts'
import { keysOf } from '../text/records.ts'

const problemType = 'application/problem+json'

/** Kind of failure → status and title. */
export const problems = {
  'malformed-rdf': { status: 400, title: 'The RDF cannot be parsed' },
  'empty-body': { status: 400, title: 'The request has no body' },
  'malformed-json': { status: 400, title: 'The JSON cannot be parsed' },
  'invalid-parameter': { status: 400, title: 'A parameter is not valid' },
  'filters-required': { status: 400, title: 'The parameter needs filters' },
  'field-not-configured': { status: 400, title: 'The index has no such field' },
  'query-too-complex': { status: 400, title: 'The query is too complex' },
  'remote-context': { status: 400, title: 'Remote JSON-LD contexts are not loaded' },
  'malformed-query': { status: 400, title: 'The query cannot be parsed' },
  unauthorized: { status: 401, title: 'A valid API key is required' },
  forbidden: { status: 403, title: 'The API key does not permit this' },
  'not-found': { status: 404, title: 'No such resource' },
  'unknown-catalogue': { status: 404, title: 'No such catalogue' },
  'unknown-dataset': { status: 404, title: 'No such dataset' },
  'unknown-distribution': { status: 404, title: 'No such distribution' },
  'unknown-vocabulary': { status: 404, title: 'No such vocabulary' },
  'unknown-record': { status: 404, title: 'No such catalogue record' },
  'unknown-metrics': { status: 404, title: 'No such quality metrics' },
  'unknown-concept': { status: 404, title: 'No such concept' },
  'unknown-resource': { status: 404, title: 'No such resource of that type' },
  'unknown-cursor': { status: 404, title: 'No such cursor' },
  'method-not-allowed': { status: 405, title: 'The method is not allowed here' },
  'not-acceptable': { status: 406, title: 'No acceptable media type' },
  'request-timeout': { status: 408, title: 'The request did not arrive in time' },
  'newer-exists': { status: 409, title: 'A newer version exists' },
  'already-exists': { status: 409, title: 'The resource exists already' },
  'duplicate-in-request': { status: 409, title: 'The request holds the same thing twice' },
  conflict: { status: 409, title: 'The request conflicts with the present state' },
  gone: { status: 410, title: 'The resource was deleted' },
  'precondition-failed': { status: 412, title: 'A precondition failed' },
  'precondition-required': { status: 428, title: 'A precondition is required' },
  'too-large': { status: 413, title: 'The request is too large' },
  'unsupported-media-type': { status: 415, title: 'The media type is not supported' },
  'missing-class': { status: 422, title: 'The expected class is missing' },
  'ambiguous-subject': { status: 422, title: 'More than one subject is possible' },
  'too-complex': { status: 422, title: 'The content is too complex' },
  'invalid-content': { status: 422, title: 'The content is not valid' },
  'too-many-requests': { status: 429, title: 'Too many requests' },
  'too-many-cursors': { status: 429, title: 'Too many open cursors' },
  internal: { status: 500, title: 'Internal error' },
  starting: { status: 503, title: 'The platform is starting' },
  'store-unavailable': { status: 503, title: 'The triplestore is not available' },
  'engine-unavailable': { status: 503, title: 'The search engine is not available' },
  'writer-away': { status: 503, title: 'The process that writes is not available' },
  'time-limit': { status: 503, title: 'The time limit was reached' },
  'queue-full': { status: 503, title: 'The queue is full' },
  'spool-full': { status: 507, title: 'There is no room for the message' },
  'unknown-pipe': { status: 404, title: 'No such pipe' },
  'unknown-trigger': { status: 404, title: 'No such trigger' },
  'unknown-run': { status: 404, title: 'No such run' },
  'unknown-job': { status: 404, title: 'No such job' },
  'unknown-segment': { status: 404, title: 'No such segment' },
  'invalid-pipe': { status: 422, title: 'The pipe is not valid' },
  'address-refused': { status: 502, title: 'The address is not permitted' },
  'source-unreachable': { status: 502, title: 'The source cannot be reached' },
  'source-timeout': { status: 504, title: 'The source did not answer in time' },
  'source-refused': { status: 502, title: 'The source refused us' },
  'source-not-found': { status: 502, title: 'The source has nothing there' },
  'source-html': { status: 502, title: 'The source answered with a web page' },
  'source-error': { status: 502, title: 'The source answered with an error' },
  'source-error-envelope': { status: 502, title: 'The source reported an error' },
  'source-malformed': { status: 502, title: 'The answer of the source cannot be parsed' },
  'source-truncated': { status: 502, title: 'The answer of the source is not whole' },
  'source-throttled': { status: 503, title: 'The source asks us to come back later' },
  'source-empty': { status: 502, title: 'The source is empty' },
  'total-mismatch': {
    status: 502,
    title: 'The source gave another number of records than it declared',
  },
  'total-changed': { status: 502, title: 'The declared number of records changed' },
  'page-repeated': { status: 502, title: 'The source repeated a page' },
  'page-loop': { status: 502, title: 'The pages of the source lead in a circle' },
  'page-limit': { status: 502, title: 'The source has too many pages' },
  'next-crosses-origin': { status: 502, title: 'The next page is on another host' },
  'item-malformed': { status: 422, title: 'The record cannot be read' },
  'item-no-identifier': { status: 422, title: 'The record has no identifier' },
  'item-too-large': { status: 413, title: 'The record is too large' },
  'item-duplicate': { status: 409, title: 'The record came twice' },
  'item-owned-elsewhere': { status: 409, title: 'Another pipe owns the record' },
  'all-refused': { status: 409, title: 'Other pipes own all records' },
  'segment-silent': { status: 504, title: 'The segment gave nothing back' },
  'segment-record-missing': {
    status: 502,
    title: 'The segment listed a record and did not send it',
  },
  'transform-failed': { status: 422, title: 'The transformation failed' },
  'transform-timeout': { status: 422, title: 'The transformation took too long' },
  'transform-empty': { status: 422, title: 'The transformation left nothing' },
  'export-refused': { status: 422, title: 'The repository refused the record' },
  'export-failed': { status: 502, title: 'The record could not be written' },
  'removal-held': { status: 409, title: 'Removals wait for consent' },
  'run-deadline': { status: 504, title: 'The run reached its deadline' },
  'run-stalled': { status: 504, title: 'The run stood still' },
  'run-cancelled': { status: 409, title: 'The run was cancelled' },
  'run-interrupted': { status: 503, title: 'The run was interrupted' },
  'store-full': { status: 507, title: 'The triplestore is full' },
} as const satisfies Record<Kind, { readonly status: number; readonly title: string }>

type Status = (typeof problems)[Kind]['status']

/** The members of a problem document; `instance` is the path of the request, `extension` members belong to some kinds. */
type Problem = {
  readonly [extension: string]: unknown
  readonly type: string
  readonly title: string
  readonly status: Status
  readonly detail?: string
  readonly instance: string
  readonly errors?: readonly Complaint[]
}

/** Response with a problem. */
export type ProblemAnswer = {
  readonly status: Status
  readonly body: Problem
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Makes the response for any error. A `Failure` has its detail and complaints; `internal` and any other error become a 500
 * without details, because their messages may contain keys, queries, paths or hosts. 429 and 503 always have `Retry-After`.
 */
export function problemOf(error: unknown, instance: string): ProblemAnswer {
  const failure = error instanceof Failure ? error : failureOf(error)
  const { title, status: usualStatus } = problems[failure.kind]
  const { status = usualStatus } = failure
  const isKnown = failure.kind !== 'internal'
  const body: Problem = {
    ...(isKnown && failure.members),
    type: `urn:cartulary:problem:${failure.kind}`,
    title,
    status,
    ...(isKnown && failure.detail !== '' && { detail: printable(failure.detail) }),
    instance,
    ...(isKnown && failure.errors.length > 0 && { errors: complaints(failure.errors) }),
  }
  return { status, body, headers: headersOf(failure, status) }
}

/** Failure of an error that is none: of a full disk, else an internal one. */
const failureOf = (error: unknown): Failure =>
  isDiskFull(error)
    ? new Failure('store-full', 'the disk of the data directory is full')
    : new Failure('internal', '')

/** Failure of a problem document, with the further members that are texts; `undefined` for other documents and unknown kinds. */
export function failureOfProblem(document: unknown): Failure | undefined {
  const {
    type,
    detail,
    errors = [],
    ...extensions
  } = problemDocument.safeParse(document).data ?? {}
  const kind = kinds.find((known) => type === `urn:cartulary:problem:${known}`)
  const members = Object.entries(extensions).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  )
  return kind && new Failure(kind, detail ?? '', { errors, members: Object.fromEntries(members) })
}

const kinds = keysOf(problems)
const problemDocument = z.looseObject({
  type: z.string(),
  detail: z.string().optional(),
  errors: z.array(z.looseObject({ detail: z.string() })).optional(),
})

const mostComplaints = 100
/** Seconds of `Retry-After` by status, where the failure has none. */
const defaultRetry = { 429: 1, 503: 5 } as const

function complaints(errors: readonly Complaint[]): readonly Complaint[] {
  const listed = errors.slice(0, mostComplaints).map((complaint) => ({
    ...complaint,
    detail: printable(complaint.detail),
  }))
  const omitted = errors.length - listed.length
  return omitted > 0 ? [...listed, { detail: `and ${omitted} more` }] : listed
}

function headersOf(failure: Failure, status: Status): Record<string, string> {
  const retrySeconds =
    failure.retryAfter ?? (status === 429 || status === 503 ? defaultRetry[status] : undefined)
  return {
    ...(failure.kind === 'unauthorized' && { 'WWW-Authenticate': 'ApiKey, Bearer' }),
    ...(retrySeconds !== undefined && {
      'Retry-After': String(Math.max(1, Math.ceil(retrySeconds))),
    }),
    ...failure.headers,
    'Content-Type': problemType,
    'Cache-Control': 'no-store',
  }
}

// Messages for the issues that zod finds in a request.

type Issue = z.core.$ZodIssue

/** Part of the request that was parsed; for `json` complaints have a JSON Pointer (RFC 6901), else the name of the parameter. */
type RequestPart = 'json' | 'query' | 'param' | 'header' | 'form' | 'cookie'

/** Makes one `invalid-parameter` of all issues; `value` is the parsed input, of which messages show the invalid part. */
export function invalidRequest(
  issues: readonly Issue[],
  part: RequestPart,
  value: unknown,
): Failure {
  const errors = issues.map((issue) => complaintOf(issue, part, value))
  const [first] = errors
  const moreText = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  return new Failure('invalid-parameter', `${first?.detail ?? 'not valid'}${moreText}`, { errors })
}

function complaintOf(issue: Issue, part: RequestPart, value: unknown): Complaint {
  const { input, depth } = valueAtPath(value, issue.path)
  const keys = issue.path.slice(0, depth).map(String)
  const name = part === 'json' ? jsonPointer(...keys) : keys.join('.')
  const subject = name === '' ? 'body' : name
  const detail =
    input === undefined
      ? `${subject} is missing`
      : `${subject}: ${lowerFirst(issue.message)}, got ${shown(input)}`
  return { ...(part === 'json' ? { pointer: name } : { parameter: name }), detail }
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

/**
 * Value at a path of the input, and how many segments of the path name it: the members of a list that was made of a text are
 * not in the input. The value of a missing member is `undefined`.
 */
function valueAtPath(
  value: unknown,
  path: readonly PropertyKey[],
): { input: unknown; depth: number } {
  let input = value
  for (const [depth, key] of path.entries()) {
    if (input === undefined) break
    if (typeof input !== 'object' || input === null) return { input, depth }
    if (!Object.hasOwn(input, key)) {
      if (Array.isArray(input)) return { input, depth }
      input = undefined
    } else input = Reflect.get(input, key)
  }
  return { input, depth: path.length }
}

// Problems in OpenAPI documents.

/** Schemas of the members of every problem, for contracts that add further ones. */
export const problemMembers = {
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string().optional(),
  instance: z.string(),
  errors: z.array(z.looseObject({ detail: z.string() })).optional(),
}

const schema = z.looseObject(problemMembers).openapi('Problem')

/** OpenAPI response of a problem. */
export const problem = (description = 'Problem (RFC 9457)') => ({
  description,
  content: { 'application/problem+json': { schema } },
})
