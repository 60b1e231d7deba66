/** The circuit breaker: when it opens, what calls get meanwhile, and how it closes again. */

import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, it, vi } from 'vitest'
import { logger } from '../../../src/log.ts'
import { asking, failureOf, rawServer, wholeAnswer, wire } from './servers.ts'

/** A store that can be away (every connection is reset) or silent, behind a wire whose clock the test moves. */
async function storeWithClock(told: Parameters<typeof wire>[0] = {}) {
  const store = { mood: 'well' as 'well' | 'away' | 'silent' | 'broken', requests: 0 }
  const server = await rawServer(({ socket }) => {
    store.requests += 1
    if (store.mood === 'away') socket.resetAndDestroy()
    if (store.mood === 'broken') socket.write(wholeAnswer('', '500 So'))
    if (store.mood === 'well') socket.write(wholeAnswer('fine', '200 OK', 'Connection: close'))
  })
  const clock = { ms: 0 }
  const one = wire({ now: () => clock.ms, ...told })
  const ask = (limits = {}) => one.send(asking(server.url, { isIdempotent: false, limits }))
  const lose = async (calls: number) => {
    for (let call = 0; call < calls; call += 1) await failureOf(ask())
  }
  return { store, clock, ask, lose }
}

describe('the circuit', () => {
  it('opens after five connections in a row that failed, and then calls fail at once', async () => {
    const { store, ask, lose } = await storeWithClock()
    store.mood = 'away'
    await lose(4)
    expect(store.requests).toBe(4)
    await lose(1)
    const failure = await failureOf(ask())
    expect(failure.kind).toBe('store-unavailable')
    expect(failure.retryAfter).toBeGreaterThan(0)
    expect(String(failure.cause)).not.toBe('undefined')
    expect(store.requests).toBe(5)
  })

  it('stays closed when an answer comes in between, of whatever status', async () => {
    const { store, ask, lose } = await storeWithClock()
    for (let turn = 0; turn < 3; turn += 1) {
      store.mood = 'away'
      await lose(4)
      store.mood = 'broken'
      expect((await ask()).status).toBe(500)
    }
    expect(store.requests).toBe(15)
  })

  it('stays closed when answers are slow', async () => {
    const { store, ask } = await storeWithClock()
    store.mood = 'silent'
    for (let turn = 0; turn < 6; turn += 1)
      expect((await failureOf(ask({ firstByteMs: 10 }))).kind).toBe('time-limit')
    expect(store.requests).toBe(6)
  })

  it('stays closed when connections break that had served before', async () => {
    const held: (() => void)[] = []
    const { url } = await rawServer(({ socket, onConnection }) => {
      if (onConnection > 1) socket.resetAndDestroy()
      else held.push(() => socket.write(wholeAnswer('fine')))
    })
    const one = wire({ sockets: 8 })
    const askAll = () => held.map(() => one.send(asking(url, { isIdempotent: false })))
    const first = Array.from({ length: 8 }, () => one.send(asking(url)))
    await vi.waitFor(() => expect(held).toHaveLength(8), { interval: 1, timeout: 10_000 })
    for (const release of held) release()
    await Promise.all(first)
    for (const failure of await Promise.all(askAll().map(failureOf)))
      expect(failure.detail).toBe('The connection to the store broke off.')
  })

  it('lets one call through after two seconds, and closes when that is answered', async () => {
    const { store, clock, ask, lose } = await storeWithClock()
    store.mood = 'away'
    await lose(5)
    clock.ms = 1999
    await lose(1)
    expect(store.requests).toBe(5)
    clock.ms = 2000
    store.mood = 'well'
    expect((await ask()).text).toBe('fine')
    expect((await ask()).text).toBe('fine')
  })

  it('opens for another two seconds when that call fails', async () => {
    const { store, clock, lose } = await storeWithClock()
    store.mood = 'away'
    await lose(5)
    clock.ms = 2000
    await lose(2)
    expect(store.requests).toBe(6)
    clock.ms = 3999
    await lose(1)
    expect(store.requests).toBe(6)
  })

  it('lets only one of many calls through', async () => {
    const { store, clock, ask, lose } = await storeWithClock()
    store.mood = 'away'
    await lose(5)
    clock.ms = 2000
    store.mood = 'well'
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => ask()))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(store.requests).toBe(6)
  })

  it('lets another one through when that one hangs', async () => {
    const { store, clock, ask, lose } = await storeWithClock()
    store.mood = 'away'
    await lose(5)
    clock.ms = 2000
    store.mood = 'silent'
    const hanging = failureOf(ask({ firstByteMs: 200 }))
    await vi.waitFor(() => expect(store.requests).toBe(6), { interval: 1, timeout: 10_000 })
    clock.ms = 4000
    store.mood = 'well'
    expect((await ask()).text).toBe('fine')
    expect((await hanging).kind).toBe('time-limit')
  })

  it('opens and closes with one line in the log', async () => {
    const lines = new PassThrough()
    const { store, clock, ask, lose } = await storeWithClock({ log: logger('info', lines) })
    store.mood = 'away'
    await lose(7)
    clock.ms = 2000
    await lose(1)
    clock.ms = 4000
    store.mood = 'well'
    await ask()
    await ask()
    lines.end()
    const events = (await text(lines)).match(/"event":"[^"]*"/g)
    expect(events).toEqual(['"event":"store.away"', '"event":"store.back"'])
  })
})
