/** Homes: which catalogue a dataset is in, asked of the store as seldom as can be. */

import { expect, it } from 'vitest'
import { homes } from '../../../src/repository/listing/homes.ts'

function store(links: Record<string, string>) {
  const questions: (readonly string[])[] = []
  const find = (datasets: readonly string[]) => {
    questions.push(datasets)
    return Promise.resolve(
      new Map(Object.entries(links).filter(([dataset]) => datasets.includes(dataset))),
    )
  }
  return { questions, find }
}

it('those who ask in one turn are answered together', async () => {
  const { questions, find } = store({ a: 'one', b: 'two' })
  const kept = homes({ find, now: () => 0 })
  const answers = [kept.of('a'), kept.of('b'), kept.of('c'), kept.of('b')]
  expect(await Promise.all(answers)).toEqual(['one', 'two', undefined, 'two'])
  expect(questions).toEqual([['a', 'b', 'c']])
})

it('what was found or written is believed for its time, what was taken away is asked again', async () => {
  let now = 0
  const { questions, find } = store({ a: 'one' })
  const kept = homes({ find, now: () => now, keptMs: 10 })
  kept.enter('new', 'two')
  expect(await kept.of('new')).toBe('two')
  kept.leave('new')
  expect(await kept.of('new')).toBeUndefined()
  kept.enter('a', 'one')
  now = 10
  expect(await kept.of('a')).toBe('one')
  expect(questions).toEqual([['new'], ['a']])
})

it('only so many are remembered, the newest', async () => {
  const { questions, find } = store({})
  const kept = homes({ find, now: () => 0, most: 2 })
  for (const id of ['a', 'b', 'c']) kept.enter(id, 'one')
  expect([await kept.of('b'), await kept.of('c')]).toEqual(['one', 'one'])
  await kept.of('a')
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
