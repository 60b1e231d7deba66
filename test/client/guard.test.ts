/** The table of addresses: what is dialled, what is refused, and that refused means not one byte. */

import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Failure } from '../../src/errors.ts'
import { outbound, type OutboundRequest, type Reach } from '../../src/client/outbound.ts'
import { logger } from '../../src/log.ts'
import { journeys, meanings as names, publicAddresses } from '../support/portals/addresses.ts'
import { outboundFixture, type OutboundFixture } from '../support/portals/outbound.ts'
import { portal, type Portal } from '../support/portals/portal.ts'

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
async function verdict(scene: OutboundFixture, url: string, reach?: Reach): Promise<string> {
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
  ...Object.fromEntries(publicAddresses.map((address) => [address, open.port])),
  '10.20.3.4': open.port,
  '127.0.0.1': canary.port,
  '::1': canary.port,
})

const words = {
  refused: 'address-refused',
  reached: 'yes',
  'no-url': 'url',
  unreachable: 'source-unreachable',
} as const
const rows = journeys.map(([row, url, judgement]) => [row, url, words[judgement]] as const)

const dialledRows = (row: number, expected: string): number =>
  expected === 'yes' || (row === 21 && expected === 'source-unreachable') ? 1 : 0

describe('[T1] with public addresses only', () => {
  it.each(rows)('row %i: %s is %s', async (row, url, expected) => {
    const scene = outboundFixture({ names, world: world() })
    expect(await verdict(scene, url.replace('{canary}', String(canary.port)))).toBe(expected)
    expect(scene.dialled).toHaveLength(dialledRows(row, expected))
    expect(canary.connections()).toBe(0)
  })

  it.each(rows.filter(([, , expected]) => expected === 'address-refused'))(
    'row %i: a redirect to %s is refused as well, and nothing is dialled for it',
    async (_, url) => {
      const scene = outboundFixture({ names, world: world() })
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
    const { client } = outboundFixture({ names, world: world() })
    const answer = await client.read(ask('http://user:word@public.example/a?b#c'), signal)
    expect(answer.url).toBe('http://public.example/a?b')
    expect(open.requests.at(-1)?.headers['authorization']).toBeUndefined()
    await client.close()
  })

  it('row 21: of a name with public and private addresses only the public ones are dialled', async () => {
    const scene = outboundFixture({ names, world: world() })
    await verdict(scene, 'http://both.example/')
    expect(scene.dialled).toEqual([{ addresses: ['8.8.8.8'], port: 80 }])
    const down = outboundFixture({ names, world: world() })
    await verdict(down, 'http://down.example/')
    expect(down.dialled).toEqual([{ addresses: ['8.8.4.4'], port: 80 }])
  })

  it('row 23: what a name means is judged again for every connection', async () => {
    const scene = outboundFixture({
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
    const scene = outboundFixture({
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
        expect(await verdict(outboundFixture({ world: {} }), url, configured(url, more))).toBe(
          'address-refused',
        )
      }
    }
  })

  it('row 30: the operator may name a host and port of the house, and only those are reached', async () => {
    const url = `${open.url}/records`
    const reach = configured(url, { trust: 'trusted' })
    expect(await verdict(outboundFixture({}), url, reach)).toBe('yes')
    expect(await verdict(outboundFixture({}), url, configured(url))).toBe('address-refused')
    expect(await verdict(outboundFixture({}), `${canary.url}/next`, reach)).toBe('address-refused')
    expect(canary.connections()).toBe(0)
  })

  it('row 30: a kept connection of a trusted request is no way in for others', async () => {
    const { client } = outboundFixture({})
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
    const scene = () =>
      outboundFixture({ names: { 'intern.example': ['10.20.3.4'] }, world: world() })
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
