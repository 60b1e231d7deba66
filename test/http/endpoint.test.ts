/** Endpoints: what `mount` registers, who may call it, and what the OpenAPI document says of it. */

import { z } from '@hono/zod-openapi'
import { describe, expect, it } from 'vitest'
import { Failure } from '../../src/errors.ts'
import { apiKeys } from '../../src/http/api-key.ts'
import { type AppContext, newApp } from '../../src/http/app.ts'
import {
  anyone,
  type Endpoint,
  endpointsFor,
  mayAs,
  mayCall,
  mayCallFor,
  mount,
  pageEndpoint,
} from '../../src/http/endpoint.ts'
import { problem } from '../../src/http/problem.ts'
import { logger } from '../../src/log.ts'

type Services = { readonly calls: string[]; readonly catalogueOf: (id: string) => string }

const endpoint = endpointsFor<Services>({ default: problem() })
const done = { 200: { description: 'Done' } }
const params = z.object({ id: z.string().regex(/^[a-z]+$/) })

const readThing = endpoint({
  method: 'get',
  path: '/things/{id}',
  operation: 'readThing',
  tag: 'things',
  summary: 'One thing',
  auth: anyone,
  params,
  query: z.object({ limit: z.coerce.number().int().default(3) }),
  answers: done,
  handle: ({ params: { id }, query: { limit } }) => ({ id, limit }),
})
const putThing = endpoint({
  method: 'put',
  path: '/things/{id}',
  operation: 'putThing',
  tag: 'things',
  summary: 'Set one thing',
  auth: mayCallFor((c, { catalogueOf }) => catalogueOf(c.req.param('id') ?? '')),
  params,
  answers: done,
  handle: ({ c, params: { id } }, { calls }) => {
    calls.push(id)
    return c.json({ id }, 201)
  },
})
const listSecrets = endpoint({
  method: 'get',
  path: '/secrets',
  operation: 'listSecrets',
  tag: 'things',
  summary: 'All secrets',
  auth: { ...mayCall, orElse: { method: 'POST', path: '/clear' } },
  answers: done,
  handle: () => [],
})
const switchThing = endpoint({
  method: 'get',
  path: '/things/{id}/on',
  operation: 'switchThing',
  tag: 'things',
  summary: 'Switch one thing on',
  auth: mayCall,
  isChangingGet: true,
  params,
  answers: done,
  handle: (_, { calls }) => {
    calls.push('on')
    return {}
  },
})
const switchByPost = endpoint({
  method: 'post',
  path: '/things/{id}/on',
  operation: 'switchByPost',
  tag: 'things',
  summary: 'Switch one thing on',
  auth: mayCall,
  params,
  answers: done,
  handle: () => ({}),
})
const allEndpoints = [readThing, putThing, listSecrets, switchThing, switchByPost]

function service(endpoints: readonly Endpoint<Services>[] = allEndpoints) {
  const calls: string[] = []
  const limited: string[] = []
  const app = newApp({ log: logger('silent'), name: 'things' })
  const keys = apiKeys({
    all: ['*'],
    rivers: ['rivers'],
    one: ['PUT /things/{id}'],
    clear: ['POST /clear'],
    nothing: [],
    publisher: ['publisher:rivers'],
    reader: ['reader:rivers'],
  })
  const services = { calls, catalogueOf: (id: string) => (id === 'level' ? 'rivers' : 'lakes') }
  const limit = async (key: string, work: () => Promise<void>) => {
    limited.push(key)
    await work()
  }
  mount(app, endpoints, services, { keys, limit })
  const ask = async (method: string, path: string, key?: string, headers = {}) => {
    const all = { ...(key !== undefined && { 'X-API-Key': key }), ...headers }
    const answer = await app.request(path, { method, headers: all })
    const body = (method === 'HEAD' ? {} : await answer.json()) as { detail?: string }
    return { status: answer.status, body, allow: answer.headers.get('Allow') }
  }
  return { app, ask, calls, limited }
}

