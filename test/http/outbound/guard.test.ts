/** The table of addresses: what is dialled, what is refused, and that refused means not one byte. */

import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Failure } from '../../../src/errors.ts'
import { outbound, type OutboundRequest, type Reach } from '../../../src/http/outbound/outbound.ts'
import { logger } from '../../../src/log.ts'
import { stage, type Stage } from '../../support/portals/outbound.ts'
import { portal, type Portal } from '../../support/portals/portal.ts'

const signal = new AbortController().signal
const publicOnly: Reach = { kind: 'public' }
const ask = (url: string, reach: Reach = publicOnly): OutboundRequest => ({
  url,
  reach,
  maxBytes: 1000,
  attempts: 1,
})

/** A listener that must hear nothing. */
let canary: Portal
let open: Portal

beforeAll(async () => {
  canary = await portal(() => new Response('secrets of the house'))
  open = await portal(() => new Response('public'))
})

afterAll(async () => {
  await canary.close()
  await open.close()
})

/** What became of a request: `yes` with the addresses that were dialled, or the kind of failure. */
async function verdict(scene: Stage, url: string, reach?: Reach): Promise<string> {
  const failure = await scene.client.read(ask(url, reach), signal).then(
    () => undefined,
    (error: Failure) => error,
  )
  await scene.client.close()
  if (!failure) return 'yes'
  return failure.kind === 'address-refused' && failure.detail.endsWith('is not a URL')
    ? 'url'
    : failure.kind
}

const world = () => ({
  '8.8.8.8': open.port,
  '172.15.255.255': open.port,
  '172.32.0.0': open.port,
  '100.63.255.255': open.port,
  '100.128.0.0': open.port,
  '64:ff9b::808:808': open.port,
  '10.20.3.4': open.port,
  '127.0.0.1': canary.port,
  '::1': canary.port,
})

const names = {
  'public.example': ['8.8.8.8'],
  'localhost.': ['127.0.0.1', '::1'],
  'foo.localhost': ['127.0.0.1'],
  'nat64.example': ['64:ff9b::808:808'],
  'both.example': ['10.0.0.7', '8.8.8.8'],
  'down.example': ['10.0.0.7', '8.8.4.4'],
  'private.example': ['10.0.0.7', '192.168.1.1', 'fd00::7'],
  'nothing.example': [],
  '127.0.0.1.portal.example': ['127.0.0.1'],
}

const rows: readonly (readonly [row: number, url: string, expected: string])[] = [
  [1, 'http://127.0.0.1:{canary}/', 'address-refused'],
  [2, 'http://127.8.9.10/', 'address-refused'],
  [3, 'http://127.1/', 'address-refused'],
  [3, 'http://2130706433/', 'address-refused'],
  [3, 'http://017700000001/', 'address-refused'],
  [4, 'http://0x7f.0x0.0x0.0x1/', 'address-refused'],
  [4, 'http://１２７.０.０.１/', 'address-refused'],
  [4, 'http://127。0。0。1/', 'address-refused'],
  [5, 'http://0/', 'address-refused'],
  [5, 'http://0.0.0.0:{canary}/', 'address-refused'],
  [6, 'http://LOCALHOST./', 'address-refused'],
  [6, 'http://foo.localhost/', 'address-refused'],
  [7, 'http://[::1]/', 'address-refused'],
  [7, 'http://[::]/', 'address-refused'],
  [8, 'http://[::ffff:10.1.2.3]/', 'address-refused'],
  [8, 'http://[::ffff:a9fe:a9fe]/', 'address-refused'],
  [9, 'http://[::127.0.0.1]/', 'address-refused'],
  [10, 'http://[2002:c0a8:101::]/', 'address-refused'],
  [11, 'http://[64:ff9b::7f00:1]/', 'address-refused'],
  [11, 'http://nat64.example/', 'yes'],
  [12, 'http://[2001::80ff:fffe]/', 'address-refused'],
  [13, 'http://169.254.169.254/latest/meta-data/', 'address-refused'],
  [13, 'http://[fd00:ec2::254]/', 'address-refused'],
  [14, 'http://[fe80::1%25eth0]/', 'url'],
  [14, 'http://256.256.256.256/', 'url'],
  [14, 'http://1.2.3.4.5/', 'url'],
  [15, 'http://172.15.255.255/', 'yes'],
  [15, 'http://172.16.0.0/', 'address-refused'],
  [15, 'http://172.31.255.255/', 'address-refused'],
  [15, 'http://172.32.0.0/', 'yes'],
  [16, 'http://100.63.255.255/', 'yes'],
  [16, 'http://100.64.0.1/', 'address-refused'],
  [16, 'http://100.127.255.254/', 'address-refused'],
  [16, 'http://100.128.0.0/', 'yes'],
  [17, 'http://[fd12:3456:789a::1]/', 'address-refused'],
  [17, 'http://[fec0::5]/', 'address-refused'],
  [18, 'http://224.0.0.251/', 'address-refused'],
  [18, 'http://[ff02::1]/', 'address-refused'],
  [18, 'http://255.255.255.255/', 'address-refused'],
  [19, 'http://192.0.2.10/', 'address-refused'],
  [19, 'http://198.19.0.1/', 'address-refused'],
  [19, 'http://240.0.0.1/', 'address-refused'],
  [19, 'http://[2001:db8::1]/', 'address-refused'],
  [20, 'http://portal.example@127.0.0.1/', 'address-refused'],
  [20, 'http://127.0.0.1@public.example/', 'yes'],
  [21, 'http://both.example/', 'yes'],
  [21, 'http://down.example/', 'source-unreachable'],
  [22, 'http://private.example/', 'address-refused'],
  [22, 'http://nothing.example/', 'source-unreachable'],
  [25, 'file:///etc/passwd', 'address-refused'],
  [25, 'ftp://public.example/', 'address-refused'],
  [25, 'gopher://public.example/', 'address-refused'],
  [25, 'data:text/plain,x', 'address-refused'],
  [25, 'javascript:alert(1)', 'address-refused'],
  [28, 'http://public.example:25/', 'address-refused'],
  [28, 'http://public.example:6667/', 'address-refused'],
  [28, 'http://public.example:0/', 'address-refused'],
  [29, 'http://127.0.0.1.portal.example/', 'address-refused'],
]

