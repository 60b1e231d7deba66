/** One check: which requests it makes, and what their answers mean. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ReachRun } from '../../../src/metrics/reach/url-reach.ts'
import type { Fault } from '../../support/portals/faults.ts'
import { portal, type Portal } from '../../support/portals/portal.ts'
import { redirector } from '../../support/portals/redirector.ts'
import { rawHost } from '../../support/portals/slow-host.ts'
import { quiet, reachFixture, type ReachFixture } from './reach-fixture.ts'

const signal = new AbortController().signal
let host: Portal
let leads: Portal
let raw: Awaited<ReturnType<typeof rawHost>>
let noise: Awaited<ReturnType<typeof rawHost>>
let place: ReachFixture
let run: ReachRun
/** What no host answers: nothing but its robots.txt, or not even that. */
let silence: 'pages' | 'all' | undefined

beforeAll(async () => {
  host = await portal((request) =>
    new URL(request.url).pathname === '/robots.txt'
      ? new Response('User-agent: *\nDisallow: /private', { headers: { Connection: 'close' } })
      : new Response('here', { headers: { 'X-Method': request.method } }),
  )
  leads = await redirector()
  noise = await rawHost('220 this is not HTTP\r\n')
  raw = await rawHost((request) =>
    request.startsWith('GET /robots.txt')
      ? 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'
      : '220 this is not HTTP\r\n',
  )
})

beforeEach(async () => {
  silence = undefined
  place = reachFixture({
    silent: (_, asked) => silence === 'all' || (silence === 'pages' && asked === 'page'),
    names: {
      'a.example': ['8.8.8.8'],
      'leads.example': ['8.8.4.4'],
      'raw.example': ['9.9.9.9'],
      'noise.example': ['9.9.9.10'],
      'down.example': ['1.1.1.1'],
    },
    world: {
      '8.8.8.8': host.port,
      '8.8.4.4': leads.port,
      '9.9.9.9': raw.port,
      '9.9.9.10': noise.port,
    },
  })
  run = (await place.open()).begin('run', quiet)
})

afterEach(async () => {
  await place.close()
  for (const one of [host, leads]) {
    one.reset()
    one.faults.clear()
  }
})

afterAll(async () => {
  await host.close()
  await leads.close()
  await raw.close()
  await noise.close()
})

const status = async (url: string) => (await run.statusOf(url, 'c', signal))?.status
/** What a host was asked beside its robots.txt. */
const asked = ({ requests }: Portal) =>
  requests
    .filter(({ path }) => path !== '/robots.txt')
    .map(({ method, path }) => `${method} ${path}`)
const isRobots = (request: Request) => new URL(request.url).pathname === '/robots.txt'
const onHead = (fault: Fault) => {
  host.faults.when((request) => request.method === 'HEAD' && !isRobots(request), fault)
}
const onAll = (fault: Fault, times?: number) => {
  host.faults.when((request) => !isRobots(request), fault, times)
}

describe('a check', () => {
  it('asks for the head only, after robots.txt', async () => {
    expect(await status('http://a.example/x?y')).toBe(200)
    expect(host.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /robots.txt',
      'HEAD /x?y',
    ])
  })

  it.each([400, 403, 404, 405, 406, 501])(
    'asks again with GET for one byte when HEAD gives %i, and that counts',
    async (code) => {
      onHead({ kind: 'status', status: code })
      expect(await status('http://a.example/x')).toBe(200)
      expect(asked(host)).toEqual(['HEAD /x', 'GET /x'])
      expect(host.requests.at(-1)?.headers['range']).toBe('bytes=0-0')
      host.faults.clear()
      onAll({ kind: 'status', status: code })
      expect(await status('http://a.example/y')).toBe(code)
    },
  )

  it.each([201, 204, 304, 401, 410, 418, 500, 502, 504, 999])(
    'takes %i of HEAD as it is',
    async (code) => {
      onAll({ kind: 'status', status: code })
      expect(await status('http://a.example/x')).toBe(code)
      expect(asked(host)).toEqual(['HEAD /x'])
    },
  )

  it('counts 206, and reads no body, however long', async () => {
    onHead({ kind: 'status', status: 405 })
    host.faults.when(({ method, url }) => method === 'GET' && url.endsWith('/x'), {
      kind: 'endless',
    })
    expect(await status('http://a.example/x')).toBe(200)
    host.faults.clear()
    onHead({ kind: 'status', status: 501 })
    onAll({ kind: 'status', status: 206 })
    expect(await status('http://a.example/y')).toBe(206)
  })

  it('leaves out user info and fragment, and takes URLs that differ in them for one', async () => {
    expect(await status('http://user:word@a.example/x#top')).toBe(200)
    expect(await status('http://a.example/x#end')).toBe(200)
    expect(asked(host)).toEqual(['HEAD /x'])
    expect(JSON.stringify(host.requests)).not.toMatch(/authorization|word|top/)
  })
})

