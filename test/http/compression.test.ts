/** Gzip of answers: when, and that nothing is lost. */

import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { newApp } from '../../src/http/app.ts'
import { acceptsGzip } from '../../src/http/headers.ts'
import { logger } from '../../src/log.ts'

const large = 'Grüße an alle. '.repeat(500)
const seen = { pulled: 0, cancelled: false }

/** A text that comes in pieces, without an end. */
const endless = () =>
  new ReadableStream<Uint8Array>({
    pull: (controller) => {
      seen.pulled++
      controller.enqueue(Buffer.from(`${seen.pulled} ${Math.sin(seen.pulled)}\n`.repeat(100)))
    },
    cancel: () => {
      seen.cancelled = true
    },
  })

const pieces = () => ReadableStream.from(['a', 'b', 'c'].map((text) => Buffer.from(large + text)))

const app = newApp({ log: logger('silent'), name: 'test' })
app.get('/large', (c) => c.text(large))
app.get('/small', (c) => c.text('small'))
app.get('/image', (c) => c.body(large, 200, { 'Content-Type': 'image/png' }))
app.get('/coded', (c) =>
  c.body(large, 200, { 'Content-Type': 'text/plain', 'Content-Encoding': 'br' }),
)
app.get('/cheap', (c) => c.text(large, 503, { 'Cache-Control': 'no-store, no-transform' }))
app.get('/pieces', (c) => c.body(pieces(), 200, { 'Content-Type': 'text/turtle', ETag: '"x"' }))
app.get('/endless', (c) => c.body(endless(), 200, { 'Content-Type': 'application/n-triples' }))
app.get('/broken', (c) => {
  const parts = async function* () {
    yield Buffer.from(large)
    yield Buffer.from(large)
    throw new Error('store went away')
  }
  return c.body(ReadableStream.from(parts()), 200, { 'Content-Type': 'text/turtle' })
})

const get = (path: string, method = 'GET') =>
  app.request(path, { method, headers: { 'Accept-Encoding': 'gzip, br' } })

describe('an answer', () => {
  it('that is worth it is gzip, with its size and Vary', async () => {
    const answer = await get('/large')
    const body = Buffer.from(await answer.arrayBuffer())
    expect(answer.headers.get('Content-Encoding')).toBe('gzip')
    expect(answer.headers.get('Content-Length')).toBe(String(body.length))
    expect(answer.headers.get('Vary')).toContain('Accept-Encoding')
    expect(gunzipSync(body).toString()).toBe(large)
  })

  it.each(['/small', '/image'])('that is not stays as it is (%s)', async (path) => {
    const answer = await get(path)
    expect(answer.headers.get('Content-Encoding')).toBeNull()
    expect((await answer.text()).length).toBeGreaterThan(0)
  })

  it('that is coded already is not coded twice', async () => {
    expect((await get('/coded')).headers.get('Content-Encoding')).toBe('br')
  })

  it('that says so is sent as it is, so that refusing a crowd stays cheap', async () => {
    const answer = await app.request('/cheap', { headers: { 'Accept-Encoding': 'gzip' } })
    expect(answer.headers.get('Content-Encoding')).toBeNull()
    expect(await answer.text()).toBe(large)
  })

  it('to HEAD is not coded', async () => {
    const answer = await get('/large', 'HEAD')
    expect([answer.status, answer.headers.get('Content-Encoding')]).toEqual([200, null])
  })

  it('to a client that does not take gzip is plain, but says that it depends', async () => {
    const answer = await app.request('/large')
    expect(await answer.text()).toBe(large)
    expect(answer.headers.get('Vary')).toContain('Accept-Encoding')
  })
})

describe('an answer in pieces', () => {
  it('is coded as it flows', async () => {
    const answer = await get('/pieces')
    const text = gunzipSync(Buffer.from(await answer.arrayBuffer())).toString()
    expect(text).toBe(`${large}a${large}b${large}c`)
    expect(answer.headers.get('ETag')).toBe('"x"')
  })

  it('is not read further than the client does, and its source hears when the client leaves', async () => {
    const answer = await get('/endless')
    const reader = answer.body?.getReader()
    expect((await reader?.read())?.value?.length).toBeGreaterThan(0)
    await reader?.cancel()
    await expect.poll(() => seen.cancelled).toBe(true)
    expect(seen.pulled).toBeLessThan(1000)
  })

  it('that breaks off does not look complete', async () => {
    const answer = await get('/broken')
    await expect(answer.arrayBuffer()).rejects.toThrow(
      /terminated|went away|aborted|closed|destroyed/i,
    )
  })
})

describe('Accept-Encoding', () => {
  it.each([
    ['gzip', true],
    ['br, GZIP;q=0.5', true],
    ['*', true],
    ['x-gzip', true],
    ['gzip;q=0', false],
    ['*;q=0', false],
    ['gzip;q=0, *', false],
    ['br', false],
    ['identity', false],
    ['', false],
    [undefined, false],
  ])('%s takes gzip: %s', (header, expected) => {
    expect(acceptsGzip(header)).toBe(expected)
  })
})
