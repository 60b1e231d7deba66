/** Numbers, days, names and bands as people read them. */

import { describe, expect, it } from 'vitest'
import { bandOf, catalogueReport, rank, summary } from '../../../src/metrics/reports/report.ts'
import { scale, spark, timeAxis } from '../../../src/metrics/reports/charts.ts'
import {
  compact,
  constraintName,
  count,
  counted,
  difference,
  longDay,
  percent,
} from '../../../src/metrics/reports/indicator-texts.ts'
import { bands, figuresOf, months } from './figures-double.ts'
import { groundOf } from './ground.ts'

describe('numbers', () => {
  it('are written in one way', () => {
    expect([count(1204), percent(97.5), percent(100), percent(0)]).toEqual([
      '1,204',
      '97.5%',
      '100.0%',
      '0.0%',
    ])
    expect([difference(6), difference(-1.25), difference(0)]).toEqual(['+6.0', '−1.3', '±0.0'])
    expect([counted(1, 'dataset'), counted(2000, 'dataset')]).toEqual([
      '1 dataset',
      '2,000 datasets',
    ])
  })

  it('days are those of UTC', () => {
    expect(longDay(new Date('2026-11-22T23:59:00Z'))).toBe('22 November 2026')
  })
})

describe('bands', () => {
  it.each([
    [405, 'excellentScoring'],
    [351, 'excellentScoring'],
    [350, 'goodScoring'],
    [121, 'sufficientScoring'],
    [120, 'badScoring'],
    [0, 'badScoring'],
  ])('%i points are %s', (score, id) => {
    expect(bandOf(bands, score)?.id).toBe(id)
  })

  it('have the colour of their rank, however many there are', () => {
    const ranks = (many: number) => {
      const some = Array.from({ length: many }, (_, n) => ({
        id: `b${n}`,
        title: `B${n}`,
        from: n * 10,
        to: n * 10 + 9,
      }))
      return some.map(({ id }) => rank(some, id))
    }
    expect([1, 2, 3, 4, 5].map(ranks)).toEqual([
      [3],
      [0, 3],
      [0, 2, 3],
      [0, 1, 2, 3],
      [0, 1, 2, 2, 3],
    ])
  })
})

describe('names', () => {
  it.each([
    ['http://www.w3.org/ns/dcat#byteSize', 'dcat:byteSize'],
    ['http://purl.org/dc/terms/license', 'dct:license'],
    ['http://purl.org/dc/terms/a/b', 'http://purl.org/dc/terms/a/b'],
    ['https://example.org/x', 'https://example.org/x'],
  ])('%s is %s', (iri, name) => {
    expect(compact(iri)).toBe(name)
  })

  it('constraints are words', () => {
    expect(constraintName('MinCountConstraintComponent')).toBe('min count')
  })
})

describe('an axis of time', () => {
  const between = { from: 0, to: 100 }
  const labels = (days: readonly string[]) =>
    timeAxis(days, between).ticks.map(({ label }) => label)

  it('names the last day, and others where there is room', () => {
    const days = Array.from({ length: 60 }, (_, n) =>
      new Date(Date.UTC(2026, 0, n + 1)).toISOString().slice(0, 10),
    )
    const { ticks } = timeAxis(days, between)
    expect(ticks.at(-1)?.label).toBe('1 Mar')
    for (const [place, { x }] of ticks.slice(1).entries())
      expect(x - (ticks[place]?.x ?? 0)).toBeGreaterThanOrEqual(10)
  })

  it('tells months when there are many', () => {
    expect(labels(['2025-01-31', '2025-12-31'])).toEqual(['Jan 2025', 'Dec 2025'])
  })

  it('stands by real time: a gap is a gap', () => {
    const { x } = timeAxis(['2026-01-01', '2026-01-02', '2026-01-11'], between)
    expect(x('2026-01-02')).toBe(10)
  })

  it('puts one day into the middle', () => {
    expect(timeAxis(['2026-01-01'], between).ticks).toEqual([
      { x: 50, label: '1 Jan', anchor: 'middle', isInner: false },
    ])
  })
})

describe('small charts', () => {
  it('a scale keeps its mark inside and says where it stands', () => {
    const drawn = (score: number | null) =>
      scale({ bands: bands.toReversed(), most: 405, score }).markup
    expect(drawn(405)).toContain('x="100%" y="11" text-anchor="end"')
    expect(drawn(0)).toContain('x="0%" y="11" text-anchor="start"')
    expect(drawn(287)).toContain('287 of 405 points. Bad: 0 to 120. Sufficient: 121 to 220.')
    expect(drawn(null)).toContain('There is no score yet.')
  })

  it('a small line needs two shares, and passes over what is missing', () => {
    expect(spark([50])).toBeUndefined()
    expect(spark([null, 50])).toBeUndefined()
    expect(spark([0, null, 100])?.markup).toContain('points="3,19 93,3"')
  })
})

describe('the summary', () => {
  const told = (parts: Parameters<typeof figuresOf>[0]) => {
    const figures = figuresOf(parts)
    const report = catalogueReport(groundOf(figures), figures.catalogue('city')!, { locale: 'en' })
    return summary(report.measured!).join(' ')
  }

  it.each([
    [[281, 287], 'The score is 6 points higher than on 31 January 2025 (281).'],
    [[288, 287], 'The score is 1 point lower than on 31 January 2025 (288).'],
    [[287, 287], 'The score is the same as on 31 January 2025.'],
    [[287], 'This is the first measurement.'],
    [[287, null], 'This is the first measurement.'],
  ])('compares with the measurement before: %j', (scores, sentence) => {
    expect(told({ history: months(scores) })).toContain(sentence)
  })
})
