/** What every search engine must do with vectors of records and the meaning of a query, over invented vectors of eight components. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SearchIndex, SearchRequest } from '../../src/search-index/search-index.ts'
import { configured, documentOf, facetText, request, settings } from './search-index-corpus.ts'
import type { Made } from './search-index-corpus.ts'
import { treeOf } from './search-index-trees.ts'

/** A vector of eight components that begins with these. */
const vector = (...first: readonly number[]) =>
  Int8Array.from({ length: 8 }, (_, i) => first[i] ?? 0)

type Entry = readonly [id: string, title: string, country: string, vector?: Int8Array]

const entries: readonly Entry[] = [
  ['levels', 'Water levels of rivers', 'DE', vector(127, 0)],
  ['bath', 'Places to bathe', 'FR', vector(127, 30)],
  ['lakes', 'Lakes', 'DE', vector(127, 90)],
  ['pipes', 'Pipes for water and gas', 'FR', vector(0, 0, 127)],
  ['traffic', 'Traffic of roads', 'DE', vector(-127, 0, 20)],
  ['plain', 'Water', 'DE'],
]
const put = (id: string, title: string, country: string, version = 1) => ({
  put: documentOf({
    index: 'dataset',
    id,
    version,
    text: { title: { en: [title] } },
    facets: { country: [country] },
  }),
})
const bathing = vector(127, 10)

