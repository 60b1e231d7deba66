/** How long one answer is waited for: step by step, and all steps together. */

import { Failure } from '../errors.ts'
import type { Pause } from '../workers/retry.ts'

type Step = 'connectMs' | 'firstByteMs' | 'idleMs'

export type DeadlineClock = {
  /** The work, or `source-timeout` when it takes longer than its step or than what is left of the page. */
  within<T>(work: Promise<T>, step: Step): Promise<T>
}

type Clock = { readonly now: () => number; readonly pause: Pause }

/**
 * Only waiting counts: a reader that writes records while the source holds the rest may take as long as it needs. The
 * work that was waited for in vain goes on; whoever asked for it breaks it off.
 */
export function deadlineClock(deadlines: Deadlines, { now, pause }: Clock): DeadlineClock {
  let spent = 0
  return {
    within: async (work, step) => {
      const left = Math.max(0, Math.min(deadlines[step], deadlines.pageMs - spent))
      const start = now()
      const stop = new AbortController()
      const late = pause(left, stop.signal).then(() => {
        throw timedOut(deadlines, left < deadlines[step] ? 'pageMs' : step)
      })
      try {
        return await Promise.race([work, late])
      } finally {
        spent += now() - start
        stop.abort()
      }
    },
  }
}

function timedOut(deadlines: Deadlines, key: keyof Deadlines): Failure {
  const seconds = `${deadlines[key] / 1000} s`
  const words = {
    connectMs: `no connection within ${seconds}`,
    firstByteMs: `no answer within ${seconds}`,
    idleMs: `nothing more came for ${seconds}`,
    pageMs: `the page took longer than ${seconds}`,
  } as const
  return new Failure('source-timeout', words[key])
}

// The numbers that bound outbound requests, with their defaults.

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
