/** Waiting for the next change, or for some time to pass. */

import type { Bell } from './bell.ts'

/**
 * Resolves at the next ring since the last call, or after so many ms, whichever comes first; rejects with the signal's
 * reason. One caller: the ring that was not waited for is remembered.
 */
export function waiting(
  bell: Bell,
  { pause }: { readonly pause: (ms: number, signal: AbortSignal) => Promise<void> },
): (ms: number, signal: AbortSignal) => Promise<void> {
  let next = bell.next()
  return async (ms, signal) => {
    const over = new AbortController()
    const stop = () => over.abort()
    signal.addEventListener('abort', stop, { once: true })
    try {
      signal.throwIfAborted()
      const isRung = await Promise.race([
        next.then(() => true),
        pause(ms, over.signal).then(
          () => false,
          () => false,
        ),
      ])
      if (isRung) next = bell.next()
      signal.throwIfAborted()
    } finally {
      signal.removeEventListener('abort', stop)
      over.abort()
    }
  }
}
