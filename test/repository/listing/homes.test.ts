/** Homes: which catalogue a dataset is in, asked of the store as seldom as can be. */

import { expect, it } from 'vitest'
import { homes } from '../../../src/repository/listing/homes.ts'

function store(links: Record<string, string>) {
  const questions: (readonly string[])[] = []
  const gates: (() => void)[] = []
  const find = async (datasets: readonly string[]) => {
    questions.push(datasets)
    await new Promise<void>((resolve) => gates.push(resolve))
    return new Map(Object.entries(links).filter(([dataset]) => datasets.includes(dataset)))
  }
  return { questions, find, open: () => gates.splice(0).forEach((gate) => gate()) }
}

it('those who ask while the store is being asked are answered together', async () => {
  const { questions, find, open } = store({ a: 'one', b: 'two' })
  const kept = homes({ find, now: () => 0 })
  const answers = [kept.of('a'), kept.of('b'), kept.of('c'), kept.of('b')]
  open()
  await answers[0]
  open()
  expect(await Promise.all(answers)).toEqual(['one', 'two', undefined, 'two'])
  expect(questions).toEqual([['a'], ['b', 'c']])
})

it('what was found or written is believed for its time, what was taken away is asked again', async () => {
  let now = 0
  const { questions, find, open } = store({ a: 'one' })
  const kept = homes({ find, now: () => now, keptMs: 10 })
  kept.enter('new', 'two')
  expect(await kept.of('new')).toBe('two')
  kept.leave('new')
  const gone = kept.of('new')
  open()
  expect(await gone).toBeUndefined()
  kept.enter('a', 'one')
  now = 10
  const again = kept.of('a')
  open()
  expect(await again).toBe('one')
  expect(questions).toEqual([['new'], ['a']])
})

it('only so many are remembered, the newest', async () => {
  const { questions, find } = store({})
  const kept = homes({ find, now: () => 0, most: 2 })
  for (const id of ['a', 'b', 'c']) kept.enter(id, 'one')
  expect([await kept.of('b'), await kept.of('c')]).toEqual(['one', 'one'])
  void kept.of('a')
  expect(questions).toEqual([['a']])
})

it('a question that fails fails for all who wait for it, and the next one is asked', async () => {
  let away = true
  const find = async (ids: readonly string[]) => {
    await Promise.resolve()
    if (away) throw new Error('away')
    return new Map(ids.map((id) => [id, 'one']))
  }
  const kept = homes({ find, now: () => 0 })
  await expect(Promise.all([kept.of('a'), kept.of('a')])).rejects.toThrow('away')
  away = false
  expect(await kept.of('a')).toBe('one')
})
