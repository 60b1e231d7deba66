/** [T1] URLs found in data reach public addresses only: everything else is 1300, and nobody hears of it. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { portal, type Portal } from '../../support/portals/portal.ts'
import { quiet, town, type Town } from './town.ts'

const signal = new AbortController().signal
/** A listener that must hear nothing. */
let canary: Portal
let open: Portal
let place: Town

beforeAll(async () => {
  canary = await portal(() => new Response('secrets of the house'))
  open = await portal((request) => {
    const to = new URL(request.url).searchParams.get('to')
    if (request.url.endsWith('/robots.txt')) return new Response('', { status: 404 })
    return new Response(null, to === null ? {} : { status: 302, headers: { Location: bytes(to) } })
  })
})

/** Headers are bytes. */
const bytes = (text: string) => Buffer.from(text).toString('latin1')

const publicly = [
  '8.8.8.8',
  '172.15.255.255',
  '172.32.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '64:ff9b::808:808',
]

const names = {
  'public.example': ['8.8.8.8'],
  'localhost.': ['127.0.0.1', '::1'],
  'foo.localhost': ['127.0.0.1'],
  'nat64.example': ['64:ff9b::808:808'],
  'both.example': ['10.0.0.7', '8.8.8.8'],
  'down.example': ['10.0.0.7', '8.8.4.4'],
  'private.example': ['10.0.0.7', '192.168.1.1', 'fd00::7'],
  'rebinding.example': [['8.8.8.8'], ['127.0.0.1']],
  'nothing.example': [],
  '127.0.0.1.portal.example': ['127.0.0.1'],
}

beforeEach(() => {
  place = town({
    names,
    world: {
      ...Object.fromEntries(publicly.map((address) => [address, open.port])),
      '10.20.3.4': open.port,
      '127.0.0.1': canary.port,
      '::1': canary.port,
    },
  })
})

afterEach(() => place.close())

afterAll(async () => {
  await canary.close()
  await open.close()
})

async function status(url: string): Promise<number | undefined> {
  const reach = await place.open()
  const verdict = await reach.begin('run', quiet).verdict(url, 'c', signal)
  return verdict?.status
}

const rows: readonly (readonly [row: number, url: string, expected: number])[] = [
  [1, 'http://127.0.0.1:{canary}/', 1300],
  [2, 'http://127.8.9.10/', 1300],
  [3, 'http://127.1/', 1300],
  [3, 'http://2130706433/', 1300],
  [3, 'http://017700000001/', 1300],
  [4, 'http://0x7f.0x0.0x0.0x1/', 1300],
  [4, 'http://１２７.０.０.１/', 1300],
  [4, 'http://127。0。0。1/', 1300],
  [5, 'http://0/', 1300],
  [5, 'http://0.0.0.0:{canary}/', 1300],
  [6, 'http://LOCALHOST./', 1300],
  [6, 'http://foo.localhost/', 1300],
  [7, 'http://[::1]/', 1300],
  [7, 'http://[::]/', 1300],
  [8, 'http://[::ffff:10.1.2.3]/', 1300],
  [8, 'http://[::ffff:a9fe:a9fe]/', 1300],
  [9, 'http://[::127.0.0.1]/', 1300],
  [10, 'http://[2002:c0a8:101::]/', 1300],
  [11, 'http://[64:ff9b::7f00:1]/', 1300],
  [11, 'http://nat64.example/', 200],
  [12, 'http://[2001::80ff:fffe]/', 1300],
  [13, 'http://169.254.169.254/latest/meta-data/', 1300],
  [13, 'http://[fd00:ec2::254]/', 1300],
  [14, 'http://[fe80::1%25eth0]/', 1300],
  [14, 'http://256.256.256.256/', 1300],
  [14, 'http://1.2.3.4.5/', 1300],
  [15, 'http://172.15.255.255/', 200],
  [15, 'http://172.16.0.0/', 1300],
  [15, 'http://172.31.255.255/', 1300],
  [15, 'http://172.32.0.0/', 200],
  [16, 'http://100.63.255.255/', 200],
  [16, 'http://100.64.0.1/', 1300],
  [16, 'http://100.127.255.254/', 1300],
  [16, 'http://100.128.0.0/', 200],
  [17, 'http://[fd12:3456:789a::1]/', 1300],
  [17, 'http://[fec0::5]/', 1300],
  [18, 'http://224.0.0.251/', 1300],
  [18, 'http://[ff02::1]/', 1300],
  [18, 'http://255.255.255.255/', 1300],
  [19, 'http://192.0.2.10/', 1300],
  [19, 'http://198.19.0.1/', 1300],
  [19, 'http://240.0.0.1/', 1300],
  [19, 'http://[2001:db8::1]/', 1300],
  [20, 'http://portal.example@127.0.0.1/', 1300],
  [20, 'http://127.0.0.1@public.example/', 200],
  [21, 'http://both.example/', 200],
  [21, 'http://down.example/', 1100],
  [22, 'http://private.example/', 1300],
  [22, 'http://nothing.example/', 1100],
  [25, 'file:///etc/passwd', 1300],
  [25, 'ftp://public.example/', 1300],
  [25, 'gopher://public.example/', 1300],
  [25, 'data:text/plain,x', 1300],
  [25, 'javascript:alert(1)', 1300],
  [28, 'http://public.example:25/', 1300],
  [28, 'http://public.example:6667/', 1300],
  [28, 'http://public.example:0/', 1300],
  [29, 'http://127.0.0.1.portal.example/', 1300],
  [31, 'http://10.20.3.4/', 1300],
]

