/** Two thousand URLs on twenty hosts, each with a vice: every host is treated well, and every URL gets what it deserves. */

import { afterAll, beforeAll, expect, it } from 'vitest'
import { urlStatusSegment } from '../../../src/metrics/reach/reach-segment.ts'
import type { Message } from '../../../src/pipe/message.ts'
import { portal, type Portal } from '../../support/portals/portal.ts'
import { startMisbehavingHosts, misbehaviours, type MisbehavingHosts } from './misbehaving-hosts.ts'
import { contextOf } from '../context.ts'
import { codes, datasetOf, recordOf, streamOf } from './records.ts'
import { reachFixture, type ReachFixture } from './reach-fixture.ts'

let canary: Portal
let hosts: MisbehavingHosts
let place: ReachFixture
let all: ReturnType<typeof misbehaviours>

const addressOf = (number: number) => `8.8.8.${number + 1}`

beforeAll(async () => {
  canary = await portal(() => new Response('secrets of the house'))
  all = misbehaviours(canary.port)
  hosts = await startMisbehavingHosts(all)
  const entries = all.map(({ name }, number) => ({ name, address: addressOf(number) }))
  place = reachFixture({
    silent: (url, asked) => asked === 'page' && url.startsWith('http://hangs.example/'),
    names: Object.fromEntries(entries.map(({ name, address }) => [`${name}.example`, [address]])),
    world: {
      '127.0.0.1': canary.port,
      ...Object.fromEntries(
        entries.flatMap(({ name, address }) => {
          const port = hosts.ports[name]
          return port === undefined ? [] : [[address, port]]
        }),
      ),
    },
  })
})

afterAll(async () => {
  await place.close()
  await hosts.close()
  await canary.close()
})

const each = 100

type Wanted = { readonly url: string; readonly code: number | undefined }

/** A hundred per host, hosts taking turns. */
const wanted = (): readonly Wanted[] =>
  Array.from({ length: each }, (_, number) =>
    all.map(({ name, code }) => ({ url: `http://${name}.example/${number}`, code: code(number) })),
  ).flat()

/** Datasets of two URLs, and every tenth URL again in other datasets. */
function* records(urls: readonly Wanted[]): Generator<Message> {
  const again = urls.filter((_, number) => number % 10 === 0)
  const stream = [...urls, ...again]
  for (let number = 0; number < stream.length; number += 2) {
    const [first, second] = [stream[number], stream[number + 1]]
    const inHouse = `<http://127.0.0.1:${canary.port}/${number}>`
    const accessURL = [`<${first?.url}>`, ...(number % 100 === 0 ? [inHouse] : [])]
    const text = datasetOf(`d${number}`, [{ accessURL, downloadURL: [`<${second?.url}>`] }])
    yield recordOf(number, text)
  }
}

it('two thousand URLs on twenty hosts with faults', async () => {
  const urls = wanted()
  const kind = urlStatusSegment({ reach: await place.open() })
  const opened = kind.open({}, { trust: 'trusted' })
  if (!opened.ok) throw new Error('the segment did not open')
  const told = new Map<unknown, Set<unknown>>()
  const order: string[] = []
  const flow = opened.run(streamOf(records(urls)), contextOf('run'), new AbortController().signal)
  for await (const message of flow) {
    if (message.kind === 'record') order.push(message.sourceId)
    for (const [, , value, from] of await codes(message)) {
      told.set(from, (told.get(from) ?? new Set()).add(value))
    }
  }

  // The right code for each fault, the same wherever the URL stands.
  const inHouse = [...told].filter(([url]) => String(url).includes('127.0.0.1'))
  expect(inHouse).toHaveLength(22)
  const expected = new Map<unknown, Set<unknown>>(inHouse.map(([url]) => [url, new Set([1300])]))
  for (const { url, code } of urls) if (code !== undefined) expected.set(url, new Set([code]))
  expect(Object.fromEntries(told)).toEqual(Object.fromEntries(expected))
  expect(order).toEqual(
    [...records(urls)].map((record) => record.kind === 'record' && record.sourceId),
  )

  // Each URL once: HEAD, and GET where HEAD was not liked; a broken connection once more.
  const { asked, most, mostAtAll } = hosts.counts
  const twice = /^(?:drops|drops-once|hangs) HEAD /
  const tooOften = [...asked].filter(([key, times]) => times > (twice.test(key) ? 2 : 1))
  expect(tooOften).toEqual([])
  const robots = [...asked].filter(([key]) => key.endsWith('/robots.txt'))
  expect(robots).toHaveLength(19)
  expect([...asked.keys()].filter((key) => key.startsWith('shy HEAD /1'))).toEqual([])
  // Two may be at it when the first hears that the host wants an hour.
  const overrun = [...asked.keys()].filter((key) => key.startsWith('overrun HEAD'))
  expect(overrun.length).toBeLessThanOrEqual(2)

  // At most two at once at every host, and no more than sixteen in all.
  expect(Math.max(...Object.values(most))).toBe(2)
  expect(mostAtAll).toBeLessThanOrEqual(16)
  expect(mostAtAll).toBeGreaterThan(4)

  // Nothing of the house was touched.
  expect(canary.connections()).toBe(0)
  const dialled = new Set(place.dialled.flatMap(({ addresses }) => addresses))
  expect([...dialled].every((address) => address.startsWith('8.8.8.'))).toBe(true)
})
