/** Numbers, days, names and bands as people read them. */

import { describe, expect, it } from 'vitest'
import { bandOf, rank } from '../../../src/metrics/reports/report.ts'
import { compact, constraintName } from '../../../src/metrics/reports/rdf-names.ts'
import { wordsFor } from '../../../src/metrics/reports/report-words.ts'
import { bands } from './figures-double.ts'

describe('numbers', () => {
  const late = new Date('2026-11-22T23:59:00Z')

  it.each([
    ['en', '1,204', '97.5%', '0.0%', '3.4', '22 November 2026', '1 dataset', '2,000 datasets'],
    [
      'de',
      '1.204',
      '97,5 %',
      '0,0 %',
      '3,4',
      '22. November 2026',
      '1 Datensatz',
      '2.000 Datensätzen',
    ],
    [
      'fr',
      '1 204',
      '97,5 %',
      '0,0 %',
      '3,4',
      '22 novembre 2026',
      '1 jeu de données',
      '2 000 jeux de données',
    ],
    ['it', '1204', '97,5%', '0,0%', '3,4', '22 novembre 2026', '1 dataset', '2000 dataset'],
  ])('and days (those of UTC) have the form of the language: %s', (language, ...forms) => {
    const { count, counted, counts, decimal, longDay, percent } = wordsFor(language)
    const told = [
      count(1204),
      percent(97.5),
      percent(0),
      decimal(3.4),
      longDay(late),
      counted(1, counts.datasets),
      counted(2000, counts.datasets),
    ]
    // French and German put a blank there where no line breaks.
    expect(told.map((text) => text.replace(/\s/gu, ' '))).toEqual(forms)
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