const internal = /^(?:10\.|127\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|::1|f[cd])/

describe('[T1] a URL found in data', () => {
  it.each(rows)('row %i: %s is %i', async (_, url, expected) => {
    expect(await status(url.replace('{canary}', String(canary.port)))).toBe(expected)
    const dialled = place.dialled.flatMap(({ addresses }) => addresses)
    expect(expected === 1300 ? dialled : []).toEqual([])
    expect(dialled.filter((address) => internal.test(address))).toEqual([])
    expect(canary.connections()).toBe(0)
  })

  it.each(rows.filter(([, , expected]) => expected === 1300))(
    'row %i: a redirect to %s is 1300 as well, and nothing is dialled for it',
    async (_, url) => {
      const to = encodeURIComponent(url.replace('{canary}', String(canary.port)))
      expect(await status(`http://public.example/?to=${to}`)).toBe(1300)
      expect(new Set(place.dialled.flatMap(({ addresses }) => addresses))).toEqual(
        new Set(['8.8.8.8']),
      )
      expect(canary.connections()).toBe(0)
    },
  )

  it('row 23: is judged at every connection: a name that leads into the house after robots.txt is 1300', async () => {
    open.faults.when(() => true, { kind: 'headers', headers: { Connection: 'close' } })
    expect(await status('http://rebinding.example/')).toBe(1300)
    open.faults.clear()
    expect(canary.connections()).toBe(0)
  })

  it('is not sent to a socket that stands elsewhere than it was dialled', async () => {
    const liar = town({
      names: { 'liar.example': ['8.8.8.8'] },
      world: { '8.8.8.8': canary.port },
      honest: true,
    })
    const reach = await liar.open()
    const verdict = await reach.begin('run', quiet).verdict('http://liar.example/', 'c', signal)
    expect(verdict?.status).toBe(1300)
    expect(canary.requests).toEqual([])
    canary.reset()
    await liar.close()
  })

  it.each([
    '',
    ' ',
    'not a url',
    '//public.example/x',
    '/x',
    'www.public.example',
    'mailto:a@b.example',
    'http://',
    'http:///',
    'urn:x',
    'http://[::1',
    'http://a b/',
    'https://public.example:99999/',
    '\ud800',
  ])('is 1300 when it is %j, and leaves no trace', async (url) => {
    expect(await status(url)).toBe(1300)
    expect(place.dialled).toEqual([])
  })
})
