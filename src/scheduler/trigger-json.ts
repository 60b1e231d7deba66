/** Triggers as clients read them; what is read can be sent again. */

import { masked } from './masking.ts'
import type { Timing } from './trigger.ts'
import type { Scheduled } from './triggers.ts'
import { written } from './trigger-input.ts'

/** Secrets in its configs are hidden. */
export function triggerAnswer(trigger: Scheduled) {
  const { id, status, configs, startMode, timing, next, last, problem } = trigger
  return {
    id,
    status,
    ...timingAnswer(timing),
    ...(next !== undefined && { next: written(next) }),
    ...(last !== undefined && { last: written(last) }),
    ...(problem !== undefined && { problem }),
    ...(startMode && { startMode }),
    ...(configs && { configs: masked(configs) }),
  }
}

function timingAnswer(timing: Timing) {
  switch (timing.kind) {
    case 'interval':
      return { interval: { unit: timing.unit, value: timing.value } }
    case 'cron': {
      const { expression: cron, timeZone } = timing
      return { cron, ...(timeZone !== undefined && { timeZone }) }
    }
    case 'specific':
      return { specific: timing.times.map(written) }
    default:
      return timing satisfies never
  }
}