describe('redirects', () => {
  const to = (url: string) => `http://leads.example/to?url=${encodeURIComponent(url)}`

  it('are followed to the status at their end, five at most', async () => {
    host.faults.when((request) => !isRobots(request), { kind: 'status', status: 410 })
    expect(await status(to('http://a.example/x'))).toBe(410)
    expect(await status('http://leads.example/chain?hops=5')).toBe(200)
    expect(await status('http://leads.example/chain?hops=6')).toBe(1100)
  })

  it('in a circle are 1100', async () => {
    expect(await status('http://leads.example/self')).toBe(1100)
    expect(await status('http://leads.example/ring?place=1')).toBe(1100)
    expect(asked(leads)).toHaveLength(4)
  })

  it('that lead nowhere are what they are', async () => {
    leads.faults.when((request) => !isRobots(request), { kind: 'status', status: 302 })
    expect(await status('http://leads.example/x')).toBe(302)
  })

  it('obey the robots.txt of the host that they lead to', async () => {
    expect(await status(to('http://a.example/private'))).toBeUndefined()
    expect(asked(host)).toEqual([])
    expect(await status(to('http://down.example/'))).toBe(1100)
  })
})

describe('1100', () => {
  it.each([
    ['no address for the name', 'http://nobody.example/'],
    ['a refused connection', 'http://down.example/'],
    ['no TLS', 'https://a.example/'],
    ['no HTTP', 'http://raw.example/'],
  ])('is %s', async (_, url) => {
    expect(await status(url)).toBe(1100)
  })

  it('is a reset after another try', async () => {
    onAll({ kind: 'reset' })
    expect(await status('http://a.example/x')).toBe(1100)
    expect(asked(host)).toEqual(['HEAD /x', 'HEAD /x'])
  })

  it('is not a reset that does not happen again', async () => {
    onAll({ kind: 'reset' }, 1)
    expect(await status('http://a.example/x')).toBe(200)
    expect(asked(host)).toEqual(['HEAD /x', 'HEAD /x'])
  })

  it('is a host that hangs, after another try', async () => {
    silence = 'pages'
    onAll({ kind: 'silent' })
    expect(await status('http://a.example/x')).toBe(1100)
    expect(asked(host)).toEqual(['HEAD /x', 'HEAD /x'])
  })

  it('is told at once of a host that has not answered five times', async () => {
    silence = 'pages'
    onAll({ kind: 'silent' })
    const urls = Array.from({ length: 40 }, (_, number) => `http://a.example/${number}`)
    const told = await Promise.all(urls.map(status))
    expect(new Set(told)).toEqual(new Set([1100]))
    expect(asked(host).length).toBeLessThan(10)
  })
})

describe('no verdict', () => {
  it.each([429, 503])('is %i', async (code) => {
    onAll({ kind: 'status', status: code })
    expect(await status('http://a.example/x')).toBeUndefined()
    expect(asked(host)).toEqual(['HEAD /x'])
  })

  it('is what robots.txt forbids, or a robots.txt that cannot be had', async () => {
    expect(await status('http://a.example/private/x')).toBeUndefined()
    leads.faults.when(isRobots, { kind: 'status', status: 500 })
    expect(await status('http://leads.example/x')).toBeUndefined()
    expect([...asked(host), ...asked(leads)]).toEqual([])
  })

  const hindrances: readonly (readonly [string, Fault])[] = [
    ['says nothing', { kind: 'silent' }],
    ['leads into the house', { kind: 'redirect', to: 'http://127.0.0.1:9/robots.txt' }],
    ['leads to a host that is not there', { kind: 'redirect', to: 'http://down.example/' }],
  ]
  it.each(hindrances)('is of a host whose robots.txt %s', async (_, fault) => {
    if (fault.kind === 'silent') silence = 'all'
    host.faults.when(isRobots, fault)
    expect(await status('http://a.example/x')).toBeUndefined()
    expect(asked(host)).toEqual([])
  })

  it('is of a host that gives something else than HTTP for its robots.txt', async () => {
    expect(await status('http://noise.example/x')).toBeUndefined()
  })

  it('comes without a question while a host wants to be left alone', async () => {
    const later = { kind: 'status', status: 429, headers: { 'Retry-After': '120' } } as const
    onAll(later, 1)
    expect(await status('http://a.example/x')).toBeUndefined()
    expect(await status('http://a.example/y')).toBeUndefined()
    expect(asked(host)).toEqual(['HEAD /x'])
    place.clock.jump(121_000)
    expect(await status('http://a.example/z')).toBe(200)
  })

  it('of a short Retry-After is waited for', async () => {
    onAll({ kind: 'status', status: 503, headers: { 'Retry-After': '7' } }, 1)
    expect(await status('http://a.example/x')).toBeUndefined()
    const before = place.clock.now()
    expect(await status('http://a.example/y')).toBe(200)
    expect(place.clock.now() - before).toBeGreaterThan(6000)
  })

  it('comes without a question when a host has said nothing but 429 five times', async () => {
    onAll({ kind: 'status', status: 429 })
    const urls = Array.from({ length: 40 }, (_, number) => `http://a.example/${number}`)
    await Promise.all(urls.map(status))
    expect(asked(host).length).toBeLessThan(8)
  })
})
