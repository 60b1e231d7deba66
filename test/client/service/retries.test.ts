/** Another try: for whom, how often, after which pause, and when not. */

import { describe, expect, it } from 'vitest'
import { ExchangeFault } from '../../../src/client/exchange.ts'
import { asking, failureOf, rawServer, updating, wholeAnswer, wire } from './servers.ts'

/** A clock that only pauses move, and what was paused. */
function still() {
  const pauses: number[] = []
  let time = 0
  return {
    pauses,
    now: () => time,
    pause: (ms: number) => {
      pauses.push(ms)
      time += ms
      return Promise.resolve()
    },
  }
}

/** A server whose first requests get one of `answers` each, and the rest `fine`; an empty text resets. */
const scripted = (...answers: string[]) =>
  rawServer(({ socket, number }) => {
    const answer = answers[number - 1] ?? wholeAnswer('fine')
    if (answer === '') socket.resetAndDestroy()
    else socket.write(answer)
  })

const busy = wholeAnswer('busy', '503 Service Unavailable')
const broken = wholeAnswer('broken', '500 Internal Server Error')

describe('an answer that is named retryable', () => {
  it('is asked for again after 50, 200 and 800 ms', async () => {
    const { url } = await scripted(busy, busy, busy)
    const clock = still()
    expect((await wire(clock).send(asking(url))).text).toBe('fine')
    expect(clock.pauses).toEqual([50, 200, 800])
  })

  it('is the answer when it comes a fourth time', async () => {
    const { url } = await scripted(busy, busy, busy, busy)
    expect(await wire().send(asking(url))).toMatchObject({ status: 503, text: 'busy' })
  })

  it('is known by the caller’s own rule', async () => {
    const { url } = await scripted(broken, busy)
    const retryable = ({ text }: { text: string }) => text === 'broken'
    expect((await wire({ retryable }).send(asking(url))).text).toBe('busy')
  })

  it.each([
    [0, [25, 100, 400]],
    [0.9999, [75, 300, 1200]],
  ])(
    'is waited for half or one and a half times as long by chance (%s)',
    async (chance, expected) => {
      const { url } = await scripted(busy, busy, busy)
      const clock = still()
      await wire({ ...clock, random: () => chance }).send(asking(url))
      expect(clock.pauses.map(Math.round)).toEqual(expected)
    },
  )
})

describe('a connection that broke', () => {
  it.each([
    ['before the answer', ''],
    ['in the head of the answer', 'HTTP/1.1 200'],
    ['in the body of the answer', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'],
    ['in a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf'],
    ['before the last chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n'],
  ])('%s is made anew', async (_, cut) => {
    const { url, connections } = await rawServer(({ socket, number }) => {
      if (number > 2) socket.write(wholeAnswer('fine'))
      else if (cut === '') socket.resetAndDestroy()
      else socket.end(cut)
    })
    const clock = still()
    expect((await wire(clock).send(updating(url, { isIdempotent: true }))).text).toBe('fine')
    expect(clock.pauses).toEqual([50, 200])
    expect(connections()).toBe(3)
  })

  it('a fourth time is an error that says so', async () => {
    const { url, connections } = await scripted('', '', '', '')
    const failure = await failureOf(wire().send(asking(url)))
    expect(failure.kind).toBe('store-unavailable')
    expect(failure.retryAfter).toBeGreaterThan(0)
    expect(failure.cause).toBeInstanceOf(ExchangeFault)
    expect(connections()).toBe(4)
  })
})

describe('the race of a lasting connection', () => {
  // The server closes an idle connection while the next request is already on its way.
  const racing = () =>
    rawServer(({ socket, onConnection }) => {
      if (onConnection > 1) socket.resetAndDestroy()
      else socket.write(wholeAnswer('fine'))
    })

  it('is lost without a pause: the request goes over a new connection at once', async () => {
    const { url, connections } = await racing()
    const clock = still()
    const one = wire(clock)
    for (let turn = 0; turn < 3; turn += 1) await one.send(updating(url, { isIdempotent: true }))
    expect(clock.pauses).toEqual([])
    expect(connections()).toBe(3)
  })

  it('makes all idle connections suspect', async () => {
    const held: (() => void)[] = []
    const all = Promise.withResolvers<void>()
    const { url, connections } = await rawServer(({ socket, onConnection, number }) => {
      if (onConnection > 1) socket.resetAndDestroy()
      else if (number > 3) socket.write(wholeAnswer('fine'))
      else if (held.push(() => socket.write(wholeAnswer('first'))) === 3) all.resolve()
    })
    const clock = still()
    const one = wire(clock)
    const three = Array.from({ length: 3 }, () => one.send(asking(url)))
    await all.promise
    for (const release of held) release()
    await Promise.all(three)
    expect((await one.send(asking(url))).text).toBe('fine')
    expect([clock.pauses, connections()]).toEqual([[], 4])
  })

  it('is an error for a request that must not be sent twice', async () => {
    const { url } = await racing()
    const one = wire()
    await one.send(updating(url))
    expect((await failureOf(one.send(updating(url)))).kind).toBe('store-unavailable')
  })
})

describe('no other try is made', () => {
  it.each([
    ['a reset', ''],
    ['a retryable answer', busy],
  ])('after %s, when the request must not be sent twice', async (_, answer) => {
    const bodies: string[] = []
    const { url } = await rawServer(({ socket, body }) => {
      bodies.push(body)
      if (answer === '') socket.resetAndDestroy()
      else socket.write(answer)
    })
    await wire()
      .send(updating(url))
      .catch(() => 'failed')
    expect(bodies).toHaveLength(1)
  })

  it('after a time limit: a slow store is not helped by more work', async () => {
    let requests = 0
    const { url } = await rawServer(() => (requests += 1))
    await failureOf(wire().send(asking(url, { limits: { firstByteMs: 20 } })))
    expect(requests).toBe(1)
  })

  it('when its pause would outlast the call', async () => {
    const { url } = await scripted(busy, busy, busy)
    const clock = still()
    const answer = await wire(clock).send(asking(url, { limits: { totalMs: 240 } }))
    expect(answer.status).toBe(503)
    expect(clock.pauses).toEqual([50])
  })

  it('when no connection stood within connectMs: a store that is away is told soon', async () => {
    const clock = still()
    const limits = { connectMs: 260 }
    const failure = await failureOf(wire({ ...clock, limits }).send(asking('http://127.0.0.1:1/')))
    expect(failure.kind).toBe('store-unavailable')
    expect(failure.detail).toBe('The store cannot be reached.')
    expect(String(failure.cause)).toContain('refuses connections')
    expect(clock.pauses).toEqual([50, 200])
  })

  it('when the call is aborted in a pause', async () => {
    const { url, connections } = await scripted(busy)
    const stop = new AbortController()
    const pause = (_: number, signal: AbortSignal) =>
      new Promise<void>((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('interrupted')))
        stop.abort('enough')
      })
    await expect(wire({ pause }).send(asking(url), stop.signal)).rejects.toBe('enough')
    expect(connections()).toBe(1)
  })

  it('when the wire is closed in a pause', async () => {
    const { url, connections } = await scripted(busy)
    const one = wire({ pause: () => one.close() })
    expect((await failureOf(one.send(asking(url)))).kind).toBe('store-unavailable')
    expect(connections()).toBe(1)
  })
})
