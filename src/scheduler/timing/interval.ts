/** Firings at equal distances: fixed lengths, or steps of the calendar for months and years. */

import type { Timing, Unit } from '../trigger.ts'

type Interval = Extract<Timing, { kind: 'interval' }>

const second = 1000
const day = 86_400 * second
const lengths = {
  SECOND: second,
  MINUTE: 60 * second,
  HOUR: 3600 * second,
  DAY: day,
  WEEK: 7 * day,
} as const satisfies Partial<Record<Unit, number>>

const isFixed = (unit: Unit): unit is keyof typeof lengths => Object.hasOwn(lengths, unit)

/** The first firing after a moment, or undefined when it lies outside of what a clock can show. */
export function nextOfInterval(interval: Interval, after: number): number | undefined {
  const { anchor, unit, value } = interval
  if (anchor > after) return anchor
  const next = isFixed(unit)
    ? anchor + (Math.floor((after - anchor) / (lengths[unit] * value)) + 1) * lengths[unit] * value
    : nextMonth(anchor, value * (unit === 'YEAR' ? 12 : 1), after)
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
