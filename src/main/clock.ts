/** Time and chance, as the rooms get them. */

import { setTimeout as sleep } from 'node:timers/promises'

/** Rejects when the signal fires first: whoever waits has an end of its own to come to. */
const pause = (ms: number, signal: AbortSignal): Promise<void> => sleep(ms, undefined, { signal })

export const clock = { now: Date.now, random: Math.random, pause }
