/** What is tried again, when, and when it is not. */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { OutboundRequest } from '../../src/client/outbound.ts'
import { backoffMs, retryAfterMs } from '../../src/workers/retry.ts'
import { userAgent } from '../../src/client/redirect.ts'
import { outboundFixture } from '../support/portals/outbound.ts'
import { portal, type Portal } from '../support/portals/portal.ts'

const signal = new AbortController().signal
let source: Portal

beforeAll(async () => {
  source = await portal(() => new Response('fine'))
})

afterEach(() => {
  source.reset()
  source.faults.clear()
})

afterAll(() => source.close())

async function ask(more: Partial<OutboundRequest> = {}) {
  const scene = outboundFixture({})
  const url = source.url
  const reach = { kind: 'configured', address: url, trust: 'trusted', allow: [] } as const
  const outcome = await scene.client
    .read({ url, reach, maxBytes: 1000, ...more }, signal)
    .then(({ status, text }) => ({ status, text }))
    .catch((error: unknown) => ({ error }))
  await scene.client.close()
  return { outcome, pauses: scene.pauses, requests: source.requests.length }
}

describe('a passing failure', () => {
  it.each([408, 425, 429, 500, 502, 503, 504])('by %i is asked again', async (status) => {
    source.faults.at(1, { kind: 'status', status })
    expect(await ask()).toMatchObject({ outcome: { status: 200, text: 'fine' }, requests: 2 })
  })

  it('by a reset connection is asked again', async () => {
    source.faults.at(1, { kind: 'reset' })
    expect(await ask()).toMatchObject({ outcome: { text: 'fine' }, requests: 2 })
  })

  it('is asked four times with growing waits, and then told as it is', async () => {
    source.faults.from(1, { kind: 'status', status: 502, body: 'down' })
    const { outcome, requests, pauses } = await ask()
    expect(outcome).toEqual({ status: 502, text: 'down' })
    expect(requests).toBe(4)
    expect(pauses).toEqual([500, 1000, 2000])
    source.reset()
    source.faults.clear()
    source.faults.from(1, { kind: 'reset' })
    expect(await ask()).toMatchObject({
      outcome: { error: { kind: 'source-unreachable' } },
      requests: 4,
    })
  })

  it('of a POST is asked again only when that is harmless', async () => {
    source.faults.from(1, { kind: 'status', status: 500 })
    expect(await ask({ method: 'POST', body: 'x' })).toMatchObject({ requests: 1 })
    source.reset()
    expect(await ask({ method: 'POST', body: 'x', isRepeatable: true })).toMatchObject({
      requests: 4,
    })
  })
})

describe('a final answer', () => {
  it.each([200, 204, 304, 400, 401, 403, 404, 410, 501])(
    'of %i comes back at once',
    async (status) => {
      source.faults.from(1, { kind: 'status', status })
      expect(await ask()).toMatchObject({ outcome: { status }, requests: 1 })
    },
  )
})