describe('an endpoint', () => {
  it('that needs nothing is open, and its parameters are parsed', async () => {
    const { ask, limited } = service()
    expect(await ask('GET', '/things/level')).toMatchObject({
      status: 200,
      body: { id: 'level', limit: 3 },
    })
    expect((await ask('GET', '/things/level?limit=x')).status).toBe(400)
    expect(limited).toEqual([])
  })

  it('answers a value as JSON and a response as it is', async () => {
    const { ask } = service()
    expect((await ask('GET', '/secrets', 'all')).body).toEqual([])
    expect((await ask('PUT', '/things/level', 'all')).status).toBe(201)
  })

  it('checks the key before the parameters, and calls no handler without permission', async () => {
    const { ask, calls } = service()
    expect((await ask('PUT', '/things/NO')).status).toBe(401)
    expect((await ask('PUT', '/things/NO', 'wrong')).status).toBe(401)
    expect((await ask('PUT', '/things/NO', 'nothing')).status).toBe(403)
    expect((await ask('PUT', '/things/NO', 'all')).status).toBe(400)
    expect(calls).toEqual([])
  })

  it('is permitted by *, by its pattern, and by the catalogue of the resource', async () => {
    const { ask } = service()
    const statusOf = async (path: string, key: string) => (await ask('PUT', path, key)).status
    expect(await statusOf('/things/level', 'all')).toBe(201)
    expect(await statusOf('/things/level', 'one')).toBe(201)
    expect(await statusOf('/things/level', 'rivers')).toBe(201)
    expect(await statusOf('/things/depth', 'rivers')).toBe(403)
  })

  it('is permitted by a further action where it names one', async () => {
    const { ask } = service()
    expect((await ask('GET', '/secrets', 'clear')).status).toBe(200)
    expect((await ask('GET', '/secrets', 'one')).status).toBe(403)
  })

  it('is permitted by the action that it names in place of its own', async () => {
    const app = newApp({ log: logger('silent'), name: 'things' })
    const auth = { needs: 'permission', action: { method: 'POST', path: '/clear' } } as const
    const keys = apiKeys({ clear: ['POST /clear'], own: ['GET /secrets'] })
    mount(app, [{ ...listSecrets, auth }], { calls: [], catalogueOf: (id) => id }, { keys })
    const ask = (key: string) => app.request('/secrets', { headers: { 'X-API-Key': key } })
    expect((await ask('clear')).status).toBe(200)
    const refusal = await ask('own')
    expect([refusal.status, await refusal.json()]).toMatchObject([
      403,
      {
        detail: 'the key lacks the permission for POST /clear: it needs "POST /clear" or "*"',
      },
    ])
  })

  it('with a role is permitted from that role on in the catalogue, and says it in its 403', async () => {
    const auth = mayAs<Services>('publisher', (c, { catalogueOf }) =>
      catalogueOf(c.req.param('id') ?? ''),
    )
    const { ask } = service([{ ...putThing, auth }])
    const statusOf = async (path: string, key: string) => (await ask('PUT', path, key)).status
    expect(await statusOf('/things/level', 'publisher')).toBe(201)
    expect(await statusOf('/things/level', 'rivers')).toBe(201)
    expect(await statusOf('/things/level', 'reader')).toBe(403)
    const { body } = await ask('PUT', '/things/depth', 'publisher')
    expect(body.detail).toContain('it needs "PUT /things/{id}", "publisher:lakes" or "*"')
    expect(await service().ask('PUT', '/things/level', 'publisher')).toMatchObject({ status: 403 })
  })

  it('that needs any key is 401 without one', async () => {
    const { ask } = service([{ ...listSecrets, auth: { needs: 'key' } }])
    expect((await ask('GET', '/secrets')).status).toBe(401)
    expect((await ask('GET', '/secrets', 'nothing')).status).toBe(200)
  })

  it('names the missing permissions and the catalogue in its 403', async () => {
    const { ask } = service()
    const { body } = await ask('PUT', '/things/depth', 'rivers')
    expect(body.detail).toBe(
      'the key lacks the permission for PUT /things/{id} in the catalogue "lakes": it needs "PUT /things/{id}", "lakes" or "*"',
    )
    expect((await ask('GET', '/secrets', 'nothing')).body.detail).toBe(
      'the key lacks the permission for GET /secrets: it needs "GET /secrets" or "*"',
    )
  })

  it('checks its path after the permission and before the parameters', async () => {
    const check = (c: AppContext): undefined => {
      if (c.req.param('id') === 'NO') throw new Failure('unknown-resource', 'no such thing')
    }
    const { ask, calls } = service([{ ...putThing, auth: { ...putThing.auth, check } }])
    expect((await ask('PUT', '/things/NO', 'nothing')).status).toBe(403)
    expect((await ask('PUT', '/things/NO', 'all')).status).toBe(404)
    expect((await ask('PUT', '/things/NO2', 'all')).status).toBe(400)
    expect(calls).toEqual([])
    expect((await ask('PUT', '/things/level', 'all')).status).toBe(201)
  })

  it('may answer or refuse in its check, in place of the handler', async () => {
    const check = (c: AppContext) => {
      if (c.req.param('id') === 'forbidden') throw new Failure('forbidden', 'not this one')
      return c.req.param('id') === 'moved' ? c.redirect('/things/level', 303) : undefined
    }
    const { app, ask, calls } = service([
      { ...switchByPost, auth: { ...anyone, check } },
      { ...readThing, auth: { needs: 'session', check } },
    ])
    expect((await ask('GET', '/things/level')).status).toBe(200)
    expect((await ask('GET', '/things/forbidden')).status).toBe(403)
    expect((await app.request('/things/moved')).headers.get('Location')).toBe('/things/level')
    expect((await app.request('/things/moved/on', { method: 'POST' })).status).toBe(303)
    expect(calls).toEqual([])
  })

  it('is limited by key where it changes something', async () => {
    const { ask, limited } = service()
    await ask('PUT', '/things/level', 'all')
    await ask('GET', '/things/level/on', 'all')
    await ask('GET', '/secrets', 'all')
    expect(limited).toHaveLength(2)
  })

  it('that changes something by GET is for no HEAD and no page of another site', async () => {
    const { ask, calls } = service()
    const head = await ask('HEAD', '/things/level/on', 'all')
    expect([head.status, head.allow]).toEqual([405, 'GET, OPTIONS, POST'])
    const foreign = { 'Sec-Fetch-Site': 'cross-site' }
    expect((await ask('GET', '/things/level/on', 'all', foreign)).status).toBe(403)
    expect(calls).toEqual([])
    expect((await ask('GET', '/things/level/on', 'all')).status).toBe(200)
    expect(calls).toEqual(['on'])
  })

  it('cannot be mounted without keys where it needs one or changes something by GET', () => {
    const app = newApp({ log: logger('silent'), name: 'things' })
    const services = { calls: [], catalogueOf: (id: string) => id }
    const openSwitch = { ...switchThing, auth: anyone }
    for (const one of [putThing, listSecrets, switchThing, openSwitch])
      expect(() => mount(app, [one], services)).toThrow('needs keys')
    expect(() => mount(app, [readThing], services)).not.toThrow()
  })

  it('that is hidden is served and not described, parameters that are only described are not checked', async () => {
    const described = { name: 'colour', in: 'query', required: true } as const
    const common = {
      method: 'get',
      operation: 'getColours',
      tag: 'colours',
      summary: 'Colours',
      auth: anyone,
      answers: done,
    } as const
    const handle = () => ['red']
    const listColours = endpoint({
      ...common,
      path: '/colours',
      parameters: [described],
      handle,
    })
    const alias = endpoint({ ...common, path: '/colors', isHidden: true, handle })
    const app = newApp({ log: logger('silent'), name: 'things' })
    mount(app, [listColours, alias], { calls: [], catalogueOf: (id) => id })
    for (const path of ['/colours', '/colors'])
      expect(await (await app.request(path)).json()).toEqual(['red'])
    const { paths } = app.getOpenAPI31Document({
      openapi: '3.1.0',
      info: { title: 'Things', version: '1' },
    })
    expect(Object.keys(paths ?? {})).toEqual(['/colours'])
    expect(paths?.['/colours']?.get?.parameters).toEqual([described])
  })

  it('that is a page is served and not described, under a path with a pattern', async () => {
    const readFile = pageEndpoint<Services>({
      method: 'get',
      path: '/:kind{red|blue}/:file{.+\\.txt}',
      operation: 'readFile',
      tag: 'files',
      summary: 'A file',
      example: '/red/a.txt',
      auth: anyone,
      page: (c) => c.text(c.req.param('file') ?? ''),
    })
    const app = newApp({ log: logger('silent'), name: 'things' })
    mount(app, [readFile], { calls: [], catalogueOf: (id) => id })
    expect(await (await app.request('/blue/b.txt')).text()).toBe('b.txt')
    expect((await app.request('/green/b.txt')).status).toBe(404)
    const info = { title: 'Things', version: '1' }
    expect(app.getOpenAPI31Document({ openapi: '3.1.0', info }).paths).toEqual({})
  })

  it('is named and grouped in the OpenAPI document by its operation and its tag', () => {
    const { app } = service()
    const info = { title: 'Things', version: '1' }
    const { paths = {} } = app.getOpenAPI31Document({ openapi: '3.1.0', info })
    const { operationId, tags } = paths['/things/{id}']?.put ?? {}
    expect([operationId, tags]).toEqual(['putThing', ['things']])
  })

  it('is secured in the OpenAPI document as it is in fact, with 401 and 403', () => {
    const { app } = service()
    const { paths = {} } = app.getOpenAPI31Document({
      openapi: '3.1.0',
      info: { title: 'Things', version: '1' },
    })
    const put = paths['/things/{id}']?.put
    expect(put?.security).toEqual([{ ApiKey: [] }, { Bearer: [] }])
    expect(Object.keys(put?.responses ?? {})).toEqual(['200', '401', '403', 'default'])
    const get = paths['/things/{id}']?.get
    expect([get?.security, Object.keys(get?.responses ?? {})]).toEqual([
      undefined,
      ['200', 'default'],
    ])
  })
})
