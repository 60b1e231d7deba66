/** Bodies: decompressed, bounded, timed, and never taken for whole when they are not. */

import { createServer, type AddressInfo, type Socket } from 'node:net'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Failure } from '../../src/errors.ts'
import type { OutboundRequest } from '../../src/client/outbound.ts'
import { outboundFixture, type OutboundFixture } from '../support/portals/outbound.ts'
import { portal, type Portal } from '../support/portals/portal.ts'
import { rawHost, slowHost } from '../support/portals/slow-host.ts'

const never = new AbortController().signal
const deadlines = { connectMs: 20_000, firstByteMs: 20_000, idleMs: 20_000, pageMs: 20_000 }
let slow: Portal
let scene: OutboundFixture

beforeAll(async () => {
  slow = await slowHost()
  scene = outboundFixture({ limits: { deadlines } })
})

afterAll(async () => {
  await scene.client.close()
  await slow.close()
})

const asked = (url: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  url,
  reach: { kind: 'configured', address: url, trust: 'trusted', allow: [] },
  maxBytes: 1_000_000,
  attempts: 1,
  ...more,
})

const ask = (url: string, more: Partial<OutboundRequest> = {}) =>
  scene.client.read(asked(url, more), never)

async function answering(
  answer: () => Response,
  use: (server: Portal) => Promise<void>,
): Promise<void> {
  const server = await portal(answer)
  await use(server)
  await server.close()
}

const kindOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: Failure) => error.kind,
  )

