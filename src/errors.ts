/** `Failure`, the error that clients may see, with the closed list of its kinds, and the errors that end a start or a command. */

/** Problem slugs of `urn:cartulary:problem:{slug}`; `http/problem.ts` gives each its status and title. */
export type Kind =
  | 'malformed-rdf'
  | 'empty-body'
  | 'malformed-json'
  | 'invalid-parameter'
  | 'filters-required'
  | 'field-not-configured'
  | 'query-too-complex'
  | 'remote-context'
  | 'malformed-query'
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'unknown-catalogue'
  | 'unknown-dataset'
  | 'unknown-distribution'
  | 'unknown-vocabulary'
  | 'unknown-record'
  | 'unknown-metrics'
  | 'unknown-concept'
  | 'unknown-resource'
  | 'unknown-cursor'
  | 'unknown-pipe'
  | 'unknown-trigger'
  | 'unknown-run'
  | 'unknown-job'
  | 'unknown-segment'
  | 'invalid-pipe'
  | 'method-not-allowed'
  | 'not-acceptable'
  | 'request-timeout'
  | 'newer-exists'
  | 'already-exists'
  | 'duplicate-in-request'
  | 'conflict'
  | 'gone'
  | 'precondition-failed'
  | 'precondition-required'
  | 'too-large'
  | 'unsupported-media-type'
  | 'missing-class'
  | 'ambiguous-subject'
  | 'too-complex'
  | 'invalid-content'
  | 'too-many-requests'
  | 'too-many-cursors'
  | 'store-full'
  | 'internal'
  | 'starting'
  | 'store-unavailable'
  | 'engine-unavailable'
  | 'writer-away'
  | 'time-limit'
  | 'queue-full'
  | 'spool-full'
  | HarvestKind

/** Kinds of failures between a source and the repository: on runs and their items, seldom as an answer. */
type HarvestKind =
  | 'address-refused'
  | 'source-unreachable'
  | 'source-timeout'
  | 'source-refused'
  | 'source-not-found'
  | 'source-html'
  | 'source-error'
  | 'source-error-envelope'
  | 'source-malformed'
  | 'source-truncated'
  | 'source-throttled'
  | 'source-empty'
  | 'total-mismatch'
  | 'total-changed'
  | 'page-repeated'
  | 'page-loop'
  | 'page-limit'
  | 'next-crosses-origin'
  | 'item-malformed'
  | 'item-no-identifier'
  | 'item-too-large'
  | 'item-duplicate'
  | 'item-owned-elsewhere'
  | 'all-refused'
  | 'segment-silent'
  | 'segment-record-missing'
  | 'transform-failed'
  | 'transform-timeout'
  | 'transform-empty'
  | 'export-refused'
  | 'export-failed'
  | 'removal-held'
  | 'run-deadline'
  | 'run-stalled'
  | 'run-cancelled'
  | 'run-interrupted'

/** One concrete complaint: which parameter, or which place of a body, and what would be right. */
export type Complaint = {
  readonly parameter?: string
  readonly pointer?: string
  readonly line?: number
  readonly column?: number
  readonly detail: string
}

/** Writes the keys that lead to a value as a JSON Pointer (RFC 6901), `''` for none. */
export const jsonPointer = (...keys: readonly PropertyKey[]): string =>
  keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

type More = {
  readonly errors?: readonly Complaint[]
  /** Seconds after which another try makes sense (`Retry-After`). */
  readonly retryAfter?: number
  /** HTTP status, where it is not the usual one of the kind. */
  readonly status?: 413
  /** Response headers that belong to the problem, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Members of the problem beside the standard ones (RFC 9457 3.2). */
  readonly members?: Readonly<Record<string, string>>
  /** Least milliseconds after which a loop of the platform may try again, because a try is work for an overloaded service; 0 = not known. */
  readonly pauseMs?: number
  readonly cause?: unknown
}

/**
 * Error caused by a client or by another service, in words that may be answered. Foreign messages go into `cause`, which is
 * logged and never answered.
 */
export class Failure extends Error {
  readonly kind: Kind
  readonly detail: string
  readonly errors: readonly Complaint[]
  readonly retryAfter: number | undefined
  readonly status: 413 | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly members: Readonly<Record<string, string>>
  readonly pauseMs: number | undefined

  constructor(kind: Kind, detail: string, more: More = {}) {
    super(`${kind}: ${detail}`, { cause: more.cause })
    this.name = 'Failure'
    this.kind = kind
    this.detail = detail
    this.errors = more.errors ?? []
    this.retryAfter = more.retryAfter
    this.status = more.status
    this.headers = more.headers ?? {}
    this.members = more.members ?? {}
    this.pauseMs = more.pauseMs
  }
}

/** A query or body parameter is wrong: `detail` says what would be right. */
export const invalidParameter = (parameter: string, detail: string): Failure =>
  new Failure('invalid-parameter', detail, { errors: [{ parameter, detail }] })

/** Refusal to start for a reason that waiting does not repair; the message names the reason and what to do. */
export class StartRefused extends Error {}

/** The command line of a tool of ours cannot be understood; the message says why. */
export class WrongUsage extends Error {}

/** A value that a client sent, fit for a `detail`: cut to 200 characters, control characters escaped. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  // Cutting first keeps the cost of escaping a hostile 50 MB value constant.
  const cut = Array.from(text.slice(0, 2 * longestValue + 1))
  return cut.length > longestValue
    ? `${printable(cut.slice(0, longestValue).join(''))}…`
    : printable(cut.join(''))
}

/** Maximum characters of a shown value, and of a printable text. */
const longestValue = 200
const longestDetail = 4000

/** C0, C1 and direction controls: invisible in a terminal or able to rewrite the text around them. */
// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff]/g

/** Escapes a UTF-16 unit, such as `\u202e`. */
export const unicodeEscape = (char: string): string =>
  `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Escapes the control characters of a text, of which at most 4,000 characters are kept. */
export const printable = (text: string): string =>
  text.slice(0, longestDetail).replace(controls, unicodeEscape)
