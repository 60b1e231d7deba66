/** Questions to the store: asked together, each answer younger than its question. */

import { expect, it } from 'vitest'
import { together } from '../../../src/repository/writing/together.ts'

it('what is asked while a question runs goes into the next one', async () => {
  const batches: (readonly number[])[] = []
  const ends: (() => void)[] = []
  const begun: (() => void)[] = []
  const began = () => new Promise<void>((resolve) => begun.push(resolve))
  const ask = together(async (asked: readonly number[]) => {
    batches.push(asked)
    const end = new Promise<void>((resolve) => ends.push(resolve))
    begun.shift()?.()
    await end
    return asked.map((one) => one * 2)
  })
  const first = began()
  const answers = [ask(1), ask(2)]
  await first
  const second = began()
  answers.push(ask(3), ask(4))
  ends[0]?.()
  await second
  ends[1]?.()
  expect(await Promise.all(answers)).toEqual([2, 4, 6, 8])
  expect(batches).toEqual([
    [1, 2],
    [3, 4],
  ])
})

it('a question that fails fails for those who asked with it, and for no one after them', async () => {
  let away = true
  const ask = together((asked: readonly string[]) => {
    return away ? Promise.reject(new Error('away')) : Promise.resolve(asked)
  })
  const answers = await Promise.allSettled([ask('a'), ask('b')])
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  away = false
  expect(await ask('a')).toBe('a')
})