const dialledRows = (row: number, expected: string): number =>
  expected === 'yes' || (row === 21 && expected === 'source-unreachable') ? 1 : 0

describe('[T1] with public addresses only', () => {
  it.each(rows)('row %i: %s is %s', async (row, url, expected) => {
    const scene = stage({ names, world: world() })
    expect(await verdict(scene, url.replace('{canary}', String(canary.port)))).toBe(expected)
    expect(scene.dialled).toHaveLength(dialledRows(row, expected))
    expect(canary.connections()).toBe(0)
  })

  it.each(rows.filter(([, , expected]) => expected === 'address-refused'))(
    'row %i: a redirect to %s is refused as well, and nothing is dialled for it',
    async (_, url) => {
      const scene = stage({ names, world: world() })
      open.faults.at(open.requests.length + 1, {
        kind: 'redirect',
        to: Buffer.from(url.replace('{canary}', String(canary.port))).toString('latin1'),
      })
      expect(await verdict(scene, 'http://public.example/')).toBe('address-refused')
      expect(scene.dialled).toHaveLength(1)
      expect(canary.connections()).toBe(0)
    },
  )

  it('row 20: user info is not sent', async () => {
    const { client } = stage({ names, world: world() })
    const answer = await client.read(ask('http://user:word@public.example/a?b#c'), signal)
    expect(answer.url).toBe('http://public.example/a?b')
    expect(open.requests.at(-1)?.headers['authorization']).toBeUndefined()
    await client.close()
  })

  it('row 21: of a name with public and private addresses only the public ones are dialled', async () => {
    const scene = stage({ names, world: world() })
    await verdict(scene, 'http://both.example/')
    expect(scene.dialled).toEqual([{ addresses: ['8.8.8.8'], port: 80 }])
    const down = stage({ names, world: world() })
    await verdict(down, 'http://down.example/')
    expect(down.dialled).toEqual([{ addresses: ['8.8.4.4'], port: 80 }])
  })

  it('row 23: what a name means is judged again for every connection', async () => {
    const scene = stage({
      names: { 'rebinding.example': [['8.8.8.8'], ['127.0.0.1']] },
      world: world(),
    })
    open.faults.at(open.requests.length + 1, { kind: 'headers', headers: { Connection: 'close' } })
    const first = await scene.client.read(ask('http://rebinding.example/'), signal)
    expect(first.text).toBe('public')
    const second = scene.client.read(ask('http://rebinding.example/'), signal)
    await expect(second).rejects.toMatchObject({ kind: 'address-refused' })
    expect(canary.connections()).toBe(0)
    await scene.client.close()
  })

  it('a connection that stands elsewhere than it was sent is cut before a byte is written', async () => {
    const scene = stage({
      names: { 'liar.example': ['8.8.8.8'] },
      world: { '8.8.8.8': canary.port },
      honest: true,
    })
    expect(await verdict(scene, 'http://liar.example/')).toBe('address-refused')
    expect(scene.dialled).toHaveLength(1)
    expect(canary.requests).toEqual([])
    canary.reset()
  })
})

