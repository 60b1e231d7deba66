/** Cron expressions mean what Unix and Quartz mean by them, or are refused. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CronError, nextOfCron, parseCron } from '../../../src/scheduler/cron.ts'

/** A Saturday. */
const saturday = '2026-11-21T12:00:00Z'

function firings(expression: string, count: number, from = saturday, timeZone?: string) {
  const timing = { kind: 'cron' as const, expression, ...(timeZone && { timeZone }) }
  const found: string[] = []
  let after: number | undefined = Date.parse(from)
  while (found.length < count && after !== undefined) {
    after = nextOfCron(timing, after)
    if (after !== undefined) found.push(new Date(after).toISOString().replace(':00.000Z', ''))
  }
  return found.join(' ')
}

describe('five fields are read as on Unix', () => {
  it.each([
    ['*/15 * * * *', '2026-11-21T12:15 2026-11-21T12:30 2026-11-21T12:45'],
    ['5/20 * * * *', '2026-11-21T12:05 2026-11-21T12:25 2026-11-21T12:45'],
    ['30 4 * * *', '2026-11-22T04:30 2026-11-23T04:30'],
    ['0 6 * * 0', '2026-11-22T06:00 2026-11-29T06:00'],
    ['0 6 * * 7', '2026-11-22T06:00 2026-11-29T06:00'],
    ['0 6 * * 1', '2026-11-23T06:00 2026-11-30T06:00'],
    ['0 6 * * sun', '2026-11-22T06:00 2026-11-29T06:00'],
    ['0 6 * * 5-7', '2026-11-22T06:00 2026-11-27T06:00 2026-11-28T06:00 2026-11-29T06:00'],
    ['0 6 * * SAT-SUN', '2026-11-22T06:00 2026-11-28T06:00'],
    ['0 6 * * 1/2', '2026-11-23T06:00 2026-11-25T06:00 2026-11-27T06:00 2026-11-30T06:00'],
    ['0 6 1 jan,JUL *', '2027-01-01T06:00 2027-07-01T06:00'],
    // When both day fields are set, either fits.
    ['0 6 13 * 5', '2026-11-27T06:00 2026-12-04T06:00 2026-12-11T06:00 2026-12-13T06:00'],
    ['0 6 1/1 * 5', '2026-11-22T06:00 2026-11-23T06:00'],
    ['0 6 29 2 *', '2028-02-29T06:00 2032-02-29T06:00'],
  ])('%s', (expression, expected) => {
    expect(firings(expression, expected.split(' ').length)).toBe(expected)
  })
})

describe('six and seven fields are read as in Quartz', () => {
  it.each([
    ['0 50 16 1/1 * ? *', '2026-11-21T16:50 2026-11-22T16:50'],
    ['0 0 6 ? * 1', '2026-11-22T06:00 2026-11-29T06:00'],
    ['0 0 6 ? * 7', '2026-11-28T06:00 2026-12-05T06:00'],
    ['0 0 6 ? * SUN', '2026-11-22T06:00 2026-11-29T06:00'],
    ['0 0 6 ? * 2-6', '2026-11-23T06:00 2026-11-24T06:00'],
    ['0 0 6 ? * MON-FRI', '2026-11-23T06:00 2026-11-24T06:00'],
    ['0 0 6 ? * FRI-MON', '2026-11-22T06:00 2026-11-23T06:00 2026-11-27T06:00'],
    ['0 0 6 ? * 2/2', '2026-11-23T06:00 2026-11-25T06:00 2026-11-27T06:00 2026-11-30T06:00'],
    ['0 0 22-1 * * ?', '2026-11-21T22:00 2026-11-21T23:00 2026-11-22T00:00 2026-11-22T01:00'],
    ['0 0 6 L * ?', '2026-11-30T06:00 2026-12-31T06:00'],
    ['0 0 6 LW * ?', '2026-11-30T06:00 2026-12-31T06:00 2027-01-29T06:00'],
    ['0 0 6 15W 5 ?', '2027-05-14T06:00 2028-05-15T06:00'],
    ['0 0 6 ? * L', '2026-11-28T06:00 2026-12-05T06:00'],
    ['0 0 6 ? * 6L', '2026-11-27T06:00 2026-12-25T06:00'],
    ['0 0 6 ? * FRIL', '2026-11-27T06:00 2026-12-25T06:00'],
    ['0 0 6 ? * 6#3', '2026-12-18T06:00 2027-01-15T06:00'],
    ['0 0 6 ? * FRI#5', '2027-01-29T06:00 2027-04-30T06:00'],
    ['0 0 6 1 1 ? 2028-2029', '2028-01-01T06:00 2029-01-01T06:00'],
    ['0 0 6 * * *', '2026-11-22T06:00'],
  ])('%s', (expression, expected) => {
    expect(firings(expression, expected.split(' ').length)).toBe(expected)
  })

  it('to the second', () => {
    const next = nextOfCron({ kind: 'cron', expression: '*/10 * * * * ?' }, Date.parse(saturday))
    expect(next).toBe(Date.parse('2026-11-21T12:00:10Z'))
  })
})

