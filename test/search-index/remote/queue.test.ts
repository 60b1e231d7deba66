/** Group commit: who waits shares, who fails fails alone, and nothing runs beside. */

import { beforeEach, describe, expect, it } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import { EngineQueue } from '../../../src/search-index/remote/engine-queue.ts'
import type { IndexChange } from '../../../src/search-index/search-index.ts'

const change = (id: string): IndexChange => ({ remove: { index: 'dataset', id, version: 1 } })
const idOf = (one: IndexChange) => ('put' in one ? one.put.id : one.remove.id)

let groups: string[][]
let bad: (ids: readonly string[]) => Failure | undefined
let gate: PromiseWithResolvers<void> | undefined
let queue: EngineQueue

beforeEach(() => {
  groups = []
  bad = () => undefined
  gate = undefined
  queue = new EngineQueue(async (changes) => {
    const ids = changes.map(idOf)
    groups.push(ids)
    await gate?.promise
    const failure = bad(ids)
    if (failure) throw failure
  })
})
const add = (...ids: string[]) => queue.add(ids.map(change))

describe('a group', () => {
  it('is what waits when a write ends', async () => {
    gate = Promise.withResolvers()
    const first = add('a')
    await Promise.resolve()
    await Promise.resolve()
    const later = [add('b'), add('c', 'd')]
    gate.resolve()
    await Promise.all([first, ...later])
    expect(groups).toEqual([['a'], ['b', 'c', 'd']])
  })

  it('is not larger than what one request takes, but a batch stays whole', async () => {
    const many = (name: string, count: number) =>
      add(...Array.from({ length: count }, (_, i) => `${name}${i}`))
    await Promise.all([many('a', 3000), many('b', 2000), many('c', 1), many('d', 6000)])
    expect(groups.map(({ length }) => length)).toEqual([5000, 1, 6000])
  })

  it('that the engine refuses is written one by one: only the bad one fails', async () => {
    bad = (ids) => (ids.includes('bad') ? new Failure('internal', 'refused') : undefined)
    const [good, wrong, other] = await Promise.allSettled([add('a'), add('bad'), add('c')])
    expect([good?.status, wrong?.status, other?.status]).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
    expect(groups).toEqual([['a', 'bad', 'c'], ['a'], ['bad'], ['c']])
  })

  it('fails whole, once, while the engine is away', async () => {
    bad = () => new Failure('engine-unavailable', 'away')
    const told = await Promise.allSettled([add('a'), add('b')])
    expect(told.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(groups).toHaveLength(1)
    bad = () => undefined
    await add('a')
  })
})

it('nothing is written beside what must be alone, also when that fails', async () => {
  const alone = Promise.withResolvers<void>()
  const work = queue.exclusive(() => alone.promise)
  const write = add('a')
  await new Promise((resolve) => setImmediate(resolve))
  expect(groups).toEqual([])
  alone.reject(new Error('no'))
  await expect(work).rejects.toThrow('no')
  await write
  expect(groups).toEqual([['a']])
})

it('what is given up before its turn is not written', async () => {
  gate = Promise.withResolvers()
  const first = add('a')
  await new Promise((resolve) => setImmediate(resolve))
  const end = new AbortController()
  const second = queue.add([change('b')], end.signal)
  end.abort()
  await expect(second).rejects.toMatchObject({ kind: 'time-limit' })
  gate.resolve()
  await first
  await expect(queue.add([change('c')], end.signal)).rejects.toMatchObject({ kind: 'time-limit' })
  expect(groups).toEqual([['a']])
})

it('closes when what runs has ended, and takes nothing afterwards', async () => {
  const write = add('a')
  await queue.close()
  await write
  await expect(add('b')).rejects.toMatchObject({ kind: 'engine-unavailable' })
})
