/** By which address a client reaches the platform, and whose word on that counts. */

import { describe, expect, it } from 'vitest'
import { newApp } from '../../src/http/app.ts'
import { logger } from '../../src/log.ts'

type Asked = { readonly peer?: string; readonly configured?: string }

async function addressOf(headers: Record<string, string>, { peer, configured }: Asked = {}) {
  const app = newApp({
    log: logger('silent'),
    name: 'test',
    base: '/api/x',
    trustedProxies: ['10.0.0.0/8'],
    publicAddress: { base: 'https://data.example/id/', configured },
  })
  app.get('/', (c) => c.text(c.get('address')))
  const env = peer === undefined ? undefined : { incoming: { socket: { remoteAddress: peer } } }
  return (await app.request('/api/x/', { headers }, env)).text()
}

describe('the address of a service', () => {
  const stranger = { peer: '192.0.2.1' }
  const proxy = { peer: '10.1.1.1' }

  it.each([
    ['gw.internal:8080', 'http://gw.internal:8080/api/x'],
    ['192.0.2.7', 'http://192.0.2.7/api/x'],
    ['[2001:db8::7]:81', 'http://[2001:db8::7]:81/api/x'],
    // Whoever came by the host of the IRIs came through what serves them.
    ['data.example', 'https://data.example/id/api/x'],
    ['DATA.example:443', 'https://data.example/id/api/x'],
  ])('is what the request came by: Host %s', async (host, expected) => {
    expect(await addressOf({ Host: host }, stranger)).toBe(expected)
  })

  it.each<Record<string, string>>([
    { 'X-Forwarded-Host': 'portal.example', 'X-Forwarded-Proto': 'https' },
    { Forwarded: 'for=203.0.113.9;host=portal.example;proto=https' },
    {
      'X-Forwarded-For': '203.0.113.9',
      'X-Forwarded-Host': 'evil.example, portal.example',
      'X-Forwarded-Proto': 'https',
    },
    {
      'X-Forwarded-For': '203.0.113.9, 10.2.2.2',
      'X-Forwarded-Host': 'evil.example, portal.example, inner.example',
      'X-Forwarded-Proto': 'https',
    },
    {
      Forwarded:
        'for=198.51.100.1;host=evil.example, for=203.0.113.9;host="portal.example";proto=https, for=10.2.2.2;host=inner.example',
    },
  ])('is what a trusted proxy was asked for: %j', async (headers) => {
    expect(await addressOf({ Host: 'inner:8080', ...headers }, proxy)).toBe(
      'https://portal.example/api/x',
    )
  })

  it('has the path that a trusted proxy has taken off', async () => {
    const headers = {
      Host: 'inner',
      'X-Forwarded-Host': 'p.example',
      'X-Forwarded-Prefix': '/data',
    }
    expect(await addressOf(headers, proxy)).toBe('http://p.example/data/api/x')
  })

  it('is not what a stranger says that it was forwarded from', async () => {
    const headers = {
      Host: 'gw',
      Forwarded: 'host=evil.example',
      'X-Forwarded-Host': 'evil.example',
      'X-Forwarded-Proto': 'https',
      'X-Forwarded-Prefix': '/evil',
    }
    expect(await addressOf(headers, stranger)).toBe('http://gw/api/x')
  })

  it('is the configured one whatever anybody says', async () => {
    const configured = 'https://public.example/p/'
    const headers = { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example' }
    for (const peer of ['192.0.2.1', '10.1.1.1', undefined])
      expect(await addressOf(headers, { configured, ...(peer && { peer }) })).toBe(
        'https://public.example/p/api/x',
      )
  })

  it.each([
    'a"><script>',
    'a b',
    'a/evil',
    'me@evil.example',
    'evil.example>; rel="next", <http:',
    '[::1',
    `${'a'.repeat(300)}.example`,
    'ä.example',
    '',
  ])('[T16] does not repeat %j, which is no host', async (host) => {
    const base = 'https://data.example/id/api/x'
    // A header of the test's runtime cannot carry everything that a client can send.
    const named = Buffer.from(host).toString('latin1')
    expect(await addressOf({ 'X-Forwarded-Host': named }, proxy)).toBe(base)
    expect(await addressOf({ Host: named }, stranger)).toBe(base)
  })

  it('is below the base of the IRIs for a request without a socket', async () => {
    expect(await addressOf({ Host: 'evil.example' })).toBe('https://data.example/id/api/x')
  })
})
