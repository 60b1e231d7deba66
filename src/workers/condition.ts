/**
 * Condition variable: waits for the next change of a state that other code on the same thread changes. A waiter checks the state
 * again afterwards, because the change may be another one.
 */

import type { Pause } from './pause.ts'

/** Condition variable as `conditionVariable` creates it. */
export type ConditionVariable = {
  /** Wakes all current waiters. */
  readonly notify: () => void
  /** Resolves at the next `notify`; rejects with the signal's reason. */
  readonly next: (signal?: AbortSignal) => Promise<void>
}

/** Creates a condition variable without waiters. */
export function conditionVariable(): ConditionVariable {
  let nextChange = Promise.withResolvers<void>()
  return {
    notify: () => {
      nextChange.resolve()
      nextChange = Promise.withResolvers()
    },
    next: (signal) => (signal ? unlessAborted(nextChange.promise, signal) : nextChange.promise),
  }
}

/**
 * Waits while `obstacle` returns something to wait for: a number of milliseconds, or a condition variable. It is called again
 * after each wait; what it throws is passed on. Rejects with the signal's reason.
 */
export async function waitWhile(
  obstacle: () => number | ConditionVariable | undefined,
  pause: Pause,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const blocker = obstacle()
    if (blocker === undefined) return
    await (typeof blocker === 'number' ? pause(blocker, signal) : blocker.next(signal))
  }
}

/**
 * Yields what `read` returns: at once, then after each change, with a pause of `everyMs` milliseconds after it. A change that comes
 * while the caller works counts. Ends when the signal fires; throws what `read` throws.
 */
export async function* statesOf<State>(
  read: () => State,
  { changed, everyMs, pause, signal }: StatesOptions,
): AsyncGenerator<State, void, undefined> {
  while (!signal.aborted) {
    const change = changed.next(signal)
    change.catch(() => undefined)
    yield read()
    try {
      await change
      await pause(everyMs, signal)
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
}

type StatesOptions = {
  readonly changed: ConditionVariable
  readonly everyMs: number
  readonly pause: Pause
  readonly signal: AbortSignal
}

// Waiting that ends with a signal.

/** Settles as the promise does, or rejects with the signal's reason when that fires first; leaves no listener behind. */
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
