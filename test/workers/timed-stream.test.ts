/** A stream that pauses lets its reader work meanwhile, and is closed when nobody reads it any more. */

import { describe, expect, it } from 'vitest'
import { conditionVariable, statesOf } from '../../src/workers/condition.ts'
import { itemsAndTimeouts } from '../../src/workers/timed-stream.ts'

describe('items and timeouts', () => {
  it('come in the order of time, and no item is lost to a timeout', async () => {
    const gate = Promise.withResolvers<void>()
    const input = (async function* () {
      yield 'a'
      await gate.promise
      yield 'b'
    })()
    const seen: unknown[] = []
    const timer = () => (seen.at(-1) === 'a' ? Promise.resolve(undefined) : undefined)
    for await (const item of itemsAndTimeouts(input, timer)) {
      seen.push(item)
      if (item === undefined) gate.resolve()
    }
    expect(seen).toEqual(['a', undefined, 'b'])
  })

  it('throw what the stream throws, and close it when the reader leaves', async () => {
    let isClosed = false
    const input = (async function* () {
      try {
        yield 1
        throw new Error('connection reset')
      } finally {
        isClosed = true
      }
    })()
    for await (const item of itemsAndTimeouts(input, () => undefined)) if (item === 1) break
    expect(isClosed).toBe(true)
    const failing = (async function* () {
      yield 1
      throw new Error('connection reset')
    })()
    const items = itemsAndTimeouts(failing, () => undefined)
    expect(await items.next()).toEqual({ done: false, value: 1 })
    await expect(items.next()).rejects.toThrow('connection reset')
  })
})

describe('the states of something that changes', () => {
  const follow = (read: () => number, pauses: number[] = []) => {
    const changed = conditionVariable()
    const closing = new AbortController()
    const pause = async (ms: number) => void pauses.push(ms)
    const states = statesOf(read, { changed, everyMs: 200, pause, signal: closing.signal })
    return { changed, closing, states }
  }

  it('are given at once and after each change, also one that comes while the reader works', async () => {
    let value = 1
    const pauses: number[] = []
    const { changed, states } = follow(() => value, pauses)
    expect(await states.next()).toEqual({ done: false, value: 1 })
    value = 2
    changed.notify()
    expect(await states.next()).toEqual({ done: false, value: 2 })
    const third = states.next()
    value = 3
    changed.notify()
    expect(await third).toEqual({ done: false, value: 3 })
    expect(pauses).toEqual([200, 200])
  })

  it('end with the signal, and fail as the reading does', async () => {
    const { closing, states } = follow(() => 1)
    await states.next()
    const next = states.next()
    closing.abort()
    expect(await next).toEqual({ done: true, value: undefined })
    const failing = follow(() => {
      throw new Error('no such run')
    })
    await expect(failing.states.next()).rejects.toThrow('no such run')
  })
})
