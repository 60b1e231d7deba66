/** Time and chance, as the services get them. */

import { pause } from '../workers/pause.ts'

/** Wall clock in milliseconds since 1970, chance 0..1, and waiting: tests put their own in its place. */
export const clock = { now: Date.now, random: Math.random, pause }