describe('[T1] with a configured address', () => {
  type More = { readonly trust?: 'trusted'; readonly allow?: readonly string[] }
  const configured = (address: string, more: More = {}): Reach => ({
    kind: 'configured',
    address,
    trust: 'foreign',
    allow: [],
    ...more,
  })

  it('row 13: metadata addresses are refused under every policy', async () => {
    for (const url of ['http://169.254.169.254/latest/', 'http://[fd00:ec2::254]/']) {
      for (const more of [
        { trust: 'trusted' },
        { allow: ['169.254.0.0/16', 'fd00::/8'] },
      ] as const) {
        expect(await verdict(stage({ world: {} }), url, configured(url, more))).toBe(
          'address-refused',
        )
      }
    }
  })

  it('row 30: the operator may name a host and port of the house, and only those are reached', async () => {
    const url = `${open.url}/records`
    const reach = configured(url, { trust: 'trusted' })
    expect(await verdict(stage({}), url, reach)).toBe('yes')
    expect(await verdict(stage({}), url, configured(url))).toBe('address-refused')
    expect(await verdict(stage({}), `${canary.url}/next`, reach)).toBe('address-refused')
    expect(canary.connections()).toBe(0)
  })

  it('row 30: a kept connection of a trusted request is no way in for others', async () => {
    const { client } = stage({})
    const reach = configured(open.url, { trust: 'trusted' })
    await client.read(ask(open.url, reach), signal)
    await expect(client.read(ask(open.url), signal)).rejects.toMatchObject({
      kind: 'address-refused',
    })
    await client.close()
  })

  it('row 31: allowed blocks and hosts hold for the configured address, not for data', async () => {
    const url = 'http://10.20.3.4/'
    const allow = ['10.20.0.0/16']
    const scene = () => stage({ names: { 'intern.example': ['10.20.3.4'] }, world: world() })
    expect(await verdict(scene(), url, configured(url, { allow }))).toBe('yes')
    expect(await verdict(scene(), url)).toBe('address-refused')
    expect(await verdict(scene(), url, configured('http://public.example/', { allow }))).toBe(
      'address-refused',
    )
    const named = 'http://intern.example/'
    const byName = configured(named, { allow: ['Intern.Example'] })
    expect(await verdict(scene(), named, byName)).toBe('yes')
    expect(await verdict(scene(), named, configured(named, { allow: ['other.example'] }))).toBe(
      'address-refused',
    )
  })
})

describe('[T1] with the resolver and the sockets of the system', () => {
  const real = () =>
    outbound({
      userAgent: 'Cartulary/test',
      limits: { hostDelayMs: 0 },
      now: () => performance.now(),
      random: () => 0,
      pause: async (milliseconds, signal) => {
        await wait(milliseconds, undefined, { signal })
      },
      log: logger('silent'),
    })

  it('localhost is refused as a name, and reached when the operator named it', async () => {
    const client = real()
    const url = `http://localhost:${canary.port}/`
    await expect(client.read(ask(url), signal)).rejects.toMatchObject({ kind: 'address-refused' })
    expect(canary.connections()).toBe(0)
    const local = `http://localhost:${open.port}/`
    const reach = { kind: 'configured', address: local, trust: 'trusted', allow: [] } as const
    expect((await client.read(ask(local, reach), signal)).text).toBe('public')
    await client.close()
  })

  it('a port where nobody listens is source-unreachable', async () => {
    const gone = await portal(() => new Response(''))
    await gone.close()
    const client = real()
    const reach = { kind: 'configured', address: gone.url, trust: 'trusted', allow: [] } as const
    await expect(client.read(ask(gone.url, reach), signal)).rejects.toMatchObject({
      kind: 'source-unreachable',
      detail: expect.stringContaining('refuses connections'),
    })
    await client.close()
  })
})
