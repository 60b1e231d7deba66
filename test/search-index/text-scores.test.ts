/** Scores from texts: the formula of `scoring.ts`, with shares, weights of fields, neighbours and whole titles. */

import { describe, expect, it } from 'vitest'
import { neighbourFactor, unitScore } from '../../src/search-index/scoring.ts'
import {
  hasPhraseOf,
  scoresOfTexts,
  type ScoredQuery,
  type SearchedLeaf,
  type TokenisedValue,
} from '../../src/search-index/text-scores.ts'

const value = (text: string, field = 'title', bucket = 'en'): TokenisedValue => ({
  field,
  bucket,
  tokens: text.split(' '),
})
const fields = [{ field: 'title' }, { field: 'description' }]
const unit = (text: string, more: object = {}) => ({
  fields,
  phrases: [{ tokens: text.split(' '), share: 1, ...more }],
  rarity: 2,
})
const weightOf = (field: string) => (field === 'title' ? 3 : 1)
const queryOf = (units: ScoredQuery['units'], more: Partial<ScoredQuery> = {}): ScoredQuery => ({
  units,
  unitCount: units.length,
  neighbours: [],
  weightOf,
  ...more,
})
/** Score of the first of two records of equal length. */
const scoreOf = (values: readonly TokenisedValue[], query: ScoredQuery) => {
  const words = values.flatMap(({ tokens }) => tokens).length
  const other = [value(Array.from({ length: words }, () => '-').join(' '))]
  return scoresOfTexts([values, other], query)[0]
}

describe('a score', () => {
  it('grows with occurrences, by the weight of the field and the share of the target', () => {
    const values = [value('water water'), value('water', 'description'), value('water', 'other')]
    expect(scoreOf(values, queryOf([unit('water')]))).toBe(unitScore(2, 7, 1))
    expect(scoreOf(values, queryOf([unit('water', { share: 0.5 })]))).toBe(unitScore(2, 3.5, 1))
    expect(scoreOf(values, queryOf([unit('water', { share: 0 })]))).toBe(0)
    expect(scoreOf(values, queryOf([unit('air')]))).toBe(0)
  })

  it('counts a word in its own language only', () => {
    const values = [value('gift'), value('gift', 'title', 'de')]
    const german = queryOf([unit('gift', { bucket: 'de' })])
    expect(scoreOf(values, german)).toBe(unitScore(2, 3, 1))
    const inEnglish = { ...unit('gift'), fields: [{ field: 'title', bucket: 'en' }] }
    expect(scoreOf(values, queryOf([inEnglish]))).toBe(unitScore(2, 3, 1))
  })

  it('counts a phrase, and a beginning, once for each weight', () => {
    const values = [value('open data open data'), value('open data', 'description')]
    expect(scoreOf(values, queryOf([unit('open data')]))).toBe(unitScore(2, 4, 1))
    const beginning = { fields, phrases: [], prefix: 'op', rarity: 2 }
    expect(scoreOf(values, queryOf([beginning]))).toBe(unitScore(2, 4, 1))
    expect(scoreOf([value('data open'), value('data')], queryOf([unit('open data')]))).toBe(0)
  })

  it('is less in a record that is longer than the mean', () => {
    const records = [[value('water')], [value('water and much more')]]
    const [short = 0, long = 0] = scoresOfTexts(records, queryOf([unit('water')]))
    expect(short).toBeCloseTo(unitScore(2, 3, 1 / 2.5))
    expect(long).toBeCloseTo(unitScore(2, 3, 4 / 2.5))
  })

  it('grows with words that are neighbours in the query and in one value', () => {
    const pair: SearchedLeaf = { fields, phrases: [{ tokens: ['air', 'quality'], share: 1 }] }
    const query = queryOf([unit('air'), unit('quality')], { neighbours: [pair] })
    const both = 2 * unitScore(2, 3, 1)
    expect(scoreOf([value('air quality')], query)).toBe(both * neighbourFactor(1, 2))
    expect(scoreOf([value('air'), value('quality')], query)).toBe(both)
  })

  it('has all rarities on top where a title is the whole query', () => {
    const query = queryOf([unit('water')], { typed: ['the', 'water'] })
    expect(scoreOf([value('the water')], query)).toBe(unitScore(2, 3, 1) + 2)
    expect(scoreOf([value('the water of')], query)).toBe(unitScore(2, 3, 1))
    expect(scoreOf([value('the water', 'description')], query)).toBe(unitScore(2, 1, 1))
  })

  it('is that of no records, and of records without words, too', () => {
    expect(scoresOfTexts([], queryOf([unit('water')]))).toEqual([])
    expect(scoresOfTexts([[]], queryOf([unit('water')]))).toEqual([0])
  })
})

it('a phrase does not span two values or languages', () => {
  const phrase = (bucket?: string): SearchedLeaf => ({
    fields,
    phrases: [{ tokens: ['a', 'b', 'c'], share: 1, ...(bucket && { bucket }) }],
  })
  expect(hasPhraseOf([value('a a b c')], phrase())).toBe(true)
  expect(hasPhraseOf([value('a b'), value('c')], phrase())).toBe(false)
  expect(hasPhraseOf([value('a b c')], phrase('de'))).toBe(false)
  expect(hasPhraseOf([value('a b c', 'other')], phrase())).toBe(false)
})