describe('Retry-After', () => {
  const busy = (after: string) =>
    ({ kind: 'status', status: 503, headers: { 'Retry-After': after } }) as const

  it('is waited for, by everybody who wants something from that host', async () => {
    source.faults.at(1, busy('2'))
    const { pauses, outcome } = await ask()
    expect(outcome).toMatchObject({ status: 200 })
    expect(pauses[0]).toBe(2000)
  })

  it('that is too long ends the request with the time to come back', async () => {
    source.faults.from(1, busy('3600'))
    expect(await ask()).toMatchObject({
      outcome: {
        error: {
          kind: 'source-throttled',
          retryAfter: 3600,
          detail: expect.stringMatching(/come back at \d{4}-/),
        },
      },
      requests: 1,
    })
  })

  it.each([
    ['120', 120_000],
    ['0', 0],
    ['Thu, 01 Jan 1970 00:01:00 GMT', 59_000],
    ['Thursday, 01-Jan-70 00:01:00 GMT', 59_000],
    ['Wed, 31 Dec 1969 00:00:00 GMT', 0],
    ['soon', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['5 apples', undefined],
    [null, undefined],
  ])('%s means %s ms', (header, expected) => {
    expect(retryAfterMs(header, 1000)).toBe(expected)
  })

  it('waits between attempts double up to a minute, with full jitter', () => {
    expect([1, 2, 3, 6, 7, 20].map((attempt) => backoffMs(attempt, () => 1))).toEqual([
      1000, 2000, 4000, 32_000, 60_000, 60_000,
    ])
    expect(backoffMs(7, () => 0)).toBe(0)
  })
})

describe('requests', () => {
  it('say who asks, take compressed answers, and nothing of a browser', async () => {
    await ask({
      headers: { Cookie: 'a=b', Referer: 'http://x/', Host: 'other', 'User-Agent': 'none' },
    })
    expect(source.requests[0]?.headers).toEqual({
      accept: '*/*',
      'accept-encoding': 'gzip, deflate, br',
      'user-agent': 'Cartulary/test',
      host: new URL(source.url).host,
      connection: 'keep-alive',
    })
  })

  it('with a header that is none fail before they are sent', async () => {
    expect(await ask({ headers: { 'X-Evil': 'a\r\nHost: b' } })).toMatchObject({
      outcome: { error: { kind: 'invalid-parameter' } },
      requests: 0,
    })
  })

  it('share connections', async () => {
    const scene = outboundFixture({})
    const url = source.url
    const reach = { kind: 'configured', address: url, trust: 'trusted', allow: [] } as const
    for (let count = 0; count < 5; count += 1) {
      await scene.client.read({ url, reach, maxBytes: 1000 }, signal)
    }
    const head = await scene.client.request({ url, method: 'HEAD', reach, maxBytes: 1000 }, signal)
    expect(await head.text()).toBe('')
    expect(source.connections()).toBe(1)
    await scene.client.close()
  })

  it('of the whole process come two at once to a host, and all of them come', async () => {
    const working = { now: 0, most: 0 }
    const busy = await portal(async (_, number) => {
      working.now += 1
      working.most = Math.max(working.most, working.now)
      await new Promise((resolve) => setImmediate(resolve))
      working.now -= 1
      return new Response(String(number))
    })
    const scene = outboundFixture({})
    const { url } = busy
    const reach = { kind: 'configured', address: url, trust: 'trusted', allow: [] } as const
    const texts = await Promise.all(
      Array.from({ length: 20 }, async (_, number) => {
        const answer = await scene.client.request(
          { url: `${url}/${number}`, reach, maxBytes: 1000 },
          signal,
        )
        if (number % 3 > 0) return answer.text()
        answer.discard()
        return ''
      }),
    )
    expect(texts.filter((text) => text !== '')).toHaveLength(13)
    expect(busy.requests).toHaveLength(20)
    expect(working.most).toBe(2)
    await scene.client.close()
    await busy.close()
  })

  it('end when the client is closed', async () => {
    source.faults.from(1, { kind: 'silent' })
    const { client } = outboundFixture({})
    const url = source.url
    const reach = { kind: 'configured', address: url, trust: 'trusted', allow: [] } as const
    const work = client.read({ url, reach, maxBytes: 1000 }, signal)
    await expect.poll(() => source.requests.length).toBe(1)
    await Promise.all([expect(work).rejects.toThrow('shutting down'), client.close()])
  })

  it('introduce themselves with base and contact, in characters that a header can hold', () => {
    expect(userAgent('1.0', 'https://a.example/', 'mail@a.example')).toBe(
      'Cartulary/1.0 (+https://a.example/; mail@a.example)',
    )
    expect(userAgent('1.0', 'https://a.example/')).toBe('Cartulary/1.0 (+https://a.example/)')
    expect(userAgent('1.0', 'https://a.example/', 'Büro) (evil\r\nX: y')).toBe(
      'Cartulary/1.0 (+https://a.example/; Bro evilX: y)',
    )
  })
})
