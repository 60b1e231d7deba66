import { describe, expect, it } from 'vitest'
import { fieldsReached } from '../../../../src/search-index/meilisearch/matching.ts'
import { fieldsByBoost } from '../../../../src/search-index/meilisearch/stored-document.ts'
import { fieldWeights } from '../../../../src/search-index/hit-order.ts'
import {
  isRanked,
  orderKeys,
  rankingsOf,
  sortAttributes,
  wordsOf,
} from '../../../../src/search-index/meilisearch/ranking.ts'
import type { OrderKey } from '../../../../src/search-index/search-index.ts'
import type { IndexSettings } from '../../../../src/search-index/index-settings.ts'
import { request, settings } from '../../../contracts/search-index-corpus.ts'
import { treeOf } from '../../../contracts/search-index-trees.ts'

const languages = ['en', 'de']
const [dataset, catalogue, vocabulary] = settings.map((one) => ({
  settings: one,
  languages,
}))
const words = (tree: string) => wordsOf(treeOf(tree))

type Boosts = Readonly<Record<string, number>>
const placed = (own: IndexSettings, fields?: string[]) => ({
  settings: own,
  fields: fieldsReached(fields, own, languages),
})
const ranked = (tree: string, boosts: Boosts, fields?: string[]) =>
  rankingsOf(words(tree), boosts, [placed(settings[0]!, fields)])[0]!

describe('words that rank', () => {
  it('are those that are wanted and those that are possible, once each, phrases as one', () => {
    const tree =
      'and(water, not(air), or(phrase(open data), air, water), water, exact(l), wild(a*))'
    expect(words(tree)).toEqual({
      required: [['water'], ['l']],
      optional: [['open', 'data'], ['air']],
    })
    expect(words('phrase(open data)')).toEqual({ required: [['open', 'data']], optional: [] })
  })
})

describe('rankings', () => {
  const many = Array.from({ length: 12 }, (_, i) => `w${i}`)

  it('are one search where the wanted weights fall along the fields', () => {
    const one = (q: string, attributes?: string[]) => [{ q, attributes, weight: 1 }]
    expect(ranked('and(or(street, trees), phrase(open trees))', {})).toEqual(
      one('"zzz" open trees street'),
    )
    expect(ranked('street', { title: 20, 'description.de': 2 })).toEqual(one('"zzz" street'))
    expect(ranked('street', { keywords: 0 })).toEqual(
      one('"zzz" street', ['_s', '_t.title.*', '_t.description.*']),
    )
    expect(ranked('street', {}, ['title.de', 'id'])).toEqual(
      one('"zzz" street', ['_s', '_t.title.de']),
    )
    expect(ranked(`and(${many.join(', ')})`, {})).toEqual(
      one(`"zzz" ${many.slice(0, 9).join(' ')}`),
    )
  })

  it('are one per turn of the words where each is as good as the others', () => {
    expect(ranked('or(street, phrase(open data), wild(a*))', {}).map(({ q }) => q)).toEqual([
      '"zzz" street open data',
      '"zzz" open data street',
    ])
    expect(ranked(`or(${many.join(', ')})`, {})).toHaveLength(4)
    expect(ranked('and(street, or(a, b, c))', {}).map(({ q }) => q)).toEqual([
      '"zzz" street a b c',
      '"zzz" street b c a',
      '"zzz" street c a b',
    ])
    expect(ranked(`and(${many.slice(0, 9).join(', ')}, or(a, b, c))`, {})).toHaveLength(1)
  })

  it('are else one per turn of the words and weight of fields, and one that finds all', () => {
    const rest = { q: 'zzz', attributes: ['_s'], weight: 1e-9 }
    const [description, others] = [['_t.description.*'], ['_t.title.*', '_t.keywords.*']]
    expect(ranked('and(street, phrase(open trees))', { description: 20 })).toEqual([
      { q: 'street "open trees"', attributes: others, weight: 1 },
      { q: '"open trees" street', attributes: others, weight: 1 },
      { q: 'street "open trees"', attributes: description, weight: 20 },
      { q: '"open trees" street', attributes: description, weight: 20 },
      rest,
    ])
    const long = ranked(`or(${many.join(', ')})`, { description: 20 })
    expect(long).toHaveLength(9)
    expect(long[0]!.q).toBe(many.slice(0, 10).join(' '))
  })

  it('of several indices are all of one kind, so that their scores can be compared', () => {
    const light = { ...settings[1]!, texts: [{ name: 'title', boost: 1, autocomplete: true }] }
    const both = [placed(settings[0]!), placed(light)]
    const counts = (boosts: Boosts) =>
      rankingsOf(words('water'), boosts, both).map(({ length }) => length)
    expect(counts({})).toEqual([1, 1])
    expect(counts({ description: 20 })).toEqual([3, 2])
  })

  it('are none where no word or no text can be ranked by', () => {
    expect(ranked('wild(a*)', {})).toEqual([])
    expect(ranked('water', {}, ['id'])).toEqual([])
  })

  it('weigh a field by its name, else by its languages, else as its settings say', () => {
    const weightOf = fieldWeights(
      { 'title.en': 5, 'title.de': 7, keywords: 2 },
      { texts: [{ name: 'description', boost: 3, autocomplete: false }] },
    )
    expect(['title', 'keywords', 'description', 'other'].map(weightOf)).toEqual([7, 2, 3, 1])
  })
})

it('fields are searched in the order of their weights, as they come where these are equal', () => {
  const texts = Object.entries({ a: 1, b: 3, c: 1, d: 2 }).map(([name, boost]) => ({
    name,
    boost,
    autocomplete: false,
  }))
  expect(fieldsByBoost({ texts })).toEqual(['b', 'd', 'a', 'c'])
})

describe('orders', () => {
  const sorted = (order: readonly OrderKey[], parts = [dataset!]) =>
    sortAttributes(orderKeys(request({ order }), parts), parts)
  const ties = ['_o._index:asc', '_o._id:asc']

  it('name attributes, ties by index and id', () => {
    const order: OrderKey[] = [
      { name: 'scoring', direction: 'asc' },
      { name: 'modified', direction: 'desc' },
      { name: 'issued', direction: 'asc' },
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
    const by = (name: string) => sorted([{ name, direction: 'asc' }])[0]
    expect(by('title')).toBe('_o.title:asc')
    expect(by('title.de')).toBe('_o.title_2ede:asc')
    expect(by('title.pt')).toBe('_o.title:asc')
  })

  it('leave out what not all indices have', () => {
    expect(sorted([{ name: 'scoring', direction: 'asc' }], [dataset!, catalogue!])).toEqual(ties)
    expect(sorted([], [dataset!, vocabulary!])).toEqual(ties)
  })

  it('by relevance leave ties to the rules of the index', () => {
    const keys = orderKeys(request({ tree: treeOf('water') }), [dataset!])
    expect(isRanked(keys)).toBe(true)
    expect(sortAttributes(keys, [dataset!])).toEqual([])
  })
})
