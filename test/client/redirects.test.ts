/** Redirects: every hop is a new request, and credentials do not travel. */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { nextStep, type Step } from '../../src/client/redirect.ts'
import type { OutboundRequest } from '../../src/client/outbound.ts'
import { outboundFixture, type OutboundFixture } from '../support/portals/outbound.ts'
import { portal, type Portal } from '../support/portals/portal.ts'
import { redirector } from '../support/portals/redirector.ts'

const signal = new AbortController().signal
let first: Portal
let second: Portal
let scene: OutboundFixture

beforeAll(async () => {
  first = await redirector()
  second = await portal((request) => new Response(request.method))
  scene = outboundFixture({
    names: { 'one.example': ['8.8.8.8'], 'two.example': ['9.9.9.9'] },
    world: { '8.8.8.8': first.port, '9.9.9.9': second.port },
  })
})

afterEach(() => {
  first.reset()
  second.reset()
})

afterAll(async () => {
  await scene.client.close()
  await first.close()
  await second.close()
})

const ask = (path: string, more: Partial<OutboundRequest> = {}) =>
  scene.client.read(
    { url: `http://one.example${path}`, reach: { kind: 'public' }, maxBytes: 1000, ...more },
    signal,
  )

const to = (url: string, status = 302) => `/to?status=${status}&url=${encodeURIComponent(url)}`

describe('redirects', () => {
  it('are followed, and the answer says by which way it came', async () => {
    const answer = await ask(to('http://two.example/end'))
    expect(answer).toMatchObject({ url: 'http://two.example/end', status: 200, text: 'GET' })
    expect(answer.redirected).toEqual([`http://one.example${to('http://two.example/end')}`])
  })

  it('[T1] row 24: into the house end before anything is dialled', async () => {
    for (const url of ['http://127.0.0.1:8080/', 'http://[::1]/', 'http://two.example:22/']) {
      const dials = scene.dialled.length
      await expect(ask(to(url))).rejects.toMatchObject({ kind: 'address-refused' })
      expect(scene.dialled.slice(dials).filter(({ port }) => port !== 80)).toEqual([])
    }
    expect(second.requests).toEqual([])
  })

  it('[T1] row 25: to other schemes are refused', async () => {
    const urls = [
      'file:///etc/passwd',
      'ftp://two.example/',
      'gopher://x/',
      'data:,x',
      'javascript:1',
    ]
    for (const url of urls) {
      await expect(ask(to(url))).rejects.toMatchObject({ kind: 'address-refused' })
    }
  })

  it('[T1] row 26: are followed five times, not six; and never in a circle', async () => {
    expect((await ask('/chain?hops=5')).text).toBe('arrived')
    first.reset()
    await expect(ask('/chain?hops=6')).rejects.toMatchObject({ kind: 'source-error' })
    expect(first.requests).toHaveLength(6)
    first.reset()
    await expect(ask('/self')).rejects.toMatchObject({ kind: 'source-error' })
    expect(first.requests).toHaveLength(1)
    first.reset()
    await expect(ask('/ring?place=1')).rejects.toMatchObject({ kind: 'source-error' })
    expect(first.requests).toHaveLength(3)
  })

  it('[T1] row 27: leave credentials behind with the origin, also those among the headers', async () => {
    const credentials = { Authorization: 'Bearer word' }
    const headers = { 'X-App-Token': 'word', Accept: 'text/turtle' }
    await ask(to('/end'), { credentials, headers })
    expect(first.requests.at(-1)?.headers).toMatchObject({ authorization: 'Bearer word' })
    await ask(to('http://two.example/end'), { credentials, headers })
    const arrived = second.requests.at(-1)?.headers ?? {}
    expect(arrived['accept']).toBe('text/turtle')
    expect(JSON.stringify(arrived)).not.toContain('word')
    // Back home they stay away: the way led through strangers.
    second.faults.when(() => true, { kind: 'redirect', to: 'http://one.example/end' }, 1)
    await ask(to('http://two.example/x'), { credentials })
    expect(first.requests.at(-1)?.headers['authorization']).toBeUndefined()
  })

  it('turn a POST into a GET by 301, 302 and 303, and repeat it by 307 and 308', async () => {
    const post = {
      method: 'POST',
      body: 'query',
      headers: { 'Content-Type': 'text/plain' },
    } as const
    const told: (readonly [number, string, string, string | undefined])[] = []
    for (const status of [301, 302, 303, 307, 308]) {
      await ask(to('http://two.example/', status), post)
      const { method = '', body = '', headers } = second.requests.at(-1) ?? {}
      told.push([status, method, body, headers?.['content-type']])
    }
    expect(told).toEqual([
      [301, 'GET', '', undefined],
      [302, 'GET', '', undefined],
      [303, 'GET', '', undefined],
      [307, 'POST', 'query', 'text/plain'],
      [308, 'POST', 'query', 'text/plain'],
    ])
  })

  it('from a POST to the same place are no circle', async () => {
    second.faults.when(({ method }) => method === 'POST', {
      kind: 'redirect',
      to: '/',
      status: 303,
    })
    const answer = await scene.client.read(
      {
        url: 'http://two.example/',
        method: 'POST',
        body: 'x',
        reach: { kind: 'public' },
        maxBytes: 9,
      },
      signal,
    )
    expect(answer.text).toBe('GET')
  })

  it('without a place to go are answers', async () => {
    first.faults.when(() => true, { kind: 'status', status: 302 }, 1)
    expect(await ask('/')).toMatchObject({ status: 302, redirected: [] })
  })
})

