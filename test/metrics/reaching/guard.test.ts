/** [T1] URLs found in data reach public addresses only: everything else is 1300, and nobody hears of it. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { journeys, meanings, publicAddresses } from '../../support/portals/addresses.ts'
import { portal, type Portal } from '../../support/portals/portal.ts'
import { quiet, reachFixture, type ReachFixture } from './reach-fixture.ts'

const signal = new AbortController().signal
/** A listener that must hear nothing. */
let canary: Portal
let open: Portal
let place: ReachFixture

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

const names = { ...meanings, 'rebinding.example': [['8.8.8.8'], ['127.0.0.1']] }

beforeEach(() => {
  place = reachFixture({
    names,
    world: {
      ...Object.fromEntries(publicAddresses.map((address) => [address, open.port])),
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
  const verdict = await reach.begin('run', quiet).statusOf(url, 'c', signal)
  return verdict?.status
}

const words = { refused: 1300, reached: 200, 'no-url': 1300, unreachable: 1100 } as const
const rows: readonly (readonly [row: number, url: string, expected: number])[] = [
  ...journeys.map(([row, url, judgement]) => [row, url, words[judgement]] as const),
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
    const liar = reachFixture({
      names: { 'liar.example': ['8.8.8.8'] },
      world: { '8.8.8.8': canary.port },
      honest: true,
    })
    const reach = await liar.open()
    const verdict = await reach.begin('run', quiet).statusOf('http://liar.example/', 'c', signal)
    expect(verdict?.status).toBe(1300)
    expect(canary.requests).toEqual([])
    canary.reset()
    await liar.close()
  })

  it.each([
    ['http://10.20.3.4/', 200],
    ['http://public.example/?to=http://10.20.3.4/', 200],
    ['http://data.house.example/', 200],
    ['http://8.8.8.8/', 200],
    ['http://10.21.3.4/', 1300],
    ['http://other.house.example/', 1300],
    ['http://public.example/?to=http://other.house.example/', 1300],
    ['http://127.0.0.1/', 1300],
    ['http://169.254.169.254/', 1300],
  ])('row 31: with a list of hosts and ranges %s is %i', async (url, expected) => {
    const house = reachFixture({
      names: {
        'public.example': ['8.8.8.8'],
        'data.house.example': ['192.168.1.1'],
        'other.house.example': ['192.168.1.1'],
      },
      world: {
        '8.8.8.8': open.port,
        '10.20.3.4': open.port,
        '192.168.1.1': open.port,
        '127.0.0.1': canary.port,
      },
    })
    const asked = async (allow: readonly string[]) => {
      const reach = await house.open({ allow })
      const run = reach.begin(`run ${allow.length}`, quiet)
      return (await run.statusOf(url, 'c', signal))?.status
    }
    // What was refused before is asked as soon as it is on the list.
    const isPublic = url === 'http://8.8.8.8/'
    expect(await asked([])).toBe(isPublic ? 200 : 1300)
    house.clock.jump(1000)
    expect(await asked(['10.20.0.0/16', 'Data.House.example', '169.254.0.0/16'])).toBe(expected)
    expect(canary.connections()).toBe(0)
    await house.close()
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
