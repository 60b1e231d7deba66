/** Time and chance, as the services get them. */

import { setTimeout as sleep } from 'node:timers/promises'

/** Ends early when the signal is aborted: for loops that look at the signal themselves. */
export const pause = (ms: number, signal: AbortSignal) =>
  sleep(ms, undefined, { signal }).catch(() => undefined)

/** Wall clock in milliseconds since 1970, chance 0..1, and waiting: tests put their own in its place. */
export const clock = {
  now: Date.now,
  random: Math.random,
  /** Rejects when the signal fires first: whoever waits has an end of its own to come to. */
  pause: (ms: number, signal: AbortSignal): Promise<void> => sleep(ms, undefined, { signal }),
}
