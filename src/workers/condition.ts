/**
 * A condition variable: waiting for the next change of something that other code on the same thread changes. Whoever waits looks
 * again afterwards, because the change need not be the one that was hoped for.
 */

import { unlessAborted } from './abort.ts'
import type { Pause } from './retry.ts'

export type ConditionVariable = {
  /** Wakes everybody who waits now. */
  readonly notify: () => void
  /** Resolves at the next `notify`; rejects with the signal's reason. */
  readonly next: (signal?: AbortSignal) => Promise<void>
}

export function conditionVariable(): ConditionVariable {
  let coming = Promise.withResolvers<void>()
  return {
    notify: () => {
      coming.resolve()
      coming = Promise.withResolvers()
    },
    next: (signal) => (signal ? unlessAborted(coming.promise, signal) : coming.promise),
  }
}

/**
 * Waits for the next change since the last call, or for so many ms, whichever comes first; rejects with the signal's reason.
 * For one caller: a change that was not waited for is remembered.
 */
export function nextWithin(
  condition: ConditionVariable,
  pause: Pause,
): (ms: number, signal: AbortSignal) => Promise<void> {
  let next = condition.next()
  return async (ms, signal) => {
    const over = new AbortController()
    try {
      signal.throwIfAborted()
      const paused = pause(ms, AbortSignal.any([signal, over.signal])).catch(() => undefined)
      const isChanged = await Promise.race([next.then(() => true), paused.then(() => false)])
      if (isChanged) next = condition.next()
      signal.throwIfAborted()
    } finally {
      over.abort()
    }
  }
}
