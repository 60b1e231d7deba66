/** When a trigger fires next. */

import type { Timing, Unit } from './trigger.ts'
import { nextOfCron } from './cron.ts'

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

// Firings at equal distances: fixed lengths, or steps of the calendar for months and years.

type Interval = Extract<Timing, { kind: 'interval' }>

const day = 86_400_000

/** Milliseconds of each unit; of months and years about, because they are steps of the calendar. */
export const unitMs: Readonly<Record<Unit, number>> = {
  SECOND: 1000,
  MINUTE: 60_000,
  HOUR: 3_600_000,
  DAY: day,
  WEEK: 7 * day,
  MONTH: 30 * day,
  YEAR: 365 * day,
}

/** The first firing after a moment, or undefined when it lies outside of what a clock can show. */
export function nextOfInterval(interval: Interval, after: number): number | undefined {
  const { anchor, unit, value } = interval
  if (anchor > after) return anchor
  const step = unitMs[unit] * value
  const next =
    unit === 'MONTH' || unit === 'YEAR'
      ? nextMonth(anchor, value * (unit === 'YEAR' ? 12 : 1), after)
      : anchor + (Math.floor((after - anchor) / step) + 1) * step
  return Number.isNaN(new Date(next).getTime()) ? undefined : next
}

/** Every step is counted from the anchor: after a 31st of January that became the 28th of February comes the 31st of March. */
function nextMonth(anchor: number, months: number, after: number): number {
  const [from, to] = [new Date(anchor), new Date(after)]
  const distance =
    (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth()
  const steps = Math.floor(distance / months)
  const next = plusMonths(from, steps * months)
  return next > after ? next : plusMonths(from, (steps + 1) * months)
}

/** The same day of a later month, or its last one where it has no such day. */
function plusMonths(from: Date, months: number): number {
  const next = new Date(from)
  next.setUTCDate(1)
  next.setUTCMonth(from.getUTCMonth() + months)
  const last = new Date(Date.UTC(next.getUTCFullYear(), next.getUTCMonth() + 1, 0)).getUTCDate()
  return next.setUTCDate(Math.min(from.getUTCDate(), last))
}
