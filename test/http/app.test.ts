/** The shell of every station, asked as a client would. */

import { createRoute, z } from '@hono/zod-openapi'
import { describe, expect, it } from 'vitest'
import { Failure } from '../../src/errors.ts'
import { newApp, type AppOptions } from '../../src/http/app.ts'
import { mount } from '../../src/http/endpoint.ts'
import { metrics, readMetrics } from '../../src/http/metrics.ts'
import { logger } from '../../src/log.ts'

const search = createRoute({
  method: 'get',
  path: '/search',
  request: { query: z.object({ limit: z.coerce.number().max(1000), page: z.coerce.number() }) },
  responses: { 200: { description: 'hits' } },
})
const post = createRoute({
  method: 'post',
  path: '/search',
  request: {
    body: { content: { 'application/json': { schema: z.object({ 'a/b': z.array(z.int()) }) } } },
  },
  responses: { 200: { description: 'hits' } },
})

function station(options: Partial<AppOptions> = {}) {
  const lines: string[] = []
  const log = logger('info', { write: (line) => void lines.push(line) })
  const app = newApp({ log, name: 'test', makeId: () => 'made', ...options })
  app.openapi(search, (c) => c.json(c.req.valid('query')))
  app.openapi(post, (c) => c.json(c.req.valid('json')))
  app.get('/things/:id', (c) => c.json({ id: c.req.param('id'), path: c.req.path }))
  app.put('/things/:id', (c) => c.body(null, 204))
  app.get('/broken', () => {
    throw new Error('password canary')
  })
  app.get('/full', () => {
    throw new Failure('too-many-requests', 'later', { retryAfter: 3 })
  })
  app.get('/large', (c) => c.text('Grüße '.repeat(1000)))
  const events = () => lines.map((line): Record<string, unknown> => JSON.parse(line))
  return { app, lines, events }
}

const problem = async (answer: Response) => {
  expect(answer.headers.get('Content-Type')).toBe('application/problem+json')
  const body: { type: string; errors?: object[] } = JSON.parse(await answer.text())
  return body
}

describe('an unknown path', () => {
  it('is a 404 problem whose instance is the path without the query', async () => {
    const answer = await station().app.request('/nothing?x=1')
    expect(answer.status).toBe(404)
    expect(await problem(answer)).toMatchObject({
      type: 'urn:cartulary:problem:not-found',
      instance: '/nothing',
    })
  })
})

describe('a known path with another method', () => {
  it('is a 405 problem with Allow', async () => {
    const answer = await station().app.request('/things/x', { method: 'DELETE' })
    expect(answer.status).toBe(405)
    expect(answer.headers.get('Allow')).toBe('GET, HEAD, OPTIONS, PUT')
    expect((await problem(answer)).type).toBe('urn:cartulary:problem:method-not-allowed')
  })

  it('answers OPTIONS with 204 and Allow, and an unknown path with 404', async () => {
    const answer = await station().app.request('/things/x', { method: 'OPTIONS' })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('Allow')).toBe('GET, HEAD, OPTIONS, PUT')
    expect((await station().app.request('/no', { method: 'OPTIONS' })).status).toBe(404)
  })
})

describe('HEAD', () => {
  it('has status and headers of GET and no body', async () => {
    const { app } = station()
    for (const path of ['/things/x', '/nothing']) {
      const get = await app.request(path)
      const head = await app.request(path, { method: 'HEAD' })
      expect(head.status).toBe(get.status)
      expect(Object.fromEntries(head.headers)).toEqual(Object.fromEntries(get.headers))
      expect(await head.text()).toBe('')
    }
  })
})

describe('a trailing slash', () => {
  it('means nothing for reads and something for writes', async () => {
    const { app } = station()
    expect((await app.request('/things/x/')).status).toBe(200)
    expect((await app.request('/things/x/', { method: 'HEAD' })).status).toBe(200)
    expect((await app.request('/things/x/', { method: 'PUT' })).status).toBe(404)
  })
})

