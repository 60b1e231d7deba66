/** Asking a repository again when it is busy or broken: every write of a harvest is safe to repeat. */

import { Failure } from '../../../errors.ts'
import { backoffMs, retryAfterMs } from '../../../workers/retry.ts'
import type { Answer, Ask, Door } from './door.ts'

export type Patience = {
  readonly now: () => number
  readonly random: () => number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

/** A door that asks again, and says when it is made to wait. */
export type PatientDoor = Door & {
  /** Resolves when no request waits because the repository is busy. */
  calm(): Promise<void>
}

const triesWhenBusy = 9
const triesWhenBroken = 5
const longestWaitMs = 600_000

const isBusy = (status: number) => status === 429 || status === 503

/**
 * On 429 and 503 eight more times, after what `Retry-After` says or longer and longer; on other 5xx and broken
 * connections four more times. The last answer is the answer; without any it throws `export-failed`.
 */
export function patientDoor(door: Door, patience: Patience): PatientDoor {
  const waiting = new Set<Promise<void>>()
  const ask = async (asked: Ask, signal: AbortSignal): Promise<Answer> => {
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await attemptOf(door, asked, signal)
      const busy = !(outcome instanceof Error) && isBusy(outcome.status)
      const isLast = attempt >= (busy ? triesWhenBusy : triesWhenBroken)
      if (outcome instanceof Error) {
        if (isLast || outcome instanceof Refusal) throw unanswered(outcome)
      } else if (isLast || !(busy || outcome.status >= 500)) return outcome
      else await outcome.text().catch(() => '')
      const waits = patience.pause(waitOf(outcome, attempt, patience), signal)
      if (busy) {
        const quiet = waits.catch(() => undefined).then(() => void waiting.delete(quiet))
        waiting.add(quiet)
      }
      await waits
    }
  }
  return {
    isOwn: door.isOwn,
    keyId: door.keyId,
    putDatasets: door.putDatasets,
    previewDataset: door.previewDataset,
    ask,
    calm: async () => {
      await Promise.all(waiting)
    },
  }
}

/** Asking again would change nothing. */
class Refusal extends Error {}

async function attemptOf(door: Door, ask: Ask, signal: AbortSignal): Promise<Answer | Error> {
  signal.throwIfAborted()
  try {
    return await door.ask(ask, signal)
  } catch (error) {
    signal.throwIfAborted()
    const hopeless = error instanceof Failure && error.kind === 'address-refused'
    if (hopeless) return new Refusal(error.message, { cause: error })
    return error instanceof Error ? error : new Error(String(error))
  }
}

function waitOf(outcome: Answer | Error, attempt: number, { now, random }: Patience): number {
  if (outcome instanceof Error) return backoffMs(attempt, random)
  const asked = retryAfterMs(outcome.headers.get('retry-after'), now()) ?? 0
  // Eight times one second would be less than a restart takes.
  return Math.min(longestWaitMs, Math.max(asked, Math.min(30_000, 500 * 2 ** attempt)))
}

const unanswered = (error: Error) =>
  new Failure('export-failed', 'The repository cannot be reached.', { cause: error })
