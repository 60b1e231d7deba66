/** Waiting for tasks: all of them, and none of them is taken for done that failed. */

import { expect, it } from 'vitest'
import { hasLostData, taskWaiter } from '../../../../src/search-index/meilisearch/engine-client.ts'
import type { EngineClient } from '../../../../src/search-index/meilisearch/engine-client.ts'

/** A wire whose tasks have these states, one after the other. */
function fake(states: Record<number, string[]>): { wire: EngineClient; asked: string[] } {
  const asked: string[] = []
  const none = () => Promise.reject(new Error('not here'))
  const get = (path: string) => {
    asked.push(path)
    const uids = new URL(path, 'http://x').searchParams.get('uids')!.split(',').map(Number)
    const results = uids
      .filter((uid) => states[uid])
      .map((uid) => {
        const list = states[uid]!
        const status = list.length > 1 ? list.shift()! : list[0]!
        return { uid, status, error: status === 'failed' ? { code: 'bad', message: 'no' } : null }
      })
    return Promise.resolve({ results })
  }
  const wire = {
    get,
    post: none,
    postOnce: none,
    patch: none,
    remove: none,
    postLines: none,
    close() {},
  }
  return { wire, asked }
}

const pauses: number[] = []
const pause = (ms: number) => {
  pauses.push(ms)
  return Promise.resolve()
}

it('resolves when all have succeeded, and asks no more about those that have', async () => {
  const { wire, asked } = fake({ 1: ['succeeded'], 2: ['enqueued', 'processing', 'succeeded'] })
  await taskWaiter(wire, pause)([{ taskUid: 1 }, { taskUid: 2 }])
  expect(asked).toEqual(
    ['1,2', '2', '2'].map((uids) => `/tasks?uids=${uids}&limit=${uids.split(',').length}`),
  )
})

it('asks less and less often', async () => {
  pauses.length = 0
  const { wire } = fake({ 1: [...Array<string>(40).fill('processing'), 'succeeded'] })
  await taskWaiter(wire, pause)([{ taskUid: 1 }])
  expect(pauses[0]).toBeLessThan(10)
  expect(pauses).toEqual(pauses.toSorted((a, b) => a - b))
  expect(Math.max(...pauses)).toBe(200)
})

it.each(['failed', 'canceled'])('rejects when one is %s', async (status) => {
  const { wire } = fake({ 1: ['succeeded'], 2: ['processing', status] })
  const done = taskWaiter(wire, pause)([{ taskUid: 1 }, { taskUid: 2 }])
  await expect(done).rejects.toMatchObject({ kind: 'internal' })
})

it('rejects when its signal is aborted', async () => {
  const { wire } = fake({ 1: ['processing'] })
  await expect(
    taskWaiter(wire, pause)([{ taskUid: 1 }], AbortSignal.abort()),
  ).rejects.toMatchObject({
    kind: 'time-limit',
  })
})

it('has nothing to wait for without tasks', async () => {
  const { wire, asked } = fake({})
  await taskWaiter(wire, pause)([])
  expect(asked).toEqual([])
})

it.each([
  ['does not list a task that it began', { 1: ['succeeded'] }, 'lost'],
  ['does not end a task in half an hour', { 1: ['succeeded'], 2: ['processing'] }, 'tasks 2'],
])('rejects when the server %s', async (_, states, detail) => {
  const { wire, asked } = fake(states)
  const done = taskWaiter(wire, pause)([{ taskUid: 1 }, { taskUid: 2 }])
  const error: unknown = await done.catch((one: unknown) => one)
  expect(error).toMatchObject({ kind: 'engine-unavailable' })
  expect(error).toHaveProperty('detail', expect.stringContaining(detail))
  expect(hasLostData(error)).toBe(detail === 'lost')
  // One look that misses a task says nothing yet.
  expect(asked.length).toBeGreaterThan(10)
})
