/** Who may write resources of declared types, and what is said of types and resources that there are not. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { alpineKey, repository } from '../support/repository.ts'
import { aGauge, aService, problem, withTypes } from './declared.ts'

let repo: Awaited<ReturnType<typeof withTypes>>
beforeAll(async () => {
  repo = await withTypes()
})
afterAll(() => repo.close())

describe('who may write', () => {
  const withKey = (key: string) => ({ headers: { 'X-API-Key': key } })

  it('a key of the catalogue writes what is in it, and nothing else', async () => {
    const alpine = withKey(alpineKey)
    expect((await repo.putService('keyed', 'alpine-water', aService(), alpine)).status).toBe(201)
    expect((await repo.putService('keyed-other', 'other', aService(), alpine)).status).toBe(403)
    expect((await repo.putService('keyed-other', 'nowhere', aService(), alpine)).status).toBe(403)
    expect((await repo.putGauge('keyed', aGauge(), alpine)).status).toBe(403)
    await repo.putService('keyed-other', 'other')
    const path = '/data-service/keyed-other'
    expect((await repo.send('PUT', path, aService('New'), alpine)).status).toBe(403)
    expect((await repo.send('DELETE', path, undefined, alpine)).status).toBe(403)
    const trick = await repo.send('DELETE', `${path}?catalogId=alpine-water`, undefined, alpine)
    expect(trick.status).toBe(404)
    const claim = await repo.putService('keyed-other', 'alpine-water', aService('New'), alpine)
    expect(claim.status).toBe(409)
    expect((await repo.send('DELETE', '/data-service/keyed', undefined, alpine)).status).toBe(204)
    expect((await repo.read(path)).status).toBe(200)
  })

  it('a pattern names a type', async () => {
    const key = withKey('a-key-for-gauges')
    expect((await repo.putGauge('patterned', aGauge(), key)).status).toBe(201)
    expect((await repo.send('DELETE', '/gauge/patterned', undefined, key)).status).toBe(403)
  })

  it('nobody writes without a key, all read without one', async () => {
    const body = { method: 'PUT', headers: { 'Content-Type': 'text/turtle' }, body: aGauge() }
    expect((await repo.app.request('/customresources/gauge/open', body)).status).toBe(401)
    await repo.putGauge('open')
    expect((await repo.app.request('/customresources/gauge/open')).status).toBe(200)
  })
})

describe('what does not exist', () => {
  it('is told with the declared types, to whoever asks for another one', async () => {
    for (const path of ['/river', '/river/x', '/river/x.ttl']) {
      const answer = await problem(await repo.read(path))
      expect(answer).toMatchObject({ status: 404, slug: 'not-found' })
      expect(answer.detail).toContain('"data-service", "gauge"')
    }
    const put = { method: 'PUT', headers: { 'Content-Type': 'text/turtle' }, body: aGauge() }
    expect((await repo.app.request('/customresources/river/x', put)).status).toBe(404)
  })

  it('is nothing at all where the profile declares no type', async () => {
    const plain = await repository()
    expect((await plain.ask('/customresources/gauge')).status).toBe(404)
    expect((await plain.ask('/customresources/gauge/x')).status).toBe(404)
    const document = await (await plain.ask('/openapi.json')).text()
    expect(document).not.toContain('customresources')
    await plain.close()
  })

  it('is not found under the name of another type, nor under what is no id', async () => {
    await repo.putGauge('typed')
    expect((await repo.read('/data-service/typed')).status).toBe(404)
    expect((await repo.read('/gauge/no%20id')).status).toBe(400)
    expect((await repo.send('PUT', '/gauge/no.id', aGauge())).status).toBe(400)
    expect((await repo.send('POST', '/gauge/typed', aGauge())).status).toBe(405)
  })
})

describe('the served contract', () => {
  it('shows the paths with the declared types', async () => {
    const document = (await (await repo.ask('/openapi.json')).json()) as {
      paths: Record<
        string,
        Record<string, { parameters: { name: string; schema: { enum?: string[] } }[] }>
      >
    }
    expect(Object.keys(document.paths['/customresources/{type}'] ?? {})).toEqual(['get'])
    const one = document.paths['/customresources/{type}/{id}']
    expect(Object.keys(document.paths['/customresources/{type}/{id}/restore'] ?? {})).toEqual([
      'post',
    ])
    expect(Object.keys(one ?? {}).sort()).toEqual(['delete', 'get', 'patch', 'put'])
    const type = one?.['put']?.parameters.find(({ name }) => name === 'type')
    expect(type?.schema.enum).toEqual(['data-service', 'gauge'])
  })
})
