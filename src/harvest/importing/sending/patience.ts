/** Asking again when a server is busy or a connection breaks: every write of an import is safe to repeat. */
import type { Answer, Ask, Send } from './connection.ts'

/** Time as an argument. `wait` rejects when the signal fires. */
export type Clock = {
  /** Milliseconds; only differences count. */
  readonly now: () => number
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

/** Nothing listens at the address, or it stopped: the whole import ends. `message` may be shown. */
export class Unreachable extends Error {}

const mostAttempts = 7
const firstPauseMs = 250
const longestPauseMs = 30_000

const isBusy = (status: number) => status === 429 || status === 503

/**
 * A `Send` that asks up to seven times on 429, 503 and broken connections. Pauses double from a quarter of a second;
 * `Retry-After` (RFC 9110, 10.2.3) lengthens them, to half a minute at most. Throws `Unreachable` when no attempt was
 * answered; a server that stays busy gets the last word.
 */
export function patient(send: Send, clock: Clock): Send {
  return async (ask, signal) => {
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await attemptOf(send, ask, signal)
      signal.throwIfAborted()
      const isLast = attempt === mostAttempts
      if (outcome instanceof Error) {
        if (isLast) throw new Unreachable(reasonOf(outcome), { cause: outcome })
      } else if (isLast || !isBusy(outcome.status)) return outcome
      await clock.wait(pauseOf(outcome, attempt, clock.now()), signal)
    }
  }
}

const attemptOf = async (send: Send, ask: Ask, signal: AbortSignal): Promise<Answer | Error> => {
  try {
    return await send(ask, signal)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

function pauseOf(outcome: Answer | Error, attempt: number, now: number): number {
  const doubled = firstPauseMs * 2 ** (attempt - 1)
  const asked = outcome instanceof Error ? 0 : retryAfterMs(outcome.headers['retry-after'], now)
  return Math.min(longestPauseMs, Math.max(doubled, asked))
}

function retryAfterMs(value: string | string[] | undefined, now: number): number {
  if (typeof value !== 'string') return 0
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const date = Date.parse(value)
  return Number.isNaN(date) ? 0 : Math.max(0, date - now)
}

function reasonOf(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return code === 'ECONNREFUSED' ? 'connection refused' : error.message || code || 'no connection'
}
