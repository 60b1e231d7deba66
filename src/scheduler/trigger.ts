/** Types of triggers, and the computation of their next firing and of the random delay (jitter) of their runs. */

import type { Configs } from '../pipe/document.ts'
import type { StartMode } from '../pipe/runs/run.ts'
import { type CronTiming, nextOfCron } from './cron.ts'
import { dayMs as day } from '../text/duration.ts'

/** Units of an interval as in requests. */
export const units = ['SECOND', 'MINUTE', 'HOUR', 'DAY', 'WEEK', 'MONTH', 'YEAR'] as const
type Unit = (typeof units)[number]

/** Schedule of a trigger; times are in ms since 1970, UTC. */
export type Timing =
  | {
      readonly kind: 'interval'
      readonly unit: Unit
      readonly value: number
      /** First firing; all others are a multiple of the interval after it. */
      readonly anchor: number
    }
  | CronTiming
  | { readonly kind: 'specific'; readonly times: readonly number[] }

/** Whether a trigger fires. */
export type TriggerStatus = 'enabled' | 'disabled'

/** Launch options of the runs that a trigger starts. */
export type TriggerRequest = { readonly configs?: Configs; readonly startMode?: StartMode }

/** A trigger. `id` is unique within the pipe. */
export type Trigger = TriggerRequest & {
  readonly id: string
  readonly status: TriggerStatus
  readonly timing: Timing
}

/** A trigger as stored. */
export type StoredTrigger = Trigger & {
  readonly pipe: string
  /** Time at which the trigger was set or enabled; earlier firings are ignored. */
  readonly since: number
  /** Time of the last firing. */
  readonly last?: number
}

/** First firing after a time, in ms since 1970; `undefined` if there is none. */
export function nextFiring(timing: Timing, after: number): number | undefined {
  if (timing.kind === 'interval') return nextOfInterval(timing, after)
  if (timing.kind === 'cron') return nextOfCron(timing, after)
  const first = Math.min(...timing.times.filter((time) => time > after))
  return first === Infinity ? undefined : first
}

// Intervals: fixed lengths, or calendar steps for months and years.

/** Milliseconds of each unit; approximate for months and years, which are calendar steps. */
const unitMs: Readonly<Record<Unit, number>> = {
  SECOND: 1000,
  MINUTE: 60_000,
  HOUR: 3_600_000,
  DAY: day,
  WEEK: 7 * day,
  MONTH: 30 * day,
  YEAR: 365 * day,
}

/** First firing of an interval after a time; `undefined` beyond the range of `Date`. */
export function nextOfInterval(
  { anchor, unit, value }: Extract<Timing, { kind: 'interval' }>,
  after: number,
): number | undefined {
  if (anchor > after) return anchor
  const stepMs = unitMs[unit] * value
  const next =
    unit === 'MONTH' || unit === 'YEAR'
      ? nextMonth(anchor, value * (unit === 'YEAR' ? 12 : 1), after)
      : anchor + (Math.floor((after - anchor) / stepMs) + 1) * stepMs
  return Number.isNaN(new Date(next).getTime()) ? undefined : next
}

/** Counts every step from the anchor: 31 January, 28 February, 31 March. */
function nextMonth(anchor: number, months: number, after: number): number {
  const [from, to] = [new Date(anchor), new Date(after)]
  const years = to.getUTCFullYear() - from.getUTCFullYear()
  const stepCount = Math.floor((years * 12 + to.getUTCMonth() - from.getUTCMonth()) / months)
  const next = plusMonths(from, stepCount * months)
  return next > after ? next : plusMonths(from, (stepCount + 1) * months)
}

/** Same day of a later month, or its last day if it is shorter. */
function plusMonths(from: Date, months: number): number {
  const next = new Date(from)
  next.setUTCDate(1)
  next.setUTCMonth(from.getUTCMonth() + months)
  const lastDay = new Date(Date.UTC(next.getUTCFullYear(), next.getUTCMonth() + 1, 0)).getUTCDate()
  return next.setUTCDate(Math.min(from.getUTCDate(), lastDay))
}

/** Maximum jitter. */
const longestJitterMs = 60_000
/** Maximum jitter as a fraction of the interval: 1/10. */
const intervalsPerJitter = 10

/**
 * Delay in ms before the run of a trigger starts, by `chance` (0..1), so that not all runs query their sources at once: at most a
 * minute, and a tenth of an interval. None for cron expressions with seconds, whose exact time is intended. Delays under a
 * second become 0.
 */
export function jitter(timing: Timing, chance: number): number {
  const hasSeconds = timing.kind === 'cron' && timing.expression.trim().split(/\s+/).length > 5
  const mostMs =
    timing.kind === 'interval'
      ? (unitMs[timing.unit] * timing.value) / intervalsPerJitter
      : Infinity
  const ms = Math.floor(chance * (hasSeconds ? 0 : Math.min(longestJitterMs, mostMs)))
  return ms < 1000 ? 0 : ms
}