describe('parameters', () => {
  it('are refused all at once, each by its name', async () => {
    const body = await problem(await station().app.request('/search?limit=2000&page=x'))
    expect(body.type).toBe('urn:cartulary:problem:invalid-parameter')
    expect(body.errors).toEqual([
      { parameter: 'limit', detail: expect.stringContaining('got 2000') },
      { parameter: 'page', detail: expect.stringContaining('got x') },
    ])
  })

  it('of a JSON body are refused by JSON Pointer', async () => {
    const answer = await station().app.request('/search', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"a/b":[1,"x"]}',
    })
    expect((await problem(answer)).errors).toMatchObject([{ pointer: '/a~1b/1' }])
  })

  it('of a body that is no JSON are a malformed-json problem', async () => {
    const answer = await station().app.request('/search', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"a',
    })
    expect(answer.status).toBe(400)
    expect((await problem(answer)).type).toBe('urn:cartulary:problem:malformed-json')
  })
})

describe('an unexpected error', () => {
  it('[T7] is a bare 500, and whole in the log under the same request id', async () => {
    const { app, lines, events } = station()
    const answer = await app.request('/broken')
    expect(answer.status).toBe(500)
    expect(await answer.text()).not.toContain('canary')
    expect(lines.join('')).toContain('password canary')
    expect(events().map(({ event, requestId }) => [event, requestId])).toEqual([
      ['request.failed', 'made'],
      ['request', 'made'],
    ])
  })
})

describe('a base path', () => {
  it('is cut off before routes and permissions see the path', async () => {
    const { app } = station({ base: '/api/hub/x' })
    expect(await (await app.request('/api/hub/x/things/1')).json()).toEqual({
      id: '1',
      path: '/things/1',
    })
    expect((await app.request('/api/hub/xthings/1')).status).toBe(404)
    expect(await problem(await app.request('/api/hub/x/no'))).toMatchObject({
      instance: '/api/hub/x/no',
    })
  })
})

describe('pages of other origins', () => {
  const from = { Origin: 'https://a.example' }
  const preflight = (method: string) => ({
    method: 'OPTIONS',
    headers: { ...from, 'Access-Control-Request-Method': method },
  })

  it('may read', async () => {
    const answer = await station().app.request('/things/x', { headers: from })
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(answer.headers.get('Access-Control-Expose-Headers')).toMatch(/Location.*ETag.*Link/)
  })

  it('[T15] may not write, and no preflight for reading says so either', async () => {
    const { app } = station()
    const write = await app.request('/things/x', preflight('PUT'))
    expect(write.headers.get('Access-Control-Allow-Origin')).toBeNull()
    const read = await app.request('/things/x', preflight('GET'))
    expect(read.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(read.headers.get('Access-Control-Allow-Methods')).toBe('GET, HEAD, OPTIONS')
  })

  it('may write from a configured origin, and caches can tell', async () => {
    const { app } = station({ cors: { origins: ['https://a.example'] } })
    const asked = await app.request('/things/x', preflight('PUT'))
    expect(asked.headers.get('Access-Control-Allow-Origin')).toBe('https://a.example')
    expect(asked.headers.get('Access-Control-Allow-Methods')).toContain('PUT')
    const done = await app.request('/things/x', { method: 'PUT', headers: from })
    expect(done.headers.get('Access-Control-Allow-Origin')).toBe('https://a.example')
    expect(done.headers.get('Vary')).toContain('Origin')
    const other = { method: 'PUT', headers: { Origin: 'https://b.example' } }
    const refused = await app.request('/things/x', other)
    expect(refused.headers.get('Access-Control-Allow-Origin')).toBeNull()
  })

  it('may send the headers that clients of query languages add, and none of a proxy', async () => {
    const ask = async (names: string) => {
      const asked = preflight('GET')
      const headers = { ...asked.headers, 'Access-Control-Request-Headers': names }
      const answer = await station().app.request('/things/x', { ...asked, headers })
      return answer.headers.get('Access-Control-Allow-Headers')?.split(', ').slice(9)
    }
    expect(await ask('queryid, x-requested-with,content-type')).toEqual([
      'queryid',
      'x-requested-with',
    ])
    expect(await ask('X-Forwarded-For, forwarded, bad name, x\u00e4')).toEqual([])
    const many = Array.from({ length: 50 }, (_, at) => `x-${at}`).join(',')
    expect(await ask(many)).toHaveLength(20)
  })

  it('may POST where that only reads', async () => {
    const { app } = station({ cors: { reads: ['POST'] } })
    const asked = await app.request('/search', preflight('POST'))
    expect(asked.headers.get('Access-Control-Allow-Methods')).toContain('POST')
  })
})

describe('every answer', () => {
  it('forbids guessing of types and has a request id', async () => {
    const answer = await station().app.request('/things/x', {
      headers: { 'X-Request-Id': 'abc-1' },
    })
    expect(answer.headers.get('X-Content-Type-Options')).toBe('nosniff')
    expect(answer.headers.get('X-Request-Id')).toBe('abc-1')
    expect(answer.headers.get('Cache-Control')).toBe('no-cache')
  })

  it.each(['', 'a b', 'x'.repeat(65), 'é', '<script>'])(
    '[T16] makes its own id instead of %j',
    async (id) => {
      const answer = await station().app.request('/things/x', { headers: { 'X-Request-Id': id } })
      expect(answer.headers.get('X-Request-Id')).toBe('made')
    },
  )

  it('of 429 says when to come back', async () => {
    const answer = await station().app.request('/full')
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([429, '3'])
  })
})

describe('the log line of a request', () => {
  it('has method, path, status, time and id, and no secret of the query', async () => {
    let clock = 0
    const { app, events } = station({ now: () => (clock += 5) })
    await app.request('/things/x?q=1&API_KEY=canary&%74oken=canary2')
    expect(events()).toMatchObject([
      {
        event: 'request',
        service: 'test',
        method: 'GET',
        path: '/things/x?q=1&API_KEY=•••&%74oken=•••',
        status: 200,
        ms: 5,
        requestId: 'made',
      },
    ])
  })
})

describe('a request with a trace', () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` }

  it('is answered with it, and its problems and log lines have the id', async () => {
    const { app, events } = station()
    const good = await app.request('/things/x', { headers })
    expect(good.headers.get('traceparent')).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`))
    const broken = await app.request('/broken', { headers })
    expect(broken.headers.get('traceparent')).toContain(traceId)
    expect(await problem(broken)).toMatchObject({ traceId })
    expect(events().map((line) => [line['event'], line['traceId']])).toEqual([
      ['request', traceId],
      ['request.failed', traceId],
      ['request', traceId],
    ])
  })

  it('that is invalid, or without one, has none', async () => {
    const { app, events } = station()
    const answers = [
      await app.request('/broken', { headers: { traceparent: 'x' } }),
      await app.request('/broken'),
    ]
    for (const answer of answers) {
      expect(answer.headers.has('traceparent')).toBe(false)
      expect(await problem(answer)).not.toHaveProperty('traceId')
    }
    expect(events().filter((line) => 'traceId' in line)).toEqual([])
  })
})