describe('the next step', () => {
  const step = (url: string, credentials: Step['credentials']): Step => ({
    url: new URL(url),
    method: 'GET',
    headers: {},
    credentials,
  })
  const token = { authorization: 'word' }

  it('[T1] row 27: from https to http is refused with credentials, and taken without', () => {
    expect(() => nextStep(step('https://a.example/', token), 302, 'http://a.example/')).toThrow(
      'address-refused',
    )
    expect(nextStep(step('https://a.example/', {}), 302, 'http://a.example/')).toBeDefined()
  })

  it.each([
    ['https://a.example/x', 'https://a.example/y', true],
    ['https://a.example/x', 'https://a.example:443/y', true],
    ['http://a.example/x', 'https://a.example/y', false],
    ['https://a.example/x', 'https://a.example:444/y', false],
    ['https://a.example/x', 'https://b.a.example/y', false],
  ])('from %s to %s keeps credentials: %s', (from, location, kept) => {
    const next = nextStep(step(from, token), 307, location)
    expect(Object.keys(next?.credentials ?? {}).length > 0).toBe(kept)
  })

  it('reads UTF-8 in a Location that Node took for Latin-1', () => {
    const header = Buffer.from('/größe').toString('latin1')
    expect(nextStep(step('http://a.example/', {}), 302, header)?.url.pathname).toBe(
      '/gr%C3%B6%C3%9Fe',
    )
    expect(nextStep(step('http://a.example/', {}), 302, '/gr\u00f6')?.url.pathname).toBe(
      '/gr%C3%B6',
    )
  })
})

describe('a source that sets a cookie and redirects', () => {
  const site = async (answer: (request: Request, cookie: string) => Response) => {
    const third = await portal((request) => answer(request, request.headers.get('cookie') ?? ''))
    const own = outboundFixture({
      names: { 'one.example': ['8.8.8.8'], 'two.example': ['9.9.9.9'] },
      world: { '8.8.8.8': third.port, '9.9.9.9': third.port },
    })
    try {
      const request = {
        url: 'http://one.example/data',
        reach: { kind: 'public' },
        maxBytes: 1000,
      } as const
      return await own.client.read(request, signal)
    } finally {
      await own.client.close()
      await third.close()
    }
  }
  const back = (location: string, ...cookies: string[]) => {
    const headers = new Headers({ location })
    for (const one of cookies) headers.append('set-cookie', one)
    return new Response(null, { status: 302, headers })
  }

  it('to itself is read', async () => {
    const answer = await site((_, cookie) =>
      cookie === 'ok=1; way=a'
        ? new Response('here')
        : back('/data', 'ok=1; Path=/; HttpOnly', 'way=a'),
    )
    expect(answer.text).toBe('here')
  })

  it('by way of a page that asks for it is read', async () => {
    const answer = await site(({ url }, cookie) => {
      if (url.endsWith('/consent')) return back('/data', 'ok=1')
      return cookie === 'ok=1' ? new Response('here') : back('/consent')
    })
    expect(answer.text).toBe('here')
  })

  it('to another host does not take it there', async () => {
    const answer = await site((request, cookie) =>
      request.headers.get('host')?.startsWith('two') === true
        ? new Response(`cookie ${cookie}`)
        : back('http://two.example/', 'ok=1; Domain=example'),
    )
    expect(answer.text).toBe('cookie ')
  })

  it('and is never content ends with a message that has the address', async () => {
    await expect(site(() => back('/data', 'ok=1'))).rejects.toMatchObject({
      kind: 'source-error',
      detail: 'http://one.example/data redirects in a circle, and sets cookies on the way',
    })
    let count = 0
    const always = site(() => back('/data', `session=${(count += 1)}`))
    await expect(always).rejects.toMatchObject({
      detail: 'http://one.example/data redirects more than 5 times, and sets cookies on the way',
    })
    await expect(site(() => back('/data', `ok=${'x'.repeat(5000)}`))).rejects.toMatchObject({
      detail: 'http://one.example/data redirects in a circle',
    })
  })
})
