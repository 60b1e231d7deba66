import { describe, expect, it } from 'vitest'
import { placesOf } from '../../../../src/indices/meilisearch/matching/places.ts'
import { isRanked, orderKeys, sortOf } from '../../../../src/indices/meilisearch/ranking/keys.ts'
import {
  rankingsOf,
  weightsOf,
  wordsOf,
} from '../../../../src/indices/meilisearch/ranking/rankings.ts'
import { rankingLeaves } from '../../../../src/indices/ranking-leaves.ts'
import type { OrderKey } from '../../../../src/indices/search-index.ts'
import { request, settings } from '../../../contracts/search-index-corpus.ts'
import { treeOf } from '../../../contracts/search-index-trees.ts'

const languages = ['en', 'de']
const [dataset, catalogue, vocabulary] = settings.map((one) => ({
  uid: one.index,
  mark: '',
  settings: one,
  languages,
  isWhole: true,
}))
const words = (tree: string) => wordsOf(rankingLeaves(treeOf(tree)))
const ranked = (tree: string, boosts: Readonly<Record<string, number>>, fields?: string[]) =>
  rankingsOf(words(tree), placesOf(fields, settings[0]!, languages), {
    weightOf: weightsOf(boosts, settings[0]!),
    buckets: languages.length + 1,
  })

describe('words that rank', () => {
  it('are those that are wanted, once each, ten at most, phrases as one', () => {
    expect(words('and(water, not(air), phrase(open data), water, wild(a*))')).toEqual([
      'water',
      '"open data"',
    ])
    const many = Array.from({ length: 12 }, (_, i) => `w${i}`)
    expect(words(`or(${many.join(', ')})`)).toEqual(many.slice(0, 10))
  })
})

describe('rankings', () => {
  it('are one per turn of the words and weight of fields', () => {
    expect(ranked('or(street, trees)', { title: 20 })).toEqual([
      { q: 'street trees', on: ['_t.title.*'], weight: 20 },
      { q: 'trees street', on: ['_t.title.*'], weight: 20 },
      { q: 'street trees', on: ['_t.description.*', '_t.keywords.*'], weight: 1 },
      { q: 'trees street', on: ['_t.description.*', '_t.keywords.*'], weight: 1 },
    ])
    expect(ranked('or(a, b, c, d, e)', {})).toHaveLength(4)
  })

  it('search only where the request does', () => {
    expect(ranked('water', {}, ['title.de', 'id'])).toEqual([
      { q: 'water', on: ['_t.title.de'], weight: 1 },
    ])
    expect(ranked('wild(a*)', {})).toEqual([])
  })

  it('weigh a field by its name, else by its languages, else as its settings say', () => {
    const weightOf = weightsOf(
      { 'title.en': 5, 'title.de': 7, keywords: 2 },
      { texts: [{ name: 'description', boost: 3, autocomplete: false }] },
    )
    expect(['title', 'keywords', 'description', 'other'].map(weightOf)).toEqual([7, 2, 3, 1])
  })
})

describe('orders', () => {
  const sorted = (order: readonly OrderKey[], parts = [dataset!]) =>
    sortOf(orderKeys(request({ order }), parts), parts)
  const ties = ['_o._index:asc', '_o._id:asc']

  it('name attributes, ties by index and id', () => {
    const order: OrderKey[] = [
      { by: 'scoring', direction: 'asc' },
      { by: 'modified', direction: 'desc' },
      { by: 'issued', direction: 'asc' },
    ]
    expect(sorted(order)).toEqual([
      '_n.scoring:asc',
      '_n.modified_st:desc',
      '_n.issued_sf:asc',
      ...ties,
    ])
    expect(sorted([])).toEqual(['_n.modified_st:desc', ...ties])
  })

  it('of a text in a language that has no order of its own are those of the text', () => {
    const by = (name: string) => sorted([{ by: name, direction: 'asc' }])[0]
    expect(by('title')).toBe('_o.title:asc')
    expect(by('title.de')).toBe('_o.title_2ede:asc')
    expect(by('title.pt')).toBe('_o.title:asc')
  })

  it('leave out what not all indices have', () => {
    expect(sorted([{ by: 'scoring', direction: 'asc' }], [dataset!, catalogue!])).toEqual(ties)
    expect(sorted([], [dataset!, vocabulary!])).toEqual(ties)
  })

  it('by relevance leave ties to the rules of the index', () => {
    const keys = orderKeys(request({ tree: treeOf('water') }), [dataset!])
    expect(isRanked(keys)).toBe(true)
    expect(sortOf(keys, [dataset!])).toEqual([])
  })
})
