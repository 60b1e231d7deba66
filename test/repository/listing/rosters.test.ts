/** Rosters: what is kept of a list stays what the store would say. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { idBatches } from '../../../src/repository/listing/list.ts'
import { idsAfter, rosters } from '../../../src/repository/listing/rosters.ts'
import { addressesOf } from '../../../src/repository/listing/pages.ts'

const signal = new AbortController().signal
const id = fc.string({
  unit: fc.constantFrom('a', 'b', 'A', 'B', '0', '1', '_', '~', '-'),
  minLength: 1,
  maxLength: 4,
})
const sorted = (ids: Iterable<string>) => [...new Set(ids)].sort()

describe('a roster', () => {
  it('is read once for many askers and kept for its time', async () => {
    let now = 0
    let readings = 0
    const kept = rosters({ now: () => now, keptMs: 10 })
    const read = async () => {
      readings += 1
      return ['b', 'a', 'b']
    }
    const [one, two] = await Promise.all([kept.of('x', read), kept.of('x', read)])
    expect([one, two]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ])
    now = 9
    await kept.of('x', read)
    expect(readings).toBe(1)
    now = 10
    await kept.of('x', read)
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
          const kept = rosters({ now: () => 0 })
          const asked = Promise.withResolvers<string[]>()
          const roster = kept.of('x', () => asked.promise)
          for (const [does, which] of during) kept[does]('x', which)
          asked.resolve([...stored])
          await roster
          for (const [does, which] of after) kept[does]('x', which)
          const truth = new Set(stored)
          for (const [does, which] of [...during, ...after])
            if (does === 'add') truth.add(which)
            else truth.delete(which)
          // An empty one is not kept: then the store is asked again.
          expect(await kept.of('x', async () => [...truth])).toEqual(sorted(truth))
        },
      ),
    )
  })

  it('is asked for again when it was forgotten, when its reading failed, and when it was empty', async () => {
    const kept = rosters({ now: () => 0 })
    await expect(kept.of('x', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
    expect(await kept.of('x', async () => [])).toEqual([])
    expect(await kept.of('x', async () => ['a'])).toEqual(['a'])
    kept.forget('x')
    expect(await kept.of('x', async () => ['b'])).toEqual(['b'])
  })

  it('gives way to others when there are too many ids, the least wanted first', async () => {
    const kept = rosters({ now: () => 0, most: 5 })
    const read = (name: string, ids: string[]) => kept.of(name, async () => ids)
    await read('one', ['a', 'b'])
    await read('two', ['a', 'b'])
    await read('one', ['unread'])
    await read('three', ['a', 'b', 'c'])
    expect(await read('one', ['unread'])).toEqual(['a', 'b'])
    expect(await read('two', ['read again'])).toEqual(['read again'])
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

  it('neither skip nor repeat what stays when others come and go between them', () => {
    fc.assert(
      fc.property(fc.array(id), fc.array(fc.tuple(id, fc.boolean())), (given, changes) => {
        const roster = sorted(given)
        const touched = new Set(changes.map(([which]) => which))
        const stays = roster.filter((one) => !touched.has(one))
        const found: string[] = []
        for (let last: string | undefined; ;) {
          const batch = idsAfter(roster, last, 2)
          found.push(...batch)
          last = batch.at(-1)
          const [which, comes] = changes.shift() ?? []
          if (which !== undefined) {
            const now = sorted(
              comes === true ? [...roster, which] : roster.filter((one) => one !== which),
            )
            roster.splice(0, roster.length, ...now)
          }
          if (last === undefined) break
        }
        expect(found.filter((one) => stays.includes(one))).toEqual(stays)
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
