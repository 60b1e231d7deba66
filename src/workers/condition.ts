/**
 * A condition variable: waiting for the next change of something that other code on the same thread changes. Whoever waits looks
 * again afterwards, because the change need not be the one that was hoped for.
 */

import type { Pause } from './pause.ts'

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
 * Waits while `obstacle` answers something to wait for: a number of milliseconds, or the next change. It is asked again after each
 * wait, and may throw. Rejects with the signal's reason.
 */
export async function waitWhile(
  obstacle: () => number | ConditionVariable | undefined,
  pause: Pause,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const met = obstacle()
    if (met === undefined) return
    await (typeof met === 'number' ? pause(met, signal) : met.next(signal))
  }
}

// Waiting that ends with a signal.

/** The promise, or the signal's reason, whichever comes first; leaves no listener behind. */
export function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      reject(signal.reason)
    }
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', stop)
    })
  })
}
