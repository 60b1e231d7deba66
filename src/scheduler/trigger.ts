/** What starts a pipe by itself, when it fires next, and how long its run waits then. */

import type { Configs } from '../pipe/document.ts'
import type { StartMode } from '../pipe/runs/run.ts'
import { type CronTiming, nextOfCron } from './cron.ts'
import { dayMs as day } from '../text/duration.ts'

/** Units of an interval, as clients write them. */
export const units = ['SECOND', 'MINUTE', 'HOUR', 'DAY', 'WEEK', 'MONTH', 'YEAR'] as const
type Unit = (typeof units)[number]

/** When a trigger fires; instants are milliseconds since 1970, all in UTC. */
export type Timing =
  | {
      readonly kind: 'interval'
      readonly unit: Unit
      readonly value: number
      /** The first firing; the rhythm of all others. */
      readonly anchor: number
    }
  | CronTiming
  | { readonly kind: 'specific'; readonly times: readonly number[] }

/** A disabled trigger stays as it is and does not fire. */
export type Status = 'enabled' | 'disabled'

/** What a trigger asks of each run that it starts. */
export type Request = { readonly configs?: Configs; readonly startMode?: StartMode }

/** `id` is a name unique within the pipe. */
export type Trigger = Request & {
  readonly id: string
  readonly status: Status
  readonly timing: Timing
}

/** A trigger as it is kept. */
export type StoredTrigger = Trigger & {
  readonly pipe: string
  /** Nothing that was due up to this moment fires any more: when the trigger was set or switched on. */
  readonly since: number
  /** The last firing. */
  readonly last?: number
}

/** The first firing after a moment, in milliseconds since 1970; undefined when there is none any more. */
export function nextFiring(timing: Timing, after: number): number | undefined {
  if (timing.kind === 'interval') return nextOfInterval(timing, after)
  if (timing.kind === 'cron') return nextOfCron(timing, after)
  const first = Math.min(...timing.times.filter((time) => time > after))
  return first === Infinity ? undefined : first
}

// Firings at equal distances: fixed lengths, or steps of the calendar for months and years.

/** Milliseconds of each unit; of months and years about, because they are steps of the calendar. */
const unitMs: Readonly<Record<Unit, number>> = {
  SECOND: 1000,
  MINUTE: 60_000,
  HOUR: 3_600_000,
  DAY: day,
  WEEK: 7 * day,
  MONTH: 30 * day,
  YEAR: 365 * day,
}

/** The first firing after a moment, or undefined when it lies outside of what a clock can show. */
export function nextOfInterval(
  { anchor, unit, value }: Extract<Timing, { kind: 'interval' }>,
  after: number,
): number | undefined {
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
  const years = to.getUTCFullYear() - from.getUTCFullYear()
  const steps = Math.floor((years * 12 + to.getUTCMonth() - from.getUTCMonth()) / months)
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

const longestJitterMs = 60_000
/** Part of an interval: a short rhythm is not drowned. */
const jitterShare = 10

/**
 * How long the run of a trigger waits, so that not all of them ask their sources at the same instant: milliseconds from 0 to
 * a minute by `chance` (0..1). Nothing for a cron expression that names seconds: whoever writes six fields means the second.
 * Less than a second is not waited for.
 */
export function jitter(timing: Timing, chance: number): number {
  const namesSeconds = timing.kind === 'cron' && timing.expression.trim().split(/\s+/).length > 5
  const share =
    timing.kind === 'interval' ? (unitMs[timing.unit] * timing.value) / jitterShare : Infinity
  const ms = Math.floor(chance * (namesSeconds ? 0 : Math.min(longestJitterMs, share)))
  return ms < 1000 ? 0 : ms
}
