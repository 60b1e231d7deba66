/** Documents and requests with values that no profile should make: they are no use to anybody, and do no harm to the others. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Document, SearchRequest } from '../../src/search-index/search-index.ts'
import type { IndexSettings } from '../../src/search-index/index-settings.ts'
import { configured, documentOf, request, type Made } from './search-index-corpus.ts'
import { treeOf } from './search-index-trees.ts'

const oddNames = ['a.b', 'a..b', '.', 'ü ß', '_source', 'a_2eb']
/** Name of the date beside a number. */
const dateOf = (name: string) => `${name}..d`
const settings: IndexSettings = {
  index: 'dataset',
  basis: '1',
  texts: ['title', ...oddNames].map((name) => ({ name, boost: 1, autocomplete: false })),
  facets: oddNames.map((id) => ({ id, title: id })),
  dates: ['issued', ...oddNames.map(dateOf)],
  numbers: ['scoring', ...oddNames],
  flags: oddNames.map((name) => `${name}..f`),
  boxes: true,
  orders: oddNames,
}

const [day, end] = [86_400_000, 8.64e15]
const plain = documentOf({ index: 'dataset', id: 'plain', text: { title: { en: ['plain'] } } })
const put = (changes: Partial<Document>) => ({ put: { ...plain, ...changes } })
const recordOf = ({ put: { index, id } }: ReturnType<typeof put>) => ({ index, id })
/** Filter for records with a value of a facet. */
const withValue = (facet: string, value: string): SearchRequest['filter'] => ({
  facets: { groups: [{ facet, values: [value] }], operator: 'OR', groupOperator: 'AND' },
})
const named = <T>(value: T) => Object.fromEntries(oddNames.map((name) => [name, value]))

