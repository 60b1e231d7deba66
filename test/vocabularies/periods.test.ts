/** Periods in one text, and the extents of dates. */

import { describe, expect, it } from 'vitest'
import { dateLiteral, timeRangeOf } from '../../src/vocabularies/dates.ts'
import { periodEnds } from '../../src/vocabularies/periods.ts'

describe('periodEnds', () => {
  it.each([
    ['2018', '2018', '2018'],
    ['2020-03', '2020-03', '2020-03'],
    ['03/2020', '03/2020', '03/2020'],
    ['2024/05/01', '2024/05/01', '2024/05/01'],
    ['2019-01-01/P1Y', '2019-01-01', '2019-12-31'],
    ['2019-01-01/P1M', '2019-01-01', '2019-01-31'],
    ['2019/P2Y', '2019', '2020-12-31'],
    ['P1Y/2019-12-31', '2019-01-01', '2019-12-31'],
    ['P1Y/2019', '2019-01-01', '2019'],
    ['P2W/2019-01-14', '2019-01-01', '2019-01-14'],
    ['2019-01-01T08:00:00Z/PT12H', '2019-01-01T08:00:00Z', '2019-01-01T20:00:00Z'],
    ['R/2019-01-01/2019-02-01', '2019-01-01', '2019-02-01'],
    ['2019/20', '2019', '2020'],
    ['2019-01-01/03-31', '2019-01-01', '2019-03-31'],
    ['2010-2020', '2010', '2020'],
    ['2010 – 2020', '2010', '2020'],
    ['01/05/2024/02/05/2024', '01/05/2024', '02/05/2024'],
    ['2019/..', '2019', undefined],
    ['2019/', '2019', undefined],
    ['../2019', undefined, '2019'],
    ['2019 to present', '2019', undefined],
    ['2020-W05', '2020-01-27', '2020-02-02'],
    ['2020-W05-1/2020-W06', '2020-01-27', '2020-02-09'],
    ['2021-001/2021-365', '2021-01-01', '2021-12-31'],
    ['2019-Q1', '2019-01', '2019-03'],
    ['Q1/2019 - Q3/2019', '2019-01', '2019-09'],
    ['2019-01-01/2019-12-31/P1D', '2019-01-01', '2019-12-31'],
    ['2019-01-01T10:00/12:00', '2019-01-01T10:00', '2019-01-01T12:00'],
    ['2019-01-01..2019-12-31', '2019-01-01', '2019-12-31'],
    ['start=2019-01-01; end=2020-01-01; scheme=W3C-DTF;', '2019-01-01', '2020-01-01'],
  ])('reads %s', (text, start, end) => {
    expect(periodEnds(text)).toEqual({ ...(start && { start }), ...(end && { end }) })
  })

  it.each(['2021-W53', '2021-366', '2021-000'])('takes no day that is not there: %s', (text) => {
    expect(periodEnds(text)).toEqual({ start: text })
  })

  it.each(['n/a', 'N/A', '', 'R/P1D', 'P1Y', 'and/or', '../..', '-'])(
    'finds no date in %s',
    (text) => {
      expect(periodEnds(text)).toBeUndefined()
    },
  )
})

describe('timeRangeOf', () => {
  const iso = (at: number | undefined) => at && new Date(at).toISOString()
  it.each([
    ['2020', '2020-01-01T00:00:00.000Z', '2020-12-31T23:59:59.999Z', '2020'],
    ['2020-02', '2020-02-01T00:00:00.000Z', '2020-02-29T23:59:59.999Z', '2020-02'],
    ['02/2020', '2020-02-01T00:00:00.000Z', '2020-02-29T23:59:59.999Z', '2020-02'],
    ['2020-02-03+02:00', '2020-02-03T00:00:00.000Z', '2020-02-03T23:59:59.999Z', '2020-02-03'],
    [
      '2020-02-03T01:00:00+02:00',
      '2020-02-02T23:00:00.000Z',
      '2020-02-02T23:00:00.000Z',
      '2020-02-02T23:00:00Z',
    ],
    ['9999', '9999-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z', '9999'],
  ])('covers all of %s', (text, from, to, shown) => {
    const extent = timeRangeOf(text)
    expect([iso(extent?.from), iso(extent?.to), extent?.text]).toEqual([from, to, shown])
  })

  it('lets days begin in the zone that is given, and leaves times alone', () => {
    const day = timeRangeOf('2024-03-31', 'Europe/Berlin')
    expect([iso(day?.from), iso(day?.to)]).toEqual([
      '2024-03-30T23:00:00.000Z',
      '2024-03-31T21:59:59.999Z',
    ])
    const time = timeRangeOf('2024-03-31T01:00:00Z', 'America/New_York')
    expect(iso(time?.from)).toBe('2024-03-31T01:00:00.000Z')
  })
})

describe('dateLiteral', () => {
  it.each([
    ['03/2020', '2020-03'],
    ['3.2020', '2020-03'],
    ['2020/03', '2020-03'],
    ['March 2020', '2020-03'],
    ['mars de 2020', '2020-03'],
  ])('reads the month %s', (text, month) => {
    const read = dateLiteral(text, {})
    expect(typeof read === 'object' && [read.value, read.datatype.value.split('#')[1]]).toEqual([
      month,
      'gYearMonth',
    ])
  })

  it.each(['13/2020', '0/2020', 'Spring 2020', '03/0000'])('refuses %s', (text) => {
    expect(dateLiteral(text, {})).toBe('invalid')
  })
})
