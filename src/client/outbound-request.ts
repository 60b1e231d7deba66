/**
 * Interface of the outbound client, which harvests, exports, remote segments, URL checks, notifications, previews and the sign-in
 * use for foreign addresses.
 */

import type { Deadlines } from './deadlines.ts'
import type { FairLimiter } from '../workers/fair-limiter.ts'

/**
 * Addresses that a request may reach. `public`: only public addresses. `listed`: also the hosts, addresses and CIDR blocks of
 * `allow`, for any URL. `configured`: requests to the origin of `address` may reach more; every other origin is `public`.
 * `trusted` (the address is in a file of the operator) permits any address of that host, such as an internal one, but none of the
 * class `never`; otherwise `allow` lists the permitted internal addresses.
 */
export type Reach =
  | { readonly kind: 'public' }
  | { readonly kind: 'listed'; readonly allow: readonly string[] }
  | {
      readonly kind: 'configured'
      readonly address: string
      readonly trust: 'trusted' | 'foreign'
      readonly allow: readonly string[]
    }

/** A request to a foreign address, with its limits. */
export type OutboundRequest = {
  readonly url: string
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Headers with secrets. They are dropped when a redirect leaves the origin, even if a later redirect leads back. */
  readonly credentials?: Readonly<Record<string, string>>
  readonly reach: Reach
  /** Maximum bytes of the decompressed body; more throws `too-large`. */
  readonly maxBytes: number
  readonly deadlines?: Partial<Deadlines>
  /** Maximum number of attempts; that of `OutboundLimits` by default. */
  readonly attempts?: number
  /**
   * Whether the request may be retried: by default all methods but POST. Harmless requests by POST, such as queries, set `true`.
   */
  readonly isRepeatable?: boolean
  /** Minimum ms between the starts of two requests to the host; the configured delay is the lower bound. */
  readonly delayMs?: number
  /** Maximum parallel requests to the host; the configured number is the upper bound. */
  readonly atOnce?: number
  /** Longest `Retry-After` to wait for, in ms; a longer one throws `source-throttled`. */
  readonly retryAfterMaxMs?: number
  /** Maximum number of redirects; 5 by default. */
  readonly redirects?: number
  /**
   * Behaviour while requests to the host are suspended (back-off). `wait`, the default: wait for its end. `fail`: throw at once
   * with `retryAfter`: `source-unreachable`, `source-timeout` (it has repeatedly not answered), or `source-throttled` (it asked
   * for more time than `retryAfterMaxMs`, or repeatedly answered 429 or 503).
   */
  readonly whenBackedOff?: 'wait' | 'fail'
  /** Limiter shared by requests to several hosts, such as all URL checks. */
  readonly globalLimit?: FairLimiter
  /** Called with the target before a redirect is followed; an exception ends the request. */
  readonly beforeRedirect?: (url: string, signal: AbortSignal) => Promise<void>
  /** Called when there is a connection, new or reused; for each attempt and redirect. */
  readonly onConnected?: () => void
}

/**
 * Result of a robots.txt check (RFC 9309). `unreachable`: no connection, or a broken one. `refused`: the address may not be
 * requested, or is no URL. `unknown`: no usable robots.txt for another reason, such as its status or an overloaded host.
 */
export type RobotsVerdict = 'allowed' | 'disallowed' | 'unreachable' | 'refused' | 'unknown'

/** Response without its body. */
type AnswerHead = {
  /** URL of the response after redirects, without user info and fragment. */
  readonly url: string
  readonly status: number
  /** Headers as sent. The body is already decompressed despite `Content-Encoding`. */
  readonly headers: Headers
  /** URLs that redirected to `url`, in order. */
  readonly redirected: readonly string[]
}

/** Response whose body has not been read yet. */
export type OutboundAnswer = AnswerHead & {
  /**
   * Body, to be read once. Throws `source-truncated`, `source-timeout`, `source-malformed` (invalid content coding), `too-large`,
   * or the signal's reason. The slot of the host is held until the body was read, aborted or discarded.
   */
  readonly body: AsyncIterable<Uint8Array>
  /** Reads the whole body as text, decoded by `decodeText`. */
  text(): Promise<string>
  /** Discards the body; must be called if it is not read. */
  discard(): void
}

/** A response whose body is in memory. */
export type WholeAnswer = AnswerHead & {
  readonly bytes: Uint8Array
  readonly text: string
}

/** The outbound client of a process. */
export type Outbound = {
  /**
   * Sends a request with retries and returns the response, whatever its status. Throws `address-refused` (also for an invalid
   * URL), `invalid-parameter` (an invalid header), `source-unreachable`, `source-timeout`, `source-malformed` (not HTTP),
   * `source-throttled` (with `retryAfter`), `source-error` (too many or circular redirects), what `globalLimit` and
   * `beforeRedirect` throw, or the signal's reason.
   */
  request(request: OutboundRequest, signal: AbortSignal): Promise<OutboundAnswer>
  /**
   * Sends a request and reads the whole body. A truncated or late body counts as a failed attempt and is retried. Throws the
   * failures of `request` and `body`.
   */
  read(request: OutboundRequest, signal: AbortSignal): Promise<WholeAnswer>
  /**
   * Checks the robots.txt (RFC 9309) of the URL's origin. The options of the first caller apply to fetching it. Throws the
   * signal's reason only.
   */
  robots(
    request: Pick<OutboundRequest, 'url' | 'reach' | 'globalLimit' | 'deadlines'>,
    signal: AbortSignal,
  ): Promise<RobotsVerdict>
  /** Aborts all requests with `run-cancelled` and closes the connections. */
  close(): Promise<void>
}
