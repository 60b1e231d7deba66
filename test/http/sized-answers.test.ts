/** Answers about large resources are few at once, whoever asks; those about usual ones do not wait for them. */

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { newApp } from '../../src/http/app.ts'
import { defaultLimits } from '../../src/http/limits.ts'
import { longAnswers, sizedAnswer } from '../../src/http/long-answers.ts'
import { serve, type RunningServer } from '../../src/http/serve.ts'
import { logger } from '../../src/log.ts'
import { lookupsOf } from '../../src/workers/bounded-cache.ts'

/** What is made now, and the most at once; what is large waits until it is let go. */
const state = { arrived: 0, current: 0, most: 0, made: 0 }
let letGo: (() => void)[] = []
let served: RunningServer

beforeAll(async () => {
  const limits = { ...defaultLimits, longAnswersWaiting: 3, drainMs: 100 }
  const app = newApp({
    log: logger('silent'),
    name: 'test',
    longAnswers: longAnswers(limits),
    trustedProxies: ['127.0.0.1'],
  })
  app.get('/:size/:id', (c) => {
    state.arrived += 1
    return sizedAnswer(c, c.req.path, async (read) => {
      const isLarge = c.req.param('size') === 'large'
      state.current += 1
      state.most = Math.max(state.most, state.current)
      state.made += 1
      if (isLarge) await new Promise<void>((resolve) => letGo.push(resolve))
      read(isLarge ? 5_000_000 : 500)
      state.current -= 1
      return c.text('made')
    })
  })
  served = await serve(app, {
    host: '127.0.0.1',
    port: 0,
    limits,
    trustedProxies: ['127.0.0.1'],
  })
})
afterAll(() => served.close())
beforeEach(() => {
  Object.assign(state, { arrived: 0, current: 0, most: 0, made: 0 })
  letGo = []
})

const ask = async (path: string, client = '192.0.2.1') => {
  const headers = { 'X-Forwarded-For': client }
  const answer = await fetch(`http://127.0.0.1:${served.port}${path}`, { headers })
  await answer.text()
  return answer.status
}

/** Lets what waits go on, one after the other, until all have been answered. */
async function answered(all: readonly Promise<number>[]): Promise<readonly number[]> {
  const clock = setInterval(() => letGo.shift()?.(), 5)
  return Promise.all(all).finally(() => clearInterval(clock))
}

it('about a resource of which nothing was known are at most four at once, and all are answered', async () => {
  const clients = Array.from({ length: 5 }, (_, n) => `198.51.${n}.1`)
  const all = clients.map((client) => ask('/large/a', client))
  await expect.poll(() => state.arrived).toBe(5)
  expect(state.current).toBe(2)
  expect(await answered(all)).toEqual([200, 200, 200, 200, 200])
  expect(state.made).toBe(5)
  expect(state.most).toBeLessThan(5)
})

it('that wait while the size of their resource becomes known count as large ones', async () => {
  const all = Array.from({ length: 4 }, () => ask('/large/g'))
  await expect.poll(() => state.arrived).toBe(4)
  for (const go of letGo.splice(0)) go()
  await expect.poll(() => state.made).toBe(3)
  expect(state.current).toBe(1)
  expect(await answered(all)).toEqual([200, 200, 200, 200])
})

it('about one that is known to be large are one for each client, and refused when enough wait', async () => {
  await answered([ask('/large/b')])
  state.most = 0
  const refused: number[] = []
  const all = Array.from({ length: 6 }, async () => {
    const status = await ask('/large/b')
    if (status === 429) refused.push(status)
    return status
  })
  await expect.poll(() => refused.length).toBe(2)
  expect((await answered(all)).filter((status) => status === 200)).toHaveLength(4)
  expect(state.most).toBe(1)
})

it('about usual ones are made while large ones are', async () => {
  await answered([ask('/large/c')])
  expect(await ask('/usual/d')).toBe(200)
  const large = [ask('/large/c', '198.51.100.7'), ask('/large/c', '203.0.113.7')]
  await expect.poll(() => state.current).toBe(2)
  expect(await ask('/usual/d')).toBe(200)
  expect(await answered(large)).toEqual([200, 200])
})

it('count whether the size of their resource was known', async () => {
  const before = lookupsOf('answer-sizes')
  for (let n = 0; n < 3; n += 1) expect(await ask('/usual/f')).toBe(200)
  const after = lookupsOf('answer-sizes')
  expect([after.hits - before.hits, after.misses - before.misses]).toEqual([2, 1])
})

it('that fail give their slot back', async () => {
  await answered([ask('/large/e')])
  const { port } = served
  const gone = new AbortController()
  const left = fetch(`http://127.0.0.1:${port}/large/e`, { signal: gone.signal }).catch(() => 0)
  await expect.poll(() => letGo.length).toBe(1)
  gone.abort()
  await left
  expect(await answered([ask('/large/e')])).toEqual([200])
})
