/** When a trigger fires next. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nextFiring } from '../../../src/scheduler/trigger.ts'
import { units, type Timing } from '../../../src/scheduler/trigger.ts'

const at = Date.parse

function firings(timing: Timing, after: string, count: number): string[] {
  const found: string[] = []
  let last: number | undefined = at(after)
  while (found.length < count && last !== undefined) {
    last = nextFiring(timing, last)
    if (last !== undefined) found.push(new Date(last).toISOString().slice(0, 19))
  }
  return found
}

const every = (unit: (typeof units)[number], value: number, anchor: string): Timing => ({
  kind: 'interval',
  unit,
  value,
  anchor: at(anchor),
})

describe('an interval', () => {
  it('fires first at its anchor, then at equal distances', () => {
    expect(firings(every('HOUR', 6, '2026-11-22T03:00:00Z'), '2026-11-21T00:00:00Z', 3)).toEqual([
      '2026-11-22T03:00:00',
      '2026-11-22T09:00:00',
      '2026-11-22T15:00:00',
    ])
  })

  it('with an anchor in the past keeps its rhythm and makes nothing up', () => {
    expect(firings(every('DAY', 2, '2020-01-01T04:00:00Z'), '2026-11-21T12:00:00Z', 2)).toEqual([
      '2026-11-23T04:00:00',
      '2026-11-25T04:00:00',
    ])
  })

  it('of months comes back to the day of its anchor', () => {
    expect(firings(every('MONTH', 1, '2027-01-31T00:00:00Z'), '2027-01-31T00:00:00Z', 4)).toEqual([
      '2027-02-28T00:00:00',
      '2027-03-31T00:00:00',
      '2027-04-30T00:00:00',
      '2027-05-31T00:00:00',
    ])
  })

  it('of years knows leap days', () => {
    expect(firings(every('YEAR', 1, '2024-02-29T12:00:00Z'), '2026-11-21T00:00:00Z', 2)).toEqual([
      '2027-02-28T12:00:00',
      '2028-02-29T12:00:00',
    ])
  })

  it('has no firing that no clock can show', () => {
    const never = every('YEAR', 1_000_000, '2026-01-01T00:00:00Z')
    expect(nextFiring(never, at('2026-11-21T00:00:00Z'))).toBeUndefined()
  })

  it('has exactly one next firing: after the moment, and none in between', () => {
    const moment = fc.integer({ min: 0, max: at('2100-01-01T00:00:00Z') })
    fc.assert(
      fc.property(
        fc.constantFrom(...units),
        fc.integer({ min: 1, max: 1000 }),
        moment,
        moment,
        (unit, value, anchor, after) => {
          const timing: Timing = { kind: 'interval', unit, value, anchor }
          const next = nextFiring(timing, after)
          expect(next).toBeGreaterThan(after)
          expect(nextFiring(timing, (next ?? 0) - 1)).toBe(next)
          const first = nextFiring(timing, Math.min(anchor, after))
          expect(first).toBeLessThanOrEqual(next ?? 0)
        },
      ),
    )
  })
})

describe('specific times', () => {
  const timing: Timing = {
    kind: 'specific',
    times: ['2026-12-24T18:00:00Z', '2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z'].map(at),
  }

  it('fire in the order of time, past ones not at all', () => {
    expect(firings(timing, '2026-11-21T12:00:00Z', 3)).toEqual([
      '2026-12-01T00:00:00',
      '2026-12-24T18:00:00',
    ])
  })
})
