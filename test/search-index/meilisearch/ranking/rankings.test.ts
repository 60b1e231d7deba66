import { describe, expect, it } from 'vitest'
import { searchedLeaf } from '../../../../src/search-index/remote/searched-leaf.ts'
import { fieldsReached } from '../../../../src/search-index/remote/searched-leaf.ts'
import { fieldsByBoost } from '../../../../src/search-index/meilisearch/stored-document.ts'
import { fieldWeights } from '../../../../src/search-index/hit-order.ts'
import {
  isRanked,
  orderKeys,
  type RankedWord,
  rankingsOf,
  sortAttributes,
  wordOf,
} from '../../../../src/search-index/meilisearch/ranking.ts'
import type { OrderKey } from '../../../../src/search-index/search-index.ts'
import type { IndexSettings } from '../../../../src/search-index/index-settings.ts'
import { leavesOf, type Leaf } from '../../../../src/search-index/query-tree.ts'
import { treeText } from '../../../search/suite/tree-text.ts'
import { request, settings } from '../../../contracts/search-index-corpus.ts'
import { treeOf } from '../../../contracts/search-index-trees.ts'

const languages = ['en', 'de']
const [dataset, catalogue, vocabulary] = settings.map((one) => ({
  settings: one,
  languages,
}))
/** Words of a tree, the first the rarest. */
const words = (tree: string): RankedWord[] =>
  leavesOf(treeOf(tree)).flatMap((leaf, i) => {
    const searched = searchedLeaf(leaf, [], { targets: new Map(), termsByPattern: new Map() })
    const phrases = leaf.kind === 'term' ? [{ tokens: [leaf.token], share: 1 }] : []
    const word = wordOf(leaf, { ...searched, phrases: [...searched.phrases, ...phrases] })
    return word ? [{ word, leaf, rarity: 10 - i }] : []
  })

type Boosts = Readonly<Record<string, number>>
const placed = (own: IndexSettings, fields?: string[]) => ({
  settings: own,
  fields: fieldsReached(fields, own, languages),
  filterOf: (leaves: readonly Leaf[]) => leaves.map(treeText).join(' AND '),
})
const ranked = (tree: string, boosts: Boosts, fields?: string[]) =>
  rankingsOf(words(tree), boosts, [placed(settings[0]!, fields)])[0]!
const rest = { q: 'zzz', attributes: ['_s'], weight: 1e-9 }

describe('the text by which a leaf is found', () => {
  const found = (leaf: Leaf, ...phrases: string[][]) =>
    wordOf(leaf, { fields: [], phrases: phrases.map((tokens) => ({ tokens, share: 1 })) })

  it('is the word as typed, or the first form that the index has', () => {
    const term = { kind: 'term', token: 'strasse', typed: 'straße' } as const
    expect(found(term, ['strasse'], ['strassen'])).toEqual(['straße'])
    expect(found(term, ['strassen'])).toEqual(['strassen'])
    expect(found({ kind: 'term', token: 'wifi' }, ['wi', 'fi'])).toEqual(['wi', 'fi'])
    expect(found(term)).toBeUndefined()
  })

  it('is that of a phrase or of a quoted word, and none of a pattern', () => {
    expect(found({ kind: 'phrase', tokens: ['open', 'data'] })).toEqual(['open', 'data'])
    expect(found({ kind: 'exact', token: 'l' })).toEqual(['l'])
    expect(found({ kind: 'wild', pattern: 'a*' }, ['air'])).toBeUndefined()
  })
})

describe('rankings', () => {
  const many = Array.from({ length: 12 }, (_, i) => `w${i}`)

  it('of one word are one search where the wanted weights fall along the fields', () => {
    const one = (q: string, attributes?: string[]) => [{ q, attributes, weight: 1 }]
    expect(ranked('street', { title: 20, 'description.de': 2 })).toEqual(one('"zzz" street'))
    expect(ranked('phrase(open data)', {})).toEqual(one('"zzz" open data'))
    expect(ranked('street', { keywords: 0 })).toEqual(
      one('"zzz" street', ['_s', '_t.title.*', '_t.description.*']),
    )
    expect(ranked('street', {}, ['title.de', 'id'])).toEqual(
      one('"zzz" street', ['_s', '_t.title.de']),
    )
  })

  it('of several words are one for each, and one for each pair of the rarest, among the documents that have them', () => {
    expect(ranked('or(street, trees)', {})).toEqual([
      { q: '"zzz" street trees', weight: 19, filter: 'street AND trees' },
      { q: '"zzz" street', weight: 10, filter: 'street' },
      { q: '"zzz" trees', weight: 9, filter: 'trees' },
      rest,
    ])
    const long = ranked(`or(${many.join(', ')})`, {})
    expect(long).toHaveLength(3 + 6 + 1)
    expect(long.map(({ q }) => q)).not.toContain('"zzz" w6')
  })

  it('are else one per weight of fields, and one that finds all', () => {
    const [description, others] = [['_t.description.*'], ['_t.title.*', '_t.keywords.*']]
    expect(ranked('and(street, phrase(open trees))', { description: 20 })).toEqual([
      { q: 'street "open trees"', attributes: others, weight: 1 },
      { q: 'street "open trees"', attributes: description, weight: 20 },
      rest,
    ])
    const long = ranked(`or(${many.join(', ')})`, { description: 20 })
    expect(long[0]!.q).toBe(many.slice(0, 6).join(' '))
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
