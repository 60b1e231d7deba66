/** Work on several things at once whose outcomes keep their order. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mapOrdered } from '../../src/pipe/map-ordered.ts'

type Gate = { readonly n: number; readonly open: () => void; readonly break: (why: Error) => void }

/** Work that ends when the test says so. */
function gates() {
  const begun: Gate[] = []
  const work = async (n: number): Promise<number> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    begun.push({ n, open: resolve, break: reject })
    await promise
    return n
  }
  return { begun, work }
}

/** Counts what was asked for, and knows whether it was closed. */
function source(length: number) {
  const seen = { asked: 0, closed: false }
  async function* numbers() {
    try {
      for (let n = 0; n < length; n += 1) {
        seen.asked += 1
        yield n
      }
    } finally {
      seen.closed = true
    }
  }
  return { seen, numbers: numbers() }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('working ahead', () => {
  it('keeps the order, does not begin more than it may, and gives what is done without waiting for more', async () => {
    const { begun, work } = gates()
    const { seen, numbers } = source(10)
    const out = mapOrdered(numbers, work, 3)
    const first = out.next()
    await turn()
    expect(begun.map(({ n }) => n)).toEqual([0, 1, 2])
    begun[2]?.open()
    begun[1]?.open()
    await turn()
    expect(seen.asked).toBe(3)
    begun[0]?.open()
    expect((await first).value).toBe(0)
    expect((await out.next()).value).toBe(1)
    expect((await out.next()).value).toBe(2)
  })

  it('gives what is done while the source lets wait', async () => {
    async function* slow() {
      yield 1
      await new Promise(() => undefined)
    }
    const out = mapOrdered(slow(), (n) => Promise.resolve(n * 2), 5)
    expect((await out.next()).value).toBe(2)
  })

  it('ends with the first failure of the work, and the source is closed', async () => {
    const { begun, work } = gates()
    const { seen, numbers } = source(3)
    const out = mapOrdered(numbers, work, 2)
    const first = out.next()
    await turn()
    begun[1]?.break(new Error('second'))
    begun[0]?.break(new Error('first'))
    await expect(first).rejects.toThrow('first')
    expect((await out.next()).done).toBe(true)
    await turn()
    expect(seen.closed).toBe(true)
  })

  it('ends with a failure of the source', async () => {
    // oxlint-disable-next-line require-yield
    async function* broken(): AsyncGenerator<number> {
      throw new Error('no more')
    }
    await expect(mapOrdered(broken(), (n) => Promise.resolve(n), 4).next()).rejects.toThrow(
      'no more',
    )
  })

  it('closes the source when nobody wants more', async () => {
    const { seen, numbers } = source(10)
    for await (const n of mapOrdered(numbers, (one) => Promise.resolve(one), 1)) if (n === 2) break
    expect(seen).toEqual({ asked: 3, closed: true })
  })

  it('changes nothing, for any number of things and any number at once', async () => {
    const delays = fc.array(fc.nat(3), { maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(delays, fc.integer({ min: 1, max: 6 }), async (turns, most) => {
        async function* given() {
          yield* turns.entries()
        }
        const slow = async ([n, wait]: [number, number]) => {
          for (let at = 0; at < wait; at += 1) await turn()
          return n
        }
        const found: number[] = []
        for await (const n of mapOrdered(given(), slow, most)) found.push(n)
        expect(found).toEqual([...turns.keys()])
      }),
    )
  })
})
