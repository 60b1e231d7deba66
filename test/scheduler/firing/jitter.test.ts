/** How long the runs of triggers wait: up to a minute, unless the second was meant. */

import { describe, expect, it } from 'vitest'
import { jitter } from '../../../src/scheduler/trigger.ts'
import type { Timing } from '../../../src/scheduler/trigger.ts'

const every = (unit: Extract<Timing, { kind: 'interval' }>['unit'], value = 1): Timing => ({
  kind: 'interval',
  unit,
  value,
  anchor: 0,
})
const cron = (expression: string): Timing => ({ kind: 'cron', expression })

describe('a scheduled run', () => {
  it.each<[string, Timing, number]>([
    ['of a day', every('DAY'), 30_000],
    ['of a year', every('YEAR', 3), 30_000],
    ['of a Unix cron', cron('0 3 * * *'), 30_000],
    ['of a specific time', { kind: 'specific', times: [5] }, 30_000],
    ['of five minutes', every('MINUTE', 5), 15_000],
    ['of a minute', every('MINUTE'), 3000],
    ['of a second', every('SECOND'), 0],
    ['of a cron to the second', cron('0 50 16 1/1 * ? *'), 0],
    ['of a cron to the second without a year', cron(' 0 50 16 * * ? '), 0],
  ])('%s waits so many milliseconds by an even chance', (_, timing, ms) => {
    expect(jitter(timing, 0.5)).toBe(ms)
  })

  it('never waits a minute or more, and may begin at once', () => {
    expect(jitter(every('DAY'), 0.999_999)).toBe(59_999)
    expect(jitter(every('DAY'), 0)).toBe(0)
  })
})
