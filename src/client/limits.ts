/** The numbers that bound outbound requests, with their defaults. */

export type Deadlines = {
  /** Name, connection and TLS together. */
  readonly connectMs: number
  /** From the connection to the head of the answer. */
  readonly firstByteMs: number
  /** Between two pieces of the body. */
  readonly idleMs: number
  /** All waiting for one page together; time that the reader takes between pieces does not count. */
  readonly pageMs: number
}

export type OutboundLimits = {
  readonly deadlines: Deadlines
  readonly attempts: number
  readonly retryAfterMaxMs: number
  readonly hostConcurrency: number
  readonly hostDelayMs: number
  /** Most bytes out per byte in of a compressed body, after the first megabyte. */
  readonly bodyRatio: number
  /** Robots files whose answer is remembered, in characters of their rules together. */
  readonly robotsCharacters: number
}

export const outboundLimits: OutboundLimits = {
  deadlines: { connectMs: 10_000, firstByteMs: 120_000, idleMs: 30_000, pageMs: 600_000 },
  attempts: 4,
  retryAfterMaxMs: 600_000,
  hostConcurrency: 2,
  hostDelayMs: 200,
  bodyRatio: 100,
  robotsCharacters: 8_000_000,
}
