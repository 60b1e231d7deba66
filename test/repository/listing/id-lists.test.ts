/** Id lists: what is cached of a list stays what the store would say. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { names as namesOf } from '../../../src/rdf/names.ts'
import { linkLines } from '../../../src/repository/deleting/members.ts'
import { IdLists, listNames } from '../../../src/repository/writing/id-lists.ts'
import { addressesOf, idBatches } from '../../../src/repository/resources/list-answer.ts'

const signal = new AbortController().signal
const names = namesOf('http://localhost:8080/')
const id = fc.string({
  unit: fc.constantFrom('a', 'b', 'A', 'B', '0', '1', '_', '~', '-'),
  minLength: 1,
  maxLength: 4,
})
const sorted = (ids: Iterable<string>) => [...new Set(ids)].sort()
const cached = (options: { now?: () => number; maxCached?: number } = {}) => {
  const questions: string[] = []
  const links = new Map([['a', 'one']])
  const lists = new IdLists({
    names,
    now: () => 0,
    find: async (dataset) => {
      questions.push(dataset)
      return links.get(dataset)
    },
    ...options,
  })
  return { lists, questions }
}
const link = (change: 'add' | 'remove', dataset: string) => [
  {
    graph: names.catalogue('c'),
    [change]: linkLines(names, { catalogue: 'c', id: dataset }),
  },
]

describe('an id list', () => {
  it('is read once for many who ask and cached for its time', async () => {
    let now = 0
    let readings = 0
    const { lists } = cached({ now: () => now })
    const read = async () => {
      readings += 1
      return ['b', 'a', 'b']
    }
    const [one, two] = await Promise.all([lists.of('x', read), lists.of('x', read)])
    expect([one, two]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ])
    now = 29_999
    await lists.of('x', read)
    expect(readings).toBe(1)
    now = 30_000
    await lists.of('x', read)
    expect(readings).toBe(2)
  })

  it('follows what is written, also what is written while the store is asked', async () => {
    const change = fc.tuple(fc.constantFrom('add' as const, 'remove' as const), id)
    await fc.assert(
      fc.asyncProperty(
        fc.array(id),
        fc.array(change),
        fc.array(change),
        async (stored, during, after) => {
          const { lists } = cached()
          const asked = Promise.withResolvers<string[]>()
          const name = listNames.members('c')
          const list = lists.of(name, () => asked.promise)
          for (const [does, which] of during) lists.apply(link(does, which))
          asked.resolve([...stored])
          await list
          for (const [does, which] of after) lists.apply(link(does, which))
          const truth = new Set(stored)
          for (const [does, which] of [...during, ...after])
            if (does === 'add') truth.add(which)
            else truth.delete(which)
          // An empty one is not cached: then the store is asked again.
          expect(await lists.of(name, async () => [...truth])).toEqual(sorted(truth))
        },
      ),
    )
  })

  it('is read again when a catalogue changed, when its reading failed, and when it was empty', async () => {
    const { lists } = cached()
    await expect(lists.of('x', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
    expect(await lists.of('x', async () => [])).toEqual([])
    expect(await lists.of('x', async () => ['a'])).toEqual(['a'])
    lists.apply([{ graph: names.dataset('a'), content: '' }])
    expect(await lists.of('x', async () => ['b'])).toEqual(['a'])
    lists.apply([{ graph: names.catalogue('c'), content: '' }])
    expect(await lists.of('x', async () => ['b'])).toEqual(['b'])
  })

  it('gives way to others when there are too many ids, the one asked for longest ago first', async () => {
    const { lists } = cached({ maxCached: 5 })
    const read = (name: string, ids: string[]) => lists.of(name, async () => ids)
    await read('one', ['a', 'b'])
    await read('two', ['a', 'b'])
    await read('one', ['unread'])
    await read('three', ['a', 'b', 'c'])
    expect(await read('one', ['unread'])).toEqual(['a', 'b'])
    expect(await read('two', ['read again'])).toEqual(['read again'])
  })
})

describe('the catalogue of a dataset', () => {
  it('is asked for once, known after a write, and asked again after a removal or a long time', async () => {
    let now = 0
    const { lists, questions } = cached({ now: () => now })
    expect([await lists.catalogueOf('a'), await lists.catalogueOf('a')]).toEqual(['one', 'one'])
    lists.apply(link('add', 'new'))
    expect(await lists.catalogueOf('new')).toBe('c')
    lists.apply(link('remove', 'new'))
    expect(await lists.catalogueOf('new')).toBeUndefined()
    now = 600_000
    expect(await lists.catalogueOf('a')).toBe('one')
    expect(questions).toEqual(['a', 'new', 'a'])
  })
})

describe('batches of a list', () => {
  it('join to the whole list whatever their size', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(id), fc.integer({ min: 1, max: 7 }), async (given, size) => {
        const ids = sorted(given)
        const found: string[] = []
        for await (const batch of idBatches({ ids: async () => ids }, size, signal)) {
          expect(batch.length).toBeLessThanOrEqual(size)
          found.push(...batch)
        }
        expect(found).toEqual(ids)
      }),
    )
  })
})

describe('the addresses of pages', () => {
  it('lead through the whole list and back, each place once', () => {
    fc.assert(
      fc.property(fc.nat(40), fc.integer({ min: 1, max: 9 }), (total, limit) => {
        const at = (offset: number) =>
          addressesOf(
            { path: '/datasets' },
            { address: 'http://e', parameters: {}, page: { offset, limit }, total },
          )
        const offsetOf = (address: string) => Number(new URL(address).searchParams.get('offset'))
        const forth: number[] = [0]
        for (let next = at(0).next; next !== undefined; next = at(offsetOf(next)).next)
          forth.push(offsetOf(next))
        expect(forth).toEqual(
          Array.from({ length: Math.max(1, Math.ceil(total / limit)) }, (_, n) => n * limit),
        )
        expect(offsetOf(at(0).last)).toBe(forth.at(-1))
        const back: number[] = [forth.at(-1) ?? 0]
        for (
          let page = at(back[0] ?? 0).previous;
          page !== undefined;
          page = at(offsetOf(page)).previous
        )
          back.push(offsetOf(page))
        expect(back.reverse()).toEqual(forth)
      }),
    )
  })

  it('lead from behind the end back to the last page', () => {
    const paging = {
      address: 'http://e',
      parameters: {},
      page: { offset: 500, limit: 10 },
      total: 25,
    }
    expect(addressesOf({ path: '/x' }, paging).previous).toBe('http://e/x?limit=10&offset=20')
  })
})
