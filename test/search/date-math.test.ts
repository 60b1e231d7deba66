/** Date mathematics of Solr as instants. */

import { describe, expect, it } from 'vitest'
import { mathInstant } from '../../src/search/query/date-math.ts'

const now = Date.parse('2024-03-31T10:20:30.400Z')

describe('date mathematics', () => {
  it.each([
    ['NOW', '2024-03-31T10:20:30.400Z'],
    ['NOW-7DAYS', '2024-03-24T10:20:30.400Z'],
    ['NOW/DAY', '2024-03-31T00:00:00.000Z'],
    ['NOW-1YEAR/MONTH', '2023-03-01T00:00:00.000Z'],
    ['NOW/YEAR+6MONTHS+3DAYS', '2024-07-04T00:00:00.000Z'],
    ['NOW-1MONTH', '2024-02-29T10:20:30.400Z'],
    ['NOW/DATE-1MILLI', '2024-03-30T23:59:59.999Z'],
    ['NOW/HOUR', '2024-03-31T10:00:00.000Z'],
    ['NOW-90MINUTES/SECOND', '2024-03-31T08:50:30.000Z'],
    ['0050-06-30T10:00:00.000Z/YEAR', '0050-01-01T00:00:00.000Z'],
    ['0003-03-31T10:00:00.000Z+11MONTHS', '0004-02-29T10:00:00.000Z'],
    ['2024-02-29T00:00:00.000Z+1YEAR', '2025-02-28T00:00:00.000Z'],
  ])('%s is %s', (text, instant) => {
    const at = mathInstant(text, now)
    expect(at === undefined ? at : new Date(at).toISOString()).toBe(instant)
  })

  it.each([
    'now',
    'NOW-',
    'NOW-7',
    'NOW/WEEK',
    'NOWDAY',
    '2024-13-01T00:00:00Z',
    `NOW${'+1DAY'.repeat(9)}`,
  ])('does not read %s', (text) => {
    expect(mathInstant(text, now)).toBeUndefined()
  })
})
