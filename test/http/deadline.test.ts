/** Time limits: of the signal, of work that does not listen, and of whole requests. */

import { describe, expect, it, vi } from 'vitest'
import { Failure } from '../../src/errors.ts'
import { newApp, type AppContext } from '../../src/http/app.ts'
import { deadline, withTimeLimit } from '../../src/http/context.ts'
import { logger } from '../../src/log.ts'

const never = () => new Promise<never>(() => undefined)
const aborted = (signal: AbortSignal) =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(signal.reason), { once: true })
  })

describe('a deadline', () => {
  it('aborts with a time-limit failure that names the limit', async () => {
    const reason = await aborted(deadline(undefined, 5).signal)
    expect(reason).toMatchObject({
      kind: 'time-limit',
      detail: expect.stringContaining('requestMs'),
    })
  })

  it('ends work that does not listen', async () => {
    await expect(deadline(undefined, 5).race(never())).rejects.toMatchObject({ kind: 'time-limit' })
  })

  it('aborts when the client leaves', async () => {
    const client = new AbortController()
    const limit = deadline(client.signal, 60_000)
    const reason = aborted(limit.signal)
    client.abort()
    expect(await reason).toMatchObject({ kind: 'request-timeout' })
    expect(deadline(client.signal, 60_000).signal.aborted).toBe(true)
  })

  it('can be extended, and counts from then', async () => {
    vi.useFakeTimers()
    const limit = deadline(undefined, 1000)
    vi.advanceTimersByTime(900)
    limit.extend(5000)
    vi.advanceTimersByTime(4900)
    expect(limit.signal.aborted).toBe(false)
    vi.advanceTimersByTime(200)
    expect(limit.signal.reason).toBeInstanceOf(Failure)
    vi.useRealTimers()
  })

  it('hands on what the work answers or throws', async () => {
    const limit = deadline(undefined, 60_000)
    expect(await limit.race(Promise.resolve(7))).toBe(7)
    await expect(limit.race(Promise.reject(new Error('own')))).rejects.toThrow('own')
    limit.done()
  })
})

it('within throws what the caller chose when the work is late', async () => {
  await expect(withTimeLimit(never(), 5, () => new Error('late'))).rejects.toThrow('late')
  expect(await withTimeLimit(Promise.resolve(1), 1000, () => new Error('late'))).toBe(1)
})

describe('a request over its time limit', () => {
  const app = newApp({ log: logger('silent'), name: 'test', requestMs: 10 })
  app.get('/deaf', () => never())
  app.get('/obedient', async (c) => {
    await new Promise((_, reject) => {
      const stop = () => reject(new DOMException('stopped', 'AbortError'))
      c.get('signal').addEventListener('abort', stop, { once: true })
    })
    return c.body(null)
  })
  const failing = (error: Error) => async (c: AppContext) => {
    await new Promise((_, reject) => {
      c.get('signal').addEventListener('abort', () => reject(error), { once: true })
    })
    return c.body(null)
  }
  app.get('/clumsy', failing(new TypeError('terminated')))
  app.get('/knowing', failing(new Failure('time-limit', 'others took long', { retryAfter: 1 })))
  app.get('/longer', (c) => {
    c.get('deadline').extend(60_000)
    vi.advanceTimersByTime(1000)
    return c.text('done')
  })

  it.each(['/deaf', '/obedient', '/clumsy'])(
    'is a 503 time-limit problem with Retry-After (%s)',
    async (path) => {
      const answer = await app.request(path)
      expect(answer.status).toBe(503)
      expect(answer.headers.get('Retry-After')).not.toBeNull()
      expect(answer.headers.get('X-Content-Type-Options')).toBe('nosniff')
      expect(await answer.json()).toMatchObject({ type: 'urn:cartulary:problem:time-limit' })
    },
  )

  it('may say itself when to come back', async () => {
    const answer = await app.request('/knowing')
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '1'])
  })

  it('is answered when its route asked for more time', async () => {
    vi.useFakeTimers()
    expect((await app.request('/longer')).status).toBe(200)
    vi.useRealTimers()
  })

  it('ends when the client leaves, and the handler hears of it', async () => {
    const client = new AbortController()
    const answer = app.request('/deaf', { signal: client.signal })
    client.abort()
    expect((await answer).status).toBe(408)
  })
})
