/** What goes over the wire to a triplestore and what comes back. */

/** How long and how much one request may take; all in milliseconds, except `bytes`. */
export type WireLimits = {
  /** Until a connection stands, and in all for the attempts to get one. */
  readonly connectMs: number
  /** From the standing connection until the head of the answer. */
  readonly firstByteMs: number
  /** The whole call: waiting for a socket, authentication, every attempt and the pauses between them. */
  readonly totalMs: number
  /** Length of an answer's body as it is sent. */
  readonly bytes: number
}

/** A body that is not held in memory. */
export type StreamedBody = {
  /** In UTF-8. */
  readonly bytes: number
  /** From the beginning at every call. */
  readonly chunks: () => Iterable<string>
}

/** Takes an answer while it arrives, before more of it is read. What it throws ends the request. */
export type Sink = { readonly take: (part: Buffer) => void }

export type WireRequest = {
  /** Absolute, `http:` or `https:`, without user info. */
  readonly url: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Without `Authorization` and `Content-Length`, which the wire sets. */
  readonly headers: Readonly<Record<string, string>>
  /** Sent whole, in UTF-8, with its length. */
  readonly body?: string | StreamedBody
  /** What takes the body of a good answer instead of the answer's `text`; opened anew at every attempt. */
  readonly into?: () => Sink
  /** True when sending it twice does what sending it once does: reads, and diffs of ground triples. */
  readonly idempotent: boolean
  readonly limits?: Partial<WireLimits>
}

/** A complete answer, whatever its status. Header names are in lower case. */
export type WireAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}
