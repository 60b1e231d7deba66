/** Workers that die or hang: the call fails with the right kind, and the next one is answered. */

import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { IndexWorkers } from '../../src/search-index/sqlite/index-workers.ts'
import type { ReaderCalls } from '../../src/search-index/sqlite/worker-messages.ts'
import { logger } from '../../src/log.ts'

const entry = new URL('dying-worker.ts', import.meta.url)
type Readers = IndexWorkers<ReaderCalls>
const made: Readers[] = []

function readers(limitMs: number, count = 1): Readers {
  const log = logger('silent')
  const all: Readers = new IndexWorkers(
    { path: '', wildcardTerms: 1, log, onDamage: () => undefined },
    { entry, name: 'test', workers: count, abortGraceMs: 2_000 },
    limitMs,
  )
  made.push(all)
  return all
}

const get = (from: Readers, id: string, signal?: AbortSignal) =>
  from.call('get', { index: 'dataset', id }, signal)

afterEach(async () => {
  for (const one of made.splice(0)) await one.close()
})

describe('a reader', () => {
  it('that dies fails its call with engine-unavailable and is replaced', async () => {
    const one = readers(10_000)
    const calls = [get(one, 'a'), get(one, 'die'), get(one, 'b')]
    const outcomes = await Promise.allSettled(calls)
    expect(outcomes.map((outcome) => outcome.status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
    await expect(calls[1]).rejects.toMatchObject({ kind: 'engine-unavailable', retryAfter: 10 })
  })

  it('that does not stop in time is replaced; its call and those behind it fail with time-limit', async () => {
    const one = readers(400)
    const calls = [get(one, 'hang'), get(one, 'behind')]
    for (const call of calls) await expect(call).rejects.toMatchObject({ kind: 'time-limit' })
    const answered = async () => (await get(one, 'later').catch(() => undefined)) === 'later'
    await expect.poll(answered, { timeout: 10_000 }).toBe(true)
  })

  it('given up by its caller lets the caller go at once', async () => {
    const one = readers(10_000)
    const caller = new AbortController()
    const call = get(one, 'hang', caller.signal)
    caller.abort()
    await expect(call).rejects.toMatchObject({ kind: 'time-limit' })
  })
})

describe('a pause', () => {
  it('waits for running calls and holds back new ones', async () => {
    const two = readers(10_000, 2)
    const order: string[] = []
    const before = get(two, 'before').then((id) => order.push(String(id)))
    const pause = two.exclusive(async () => {
      // What a call answers goes to its caller first.
      await setImmediate()
      order.push('paused')
    })
    const after = get(two, 'after').then((id) => order.push(String(id)))
    await Promise.all([before, pause, after])
    expect(order).toEqual(['before', 'paused', 'after'])
  })
})