/** Adds cases about bad documents and requests for an engine. */
export function badDocumentContract(name: string, make: () => Promise<Made>): void {
  describe(`${name}: bad documents`, () => {
    let made: Made
    const found = async (changes: Partial<SearchRequest> = {}) =>
      (await made.index.search(request(changes))).hits.map(({ id }) => id).toSorted()
    beforeAll(async () => {
      made = await make()
      await configured(made.index, [settings])
      await made.index.write([put({})])
    })
    afterAll(() => made.release())

    it.each([513, 5_000, 30_000])('an id of %i bytes is one like others', async (size) => {
      const ids = ['x'.repeat(size), `${'é'.repeat(Math.floor(size / 2) - 1)}-`]
      await made.index.write(ids.map((id) => put({ id, record: { id } })))
      for (const id of ids) {
        expect(JSON.parse((await made.index.get('dataset', id)) ?? '{}')).toEqual({ id })
        expect(await found()).toContain(id)
      }
      const entries = await made.index.entries('dataset', 'plain', 100)
      expect(entries.map(({ id }) => id)).toEqual(ids)
      await made.index.write(
        ids.map((id) => ({ remove: { index: 'dataset', id, version: 9 } }) as const),
      )
      expect(await found()).toEqual(['plain'])
    })

    it('names of fields may have dots, empty parts and other signs', async () => {
      const facets = named([{ id: 'v', title: 'V' }])
      const dates = Object.fromEntries(
        oddNames.map((name) => [dateOf(name), [[day, day]] as const]),
      )
      const text = Object.fromEntries(oddNames.map((name, i) => [name, { en: [`odd${i}`] }]))
      await made.index.write([
        put({
          id: 'odd',
          text,
          facets,
          dates,
          numbers: named(7),
          flags: Object.fromEntries(oddNames.map((name) => [`${name}..f`, true])),
          order: named('b'),
        }),
      ])
      for (const [i, name] of oddNames.entries()) {
        expect(await found({ tree: treeOf(`odd${i}`), fields: [name] })).toEqual(['odd'])
        expect(await found({ tree: treeOf('plain'), fields: [name] })).toEqual([])
        expect(await found({ filter: withValue(name, 'v') })).toEqual(['odd'])
        expect(await found({ filter: { numbers: [{ name, from: 7, to: 7 }] } })).toEqual(['odd'])
        expect(
          await found({ filter: { date: { name: dateOf(name), from: day, to: day } } }),
        ).toEqual(['odd'])
        const order = [{ name, direction: 'desc' }] as const
        expect((await made.index.search(request({ order }))).hits.map(({ id }) => id)).toEqual([
          'odd',
          'plain',
        ])
      }
      await made.index.write([{ remove: { index: 'dataset', id: 'odd', version: 9 } }])
    })

    it('the largest and smallest numbers and dates are compared as they are', async () => {
      const values = [-1e308, -5e-324, -0, 2 ** 53 + 2, 1e308]
      await made.index.write(
        values.map((value, i) =>
          put({ id: `n${i}`, numbers: { scoring: value }, dates: { issued: [[i - end, end]] } }),
        ),
      )
      const numbers = (from: number, to?: number) =>
        found({ filter: { numbers: [{ name: 'scoring', from, ...(to !== undefined && { to }) }] } })
      expect(await numbers(2 ** 53 + 2)).toEqual(['n3', 'n4'])
      expect(await numbers(0, 0)).toEqual(['n2'])
      expect(await numbers(-1, 0)).toEqual(['n1', 'n2'])
      for (const name of ['scoring', 'issued']) {
        const order = [{ name, direction: 'asc' }] as const
        const { hits } = await made.index.search(request({ order }))
        expect(hits.map(({ id }) => id)).toEqual(['n0', 'n1', 'n2', 'n3', 'n4', 'plain'])
      }
      await made.index.write(
        values.map((_, i) => ({ remove: { index: 'dataset', id: `n${i}`, version: 9 } }) as const),
      )
    })

    it('reversed ranges and bounds that are no numbers find nothing or everything, and never fail', async () => {
      await made.index.write([
        put({ id: 'r', numbers: { scoring: 5 }, dates: { issued: [[2 * day, 8 * day]] } }),
      ])
      const numbers = (from: number, to: number) =>
        found({ filter: { numbers: [{ name: 'scoring', from, to }] } })
      const date = (from: number, to: number) =>
        found({ filter: { date: { name: 'issued', from, to } } })
      expect(await numbers(6, 4)).toEqual([])
      expect(await numbers(-Infinity, Infinity)).toEqual(['r'])
      expect(await numbers(Number.NaN, 9)).toEqual([])
      // A period that spans both bounds overlaps them.
      expect(await date(7 * day, 3 * day)).toEqual(['r'])
      expect(await date(9 * day, day)).toEqual([])
      expect(await date(-1e300, 1e300)).toEqual(['r'])
      expect(await date(Number.NaN, 9 * day)).toEqual([])
    })

    it('boxes at the poles, on the date line and of no size are found where they are', async () => {
      const boxes: readonly (readonly [string, Document['boxes'][number]])[] = [
        ['north', [-180, 90, 180, 90]],
        ['south', [0, -90, 0, -90]],
        ['west', [-180, 0, -180, 0]],
        ['east', [180, 0, 180, 0]],
        ['world', [-180, -90, 180, 90]],
        ['none', [Number.NaN, 0, 1, 1]],
      ]
      await made.index.write(boxes.map(([id, box]) => put({ id, boxes: [box] })))
      const at = (...box: Document['boxes'][number]) => found({ filter: { box } })
      expect(await at(-10, 89, 10, 90)).toEqual(['north', 'world'])
      expect(await at(-10, -90, 10, -90)).toEqual(['south', 'world'])
      expect(await at(170, -10, -170, 10)).toEqual(['east', 'west', 'world'])
      expect(await at(180, 0, 180, 0)).toEqual(['east', 'world'])
      expect(await at(Number.NaN, 0, 1, 1)).toEqual([])
      await made.index.write(
        boxes.map(([id]) => ({ remove: { index: 'dataset', id, version: 9 } }) as const),
      )
    })

    it('a hundred thousand values of a facet are counted and found', async () => {
      const [records, each, perWrite] = [2_000, 50, 500]
      const valueOf = (n: number) => ({ id: `v${n}`, title: `Value ${n}` })
      const changes = Array.from({ length: records }, (_, i) => {
        const own = Array.from({ length: each }, (_each, j) => valueOf(i * each + j))
        return put({ id: `many${i}`, facets: { 'a.b': i % 4 === 0 ? [...own, valueOf(-1)] : own } })
      })
      for (let at = 0; at < records; at += perWrite)
        await made.index.write(changes.slice(at, at + perWrite))
      const values = await made.index.facetValues('dataset', 'a.b')
      expect(values).toHaveLength(records * each + 1)
      const last = valueOf(records * each - 1)
      expect(values).toContainEqual({ ...last, count: 1 })
      const { facets = [] } = await made.index.search(
        request({ limit: 0, facets: { ids: ['a.b'], size: 10, global: false } }),
      )
      expect(facets[0]?.items).toHaveLength(10)
      expect(facets[0]?.items[0]).toEqual({ ...valueOf(-1), count: records / 4 })
      expect(await found({ filter: withValue('a.b', last.id) })).toEqual([`many${records - 1}`])
      await made.index.write(
        changes.map((change) => ({ remove: { ...recordOf(change), version: 9 } })),
      )
    })

    it('texts of 10 MB are found by their beginnings and given back whole', async () => {
      const [word, words] = ['w'.repeat(10_000_000), 'several words '.repeat(700_000)]
      const text = { title: { en: ['large'] }, 'a.b': { en: [word, words] } }
      await made.index.write([put({ id: 'large', text, record: { id: 'large', words } })])
      expect(await found({ tree: treeOf('large') })).toEqual(['large'])
      expect(await found({ tree: treeOf('several'), fields: ['a.b'] })).toEqual(['large'])
      const record = JSON.parse((await made.index.get('dataset', 'large')) ?? '{}') as {
        readonly words: string
      }
      expect(record.words.length).toBe(words.length)
    })
  })
}
