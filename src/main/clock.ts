/** Time and chance, as the services get them. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Pause } from '../workers/retry.ts'

/** Waits so many milliseconds; rejects with the signal's reason when the signal fires first. */
export const pause: Pause = (ms, signal) =>
  sleep(ms, undefined, { signal }).catch((error: unknown) => {
    signal.throwIfAborted()
    throw error
  })

/** Wall clock in milliseconds since 1970, chance 0..1, and waiting: tests put their own in its place. */
export const clock = { now: Date.now, random: Math.random, pause }
