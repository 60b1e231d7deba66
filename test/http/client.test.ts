/** Whose address counts. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newApp } from '../../src/http/app.ts'
import { isBlock } from '../../src/client/address-guard.ts'
import { networkOf } from '../../src/http/peer.ts'
import { loggedUrl } from '../../src/http/request.ts'
import { logger } from '../../src/log.ts'

async function client(peer: string | undefined, headers: Record<string, string>) {
  const trustedProxies = ['10.0.0.0/8', '2001:db8::/32', '127.0.0.1']
  const app = newApp({ log: logger('silent'), name: 'test', trustedProxies })
  app.get('/', (c) => c.text(c.get('client')))
  const env = peer === undefined ? undefined : { incoming: { socket: { remoteAddress: peer } } }
  return (await app.request('/', { headers }, env)).text()
}

describe('the client', () => {
  it.each([
    ['192.0.2.1', {}, '192.0.2.1'],
    ['::ffff:192.0.2.1', {}, '192.0.2.1'],
    ['192.0.2.1', { 'X-Forwarded-For': '203.0.113.9' }, '192.0.2.1'],
    ['10.1.1.1', { 'X-Forwarded-For': '203.0.113.9' }, '203.0.113.9'],
    ['10.1.1.1', { 'X-Forwarded-For': 'spoofed, 203.0.113.9, 10.2.2.2' }, '203.0.113.9'],
    ['10.1.1.1', { 'X-Forwarded-For': '198.51.100.1, 203.0.113.9' }, '203.0.113.9'],
    ['10.1.1.1', { 'X-Forwarded-For': '10.9.9.9' }, '10.9.9.9'],
    ['::ffff:10.1.1.1', { Forwarded: 'for=203.0.113.9:4711;proto=https' }, '203.0.113.9'],
    ['2001:db8::1', { Forwarded: 'for="[2001:dead::7]:80", for=10.0.0.3' }, '2001:dead::7'],
    ['10.1.1.1', { Forwarded: 'for=unknown' }, '10.1.1.1'],
    ['10.1.1.1', {}, '10.1.1.1'],
    [undefined, { 'X-Forwarded-For': '203.0.113.9' }, 'in-process'],
  ] as const)('of the peer %s with %j is %s', async (peer, headers, expected) => {
    expect(await client(peer, headers)).toBe(expected)
  })
})

it.each([
  ['10.0.0.1', true],
  ['10.0.0.0/8', true],
  ['::1/128', true],
  ['10.0.0.0/33', false],
  ['10.0.0.0/8/9', false],
  ['host', false],
  ['', false],
])('the range %s is valid: %s', (text, expected) => {
  expect(isBlock(text)).toBe(expected)
})

it.each([
  ['http://me:pw@h/x', '/x'],
  ['http://h/x?a=1&token=2&b', '/x?a=1&token=•••&b'],
  ['http://h/x?password', '/x?password=•••'],
  ['http://h/x?%ff=1', '/x?%ff=1'],
  ['http://h/api/segments/r/AbC-_9/pipe?x=1', '/api/segments/r/•••/pipe?x=1'],
  ['http://h/de/harvest/failures/AbC-_9.atom', '/de/harvest/failures/•••'],
  ['http://h/de/invitation/AbC-_9?x=1', '/de/invitation/•••?x=1'],
  [`http://h/${'x'.repeat(5000)}`, `/${'x'.repeat(1999)}…`],
])('the address %s is logged as %s', (url, expected) => {
  expect(loggedUrl(url)).toBe(expected)
})

it.each([
  ['192.0.2.77', '192.0.2.0/24'],
  ['2001:db8:1:22ff::9', '2001:db8:1:2200::/56'],
  ['2001:0DB8:0001:2200:1:2:3:4', '2001:db8:1:2200::/56'],
  ['2001:db8::1', '2001:db8:0:0::/56'],
  ['::1', '0:0:0:0::/56'],
  ['fe80::1%eth0', 'fe80:0:0:0::/56'],
  ['in-process', 'in-process'],
])('%s belongs to %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

it('all addresses of a network belong to it, however they are written', () => {
  const group = fc.integer({ min: 0, max: 0xffff })
  fc.assert(
    fc.property(
      fc.tuple(group, group, group, group),
      fc.tuple(group, group, group, group),
      (net, host) => {
        const text = (groups: readonly number[]) => groups.map((one) => one.toString(16)).join(':')
        const other = [...net.slice(0, 3), (net[3] & 0xff00) | (host[0] & 0xff)]
        expect(networkOf(text([...net, ...host]))).toBe(networkOf(text([...other, ...host])))
        expect(networkOf(`${text(net)}::`)).toBe(networkOf(`${text(net)}:0:0:0:0`))
      },
    ),
  )
})
