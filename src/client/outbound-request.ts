/** What may be asked of the one client for everything that leaves the house, and what it answers. */

import type { Deadlines } from './deadlines.ts'
import type { Semaphore } from '../workers/semaphore.ts'

/**
 * Which addresses a request may reach. `public`: public addresses only, as for every URL that was found in data.
 * `configured`: requests to the origin of `address` may reach more than that; every other origin is `public` again.
 * `trusted` (a file of the operator's own directory) allows exactly that host and port wherever it is; otherwise `allow`
 * (hosts, addresses or CIDR blocks) says which addresses of the internal networks are meant to be reached.
 */
export type Reach =
  | { readonly kind: 'public' }
  /** Public addresses, and the hosts, addresses and ranges that are listed, wherever the URL comes from. */
  | { readonly kind: 'listed'; readonly allow: readonly string[] }
  | {
      readonly kind: 'configured'
      readonly address: string
      readonly trust: 'trusted' | 'foreign'
      readonly allow: readonly string[]
    }

export type OutboundRequest = {
  readonly url: string
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Headers that are dropped for good when a redirect leaves the origin. */
  readonly credentials?: Readonly<Record<string, string>>
  readonly reach: Reach
  /** Of the body, decompressed; more ends it with `too-large`. */
  readonly maxBytes: number
  readonly deadlines?: Partial<Deadlines>
  readonly attempts?: number
  /** May be sent again after a failure: by default everything but POST. Queries sent by POST say `true`. */
  readonly repeatable?: boolean
  /** Time between request starts to the host; only longer than the configured one counts. */
  readonly delayMs?: number
  /** Requests at once to the host; only fewer than the configured number counts. */
  readonly atOnce?: number
  /** The longest `Retry-After` that is waited for. */
  readonly retryAfterMaxMs?: number
  /** Most redirects that are followed; default 5. */
  readonly redirects?: number
  /**
   * `fail`: throw at once while the host is left alone, instead of waiting for that to end: `source-unreachable`, or also
   * `source-timeout` (it has answered nothing for long) and `source-throttled` (it asked for a longer time than
   * `retryAfterMaxMs`, or says nothing but 429 and 503), each with `retryAfter`.
   */
  readonly whenLeftAlone?: 'wait' | 'fail'
  /** Bounds how many such requests are made at once over all hosts. */
  readonly room?: Semaphore
  /** Asked before a redirect is followed; what it throws ends the request. */
  readonly mayFollow?: (url: string, signal: AbortSignal) => Promise<void>
  /** Told when there is a connection. */
  readonly connected?: () => void
}

/**
 * What robots.txt (RFC 9309) says of a URL. `unreachable`: there was no connection, or it broke. `refused`: its address may
 * not be requested. `unknown`: the host is there, and what it says, or that it says nothing, tells nothing now.
 */
export type RobotsWord = 'allowed' | 'disallowed' | 'unreachable' | 'refused' | 'unknown'

type AnswerHead = {
  /** Where the answer came from, after redirects, without user info. */
  readonly url: string
  readonly status: number
  /** As they were sent; `Content-Encoding` is history, the body is decompressed already. */
  readonly headers: Headers
  /** The URLs that redirected to `url`, in order; empty when none did. */
  readonly redirected: readonly string[]
}

export type OutboundAnswer = AnswerHead & {
  /**
   * To be read once. Throws `source-truncated`, `source-timeout`, `source-malformed` (not what its encoding says) or
   * `too-large`. The place at the host is held until the body was read, broken off or discarded.
   */
  readonly body: AsyncIterable<Uint8Array>
  /** The whole body as text, decoded by `decodeText`. */
  text(): Promise<string>
  /** Lets the body go; to be called when it is not read. */
  discard(): void
}

/** An answer whose body was read whole. */
export type WholeAnswer = AnswerHead & {
  readonly bytes: Uint8Array
  readonly text: string
}

export type Outbound = {
  /**
   * Every status comes back as an answer, after the retries. Throws `address-refused` (also for what is not a URL),
   * `source-unreachable`, `source-timeout`, `source-malformed` (not HTTP), `source-throttled` (with `retryAfter`: longer
   * than is waited for), `source-error` (too many redirects, or redirects in a circle), or the signal's reason.
   */
  request(request: OutboundRequest, signal: AbortSignal): Promise<OutboundAnswer>
  /** The same with the body in memory: a body that breaks off counts as a failed attempt and is asked for again. */
  read(request: OutboundRequest, signal: AbortSignal): Promise<WholeAnswer>
  /** Whether robots.txt (RFC 9309) of the URL's host permits it. Whoever asks first says how it is fetched. */
  robots(
    asked: Pick<OutboundRequest, 'url' | 'reach' | 'room' | 'deadlines'>,
    signal: AbortSignal,
  ): Promise<RobotsWord>
  /** Breaks off everything that is under way. */
  close(): Promise<void>
}
