/** Which failures are worth another attempt, and when. */

import { Failure, type Kind } from '../../errors.ts'

/** Statuses that may be different next time. */
export const isPassing = (status: number): boolean => passing.has(status)

/** Failures of an attempt that may be different next time. */
export const isWorthRetrying = (error: unknown): boolean =>
  error instanceof Failure && passingKinds.has(error.kind)

const passing: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])

const passingKinds: ReadonlySet<Kind> = new Set([
  'source-unreachable',
  'source-timeout',
  'source-truncated',
])

/** Milliseconds before the attempt after the n-th: 1, 2, 4 … s, at most 60 s, with full jitter. `random` gives 0..1. */
export const backoff = (attempt: number, random: () => number): number =>
  random() * Math.min(60_000, 1000 * 2 ** (attempt - 1))

/** `Retry-After` (RFC 9110 10.2.3), seconds or a date, as milliseconds from now; never negative. */
export function retryAfter(header: string | null, now: number): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000
  // Only whole dates: `Date.parse` takes "5 apples" for one.
  const date = /^[A-Za-z]{3,9},? \d/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
