/** How long the runs of triggers wait, so that not all of them ask their sources at the same instant. */

import type { Timing, Unit } from '../trigger.ts'

const mostMs = 60_000

/** Milliseconds of each unit, about. */
const lengths: Readonly<Record<Unit, number>> = {
  SECOND: 1000,
  MINUTE: 60_000,
  HOUR: 3_600_000,
  DAY: 86_400_000,
  WEEK: 7 * 86_400_000,
  MONTH: 30 * 86_400_000,
  YEAR: 365 * 86_400_000,
}

/** A share of an interval: a short rhythm is not drowned. */
const share = 10

/**
 * Milliseconds from 0 to a minute by `chance` (0..1). Nothing for a cron expression that names seconds: whoever writes six
 * fields means the second. Less than a second is not waited for.
 */
export function jitter(timing: Timing, chance: number): number {
  const ms = Math.floor(chance * mostOf(timing))
  return ms < 1000 ? 0 : ms
}

function mostOf(timing: Timing): number {
  if (timing.kind === 'cron') return timing.expression.trim().split(/\s+/).length > 5 ? 0 : mostMs
  if (timing.kind === 'specific') return mostMs
  return Math.min(mostMs, (lengths[timing.unit] * timing.value) / share)
}
