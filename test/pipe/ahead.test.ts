/** Working ahead: in order, bounded, and nothing goes on behind the back of whoever stops. */

import { expect, it } from 'vitest'
import { inOrder } from '../../src/pipe/ahead.ts'

async function* numbers(count: number) {
  for (let n = 0; n < count; n += 1) yield n
}

it('gives results in order, whichever is done first, and works on no more than so many', async () => {
  let inside = 0
  let most = 0
  const gates = Array.from({ length: 20 }, () => Promise.withResolvers<void>())
  const work = async (n: number) => {
    inside += 1
    most = Math.max(most, inside)
    // The last of four lets all four go, itself first.
    if (inside === 4 || n >= 16) for (let at = n; at >= 0; at -= 1) gates[at]?.resolve()
    await gates[n]?.promise
    inside -= 1
    return n
  }
  const results = inOrder(numbers(20), work, 4)
  const found: number[] = []
  for await (const n of results) found.push(n)
  expect(found).toEqual([...numbersTo(20)])
  expect(most).toBe(4)
})

const numbersTo = (count: number) => Array.from({ length: count }, (_, n) => n)

it('ends with the first failure, and waits for what is on its way', async () => {
  const done: number[] = []
  const results = inOrder(
    numbers(100),
    async (n) => {
      await Promise.resolve()
      if (n === 2) throw new Error('no two')
      await Promise.resolve()
      done.push(n)
      return n
    },
    3,
  )
  const found: number[] = []
  await expect(
    (async () => {
      for await (const n of results) found.push(n)
    })(),
  ).rejects.toThrow('no two')
  expect(found).toEqual([0, 1])
  expect(done.every((n) => n < 5)).toBe(true)
})

it('a reader who stops stops the work', async () => {
  let began = 0
  for await (const _ of inOrder(numbers(1000), async (n) => ((began += 1), n), 2)) break
  expect(began).toBeLessThanOrEqual(3)
})
