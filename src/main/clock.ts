/** Clock, randomness and pause of the services. */

import { pause } from '../workers/pause.ts'

/** Wall clock in milliseconds since 1970, random numbers 0..1, and pauses, as services take them in their options. */
export const clock = { now: Date.now, random: Math.random, pause }
