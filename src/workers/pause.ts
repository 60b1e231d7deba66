/** Waits for some time. Code that waits gets the function as a dependency, so that tests can replace it by a faster one. */

import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves after so many milliseconds; rejects with the signal's reason when the signal fires first. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<void>

/** The `Pause` of the running platform. */
export const pause: Pause = (ms, signal) =>
  sleep(ms, undefined, { signal }).catch((error: unknown) => {
    signal.throwIfAborted()
    throw error
  })
