/** [T15] GETs that change something: no page of another site and no prefetch gets through, and no answer is for other origins. */

import { describe, expect, it } from 'vitest'
import { Failure } from '../../src/errors.ts'
import { newApp } from '../../src/http/app.ts'
import { changingGet } from '../../src/http/headers.ts'
import { logger } from '../../src/log.ts'

function station() {
  let changes = 0
  const cors = { origins: ['https://portal.example'] }
  const app = newApp({ log: logger('silent'), name: 'test', cors })
  app.use('/switch/:status', changingGet(['GET', 'POST']))
  app.get('/switch/:status', (c) => {
    if (c.req.param('status') === 'other') throw new Failure('invalid-parameter', 'other')
    changes += 1
    return c.text('done')
  })
  app.post('/switch/:status', (c) => c.text('done'))
  const ask = (headers: Record<string, string>, path = '/switch/on', method = 'GET') =>
    app.request(path, { method, headers: { Origin: 'https://portal.example', ...headers } })
  return { ask, changes: () => changes }
}

describe('a GET that changes something', () => {
  it.each<Record<string, string>>([
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Purpose': 'prefetch' },
    { 'Sec-Purpose': 'prefetch;prerender' },
    { 'Sec-Fetch-Site': 'same-origin', Purpose: 'prefetch' },
    { 'X-Moz': 'prefetch' },
  ])('is refused with %j', async (headers) => {
    const { ask, changes } = station()
    const answer = await ask(headers)
    expect([answer.status, changes()]).toEqual([403, 0])
    expect(answer.headers.get('Content-Type')).toBe('application/problem+json')
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe(null)
  })

  it.each<Record<string, string>>([
    {},
    { 'Sec-Fetch-Site': 'same-origin' },
    { 'Sec-Fetch-Site': 'none' },
  ])('is done with %j, without a CORS header', async (headers) => {
    const { ask, changes } = station()
    const answer = await ask(headers)
    expect([answer.status, changes()]).toEqual([200, 1])
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-'))).toEqual([])
    expect(answer.headers.get('Cross-Origin-Resource-Policy')).toBe('same-origin')
    expect(answer.headers.get('Cache-Control')).toBe('no-store')
  })

  it('has no CORS header on an error or a preflight either', async () => {
    const { ask } = station()
    const wrong = await ask({}, '/switch/other')
    expect([wrong.status, wrong.headers.get('Access-Control-Allow-Origin')]).toEqual([400, null])
    const asked = { 'Access-Control-Request-Method': 'GET' }
    const preflight = await ask(asked, '/switch/on', 'OPTIONS')
    expect(preflight.headers.get('Access-Control-Allow-Origin')).toBe(null)
  })

  it.each([
    ['HEAD', 405],
    ['PATCH', 405],
    ['OPTIONS', 204],
  ])('has no HEAD: %s is %i, and Allow lists GET without it', async (method, status) => {
    const { ask, changes } = station()
    const answer = await ask({}, '/switch/on', method)
    expect([answer.status, answer.headers.get('Allow')]).toEqual([status, 'GET, OPTIONS, POST'])
    expect(changes()).toBe(0)
  })

  it('leaves a POST at the same address alone', async () => {
    const { ask } = station()
    const answer = await ask({ 'Sec-Fetch-Site': 'cross-site' }, '/switch/on', 'POST')
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('https://portal.example')
    const asked = { 'Access-Control-Request-Method': 'POST' }
    const preflight = await ask(asked, '/switch/on', 'OPTIONS')
    expect(preflight.headers.get('Access-Control-Allow-Methods')).toContain('POST')
  })
})
