/** The source of an import: guarded, polite requests whose answers are classified once, for every importer. */

import type { Finding, Validator } from '../../pipe/message.ts'

export type SourceRequest = {
  readonly accept?: string
  readonly method?: 'GET' | 'POST'
  /** Of a POST. */
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Decompressed bytes; the limit of a page when absent. */
  readonly maxBytes?: number
  /** Statuses that are no failure here, such as 304 or 404. */
  readonly accepts?: readonly number[]
  /**
   * One of a chain of pages: its address may be asked for once (`page-loop`) and its body may come once
   * (`page-repeated`). Default true for `page` and `json`, false for `read`.
   */
  readonly paged?: boolean
}

/** The head of an answer. */
export type SourceAnswer = {
  /** Address after redirects. */
  readonly url: string
  readonly status: number
  readonly headers: Headers
}

export type SourcePage = SourceAnswer & {
  readonly text: string
  /** SHA-256 of the body in hex. */
  readonly hash: string
  /** What is to be said of every record of the page: bytes that were no text. */
  readonly findings: readonly Finding[]
}

export type SourceStream = SourceAnswer & {
  /** Decompressed; counts as a sign of life. */
  readonly body: AsyncIterable<Uint8Array>
}

/**
 * All three wait for their turn, retry what is worth it (bodies that end too early included) and throw a `Failure`:
 * `source-refused` 401 403 · `source-not-found` 404 410 · `source-throttled` 429 503 · `source-timeout` 408 504 ·
 * `source-error` other statuses · `source-html` · `source-empty` · `source-truncated` 206, cut bodies and announced
 * partial results · `source-malformed` · `too-large` · what the outbound client throws.
 */
export type Source = {
  /** The configured address. */
  readonly address: string
  /** The whole body as text. */
  page(url: string, request?: SourceRequest): Promise<SourcePage>
  /** The whole body as JSON; integers beyond 2^53 are strings. */
  json(url: string, request?: SourceRequest): Promise<SourcePage & { readonly value: unknown }>
  /** The body as a stream that `take` reads; `take` begins anew when the body ended too early. */
  read<T>(
    url: string,
    request: SourceRequest,
    take: (answer: SourceStream) => Promise<T>,
  ): Promise<T>
  /** Bytes read so far. */
  readonly bytes: () => number
}

// Asking a source whether a document has changed since the last complete run (RFC 9110, 13).

/** Headers of a conditional request. */
export const conditionsOf = ({ etag, lastModified }: Validator): Record<string, string> => ({
  ...(etag !== undefined && { 'If-None-Match': etag }),
  ...(lastModified !== undefined && { 'If-Modified-Since': lastModified }),
})

/** What an answer says about its version. */
export function validatorOf(url: string, headers: Headers, bodyHash: string): Validator {
  const [etag, lastModified] = [headers.get('etag'), headers.get('last-modified')]
  return {
    url,
    bodyHash,
    ...(etag !== null && { etag }),
    ...(lastModified !== null && { lastModified }),
  }
}
