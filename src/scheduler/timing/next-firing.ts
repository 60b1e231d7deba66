/** When a trigger fires next. */

import type { Timing } from '../trigger.ts'
import { nextOfCron } from './cron.ts'
import { nextOfInterval } from './interval.ts'

/** The first firing after a moment, in milliseconds since 1970; undefined when there is none any more. */
export function nextFiring(timing: Timing, after: number): number | undefined {
  switch (timing.kind) {
    case 'interval':
      return nextOfInterval(timing, after)
    case 'cron':
      return nextOfCron(timing, after)
    case 'specific':
      return timing.times.reduce<number | undefined>(
        (first, time) => (time > after && (first === undefined || time < first) ? time : first),
        undefined,
      )
    default:
      return timing satisfies never
  }
}