export function vectorContract(name: string, make: () => Promise<Made>): void {
  describe(`${name}: vectors`, () => {
    let made: Made
    let index: SearchIndex
    beforeEach(async () => {
      made = await make()
      index = made.index
      await configured(index)
      await index.write([
        ...entries.map(([id, title, country]) => put(id, title, country)),
        { put: documentOf({ index: 'catalogue', id: 'c1', text: { title: { en: ['Roads'] } } }) },
      ])
      await index.vectors([
        ...entries.map(([id, , , one]) => ({ index: 'dataset' as const, id, vector: one })),
        { index: 'catalogue', id: 'c1', vector: vector(127, 20) },
      ])
    })
    afterEach(() => made.release())

    const search = (tree: string, changes: Partial<SearchRequest> = {}, most = 3) =>
      index.search(
        request({
          tree: treeOf(tree),
          meaning: { vector: bathing, weight: 0.6, most },
          ...changes,
        }),
      )
    const found = async (...parameters: Parameters<typeof search>) =>
      (await search(...parameters)).hits
        .map(({ id, related }) => (related ? `(${id})` : id))
        .join(' ')

    it('the nearest records are hits too, marked and counted, in one order with the others', async () => {
      const { hits, count, related } = await search('water', { score: true })
      expect(hits.map(({ id, related }) => [id, related])).toEqual([
        ['levels', undefined],
        ['pipes', undefined],
        ['plain', undefined],
        ['bath', true],
        ['lakes', true],
      ])
      expect([count, related]).toEqual([5, 2])
      const scores = hits.map(({ score = Number.NaN }) => score)
      expect(scores.toSorted((a, b) => b - a)).toEqual(scores)
    })

    it('hits have their closeness: 1 for the nearest record, 0 for the farthest and those without a vector', async () => {
      const closenessOf = async (tree: string, changes = {}) => {
        const { hits } = await search(tree, changes, 1)
        return hits.map(({ id, closeness }) => [id, closeness && Math.round(closeness * 100)])
      }
      const closeness = [
        ['levels', 100],
        ['pipes', 50],
        ['plain', 0],
      ]
      expect(await closenessOf('water')).toEqual(closeness)
      expect(await closenessOf('water', { offset: 1, limit: 1 })).toEqual(closeness.slice(1, 2))
      expect(await closenessOf('traffic')).toContainEqual(['traffic', 0])
      const plain = await search('water', { meaning: undefined })
      expect(plain.hits.filter((hit) => 'closeness' in hit)).toEqual([])
    })

    it('no more than the requested number of nearest records join', async () => {
      expect(await found('gas', {}, 1)).toBe('pipes (levels)')
      expect(await found('gas', {}, 0)).toBe('pipes')
      expect((await search('gas', {}, 0)).related).toBe(0)
    })

    it('records are found where no record has a word, and all of them are related', async () => {
      expect(await found('swimming')).toBe('(levels) (bath) (lakes)')
      expect(await search('swimming')).toMatchObject({ count: 3, related: 3 })
    })

    it('the weight of words decides between words and meaning', async () => {
      const meaning = { vector: bathing, most: 2 }
      const ordered = (weight: number) => found('lakes', { meaning: { ...meaning, weight } })
      expect(await ordered(0.99)).toBe('lakes (levels) (bath)')
      const others = { meaning: { ...meaning, weight: 0.01 } }
      expect(await found('roads', others)).toBe('(levels) (bath) traffic')
    })

    it('a whole title is first, however far its record is', async () => {
      const far = vector(-127, 0, 20)
      const meaning = { vector: far, weight: 0.1, most: 1 }
      const whole = await found('lakes', { meaning, typed: ['lakes'] })
      expect(whole).toBe('lakes (traffic)')
      expect(await found('lakes', { meaning })).toBe('(traffic) lakes')
    })

    it('the nearest are those under the filter, and facets count them', async () => {
      const groups = [{ facet: 'country', values: ['FR'] }]
      const facets = { operator: 'OR', groupOperator: 'AND', groups } as const
      expect(await found('gas', { filter: { facets } }, 2)).toBe('pipes (bath)')
      const counted = { size: 50, global: false, ids: ['country'] }
      expect(facetText((await search('gas', { facets: counted })).facets)).toBe(
        'country: DE 2, FR 2',
      )
      expect(facetText((await search('gas', { facets: counted, limit: 0 })).facets)).toBe(
        'country: DE 2, FR 2',
      )
    })

    it('pages are parts of one order', async () => {
      const whole = (await found('water')).split(' ')
      for (const [offset, id] of whole.entries())
        expect(await found('water', { offset, limit: 1 })).toBe(id)
      expect(await found('water', { offset: whole.length })).toBe('')
    })

    it('records without most of the words are left out where related ones join', async () => {
      const words = 'or(water, xylophone, harmonica, banjo)'
      expect(await found(words, { words: 'most', meaning: undefined })).toBe('plain levels pipes')
      expect(await found(words, { words: 'most' }, 2)).toBe('(levels) (bath)')
    })

    it('records of all searched indices are compared', async () => {
      const indices = ['dataset', 'catalogue'] as const
      expect(await found('gas', { indices }, 2)).toBe('pipes (c1) (levels)')
    })

    it.each([
      ['of another length', new Int8Array(16).fill(1)],
      ['of zeros', vector()],
      ['without components', new Int8Array(0)],
    ])('a query with a vector %s is answered by its words', async (_, one) => {
      const meaning = { vector: one, weight: 0.6, most: 3 }
      const plain = await search('water', { meaning: undefined, score: true })
      expect(await search('water', { meaning, score: true })).toEqual(plain)
      expect(plain.related).toBeUndefined()
    })

    it('a record keeps its vector until it is removed', async () => {
      await index.write([put('bath', 'Places to bathe in summer', 'FR', 2)])
      expect(await found('gas', {}, 2)).toBe('pipes (levels) (bath)')
      await index.write([{ remove: { index: 'dataset', id: 'bath', version: 3 } }])
      expect(await found('gas', {}, 2)).toBe('pipes (levels) (lakes)')
      await index.write([put('bath', 'Places to bathe', 'FR', 4)])
      expect(await found('gas', {}, 2)).toBe('pipes (levels) (lakes)')
    })

    it('a vector is replaced, removed, and ignored for a record that is not stored', async () => {
      const state = index.stateTag()
      await index.vectors([
        { index: 'dataset', id: 'levels', vector: undefined },
        { index: 'dataset', id: 'bath', vector: vector(0, -127) },
        { index: 'dataset', id: 'lakes', vector: vector() },
        { index: 'dataset', id: 'nowhere', vector: bathing },
      ])
      expect(index.stateTag()).not.toBe(state)
      expect(await found('gas', {}, 2)).toBe('pipes (bath)')
      const ids = ['levels', 'bath', 'lakes', 'nowhere', 'pipes']
      expect(await index.vectorsOf('dataset', ids)).toEqual([
        undefined,
        vector(0, -127),
        undefined,
        undefined,
        vector(0, 0, 127),
      ])
    })

    it('a vector of another length replaces all vectors of its index', async () => {
      const long = new Int8Array(16).fill(3)
      await index.vectors([{ index: 'dataset', id: 'plain', vector: long }])
      expect(await found('gas')).toBe('pipes')
      expect(await found('gas', { meaning: { vector: long, weight: 0.6, most: 3 } })).toBe(
        'pipes (plain)',
      )
      const indices = ['dataset', 'catalogue'] as const
      expect(await found('gas', { indices })).toBe('pipes (c1)')
      await index.vectors([{ index: 'dataset', id: 'lakes', vector: bathing }])
      expect(await found('gas')).toBe('pipes (lakes)')
    })

    it('records keep their vectors when their index is filled again', async () => {
      const changed = settings.map((one) => ({ ...one, basis: '2' }))
      await index.configure(changed)
      await index.write(
        entries.map(([id, title, country]) => ({
          ...put(id, title, country, 0),
          onlyIfMissing: true,
        })),
      )
      await index.vectors([{ index: 'dataset', id: 'plain', vector: bathing }])
      await index.finish('dataset')
      expect(await found('gas', {}, 3)).toBe('pipes (plain) (levels) (bath)')
    })

    it('a record that a filling leaves out loses its vector, and the others keep theirs', async () => {
      await index.configure(settings.map((one) => ({ ...one, basis: '2' })))
      const kept = entries.filter(([id]) => id !== 'bath' && id !== 'lakes')
      await index.write(
        kept.map(([id, title, country]) => ({
          ...put(id, title, country, 0),
          onlyIfMissing: true,
        })),
      )
      await index.finish('dataset')
      expect(await index.vectorsOf('dataset', ['bath', 'levels', 'lakes'])).toEqual([
        undefined,
        vector(127, 0),
        undefined,
      ])
      await index.write([put('bath', 'Places to bathe', 'FR', 2)])
      expect(await found('gas', {}, 2)).toBe('pipes (levels)')
    })
  })
}
