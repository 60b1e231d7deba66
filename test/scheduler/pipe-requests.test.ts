/** Pipes through the door, and who may do what at the scheduler. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { schedulerEndpoints } from '../../src/scheduler/scheduler-app.ts'
import {
  pipeNamed,
  schedulerFixture,
  type SchedulerFixture,
} from '../support/scheduler/scheduler-fixture.ts'

let fixture: SchedulerFixture
beforeEach(() => {
  const config = { apiKey: 'literal-secret', other: { secret: 'by-name' } }
  fixture = schedulerFixture({
    pipes: [pipeNamed('city', 'c', config), pipeNamed('lake', 'twice'), pipeNamed('sea', 'twice')],
    arriving: [pipeNamed('river')],
  })
})
afterEach(() => fixture.close())

describe('pipes', () => {
  it('are listed, those that cannot be read too', async () => {
    const { status, body } = await fixture.get('/pipes')
    expect(status).toBe(200)
    expect(body).toHaveLength(4)
    expect(body[0]).toEqual({
      name: 'city',
      id: 'c',
      title: 'Harvest city',
      source: 'pipes',
      file: 'city.json',
      segments: ['importing-rdf', 'exporting-hub'],
      problems: [],
    })
    expect(body[3]).toMatchObject({ file: 'broken.json', problems: [{ detail: 'no header' }] })
  })

  it('are shown without their secrets', async () => {
    const { body, text } = await fixture.get('/pipes/city')
    expect(text).not.toContain('literal-secret')
    expect(body.header.name).toBe('city')
    expect(body.body.segments[0]?.body.config).toEqual({
      address: 'https://data.example/city.ttl',
      apiKey: '•••',
      other: { secret: 'by-name' },
    })
  })

  it('are looked for when one is used that was written a moment ago', async () => {
    const triggers = [{ id: 'nightly', status: 'enabled', cron: '0 3 * * *' }]
    expect((await fixture.get('/pipes/river')).status).toBe(404)
    expect((await fixture.ask('PUT', '/triggers/river', { body: triggers })).status).toBe(201)
    expect((await fixture.ask('POST', '/pipes/river/runs', { body: {} })).status).toBe(202)
    expect((await fixture.ask('POST', '/pipes/brook/runs', { body: {} })).status).toBe(404)
  })

  it('are not looked for by those who have no key', async () => {
    const answer = await fixture.ask('POST', '/pipes/river/runs', { body: {}, key: 'wrong' })
    expect(answer.status).toBe(401)
    expect((await fixture.get('/pipes/river')).status).toBe(404)
  })

  it('are found by an id that only one has', async () => {
    expect((await fixture.get('/pipes/c')).body.header.name).toBe('city')
    const ambiguous = await fixture.get('/pipes/twice')
    expect([ambiguous.status, ambiguous.body.type]).toEqual([
      404,
      'urn:cartulary:problem:unknown-pipe',
    ])
  })
})

describe('POST /pipes/{pipeId}/runs', () => {
  const launch = (body?: unknown) => fixture.ask('POST', '/pipes/city/runs', { body })

  it('answers 202 with the run and where it is', async () => {
    const configs = { 'importing-rdf': { catalogue: 'x' } }
    const answer = await launch({ configs, startMode: 'restart', dryRun: true, limit: 5 })
    expect(answer.status).toBe(202)
    expect(answer.body).toMatchObject({ pipe: 'city', startedBy: 'api', status: 'running' })
    expect(answer.headers.get('Location')).toBe(
      `http://localhost:8080/api/scheduler/runs/${answer.body.id}`,
    )
    expect(fixture.launches).toEqual([
      { pipe: 'city', startedBy: 'api', configs, startMode: 'restart', dryRun: true, limit: 5 },
    ])
  })

  it('needs no body', async () => {
    expect((await launch()).status).toBe(202)
  })

  it('answers 409 with a link to the active run', async () => {
    const { body } = await launch()
    const second = await launch({})
    expect(second.status).toBe(409)
    expect(second.headers.get('Link')).toContain(`/runs/${body.id}>; rel="run"`)
  })

  it.each([
    [{ configs: { nobody: {} } }],
    [{ configs: [] }],
    [{ startMode: 'often' }],
    [{ dryRun: 'yes' }],
    [{ limit: 0 }],
    [{ dryrun: true }],
    [{ dry_run: true, limit: 5 }],
    [[]],
  ])('refuses %j', async (body) => {
    const answer = await launch(body)
    expect([answer.status, fixture.launches]).toEqual([400, []])
  })

  it('refuses in the address what belongs into the body, and names it', async () => {
    const answer = await fixture.ask('POST', '/pipes/city/runs?dryRun=true')
    expect([answer.status, fixture.launches]).toEqual([400, []])
    expect(answer.body).toMatchObject({ detail: 'dryRun is a member of the JSON body' })
  })

  it('answers 404 for an unknown pipe', async () => {
    expect((await fixture.ask('POST', '/pipes/moon/runs')).status).toBe(404)
  })
})

describe('permission', () => {
  const values = new Map(
    Object.entries({ pipeId: 'city', triggerId: 'daily', status: 'enabled', runId: 'some' }),
  )
  const guarded = schedulerEndpoints
    .filter(({ auth }) => auth.needs !== 'nothing')
    .map(({ route: { method, path } }): readonly [string, string] => [
      method.toUpperCase(),
      path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values.get(name) ?? name),
    ])

  it('is needed by everything that changes something', () => {
    const open = schedulerEndpoints.filter(({ auth }) => auth.needs === 'nothing')
    expect(new Set(open.map(({ route }) => route.method))).toEqual(new Set(['get']))
    expect(guarded).toHaveLength(14)
  })

  it.each(guarded)(
    '%s %s: 401 without a key, 403 with one for a catalogue',
    async (method, path) => {
      expect((await fixture.ask(method, path, { key: null })).status).toBe(401)
      expect((await fixture.ask(method, path, { key: 'wrong' })).status).toBe(401)
      expect((await fixture.ask(method, path, { key: 'steward' })).status).toBe(403)
    },
  )

  it('is asked before anything else: without it no answer tells which pipes exist', async () => {
    const answers = await Promise.all(
      ['/pipes/city/runs', '/pipes/moon/runs'].map((path) =>
        fixture.ask('POST', path, { key: 'steward', body: '{' }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual([403, 403])
  })

  it('may be for single endpoints', async () => {
    const as = (method: string, path: string) => fixture.ask(method, path, { key: 'starter' })
    expect((await as('POST', '/pipes/city/runs')).status).toBe(202)
    expect((await as('GET', '/triggers/city/daily/enabled')).status).toBe(404)
    expect((await as('GET', '/triggers/city/daily/disabled')).status).toBe(403)
    expect((await as('DELETE', '/triggers/city')).status).toBe(403)
  })

  it('is not needed for lists', async () => {
    for (const path of ['/triggers', '/pipes', '/pipes/city', '/runs', '/health', '/openapi.json'])
      expect((await fixture.get(path)).status).toBe(200)
  })
})

describe('the contract', () => {
  it('names every path and says which need a key', async () => {
    const { body } = await fixture.get('/openapi.json')
    expect(Object.keys(body.paths).toSorted()).toEqual([
      '/health',
      '/pipes',
      '/pipes/{pipeId}',
      '/pipes/{pipeId}/runs',
      '/pipes/{pipeId}/triggers/{triggerId}',
      '/runs',
      '/runs/{runId}',
      '/runs/{runId}/confirm',
      '/runs/{runId}/events',
      '/runs/{runId}/items',
      '/runs/{runId}/keep',
      '/runs/{runId}/report',
      '/runs/{runId}/resume',
      '/runs/{runId}/retry',
      '/triggers',
      '/triggers/{pipeId}',
      '/triggers/{pipeId}/{triggerId}/{status}',
    ])
    const open = Object.entries(body.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { security }]) => !security)
        .map(([method]) => `${method} ${path}`),
    )
    expect(open.toSorted()).toEqual([
      'get /health',
      'get /pipes',
      'get /pipes/{pipeId}',
      'get /pipes/{pipeId}/triggers/{triggerId}',
      'get /runs',
      'get /runs/{runId}',
      'get /runs/{runId}/events',
      'get /triggers',
      'get /triggers/{pipeId}',
    ])
  })

  it('is a page for browsers', async () => {
    const page = await fixture.ask('GET', '/', { key: null, headers: { Accept: 'text/html' } })
    expect(page.headers.get('Content-Type')).toMatch('text/html')
  })

  it('tells the methods of a path', async () => {
    const answer = await fixture.ask('PATCH', '/triggers')
    expect([answer.status, answer.headers.get('Allow')]).toEqual([405, 'GET, HEAD, OPTIONS, PUT'])
  })
})