describe('requests in the log', () => {
  const paths = ['/things/x', '/nothing', '/broken', '/metrics']
  const loggedOf = async (options: Partial<AppOptions>) => {
    const numbers = metrics()
    const { app, events } = station({ ...options, metrics: numbers })
    mount(app, [readMetrics], { metrics: numbers })
    for (const path of paths) await app.request(path)
    const requests = events().filter(({ event }) => event === 'request')
    return requests.map(({ path, level }) => `${String(level)} ${String(path)}`)
  }

  it.each([
    ['all', ['info /things/x', 'info /nothing', 'info /broken', 'info /metrics']],
    ['errors', ['info /nothing', 'info /broken']],
    ['slow', []],
    ['none', []],
  ] as const)('are written as %s says', async (logRequests, lines) => {
    expect(await loggedOf({ logRequests })).toEqual(lines)
  })

  it('by monitors are not written at info, and slow ones are warnings', async () => {
    expect(await loggedOf({ name: 'root' })).not.toContain('info /metrics')
    let clock = 0
    expect(await loggedOf({ name: 'root', now: () => (clock += 1001) })).toContain('warn /metrics')
    clock = 0
    const slow = await loggedOf({ logRequests: 'slow', now: () => (clock += 1001) })
    expect(slow).toHaveLength(4)
  })
})

describe('metrics', () => {
  it('count per route pattern, so that ids and unknown paths do not multiply the series', async () => {
    const numbers = metrics()
    const { app } = station({ metrics: numbers })
    mount(app, [readMetrics], { metrics: numbers })
    for (const path of ['/things/1', '/things/2', '/no/1', '/no/2']) await app.request(path)
    const answer = await app.request('/metrics')
    const text = await answer.text()
    expect(answer.headers.get('Content-Type')).toContain('text/plain')
    expect(text).toContain('_count{service="test",method="GET",route="/things/:id",status="2xx"} 2')
    expect(text).toContain('_count{service="test",method="GET",route="none",status="4xx"} 2')
  })
})