describe('slow sources', () => {
  it.each([
    ['never answer', '/silent', { firstByteMs: 150 }],
    ['stop after the head', '/stuck', { idleMs: 150 }],
    ['drip, when the whole page has taken too long', '/drip', { pageMs: 250 }],
  ])('that %s end as source-timeout', async (_, path, shorter) => {
    const failed = ask(slow.url + path, { deadlines: shorter })
    expect(await kindOf(failed)).toBe('source-timeout')
  })

  it.each(['connectMs', 'firstByteMs', 'idleMs', 'pageMs'])(
    'have the usual time where %s is given as undefined',
    (name) =>
      answering(
        () => new Response('all of it'),
        async ({ url }) => {
          const { text } = await ask(`${url}/`, { deadlines: { [name]: undefined } })
          expect(text).toBe('all of it')
        },
      ),
  )

  it('that close after the head end as source-truncated', async () => {
    expect(await kindOf(ask(`${slow.url}/head-only`))).toBe('source-truncated')
  })

  it.each(['source-truncated', 'none'])(
    'without a length end as %s when their connection is reset, or closed',
    async (kind) => {
      const connected = Promise.withResolvers<Socket>()
      const server = createServer((socket) => {
        socket.on('error', () => socket.destroy())
        socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\n\r\nhalf'))
        connected.resolve(socket)
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as AddressInfo
      const answer = await scene.client.request(asked(`http://127.0.0.1:${port}/`), never)
      const socket = await connected.promise
      if (kind === 'none') socket.end()
      else socket.resetAndDestroy()
      expect(await kindOf(answer.text())).toBe(kind)
      await new Promise((resolve) => server.close(resolve))
    },
  )

  it('end at once when the signal says so, with its reason, before and during the body', async () => {
    for (const path of ['/silent', '/stuck']) {
      const stop = new AbortController()
      const reason = new Error('cancelled')
      const seen = slow.requests.length
      const work = scene.client.read(asked(slow.url + path), stop.signal)
      await expect.poll(() => slow.requests.length).toBe(seen + 1)
      stop.abort(reason)
      await expect(work).rejects.toBe(reason)
    }
  })
})

describe('large bodies', () => {
  it('end within 64 KB of the limit, however long they would go on', async () => {
    const answer = await scene.client.request(
      asked(`${slow.url}/endless`, { maxBytes: 100_000 }),
      never,
    )
    let bytes = 0
    const read = async () => {
      for await (const part of answer.body) bytes += part.length
    }
    expect(await kindOf(read())).toBe('too-large')
    expect(bytes).toBeLessThanOrEqual(100_000)
  })

  it('are refused by their declared length before they are read', async () => {
    await answering(
      () => new Response('x'.repeat(2000)),
      async ({ url }) => {
        expect(await kindOf(ask(url, { maxBytes: 1999 }))).toBe('too-large')
        expect(await kindOf(ask(url, { maxBytes: 2000 }))).toBe('none')
      },
    )
  })

  it('[T12] of gzip that grow a thousandfold end by their ratio, long before the limit', async () => {
    const url = `${slow.url}/bomb`
    const answer = await scene.client.request(asked(url, { maxBytes: 2_000_000_000 }), never)
    let bytes = 0
    const read = async () => {
      for await (const part of answer.body) bytes += part.length
    }
    await expect(read()).rejects.toMatchObject({
      kind: 'too-large',
      detail: expect.stringContaining('100 : 1'),
    })
    expect(bytes).toBeLessThan(10_000_000)
  })
})

describe('compressed bodies', () => {
  const text = 'größer '.repeat(5000)
  it.each([
    ['gzip', 'gzip', gzipSync(text)],
    ['x-gzip', 'x-gzip', gzipSync(text)],
    ['deflate', 'deflate', deflateSync(text)],
    ['deflate without its head', 'deflate', deflateRawSync(text)],
    ['br', 'br', brotliCompressSync(text)],
    ['gzip over br', 'br, gzip', gzipSync(brotliCompressSync(text))],
  ])('in %s are read', async (_, coding, bytes) => {
    await answering(
      () => new Response(bytes, { headers: { 'Content-Encoding': coding } }),
      async ({ url }) => expect((await ask(url)).text).toBe(text),
    )
  })

  it.each([
    ['that are not what they say', 'gzip', Buffer.from('plain text'), 'source-malformed'],
    ['in br that are not', 'br', Buffer.alloc(100, 0xff), 'source-malformed'],
    ['of an unknown coding', 'zstd', Buffer.from('x'), 'source-malformed'],
    ['that end early', 'gzip', gzipSync(text).subarray(0, 60), 'source-truncated'],
    ['in br that end early', 'br', brotliCompressSync(text).subarray(0, 20), 'source-truncated'],
  ])('%s are %s', async (_, coding, bytes, kind) => {
    await answering(
      () => new Response(bytes, { headers: { 'Content-Encoding': coding } }),
      async ({ url }) => expect(await kindOf(ask(url))).toBe(kind),
    )
  })

  it('of nothing are nothing', async () => {
    await answering(
      () => new Response('', { headers: { 'Content-Encoding': 'gzip' } }),
      async ({ url }) => expect((await ask(url)).text).toBe(''),
    )
  })
})

describe('bodies that break off', () => {
  it.each(['length', 'chunked'] as const)('by %s are asked for again', async (framing) => {
    await answering(
      () => new Response('x'.repeat(1000)),
      async ({ url, faults, requests }) => {
        const { client } = outboundFixture({})
        faults.at(1, { kind: 'truncated', framing })
        expect((await client.read(asked(url, { attempts: 3 }), never)).text).toHaveLength(1000)
        expect(requests).toHaveLength(2)
        faults.from(3, { kind: 'truncated', framing })
        const failed = client.read(asked(url, { attempts: 3 }), never)
        expect(await kindOf(failed)).toBe('source-truncated')
        expect(requests).toHaveLength(5)
        await client.close()
      },
    )
  })
})

describe('what is not HTTP', () => {
  it.each([
    ['noise', () => 'SSH-2.0-OpenSSH\r\n\r\n'],
    ['a head without end', () => `HTTP/1.1 200 OK\r\n${'X-Long: y\r\n'.repeat(10_000)}`],
    [
      'an answer of two lengths',
      () => 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx',
    ],
  ])('is source-malformed: %s', async (_, said) => {
    const host = await rawHost(said())
    expect(await kindOf(ask(`http://127.0.0.1:${host.port}/`))).toBe('source-malformed')
    await host.close()
  })
})
