/** Requests that a reader sends on to the process that writes. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as pauseOf } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { writerClient, type WriterClient } from '../../src/client/forwarding.ts'
import { forwardingApp } from '../../src/http/forwarding.ts'
import { serve, type RunningServer } from '../../src/http/serve.ts'
import { logger } from '../../src/log.ts'

const open: { close: () => unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close()
})

type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => unknown

async function origin(listener: Listener): Promise<string> {
  const server: Server = createServer((...exchange) => void listener(...exchange))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push({ close: () => void (server.closeAllConnections(), server.close()) })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function reader(
  ...origins: readonly string[]
): Promise<RunningServer & { writer: WriterClient }> {
  const pause = async (ms: number, signal: AbortSignal) => pauseOf(ms, undefined, { signal })
  const log = logger('silent')
  const writer = writerClient({ origins, log, pause, now: () => performance.now() })
  const app = forwardingApp({ log, trustedProxies: ['127.0.0.1'] }, writer)
  const server = await serve(app, { port: 0 })
  open.push({ close: () => writer.stop() }, { close: () => server.close() })
  return { ...server, writer }
}

const textOf = async (incoming: IncomingMessage) => (await incoming.toArray()).join('')

describe('a request that is sent on', () => {
  it('arrives with its method, path, body and headers, and with the address of its client', async () => {
    const writer = await origin(async (incoming, outgoing) => {
      const body = await textOf(incoming)
      outgoing.setHeader('Set-Cookie', ['a=1', 'b=2'])
      outgoing.writeHead(201, { Location: '/there', ETag: '"t"' })
      outgoing.end(
        JSON.stringify({
          method: incoming.method,
          url: incoming.url,
          headers: incoming.headers,
          body,
        }),
      )
    })
    const { url } = await reader(writer)
    const answer = await fetch(`${url}/a%20b/c?d=e%2Ff`, {
      method: 'PUT',
      body: 'text',
      headers: {
        'If-Match': '"x"',
        'X-Forwarded-For': '203.0.113.7',
        'X-Forwarded-Proto': 'https',
        'X-Forwarded-Host': 'portal.example',
      },
    })
    expect([answer.status, answer.headers.get('Location'), answer.headers.get('ETag')]).toEqual([
      201,
      '/there',
      '"t"',
    ])
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(await answer.json()).toMatchObject({
      method: 'PUT',
      url: '/a%20b/c?d=e%2Ff',
      body: 'text',
      headers: {
        'if-match': '"x"',
        'content-length': '4',
        'x-forwarded-for': '203.0.113.7',
        'x-forwarded-proto': 'https',
        'x-forwarded-host': 'portal.example',
      },
    })
  })

  it.each([204, 304])('has the answer %i without a body', async (status) => {
    const { url } = await reader(
      await origin((_, outgoing) => outgoing.writeHead(status, { ETag: '"t"' }).end()),
    )
    const answer = await fetch(url)
    expect([answer.status, answer.headers.get('ETag'), await answer.text()]).toEqual([
      status,
      '"t"',
      '',
    ])
  })

  it('reads an early refusal although its body was not taken', async () => {
    const writer = await origin((incoming, outgoing) => {
      outgoing.writeHead(413).end('too large')
      incoming.resume()
    })
    const { url } = await reader(writer)
    const answer = await fetch(url, { method: 'PUT', body: 'x'.repeat(8_000_000) })
    expect([answer.status, await answer.text()]).toEqual([413, 'too large'])
  })

  it('is answered by 503 with `Retry-After` where the writer is away, and says that nothing was sent', async () => {
    const { url, writer } = await reader('http://127.0.0.1:9')
    const answer = await fetch(url, { method: 'PUT', body: 'x' })
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '5'])
    expect(await answer.json()).toMatchObject({
      type: 'urn:cartulary:problem:writer-away',
      detail: expect.stringContaining('cannot be reached'),
    })
    expect(writer.isUp()).toBe(false)
  })

  it('is not sent twice when the writer breaks off, and says that its outcome is not known', async () => {
    let writes = 0
    const writer = await origin((incoming, outgoing) => {
      if (incoming.url === '/health/ready') outgoing.end()
      else {
        writes += 1
        incoming.socket.destroy()
      }
    })
    const { url } = await reader(writer)
    const answer = await fetch(url, { method: 'POST', body: 'x' })
    expect(answer.status).toBe(503)
    expect(await answer.json()).toMatchObject({ detail: expect.stringContaining('not known') })
    expect(writes).toBe(1)
  })

  it('breaks off where the answer of the writer does', async () => {
    const writer = await origin((incoming, outgoing) => {
      outgoing.writeHead(200, { 'Content-Type': 'application/octet-stream' })
      outgoing.write('half')
      setTimeout(() => incoming.socket.destroy(), 20)
    })
    const { url } = await reader(writer)
    await expect(fetch(url).then((answer) => answer.text())).rejects.toThrow('terminated')
  })

  it('goes to the process that is ready, of several', async () => {
    const isReady = { first: true }
    const named = (name: string, ready: () => boolean) =>
      origin((incoming, outgoing) => {
        if (incoming.url === '/health/ready') outgoing.statusCode = ready() ? 200 : 503
        outgoing.end(name)
      })
    const { url } = await reader(
      await named('first', () => isReady.first),
      await named('second', () => !isReady.first),
    )
    const answered = async () => (await fetch(url)).text()
    await expect.poll(answered).toBe('first')
    isReady.first = false
    await expect.poll(answered, { timeout: 10_000 }).toBe('second')
  })
})
