/** Retries: the loop, the delays between attempts, and the HTTP statuses that are worth a retry. */

/** Outcome of one attempt: its value, or the error that it threw. */
export type Attempted<Result> = { readonly value: Result } | { readonly error: unknown }

/** Options of `retry`. */
export type RetryOptions<Result> = {
  /** Returns the milliseconds before the next attempt, `undefined` when this outcome is final. Attempts count from 1. */
  readonly delayMs: (outcome: Attempted<Result>, attempt: number) => number | undefined
  /** Waits for some milliseconds; tests pass a faster function. */
  readonly pause: (ms: number) => Promise<void>
  readonly signal?: AbortSignal
}

/** Repeats `work` until an outcome is final; resolves with its value or rejects with its error, or with the signal's reason. */
export async function retry<Result>(
  work: (attempt: number) => Promise<Result>,
  { delayMs, pause, signal }: RetryOptions<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    signal?.throwIfAborted()
    const outcome: Attempted<Result> = await work(attempt).then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    )
    if ('error' in outcome) signal?.throwIfAborted()
    const ms = delayMs(outcome, attempt)
    if (ms === undefined) {
      if ('error' in outcome) throw outcome.error
      return outcome.value
    }
    await pause(ms).catch((error: unknown) => {
      signal?.throwIfAborted()
      throw error
    })
  }
}

/** Tells whether a request that got this HTTP status may succeed when it is repeated. */
export const isTransient = (status: number): boolean => transient.has(status)

const transient: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])

type BackoffOptions = { readonly firstMs?: number; readonly longestMs?: number }

/** Milliseconds before the attempt after the n-th: up to 1, 2, 4 … s, by default 60 s at most. `random` gives the share, 0..1. */
export const backoffMs = (
  attempt: number,
  random: () => number,
  { firstMs = 1000, longestMs = 60_000 }: BackoffOptions = {},
): number => random() * Math.min(longestMs, firstMs * 2 ** (attempt - 1))

/** `Retry-After` (RFC 9110 10.2.3), seconds or a date, as milliseconds from `now`; never negative. */
export function retryAfterMs(header: string | null | undefined, now: number): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000
  // Only whole dates: `Date.parse` takes "5 apples" for one.
  const date = /^[A-Za-z]{3,9},? \d/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
