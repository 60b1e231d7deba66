/** Waiting that ends with a signal: for the values of a source, and for the next change or some time. */

import { unlessAborted } from '../../workers/abort.ts'
import type { ConditionVariable } from '../../workers/condition.ts'
import type { Pause } from '../../workers/retry.ts'

/** The values of the source; throws the signal's reason as soon as it fires, whatever the source does. */
export async function* valuesUntilAborted<Value>(
  source: AsyncIterable<Value>,
  signal: AbortSignal,
): AsyncGenerator<Value> {
  const iterator = source[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await unlessAborted(iterator.next(), signal)
      if (next.done) return
      yield next.value
    }
  } finally {
    void Promise.resolve(iterator.return?.()).catch(() => undefined)
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
