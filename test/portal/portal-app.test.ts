/** Pages by themselves: how many are made at once, and who may show them in a frame. */

import { expect, it } from 'vitest'
import { newApp } from '../../src/http/app.ts'
import { logger } from '../../src/log.ts'
import { type Port, portInProcess } from '../../src/portal/ports.ts'
import { renderQueue, type ExternalWriters } from '../../src/portal/render-queue.ts'
import { appAlone, portsTo } from './app-alone.ts'

/** Somebody writes without a pause. */
const busy: ExternalWriters = { isActive: () => true, waitForGap: () => Promise.resolve() }

/** The portal on a service that answers nothing until it is told to; counts how many pages ask it at once. */
function slowPortal(writers?: ExternalWriters) {
  const answer = Promise.withResolvers<void>()
  const counts = { asking: 0, most: 0 }
  const slow: Port = async () => {
    counts.asking += 1
    counts.most = Math.max(counts.most, counts.asking)
    await answer.promise
    counts.asking -= 1
    return Response.json({ result: { count: 0, results: [], facets: [] } })
  }
  const app = appAlone(portsTo(slow), { writers })
  const crowd = (size: number) =>
    Array.from({ length: size }, async () =>
      app.request('http://h/en/sparql?query=ASK%20%7B%7D', { headers: { Accept: 'text/html' } }),
    )
  return { crowd, counts, answer: answer.resolve }
}

it('of a crowd is made sixteen at a time, 64 wait, and all others are 503 with Retry-After at once', async () => {
  const { crowd, counts, answer } = slowPortal()
  const pages = crowd(100)
  const refused = await Promise.race(pages)
  expect(refused.status).toBe(503)
  expect(refused.headers.get('Retry-After')).toBe('5')
  expect(await refused.text()).toContain('<html')
  answer()
  const states = (await Promise.all(pages)).map(({ status }) => status)
  expect(states.filter((status) => status === 503)).toHaveLength(20)
  expect(counts.most).toBe(16)
})

it('that comes while somebody writes waits longer, and is refused no earlier', async () => {
  const { crowd, answer } = slowPortal(busy)
  const pages = crowd(80)
  answer()
  const states = (await Promise.all(pages)).map(({ status }) => status)
  expect(states.filter((status) => status !== 200)).toEqual([])
})

it.each([
  ['as long as they are quick', 1_000_000, 3],
  ['until they turn out to be slow', 1, 16],
])('are made three at a time beside a writer, %s', async (_what, slowMs, expected) => {
  const { run } = renderQueue(busy, slowMs)
  const end = Promise.withResolvers<void>()
  let begun = 0
  const { signal } = new AbortController()
  const work = async () => {
    begun += 1
    await end.promise
  }
  const all = Array.from({ length: 40 }, () => run(work, signal))
  await expect.poll(() => begun).toBe(expected)
  end.resolve()
  await Promise.all(all)
  expect(begun).toBe(40)
})

it.each([
  ['/en/check', 200, "frame-ancestors 'none'"],
  ['/embed/en/check', 200, 'frame-ancestors https://city.example'],
  ['/embed/en/sign-in', 404, undefined],
])(
  'at %s is %i and says %s where the operator names a site that shows pages',
  async (path, status, policy) => {
    const empty: Port = () => Promise.resolve(Response.json({}))
    const app = appAlone(portsTo(empty), { config: { embed: ['https://city.example/news'] } })
    const page = await app.request(`http://h${path}`, { headers: { Accept: 'text/html' } })
    expect(page.status).toBe(status)
    if (policy === undefined) return
    expect(page.headers.get('Content-Security-Policy')).toContain(policy)
    const text = await page.text()
    expect(text.includes('<header class="top"')).toBe(!path.startsWith('/embed'))
    expect(text.includes('target="_top"')).toBe(path.startsWith('/embed'))
  },
)

it('is not made again for a reader who has it while every service says that nothing has changed', async () => {
  let [tag, made] = ['"1"', 0]
  const service: Port = async (_, init) => {
    if (new Headers(init?.headers).get('If-None-Match') === tag)
      return new Response(null, { status: 304 })
    made += 1
    const result = { count: made, results: [], facets: [] }
    return Response.json({ result }, { headers: { ETag: tag } })
  }
  const app = appAlone(portsTo(service))
  const ask = (headers: Record<string, string>) =>
    app.request('http://h/en/catalogues', { headers: { Accept: 'text/html', ...headers } })
  const first = await ask({})
  const known = { 'If-None-Match': first.headers.get('ETag') ?? '' }
  expect(made).toBe(1)
  expect((await ask(known)).status).toBe(304)
  expect(made).toBe(1)
  tag = '"2"'
  const changed = await ask(known)
  expect(changed.status).toBe(200)
  expect(changed.headers.get('ETag')).not.toBe(known['If-None-Match'])
})

