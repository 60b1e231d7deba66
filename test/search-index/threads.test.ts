/** Workers that die or hang: the call fails with the right kind, and the next one is answered. */

import { afterEach, describe, expect, it } from 'vitest'
import type { ReaderCalls } from '../../src/search-index/embedded/threads/messages.ts'
import { Readers } from '../../src/search-index/embedded/threads/readers.ts'
import { Thread } from '../../src/search-index/embedded/threads/thread.ts'
import { logger } from '../../src/log.ts'

const entry = new URL('dying-worker.ts', import.meta.url)
const made: Readers[] = []

function readers(limitMs: number, count = 1): Readers {
  const options = {
    entry,
    path: '',
    wildcardTerms: 1,
    log: logger('silent'),
    damaged: () => undefined,
  }
  const threads = Array.from(
    { length: count },
    (_, i) => new Thread<ReaderCalls>({ ...options, name: `test ${i}` }),
  )
  const all = new Readers(threads, limitMs)
  made.push(all)
  return all
}

const get = (from: Readers, id: string, signal?: AbortSignal) =>
  from.run('get', { index: 'dataset', id }, signal)

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
    const pause = two.pausedFor(async () => {
      order.push('paused')
      await Promise.resolve()
    })
    const after = get(two, 'after').then((id) => order.push(String(id)))
    await Promise.all([before, pause, after])
    expect(order).toEqual(['before', 'paused', 'after'])
  })
})