describe('what cannot be read with certainty is refused', () => {
  it.each([
    '',
    '@daily',
    '* * * *',
    '0 0 0 * * ? * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * 32 * *',
    '* * * 13 *',
    '* * * * 8',
    '* * ? * *',
    '* * L * *',
    '* * * * 5L',
    '* * * * 7/2',
    '0 22-3 * * *',
    '0 0 * * FRI-MON',
    '*/0 * * * *',
    '*/61 * * * *',
    '/5 * * * *',
    '5- * * * *',
    '1,,2 * * * *',
    '1.5 * * * *',
    '+1 * * * *',
    '* * * JAN5 *',
    'MON * * * *',
    '0 0 6 ? * 0',
    '0 0 6 ? * 8',
    '0 0 6 ? * ?',
    '0 0 6 13 * 6',
    '0 0 6 1/1 * 6',
    '? 0 6 * * ?',
    '0 0 6 L-3 * ?',
    '0 0 6 1,L * ?',
    '0 0 6 31W * ?',
    '0 0 6 W * ?',
    '0 0 6 ? * 6#6',
    '0 0 6 ? * 6#3,2#1',
    '0 0 6 ? * 2,6L',
    '0 0 6 ? * H',
    '0 0 6 1 1 ? 1969',
    '0 0 6 1 1 ? 2100',
    '0 0 6 1 1 ? 2030-2029',
  ])('%j', (expression) => {
    expect(() => parseCron(expression)).toThrow(CronError)
  })

  it.each(['0 6 31 2 *', '0 6 31 4,6,9,11 *', '0 0 6 1 1 ? 2020'])('%s never fires', (text) => {
    expect(firings(text, 1)).toBe('')
  })
})

describe('a time zone', () => {
  it('moves with its summer time: skipped times fire after the gap, doubled ones once', () => {
    const vienna = (from: string) => firings('30 2 * * *', 2, from, 'Europe/Vienna')
    expect(vienna('2026-03-28T12:00:00Z')).toBe('2026-03-29T01:00 2026-03-30T00:30')
    expect(vienna('2026-10-24T12:00:00Z')).toBe('2026-10-25T00:30 2026-10-26T01:30')
  })
})

describe('a first firing', () => {
  it('is waited for, and may be a firing itself', () => {
    const timing = (notBefore: string) => ({
      kind: 'cron' as const,
      expression: '0 6 * * *',
      notBefore: Date.parse(notBefore),
    })
    const next = (notBefore: string) =>
      new Date(nextOfCron(timing(notBefore), Date.parse(saturday)) ?? 0).toISOString()
    expect(next('2027-01-01T06:00:00Z')).toBe('2027-01-01T06:00:00.000Z')
    expect(next('2027-01-01T06:00:00.001Z')).toBe('2027-01-02T06:00:00.000Z')
    expect(next('2020-01-01T00:00:00Z')).toBe('2026-11-22T06:00:00.000Z')
  })
})

describe('against a reading day by day', () => {
  const list = (from: number, to: number) =>
    fc.oneof(
      { weight: 1, arbitrary: fc.constant(undefined) },
      {
        weight: 2,
        arbitrary: fc.uniqueArray(fc.integer({ min: from, max: to }), {
          minLength: 1,
          maxLength: 3,
        }),
      },
    )
  const text = (values: readonly number[] | undefined) => values?.join(',') ?? '*'

  /** The days of two years on which an expression fires, by the words of the definition. */
  function days(fits: (day: Date) => boolean): string {
    const start = Date.parse('2027-01-01T12:00:00Z')
    return Array.from({ length: 730 }, (_, at) => new Date(start + at * 86_400_000))
      .filter(fits)
      .slice(0, 20)
      .map((day) => day.toISOString().slice(0, 16))
      .join(' ')
  }

  it('Unix: either day field when both are set', () => {
    fc.assert(
      fc.property(list(1, 28), list(1, 12), list(0, 7), (month, months, week) => {
        const expected = days((day) => {
          if (months && !months.includes(day.getUTCMonth() + 1)) return false
          const inMonth = month?.includes(day.getUTCDate())
          const inWeek = week?.some((one) => one % 7 === day.getUTCDay())
          return inMonth === undefined || inWeek === undefined
            ? (inMonth ?? inWeek ?? true)
            : inMonth || inWeek
        })
        const count = expected.split(' ').length
        const expression = `0 12 ${text(month)} ${text(months)} ${text(week)}`
        expect(firings(expression, count, '2026-12-31T12:00:00Z')).toBe(expected)
      }),
      { numRuns: 60 },
    )
  })

  it('Quartz: Sunday is 1', () => {
    fc.assert(
      fc.property(list(1, 7), list(1, 12), (week, months) => {
        const expected = days(
          (day) =>
            (!months || months.includes(day.getUTCMonth() + 1)) &&
            (!week || week.includes(day.getUTCDay() + 1)),
        )
        const count = expected.split(' ').length
        const expression = `0 0 12 ? ${text(months)} ${text(week)}`
        expect(firings(expression, count, '2026-12-31T12:00:00Z')).toBe(expected)
      }),
      { numRuns: 60 },
    )
  })
})
