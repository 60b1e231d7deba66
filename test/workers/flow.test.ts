/** The small parts of `workers/`: condition variable, channel, work in parallel, retry, turns on the event loop. */

import { describe, expect, it } from 'vitest'
import { Channel } from '../../src/workers/channel.ts'
import { conditionVariable, waitWhile } from '../../src/workers/condition.ts'
import { inOwnTurn, inTurns, nextTurn, yielding } from '../../src/workers/event-loop.ts'
import { inParallel } from '../../src/workers/in-parallel.ts'
import { backoffMs, isTransient, retry, retryAfterMs } from '../../src/workers/retry.ts'

describe('a condition variable', () => {
  it('wakes all who wait, and nobody who comes later', async () => {
    const changed = conditionVariable()
    const both = Promise.all([changed.next(), changed.next()])
    changed.notify()
    await both
    const control = new AbortController()
    const late = changed.next(control.signal)
    control.abort(new Error('enough'))
    await expect(late).rejects.toThrow('enough')
  })
})

async function allOf<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const all: Value[] = []
  for await (const value of values) all.push(value)
  return all
}

describe('a channel', () => {
  it('hands values over in order and ends after the last', async () => {
    const channel = new Channel<number>({ items: 2 })
    const read = allOf(channel)
    for (const value of [1, 2, 3, 4]) await channel.send(value)
    channel.close()
    channel.put(5)
    expect(await read).toEqual([1, 2, 3, 4])
  })

  it('makes writers wait for room in number and weight; the empty one takes anything', async () => {
    const channel = new Channel<string>({ items: 2, weight: 10 })
    expect(channel.hasRoom(50)).toBe(true)
    channel.put('a', 8)
    expect([channel.hasRoom(2), channel.hasRoom(3)]).toEqual([true, false])
    channel.put('b', 2)
    const waits = channel.room().then(() => 'room')
    const reader = channel[Symbol.asyncIterator]()
    await reader.next()
    expect(await waits).toBe('room')
  })

  it('gives its error after what is there', async () => {
    const channel = new Channel<number>({ items: 5 })
    channel.put(1)
    channel.close(new Error('broken'))
    const reader = channel[Symbol.asyncIterator]()
    expect((await reader.next()).value).toBe(1)
    await expect(reader.next()).rejects.toThrow('broken')
  })

  it('keeps nobody waiting when its reader is gone', async () => {
    const channel = new Channel<number>({ items: 1 })
    channel.put(1)
    const waits = channel.send(2)
    channel.cancel()
    await waits
    expect([channel.size, channel.isClosed]).toEqual([0, true])
  })
})

describe('a wait for an obstacle to go', () => {
  it('looks again after a time and after a change, and ends with its signal', async () => {
    const changed = conditionVariable()
    const obstacles = [5, changed, 7, undefined]
    const waits: number[] = []
    const pause = async (ms: number) => void waits.push(ms)
    const { signal } = new AbortController()
    const wait = waitWhile(() => obstacles.shift(), pause, signal)
    await expect.poll(() => obstacles).toHaveLength(2)
    changed.notify()
    await wait
    expect(waits).toEqual([5, 7])
    const end = new AbortController()
    const ended = waitWhile(() => changed, pause, end.signal)
    end.abort(new Error('enough'))
    await expect(ended).rejects.toThrow('enough')
    const refused = waitWhile(
      () => {
        throw new Error('never')
      },
      pause,
      signal,
    )
    await expect(refused).rejects.toThrow('never')
  })

  it('rejects when its signal fires while a pause does not notice it, without another look', async () => {
    const end = new AbortController()
    const looks: number[] = []
    const pause = async () => end.abort(new Error('enough'))
    const obstacle = () => (looks.push(1) === 1 ? 5 : undefined)
    await expect(waitWhile(obstacle, pause, end.signal)).rejects.toThrow('enough')
    expect(looks).toHaveLength(1)
    await expect(waitWhile(() => undefined, pause, end.signal)).rejects.toThrow('enough')
  })
})

