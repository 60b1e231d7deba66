/** Waiting for tasks: all of them, and none of them is taken for done that failed. */

import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  connectEngine,
  hasLostData,
  taskWaiter,
  type EngineClient,
  type WaitForTasks,
} from '../../../../src/search-index/meilisearch/engine-client.ts'
import { logger } from '../../../../src/log.ts'
import { json, server, type Told } from './server.ts'

let told: Told
let client: EngineClient
let waitForTasks: WaitForTasks
/** States of each task, one after the other; the last one stays. */
let states: Record<string, string[]>

beforeEach(async () => {
  told = await server((asked, response) => {
    const list = states[asked.url?.split('/').at(-1) ?? '']
    if (!list) return json({ code: 'task_not_found', message: 'no' }, 404)(asked, response)
    const status = list.length > 1 ? list.shift() : list[0]
    const error = status === 'failed' ? { code: 'bad', message: 'no' } : null
    return json({ status, error })(asked, response)
  })
  client = connectEngine({
    url: told.url,
    log: logger('silent'),
    now: () => 0,
    pause: () => Promise.resolve(),
    callMs: 5000,
  })
  waitForTasks = taskWaiter(client)
})
afterEach(async () => {
  client.close()
  await told.close()
})

it('resolves when all have succeeded, and asks no more about those that have', async () => {
  states = { 1: ['succeeded'], 2: ['enqueued', 'processing', 'succeeded'] }
  await waitForTasks([{ taskUid: 1 }, { taskUid: 2 }])
  expect(told.asked.map(({ url }) => url)).toEqual([1, 2, 2, 2].map((uid) => `/tasks/${uid}`))
})

it.each(['failed', 'canceled'])('rejects when one is %s', async (status) => {
  states = { 1: ['succeeded'], 2: ['processing', status] }
  const done = waitForTasks([{ taskUid: 1 }, { taskUid: 2 }])
  await expect(done).rejects.toMatchObject({ kind: 'internal' })
})

it('rejects when its signal is aborted, and asks no more', async () => {
  states = { 1: ['processing'] }
  const ending = new AbortController()
  const done = waitForTasks([{ taskUid: 1 }], ending.signal)
  await expect.poll(() => told.asked.length).toBeGreaterThan(2)
  ending.abort()
  await expect(done).rejects.toMatchObject({ kind: 'time-limit' })
  const { length } = told.asked
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(told.asked).toHaveLength(length)
})

it('has nothing to wait for without tasks', async () => {
  await waitForTasks([])
  expect(told.asked).toEqual([])
})

it('takes a task that the server does not know for lost', async () => {
  states = { 1: ['succeeded'] }
  const error: unknown = await waitForTasks([{ taskUid: 1 }, { taskUid: 2 }]).catch(
    (one: unknown) => one,
  )
  expect(error).toMatchObject({ kind: 'engine-unavailable' })
  expect(hasLostData(error)).toBe(true)
})