it('begins between two writes, and does not wait for a gap where nobody is expected', async () => {
  const over = Promise.withResolvers<void>()
  let isExpected = false
  const { run } = renderQueue({ isActive: () => isExpected, waitForGap: () => over.promise })
  const { signal } = new AbortController()
  expect(await run(() => Promise.resolve('at once'), signal)).toBe('at once')
  isExpected = true
  let isBegun = false
  const page = run(async () => (isBegun = true), signal)
  await new Promise(setImmediate)
  expect(isBegun).toBe(false)
  over.resolve()
  expect(await page).toBe(true)
})

it.each([
  [{ key: true }, true],
  [{ key: false }, false],
])('of a portal with signIn %j leads to the sign-in: %s', async (signIn, isLinked) => {
  const empty: Port = () => Promise.resolve(Response.json({}))
  const app = appAlone(portsTo(empty), { config: { signIn } })
  const page = await app.request('http://h/en/check', { headers: { Accept: 'text/html' } })
  expect((await page.text()).includes('/en/sign-in')).toBe(isLinked)
})

const from = (address: string) => ({
  incoming: { socket: { remoteAddress: address } },
})

it('of one address are half of those that are made, and half of those that wait', async () => {
  const { run } = renderQueue()
  const end = Promise.withResolvers<void>()
  const { signal } = new AbortController()
  const begun: string[] = []
  const page = (client: string) =>
    run(
      async () => {
        begun.push(client)
        await end.promise
      },
      signal,
      client,
    )
  const crowd = Array.from({ length: 40 }, () => page('192.0.2.1'))
  await expect(page('192.0.2.1')).rejects.toMatchObject({ kind: 'queue-full' })
  const other = page('198.51.100.9')
  await new Promise(setImmediate)
  expect(begun.filter((client) => client === '192.0.2.1')).toHaveLength(8)
  expect(begun).toContain('198.51.100.9')
  end.resolve()
  await Promise.all([...crowd, other])
})

it('says to a crowd what was written once, with the number of each request', async () => {
  const { crowd, answer } = slowPortal()
  const pages = crowd(82)
  const refused = await Promise.all(pages.slice(80))
  const [one = '', other = ''] = await Promise.all(
    refused.map(async (page) => {
      const text = await page.text()
      expect(text).toContain(page.headers.get('X-Request-Id')?.slice(0, 8))
      return text.replaceAll(page.headers.get('X-Request-Id')?.slice(0, 8) ?? '', '')
    }),
  )
  expect(one).toBe(other)
  answer()
  await Promise.all(pages)
})

it('ask the services in the name of their reader, so that bounds of a client are those of one reader', async () => {
  const seen: string[] = []
  const service = newApp({ log: logger('silent'), name: 'sparql' })
  service.get('/*', (c) => {
    seen.push(c.get('client'))
    return c.json({ result: { count: 0, results: [], facets: [] } })
  })
  const publicAddress = { configured: 'http://h/', base: 'http://h/' }
  const app = appAlone(portsTo(portInProcess(service, '')), { http: { publicAddress } })
  for (const address of ['192.0.2.1', '198.51.100.9'])
    await app.request('http://h/en/datasets', {}, from(address))
  expect(new Set(seen)).toEqual(new Set(['192.0.2.1', '198.51.100.9']))
})

it('asks every service with the id of the request for the page, also where the page is known already', async () => {
  const ids = new Set<string | null>()
  const service: Port = (_path, init) => {
    const headers = new Headers(init?.headers)
    ids.add(headers.get('X-Request-Id'))
    const status = headers.has('If-None-Match') ? 304 : 200
    const body = status === 304 ? null : JSON.stringify({ result: { results: [], facets: [] } })
    const own = { 'Content-Type': 'application/json', ETag: '"1"' }
    return Promise.resolve(new Response(body, { status, headers: own }))
  }
  const app = appAlone(portsTo(service))
  const ask = async (id: string, tag = '') =>
    app.request('http://h/en/catalogues', {
      headers: { Accept: 'text/html', 'X-Request-Id': id, ...(tag && { 'If-None-Match': tag }) },
    })
  const page = await ask('first')
  expect([page.status, ...ids]).toEqual([200, 'first'])
  ids.clear()
  const again = await ask('second', page.headers.get('ETag') ?? '')
  expect([again.status, ...ids]).toEqual([304, 'second'])
})
