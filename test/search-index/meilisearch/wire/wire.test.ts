/** The door to Meilisearch: what is sent, what an error becomes, and what happens when nobody is there. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  connectEngine,
  releaseOf,
  type EngineClient,
} from '../../../../src/search-index/meilisearch/engine-client.ts'
import { writeBlockOf } from '../../../../src/search-index/remote/answers.ts'
import { Refusal } from '../../../../src/search-index/meilisearch/engine-client.ts'
import { Failure } from '../../../../src/errors.ts'
import { logger } from '../../../../src/log.ts'
import { json, server, type Told } from './server.ts'

const log = logger('silent')
let told: Told
let wire: EngineClient
let time = 0
const open = (more: { apiKey?: string; callMs?: number; url?: string } = {}) =>
  connectEngine({
    url: told.url,
    log,
    now: () => time,
    pause: () => Promise.resolve(),
    callMs: 5000,
    ...more,
  })

beforeEach(async () => {
  told = await server()
  wire = open()
})
afterEach(async () => {
  wire.close()
  await told.close()
})

const failure = async (call: Promise<unknown>): Promise<Failure> => {
  const error: unknown = await call.catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(Failure)
  return error as Failure
}

describe('what is sent', () => {
  it('is JSON with its length, the key and nothing else', async () => {
    wire.close()
    wire = open({ apiKey: 'secret', url: `${told.url}/below/` })
    told.answer = json({ found: 'Ä' })
    expect(await wire.post('/indexes', { uid: 'ü' })).toEqual({ found: 'Ä' })
    expect(told.asked[0]).toMatchObject({ method: 'POST', url: '/below/indexes' })
    expect(told.asked[0]?.body).toBe('{"uid":"ü"}')
    expect(told.asked[0]?.headers).toMatchObject({
      authorization: 'Bearer secret',
      'content-type': 'application/json',
      'content-length': '12',
    })
  })

  it('has no key when there is none', async () => {
    await wire.get('/version')
    expect(told.asked[0]?.headers).not.toHaveProperty('authorization')
  })

  it('are lines for documents', async () => {
    await wire.postLines('/indexes/a/documents', ['{"id":1}', '{"id":2}'])
    expect(told.asked[0]?.headers['content-type']).toBe('application/x-ndjson')
    expect(told.asked[0]?.body).toBe('{"id":1}\n{"id":2}')
  })
})

describe('an error of the server', () => {
  it.each([
    [400, 'invalid_search_filter', 'internal'],
    [404, 'index_not_found', 'internal'],
    [403, 'invalid_api_key', 'engine-unavailable'],
    [429, 'too_many_requests', 'engine-unavailable'],
    [503, 'too_many_search_requests', 'engine-unavailable'],
    [500, 'no_space_left_on_device', 'engine-unavailable'],
    [500, 'internal', 'internal'],
  ])('%i %s is %s, and its words do not leave the log', async (status, code, kind) => {
    told.answer = json({ message: 'at /var/lib/x', code }, status)
    const error = await failure(wire.get('/x'))
    expect(error.kind).toBe(kind)
    expect(error.retryAfter).toBe(kind === 'internal' ? undefined : 2)
    expect(error.detail).not.toContain('/var')
    const isFull = code === 'no_space_left_on_device'
    expect(writeBlockOf(error)).toBe(isFull ? 'disk-full' : undefined)
    expect(error.cause).toBeInstanceOf(Refusal)
    expect(error.cause).toMatchObject({ status, code, message: 'at /var/lib/x' })
  })

  it('has the time that the server asks for, which loops wait too', async () => {
    const code = { message: 'busy', code: 'too_many_search_requests' }
    told.answer = (asked, response) => {
      response.setHeader('Retry-After', '10')
      json(code, 503)(asked, response)
    }
    const error = await failure(wire.get('/x'))
    expect([error.kind, error.retryAfter, error.pauseMs]).toEqual([
      'engine-unavailable',
      10,
      10_000,
    ])
  })

  it('in other words than JSON is told as well', async () => {
    told.answer = (_, response) => response.writeHead(502).end('<html>Bad gateway')
    expect((await failure(wire.get('/x'))).kind).toBe('engine-unavailable')
    told.answer = (_, response) => response.end('<html>Welcome')
    expect((await failure(wire.get('/x'))).kind).toBe('engine-unavailable')
  })
})

describe('a server that is away', () => {
  it('is engine-unavailable, and after some calls for a moment without asking again', async () => {
    told.answer = (_, response) => response.destroy()
    const error = await failure(wire.get('/x'))
    expect([error.kind, error.retryAfter]).toEqual(['engine-unavailable', 2])
    await failure(wire.get('/x'))
    const asked = told.asked.length
    expect((await failure(wire.get('/x'))).detail).toContain('away')
    expect(told.asked).toHaveLength(asked)
  })

  it('that nobody has started is engine-unavailable', async () => {
    await told.close()
    const error = await failure(wire.get('/x'))
    expect([error.kind, error.retryAfter]).toEqual(['engine-unavailable', 2])
    told = await server()
  })

  it('is asked again after that moment', async () => {
    told.answer = (_, response) => response.destroy()
    for (let n = 0; n < 3; n += 1) await failure(wire.get('/x'))
    told.answer = json({ back: true })
    await failure(wire.get('/x'))
    time += 3000
    expect(await wire.get('/x')).toEqual({ back: true })
    expect(await wire.get('/x')).toEqual({ back: true })
  })

  it('in the middle of an answer is engine-unavailable', async () => {
    told.answer = (_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"a":')
      setImmediate(() => response.destroy())
    }
    expect((await failure(wire.get('/x'))).kind).toBe('engine-unavailable')
  })

  it('that hung up on a waiting connection is asked over a new one', async () => {
    let answers = 0
    const dropping: Told['answer'] = (asked, response) => {
      if (answers++ % 2 === 1) response.destroy()
      else json({ ok: true })(asked, response)
    }
    told.answer = dropping
    await wire.get('/first')
    expect(await wire.get('/second')).toEqual({ ok: true })
    expect(told.asked.map(({ url }) => url)).toEqual(['/first', '/second', '/second'])
  })
})

describe('a call that takes too long', () => {
  const silent: Told['answer'] = () => undefined

  it('is one to a server that is away', async () => {
    wire.close()
    wire = open({ callMs: 30 })
    told.answer = silent
    expect((await failure(wire.get('/x'))).kind).toBe('engine-unavailable')
  })

  it('ends with its signal: a time limit, or the failure that the signal has', async () => {
    told.answer = silent
    const [plain, own] = [new AbortController(), new AbortController()]
    const calls = [failure(wire.get('/x', plain.signal)), failure(wire.get('/x', own.signal))]
    plain.abort()
    own.abort(new Failure('request-timeout', 'The client went.'))
    expect((await Promise.all(calls)).map(({ kind }) => kind)).toEqual([
      'time-limit',
      'request-timeout',
    ])
    told.answer = json({ next: 1 })
    expect(await wire.get('/x')).toEqual({ next: 1 })
  })

  it('ends with the wire', async () => {
    told.answer = silent
    const call = failure(wire.get('/x'))
    wire.close()
    expect((await call).kind).toBe('engine-unavailable')
    expect((await failure(wire.get('/x'))).kind).toBe('engine-unavailable')
  })
})

describe('the release', () => {
  it.each(['1.15.2', '1.0.0', '0.30.1'])('%s is too old', async (pkgVersion) => {
    told.answer = json({ pkgVersion })
    const error = await failure(releaseOf(wire, log))
    expect(error.kind).toBe('internal')
    expect(error.detail).toContain(pkgVersion)
  })

  it.each(['1.16.0', '1.21.0', '1.52.3', '2.0.0'])('%s is taken', async (pkgVersion) => {
    told.answer = json({ pkgVersion })
    expect(await releaseOf(wire, log)).toBe(pkgVersion)
  })
})
