/** Ids, headers and lengths that lie or try to be something else, over a real socket: nothing changes. */

import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  bulk,
  dataset,
  good,
  hostileClient,
  limits,
  single,
  type HostileClient,
} from '../support/hostile-requests.ts'

let house: HostileClient
beforeAll(async () => {
  house = await hostileClient()
})
afterAll(() => house.close())

describe('ids', () => {
  const strange = [
    '"',
    "'",
    '\\',
    '> <urn:x',
    '${x}',
    '%00',
    '..',
    '../../etc/passwd',
    '}',
    '#',
    '?',
    '\u202e',
    '😀',
    "'; DROP ALL; #",
  ]
  it.each(strange)(
    'that try to be something else (%j) are ids or refused, and are found again',
    async (id) => {
      const path = `/catalogues/c/datasets/origin?originalId=${encodeURIComponent(`s${id}`)}`
      const { status } = await house.put(dataset, { path })
      expect(status).toBe(201)
      expect((await fetch(house.url + path)).status).toBe(200)
      expect((await house.put(dataset, { path })).status).toBe(304)
    },
  )

  it.each(['\u0000', 'a\nb', '\u0085', '', 'x'.repeat(2001), '%', '...%'])(
    '%j is none',
    async (id) => {
      const path = `/catalogues/c/datasets/origin?originalId=${encodeURIComponent(id)}`
      const expected = id === '...%' ? [201, undefined] : [400, 'invalid-parameter']
      const { status, slug } = await house.put(dataset, { path })
      expect([status, slug]).toEqual(expected)
    },
  )

  it.each(['%00', '..%2F..', '%22', 'a%0Ab', 'x'.repeat(256), 'a.b'])(
    '%s in a path is none',
    async (id) => {
      for (const path of [
        `/datasets/${id}`,
        `/catalogues/${id}`,
        `/catalogues/${id}/datasets/bulk`,
      ]) {
        const [status] = await house.refused(dataset, { path })
        expect([400, 404]).toContain(status)
      }
    },
  )

  it('of 20 kB do not get through the door', async () => {
    const [status] = await house.refused(dataset, { path: `${single}${'x'.repeat(20_000)}` })
    expect(status).toBe(414)
  })
})

describe('what is said about the body', () => {
  it.each([
    ['nothing that we know', 'text/plain', [415, 'unsupported-media-type']],
    ['a character set of nobody', 'text/turtle;charset=klingon', [415, 'unsupported-media-type']],
    ['XML', 'application/rdf+xml', [400, 'malformed-rdf']],
    ['JSON', 'application/ld+json', [400, 'malformed-rdf']],
    ['lines', 'application/n-triples', [400, 'malformed-rdf']],
  ])('Turtle under the name of %s', async (_, type, expected) => {
    expect(await house.refused(good, { type })).toEqual(expected)
    expect(await house.refused(good, { type, path: bulk })).toEqual(expected)
  })

  it.each([
    ['a bomb', gzipSync(Buffer.alloc(64 * 2 ** 20)), 'gzip', [413, 'too-large']],
    [
      'within the size but too dense',
      gzipSync(Buffer.alloc(3 * 2 ** 20, ' ')),
      'gzip',
      [413, 'too-large'],
    ],
    ['no gzip at all', Buffer.from(good), 'gzip', [400, 'invalid-parameter']],
    ['half of a gzip', gzipSync(good).subarray(0, 60), 'gzip', [400, 'invalid-parameter']],
    ['a coding that nobody knows', Buffer.from(good), 'rot13', [415, 'unsupported-media-type']],
  ])('%s is refused', async (_, body, coding, expected) => {
    for (const path of [single, bulk])
      expect(await house.refused(body, { coding, path })).toEqual(expected)
  })
})

function* forever(piece: string): Generator<string> {
  for (let n = 0; n < 20_000; n += 1) yield piece
}

describe('the length of the body', () => {
  it('announced beyond the limit is refused before it comes', async () => {
    const { text } = await house.raw(`Content-Length: ${10 * 2 ** 30}\r\nConnection: close`, [])
    expect(text).toMatch(/^HTTP\/1.1 413 /)
  })

  it('not announced is counted while it comes, and no more is read than the limit', async () => {
    const before = await house.quads()
    const chunk = `10000\r\n${'# '.repeat(2 ** 15)}\r\n`
    const { text, sent } = await house.raw(
      'Transfer-Encoding: chunked\r\nConnection: close',
      forever(chunk),
    )
    expect(text).toMatch(/^HTTP\/1.1 413 /)
    // What lies in the buffers of the two sockets was sent and never read.
    expect(sent).toBeLessThan(limits.bodyBytes + 32 * 2 ** 20)
    expect(await house.quads()).toBe(before)
  })

  it('that is less than was announced is waited for only so long, and nothing is written', async () => {
    const before = await house.quads()
    const { text } = await house.raw('Content-Length: 100000\r\nConnection: close', [good])
    expect(text).toMatch(/^HTTP\/1.1 408 /)
    expect(await house.quads()).toBe(before)
  })

  it('that is more than was announced is cut there, and the rest is no request', async () => {
    const before = await house.quads()
    const { text } = await house.raw(`Content-Length: ${good.length - 9}`, [good])
    expect(text).toMatch(/^HTTP\/1.1 400 /)
    expect(await house.quads()).toBe(before)
  })
})
