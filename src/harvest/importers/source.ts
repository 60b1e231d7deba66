/** HTTP requests of an importer to its source: guarded, polite and retried, with classified answers and detected loops. */

import { hash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { Outbound, OutboundRequest } from '../../client/outbound.ts'
import { Failure, type Kind } from '../../errors.ts'
import type { Finding, Validator } from '../../pipe/message.ts'
import type { RunSink } from '../../pipe/runs/run.ts'
import type { SegmentPlace } from '../../pipe/segment.ts'
import { shownUrl, withoutCredentials } from '../../secrets.ts'
import { charsetOf, decodeText, UndecodableText } from '../../text/decoding.ts'
import { jsonFault, type JsonFault } from '../../text/json-fault.ts'
import { backoffMs, retry } from '../../workers/retry.ts'
import { keyHash } from '../importing/cutting/key-hash.ts'
import type { ImportConfig, ImportLimits } from './import-config.ts'
import { certainFormat, isWebPage, mediaTypeFault } from './rdf-format.ts'
import type { Pause } from '../../workers/pause.ts'

/** Maximum number of consecutive pages without a record. */
const mostIdlePages = 1000

/** A request to the source; the config of the pipe decides the rest. */
export type SourceRequest = {
  readonly accept?: string
  readonly method?: 'GET' | 'POST'
  /** Body of a POST. */
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Maximum decompressed bytes; the limit of a page by default. */
  readonly maxBytes?: number
  /** Statuses that do not throw, such as 304 or 404. */
  readonly accepts?: readonly number[]
  /**
   * Whether the request (`page-loop`) and, for `page` and `json`, the body (`page-repeated`) may occur only once. Default:
   * `true` for `page` and `json`, `false` for `read`.
   */
  readonly paged?: boolean
}

/** Status, headers and address of an answer. */
export type SourceAnswer = {
  /** Address after redirects. */
  readonly url: string
  readonly status: number
  readonly headers: Headers
}

/** An answer with its whole body. */
type SourcePage = SourceAnswer & {
  readonly text: string
  /** SHA-256 of the body in hex. */
  readonly hash: string
}

export type JsonPage = SourcePage & { readonly value: unknown }

/** An answer whose body is not read yet. */
export type SourceStream = SourceAnswer & {
  /** Decompressed body; reading it counts as a sign of life. */
  readonly body: AsyncIterable<Uint8Array>
}

/** Options that all requests of one pass share. */
type SourceOptions = {
  readonly deps: {
    readonly outbound: Pick<Outbound, 'request'>
    readonly allow: readonly string[]
    readonly limits: ImportLimits
    readonly random: () => number
    readonly pause: Pause
  }
  readonly config: ImportConfig
  readonly trust: SegmentPlace['trust']
  /** Headers for the configured origin only. */
  readonly credentials: Readonly<Record<string, string>>
  readonly sink: Pick<RunSink, 'request' | 'alive' | 'finding'>
}

/**
 * Requests of one pass over a source, or of its removal check. They obey the signal and politeness, are retried where useful
 * (also after truncated bodies) and throw a `Failure`: `source-refused` 401 403 · `source-not-found` 404 410 ·
 * `source-throttled` 429 503 · `source-timeout` 408 504 · `source-error` other statuses · `source-html` · `source-empty` 204
 * and blank bodies · `source-truncated` 206, truncated bodies and announced partial results · `source-malformed` ·
 * `too-large` · failures of the outbound client.
 */
export class ImportSource {
  /** Bytes read so far. */
  bytes = 0
  readonly #options: SourceOptions
  readonly #signal: AbortSignal
  /** Hashes of requested addresses with their bodies, and of received pages. */
  readonly #visited = new Set<number>()
  readonly #bodies = new Set<number>()
  readonly #reportedSlugs = new Set<Finding['slug']>()
  /** Number of pages since the last record. */
  #idlePages = 0

  constructor(options: SourceOptions, signal: AbortSignal) {
    this.#options = options
    this.#signal = signal
  }

  /** Called for each record, also a refused or skipped one; resets the number of pages without a record. */
  resetIdlePages(): void {
    this.#idlePages = 0
  }

  /** Records a requested page. Throws `page-loop` if it was requested before, `page-limit` after 1000 pages without a record. */
  visit(url: string, body = ''): void {
    this.#idlePages += 1
    if (this.#idlePages > mostIdlePages)
      throw new Failure(
        'page-limit',
        `${mostIdlePages} pages in a row were asked for without a record.`,
      )
    if (!addIfNew(this.#visited, `${url}\n${body}`))
      throw new Failure('page-loop', `The pages lead back to ${shownUrl(url)}.`)
  }

  /** Records the hash of a page's body. Throws `page-repeated` if an earlier page had it. */
  recordBody(digest: string): void {
    if (!addIfNew(this.#bodies, digest))
      throw new Failure('page-repeated', 'A page has the same body as an earlier one.')
  }

  /** Reports an assumption about a document (invalid UTF-8, wrong type), once per kind. */
  assume(url: string, slug: Finding['slug'], assumption: string | undefined): void {
    if (assumption === undefined || this.#reportedSlugs.has(slug)) return
    this.#reportedSlugs.add(slug)
    const detail = `${shownUrl(url)}: ${assumption}`
    this.#options.sink.finding({ slug, detail }, { sourceUrl: withoutCredentials(url).url })
  }

  /** Reads the whole body as text; if `parse` finds it truncated, it is requested again. */
  page(url: string, request: SourceRequest = {}, parse?: (page: SourcePage) => void) {
    const { paged = true, accepts = [] } = request
    return this.read(url, { ...request, paged }, async (answer) => {
      const { status, headers } = answer
      const bytes = await buffer(answer.body)
      const declared = charsetOf(headers.get('content-type'))
      const { text, assumption } = decodeText(bytes, { declared })
      const digest = hash('sha256', bytes, 'hex')
      const page: SourcePage = { url: answer.url, status, headers, text, hash: digest }
      if (!accepts.includes(status)) checkBody(page, text.trimStart().slice(0, 4096))
      parse?.(page)
      this.assume(answer.url, 'invalid-text', assumption)
      if (paged && !accepts.includes(status)) this.recordBody(digest)
      return page
    })
  }

  /** Reads the whole body as JSON; integers beyond 2^53 become strings. An accepted error status need not have JSON. */
  async json(url: string, request: SourceRequest = {}): Promise<JsonPage> {
    let value: unknown
    const jsonRequest = { accept: 'application/json', ...request }
    const page = await this.page(url, jsonRequest, ({ text, url: pageUrl, status, headers }) => {
      try {
        value = parsedJson(text, pageUrl)
        const type = headers.get('content-type') ?? ''
        if (/html/i.test(type))
          this.assume(pageUrl, 'wrong-media-type', mediaTypeFault(type, 'jsonld'))
      } catch (error) {
        if (request.accepts?.includes(status) !== true) throw error
        value = undefined
      }
    })
    return { ...page, value }
  }

  /** Passes the body as a stream to `take` and returns its result; after a truncated body, `take` is called with a new one. */
  async read<T>(
    url: string,
    request: SourceRequest,
    take: (answer: SourceStream) => Promise<T>,
  ): Promise<T> {
    const { deps, config, sink } = this.#options
    if (request.paged === true) this.visit(url, request.body)
    const requestOnce = async () => {
      const host = URL.parse(url)?.host ?? ''
      const answer = await deps.outbound
        .request(this.#request(url, request), this.#signal)
        .catch((error: unknown) => {
          sink.request({ host, status: 'error' })
          throw error
        })
      const { status, headers } = answer
      sink.request({ host, status })
      sink.alive()
      try {
        const refusal = request.accepts?.includes(status) === true ? undefined : refusalOf(answer)
        const body = this.#counted(answer.body)
        if (refusal) throw await withMessage(refusal, body)
        return await take({ url: answer.url, status, headers, body })
      } catch (error) {
        if (!(error instanceof UndecodableText)) throw error
        const detail = `${shownUrl(answer.url)}: ${error.message}`
        throw new Failure('source-malformed', detail, { cause: error })
      } finally {
        answer.discard()
      }
    }
    // A truncated or late answer is requested again, after a pause whose maximum doubles.
    const attempts = config.attempts ?? deps.limits.attempts
    return retry(requestOnce, {
      delayMs: (outcome, attempt) =>
        attempt < attempts && 'error' in outcome && isBrokenOff(outcome.error)
          ? backoffMs(attempt, deps.random)
          : undefined,
      pause: (ms) => deps.pause(ms, this.#signal),
      signal: this.#signal,
    })
  }

  async *#counted(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    for await (const piece of body) {
      this.bytes += piece.byteLength
      this.#options.sink.alive()
      yield piece
    }
  }

  #request(url: string, request: SourceRequest): OutboundRequest {
    const { deps, config, trust, credentials } = this.#options
    const { accept, method, body, headers, maxBytes = deps.limits.maxPageBytes } = request
    const { address } = config
    const isHome = URL.parse(url)?.origin === new URL(address).origin
    return {
      url,
      method,
      body,
      reach: { kind: 'configured', address, trust, allow: deps.allow },
      headers: { ...(accept !== undefined && { Accept: accept }), ...headers },
      credentials: isHome ? credentials : undefined,
      maxBytes,
      attempts: config.attempts ?? deps.limits.attempts,
      retryAfterMaxMs: config.retryAfterMaxMs ?? deps.limits.retryAfterMaxMs,
      isRepeatable: method === 'POST' || undefined,
      atOnce: config.hostConcurrency,
      delayMs: config.hostDelayMs,
      deadlines: {
        connectMs: config.connectTimeoutMs,
        firstByteMs: config.firstByteTimeoutMs,
        idleMs: config.idleTimeoutMs,
        pageMs: config.pageTimeoutMs,
      },
    }
  }
}

/** Failures of one answer, which say nothing about the other answers of the source. */
export const faultsOfOneAnswer: ReadonlySet<Kind> = new Set<Kind>([
  'source-empty',
  'source-html',
  'source-error',
  'source-not-found',
  'source-error-envelope',
  'source-malformed',
  'source-truncated',
  'source-timeout',
  'too-large',
])

/** Adds the hash of a text to a set; returns whether it was missing. */
const addIfNew = (hashes: Set<number>, text: string) => hashes.size < hashes.add(keyHash(text)).size

/** Maximum characters of a source's own message. */
const longestMessage = 500

/** Adds the message of the source to a refusal; web pages are ignored. */
async function withMessage(refusal: Failure, body: AsyncIterable<Uint8Array>): Promise<Failure> {
  let text = ''
  try {
    for await (const piece of body)
      if ((text += Buffer.from(piece).toString()).length > longestMessage) break
  } catch {
    // The status suffices.
  }
  const cause = isWebPage(text) ? '' : text.trim().slice(0, longestMessage)
  if (cause === '') return refusal
  const { kind, detail, retryAfter, members } = refusal
  return new Failure(kind, detail, { members, cause, retryAfter })
}

// Conditional requests (RFC 9110, 13).

/** Headers that request a document only if it differs from the validator. */
export const conditionsOf = ({ etag, lastModified }: Validator): Record<string, string> => ({
  ...(etag !== undefined && { 'If-None-Match': etag }),
  ...(lastModified !== undefined && { 'If-Modified-Since': lastModified }),
})

/** Validator of an answer, for the conditional request of a later run. */
export const validatorOf = (url: string, headers: Headers, bodyHash: string): Validator => {
  const [etag, lastModified] = ['etag', 'last-modified'].map((name) => headers.get(name))
  return {
    url,
    bodyHash,
    etag: etag ?? undefined,
    lastModified: lastModified ?? undefined,
  }
}

// Classification of answers.

const kindByStatus: Readonly<Record<number, Kind>> = {
  401: 'source-refused',
  403: 'source-refused',
  404: 'source-not-found',
  408: 'source-timeout',
  410: 'source-not-found',
  429: 'source-throttled',
  503: 'source-throttled',
  504: 'source-timeout',
}
/** Headers by which public endpoints announce partial results. */
const partialHeaders = ['x-sql-state', 'x-sparql-maxrows']

/** Failure by the head of an answer; `undefined` if it may be a page. */
function refusalOf({ url, status, headers }: SourceAnswer): Failure | undefined {
  const place = shownUrl(url)
  if (status === 204) return new Failure('source-empty', `${place} answered without a body.`)
  const partialHeader = partialHeaders.find((name) => headers.has(name))
  if (status === 206 || partialHeader !== undefined) {
    const evidence = partialHeader === undefined ? 'status 206' : `the header ${partialHeader}`
    return new Failure(
      'source-truncated',
      `${place} sent only a part of its answer (${evidence}).`,
      {
        // A retry would give the same partial result.
        members: { partial: 'true' },
      },
    )
  }
  if (status >= 200 && status < 300) return undefined
  // Only seconds: a date would need a clock.
  const [seconds] = /^\d{1,9}$/.exec(headers.get('retry-after') ?? '') ?? []
  const kind = kindByStatus[status] ?? 'source-error'
  const retryAfter =
    kind === 'source-throttled' && seconds !== undefined ? Number(seconds) : undefined
  const options = { retryAfter }
  return new Failure(kind, `${place} answered ${status}.`, options)
}

/** Whether to retry: the body was truncated by accident, or the source timed out. */
const isBrokenOff = (error: unknown): boolean =>
  error instanceof Failure &&
  (error.kind === 'source-truncated' || error.kind === 'source-timeout') &&
  error.members['partial'] === undefined

/**
 * Throws `source-empty` for a blank body and `source-html` for a web page, detected by its beginning or, if `believesType`,
 * by its media type. A body that begins like a known data format is no web page.
 */
export function checkBody(
  { url, headers }: SourceAnswer,
  start: string,
  believesType = true,
): void {
  if (start.trim() === '')
    throw new Failure('source-empty', `${shownUrl(url)} answered with an empty body.`)
  const type = headers.get('content-type') ?? ''
  const isHtml = believesType && /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(type)
  const isData = certainFormat(start) !== undefined
  if (isData || (!isHtml && !isWebPage(start))) return
  const detail = `${shownUrl(url)} answered with a web page: a login, or an error? If it is data all the same, set inputFormat.`
  throw new Failure('source-html', detail)
}

/**
 * Parses JSON: the last of duplicate keys wins; integers beyond 2^53 become strings. Throws `source-truncated` for incomplete
 * JSON, else `source-malformed`.
 */
function parsedJson(text: string, url: string): unknown {
  try {
    return /\d{16}/.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text)
  } catch (cause) {
    throw jsonFailure(url, jsonFault(text), cause)
  }
}

/** Failure for invalid JSON with address, line and column: `source-truncated` if it is incomplete, else `source-malformed`. */
export function jsonFailure(url: string, fault: JsonFault | undefined, cause: unknown): Failure {
  const { isEnd = false, line, column, detail = 'cannot be read' } = fault ?? {}
  const place = line === undefined ? '' : ` (line ${line}, column ${column})`
  const errors = [{ line, column, detail }]
  const kind = isEnd ? 'source-truncated' : 'source-malformed'
  return new Failure(kind, `${shownUrl(url)} is no JSON: ${detail}${place}.`, { errors, cause })
}

// Reviver that keeps large integers as text. The third argument is part of ES2025, which the library types lack.
function keepDigits(this: unknown, _: string, value: unknown, context?: { source?: string }) {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  const source = context?.source ?? ''
  return /^-?\d+$/.test(source) ? source : value
}
