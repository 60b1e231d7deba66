/** Relevance as a function of statistics: what ranks, and what makes more of it. */

import { describe, expect, it } from 'vitest'
import {
  neighbourFactor,
  neighboursOf,
  rankingUnits,
  rarityOf,
  rarityOfMost,
  unitScore,
} from '../../src/search-index/scoring.ts'
import { parseQuery, queryLimits } from '../../src/search/query/parser.ts'

const treeOf = (q: string) => parseQuery(q, () => undefined, { limits: queryLimits })
const units = (q: string) =>
  rankingUnits(treeOf(q)).map((leaf) => ('token' in leaf ? leaf.token : leaf.kind))

describe('the score of a unit', () => {
  it('grows with its frequency, and less each time', () => {
    const [one = 0, two = 0, three = 0] = [1, 2, 3].map((frequency) => unitScore(1, frequency, 1))
    expect([two > one, three > two, three - two < two - one]).toEqual([true, true, true])
  })

  it('is greater in a shorter record', () => {
    expect(unitScore(1, 1, 0.5)).toBeGreaterThan(unitScore(1, 1, 2))
  })

  it('is the rarity for one occurrence in a record of mean length', () => {
    expect(unitScore(3, 1, 1)).toBeCloseTo(3)
  })
})

describe('the rarity of a unit', () => {
  it('is positive also for what every record has', () => {
    expect(rarityOf(100, 100)).toBeGreaterThan(0)
    expect(rarityOf(100, 101)).toBeGreaterThanOrEqual(0)
  })

  it('is most of five equal ones, whatever the rounding of their sum', () => {
    for (const withUnit of Array.from({ length: 50 }, (_, n) => n)) {
      const rarity = rarityOf(100, withUnit)
      expect(rarity).toBeGreaterThanOrEqual(rarityOfMost(Array.from({ length: 5 }, () => rarity)))
    }
  })

  it('falls with the number of records that have it', () => {
    expect(rarityOf(100, 1)).toBeGreaterThan(rarityOf(100, 10))
  })
})

describe('units of a query', () => {
  it('are its words but the stop words', () => {
    expect(units('where can i swim')).toEqual(['swim'])
  })

  it('are the stop words where there is nothing else', () => {
    expect(units('where is it')).toEqual(['where', 'is', 'it'])
  })

  it('are phrases and wildcards too, and nothing under a NOT', () => {
    expect(units('"the river" wat* NOT salt')).toEqual(['phrase', 'wild'])
  })
})

describe('neighbours', () => {
  it('are words that follow each other in the query, in the same field', () => {
    const leaves = rankingUnits(treeOf('air quality "of the" city'))
    expect(neighboursOf(leaves)).toEqual([
      { kind: 'phrase', tokens: ['air', 'quality'], field: undefined },
    ])
  })

  it('triple the score of a record that has all of them side by side, and change nothing for one word', () => {
    expect([neighbourFactor(2, 3), neighbourFactor(0, 3), neighbourFactor(0, 1)]).toEqual([3, 1, 1])
  })
})