describe('work in parallel', () => {
  const { signal } = new AbortController()

  it('is done for every item, so many at once', async () => {
    const done: number[] = []
    let [active, most] = [0, 0]
    const work = async (item: number) => {
      most = Math.max(most, (active += 1))
      await Promise.resolve()
      done.push(item)
      active -= 1
    }
    await inParallel([1, 2, 3, 4, 5], work, { atOnce: 2, signal })
    expect([most, done]).toEqual([2, [1, 2, 3, 4, 5]])
  })

  it('rejects with the first failure when nothing runs any more, and begins nothing after it', async () => {
    const gate = Promise.withResolvers<void>()
    const events: string[] = []
    const work = async (item: string) => {
      events.push(item)
      if (item === 'bad') throw new Error('first')
      await gate.promise
      events.push(`${item} ends`)
    }
    const all = inParallel(['slow', 'bad', 'later'], work, { atOnce: 2, signal })
    const ended = all.catch((error: unknown) => events.push(String(error)))
    await new Promise((resolve) => setImmediate(resolve))
    expect(events).toEqual(['slow', 'bad'])
    gate.resolve()
    await ended
    expect(events).toEqual(['slow', 'bad', 'slow ends', 'Error: first'])
    const aborted = { atOnce: 2, signal: AbortSignal.abort(new Error('enough')) }
    await expect(inParallel(['x'], work, aborted)).rejects.toThrow('enough')
  })
})

describe('retry', () => {
  const { signal } = new AbortController()

  it('tries until the outcome is final, after the time that is named', async () => {
    const waits: number[] = []
    const pause = async (ms: number) => void waits.push(ms)
    const answers = [503, 429, 200]
    const status = await retry(async (attempt) => answers[attempt - 1] ?? 0, {
      delayMs: (outcome, attempt) =>
        'value' in outcome && isTransient(outcome.value) ? attempt * 10 : undefined,
      pause,
      signal,
    })
    expect([status, waits]).toEqual([200, [10, 20]])
  })

  it('throws the last error, and the reason of its signal without another attempt', async () => {
    const failing = () => Promise.reject(new Error('no'))
    await expect(
      retry(failing, {
        delayMs: (_, attempt) => (attempt < 3 ? 0 : undefined),
        pause: async () => undefined,
        signal,
      }),
    ).rejects.toThrow('no')
    const control = new AbortController()
    const aborting = async () => {
      control.abort(new Error('enough'))
      throw new Error('cancelled on the way')
    }
    await expect(
      retry(aborting, { delayMs: () => 0, pause: async () => undefined, signal: control.signal }),
    ).rejects.toThrow('enough')
  })

  it('waits longer each time, up to a bound', () => {
    const waits = [1, 2, 3, 20].map((attempt) => backoffMs(attempt, () => 1))
    expect(waits).toEqual([1000, 2000, 4000, 60_000])
    expect(backoffMs(2, () => 0.5, { firstMs: 100, longestMs: 150 })).toBe(75)
  })

  it('reads Retry-After as seconds and as a date, and nothing else', () => {
    const now = Date.parse('2026-01-01T00:00:00Z')
    expect(retryAfterMs('120', now)).toBe(120_000)
    expect(retryAfterMs('Thu, 01 Jan 2026 00:00:10 GMT', now)).toBe(10_000)
    expect(retryAfterMs('Wed, 31 Dec 2025 00:00:10 GMT', now)).toBe(0)
    for (const text of [null, undefined, '', '5 apples', '-1', '1e3'])
      expect(retryAfterMs(text, now)).toBeUndefined()
  })
})

describe('turns on the event loop', () => {
  it('are taken when the time is up', async () => {
    let now = 0
    const yieldWhenDue = yielding(() => now, 10)
    now = 9
    expect(yieldWhenDue()).toBeUndefined()
    now = 10
    expect(yieldWhenDue()).toBeInstanceOf(Promise)
  })

  it('let others in between the items', async () => {
    const seen: unknown[] = []
    setImmediate(() => seen.push('other'))
    for await (const item of inTurns([1, 2, 3], 2)) seen.push(item)
    expect(seen).toEqual([1, 2, 'other', 3])
  })
})

describe('turns of the process', () => {
  it('let others be heard between any two works that wait at the same time', async () => {
    const order: string[] = []
    const other = () => {
      order.push('other')
      if (order.length < 50) setImmediate(other)
    }
    setImmediate(other)
    const works = ['a', 'b', 'c'].map((name) => nextTurn().then(() => order.push(name)))
    await Promise.all(works)
    expect(order.filter((one) => one !== 'other')).toEqual(['a', 'b', 'c'])
    expect(order.join(' ')).not.toMatch(/[abc] [abc]/)
  })

  it('are given for long texts, and change none', async () => {
    const order: string[] = []
    const long = inOwnTurn('x'.repeat(100_000)).then((text) => order.push(`${text.length}`))
    const short = inOwnTurn('y').then((text) => order.push(text))
    await Promise.all([long, short, inOwnTurn(undefined)])
    expect(order).toEqual(['y', '100000'])
  })
})
