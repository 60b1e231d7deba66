/** A real port: what the transport refuses, and an end that loses no answer. */

import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { newApp } from '../../src/http/app.ts'
import { readBody } from '../../src/http/body.ts'
import { defaultLimits, type Limits } from '../../src/http/limits.ts'
import { serve, type RunningServer } from '../../src/http/serve.ts'
import { logger } from '../../src/log.ts'

const running: RunningServer[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((served) => served.close()))
})

/** A station with a request that waits until `gate` opens, on a port of its own. */
async function start(limits: Partial<Limits> = {}, signal?: AbortSignal) {
  const lines: string[] = []
  const log = logger('info', { write: (line) => void lines.push(line) })
  const gate = Promise.withResolvers<string>()
  const arrived = Promise.withResolvers<void>()
  const left = Promise.withResolvers<void>()
  const app = newApp({ log, name: 'test' })
  app.get('/now', (c) => c.text('now'))
  app.get('/large', (c) => c.text('x'.repeat(100_000)))
  app.get('/gate', async (c) => {
    c.get('signal').addEventListener('abort', () => left.resolve())
    arrived.resolve()
    return c.text(await gate.promise)
  })
  app.put('/body', async (c) => {
    const body = await readBody(c.req.raw, { bytes: 100_000, idleMs: 50 }, c.get('signal'))
    return c.text(String(body.length))
  })
  const all = { ...defaultLimits, ...limits }
  const served = await serve(app, { port: 0, limits: all, ...(signal && { signal }) })
  running.push(served)
  const events = () => lines.map((line): Record<string, unknown> => JSON.parse(line))
  return { served, gate, arrived: arrived.promise, left: left.promise, events }
}

/** Everything that the server says to these bytes until it closes the connection. */
function talk(port: number, ...texts: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let heard = ''
    socket.setEncoding('utf8')
    socket.on('data', (text: string) => {
      heard += text
    })
    socket.on('close', () => resolve(heard))
    socket.on('error', (error) => (heard === '' ? reject(error) : resolve(heard)))
    for (const text of texts) socket.write(text)
  })
}

const head = (line: string, ...headers: readonly string[]) =>
  [`${line} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n')

describe('a served app', () => {
  it('answers at the address that it tells', async () => {
    const { served } = await start()
    expect(served.url).toBe(`http://127.0.0.1:${served.port}`)
    expect(await (await fetch(`${served.url}/now`)).text()).toBe('now')
  })

  it('rejects when the port is taken', async () => {
    const { served } = await start()
    const app = newApp({ log: logger('silent'), name: 'test' })
    await expect(serve(app, { port: served.port })).rejects.toThrow(
      /^port \d+ is taken: end what listens there, or choose another one \(PLATFORM_PORT\)$/,
    )
  })

  it.each([
    [
      { setting: 'PLATFORM_HUB_SHELL_CONFIG' },
      /^port \d+ is taken: .* \(PLATFORM_HUB_SHELL_CONFIG\)$/,
    ],
    [
      { host: '192.0.2.1' },
      /^this process cannot listen on port \d+ of 192\.0\.2\.1 .*\(PLATFORM_HOST\)$/,
    ],
    [{ host: 'no-such-host.invalid' }, /of no-such-host\.invalid \(E\w+\): .*\(PLATFORM_HOST\)$/],
  ])('rejects with the setting to change for %j', async (options, message) => {
    const { served } = await start()
    const app = newApp({ log: logger('silent'), name: 'test' })
    await expect(serve(app, { port: served.port, ...options })).rejects.toThrow(message)
  })

  it('logs the bytes that went over the wire', async () => {
    const { served, events } = await start()
    const headers = { 'Accept-Encoding': 'identity' }
    await (await fetch(`${served.url}/large`, { headers })).text()
    await expect.poll(() => events().length).toBe(1)
    expect(events()[0]?.['bytes']).toBeGreaterThan(100_000)
  })

  it('tells the work of a request when its client leaves, and the log', async () => {
    const { served, arrived, left, events } = await start()
    const client = new AbortController()
    const asked = fetch(`${served.url}/gate`, { signal: client.signal }).catch(() => 'gone')
    await arrived
    client.abort()
    expect(await asked).toBe('gone')
    await left
    await expect.poll(() => events().at(-1)).toMatchObject({ event: 'request', aborted: true })
  })
})

describe('close', () => {
  it('lets a running request finish and takes no new one', async () => {
    const { served, gate, arrived } = await start({ drainMs: 3_600_000 })
    const asked = fetch(`${served.url}/gate`)
    await arrived
    const closed = served.close()
    await expect(fetch(`${served.url}/now`)).rejects.toThrow('fetch failed')
    gate.resolve('finished')
    const answer = await asked
    expect(answer.headers.get('Connection')).toBe('close')
    expect(await answer.text()).toBe('finished')
    await closed
  })

  it('ends what does not finish in time', async () => {
    const { served, arrived } = await start({ drainMs: 20 })
    const asked = fetch(`${served.url}/gate`).catch(() => 'cut off')
    await arrived
    await served.close()
    expect(await asked).toBe('cut off')
  })

  it('can be asked for twice, and by a signal', async () => {
    const stop = new AbortController()
    const { served } = await start({}, stop.signal)
    stop.abort()
    await Promise.all([served.close(), served.close()])
    await expect(fetch(`${served.url}/now`)).rejects.toThrow('fetch failed')
  })

  it('does not wait for connections that are only kept open', async () => {
    const { served } = await start({ drainMs: 3_600_000 })
    await (await fetch(`${served.url}/now`)).text()
    expect(await served.close()).toBeUndefined()
  })
})

describe('the transport refuses', () => {
  it('conflicting Content-Length and Transfer-Encoding', async () => {
    const { served, events } = await start()
    const smuggled = head('PUT /body', 'Content-Length: 4', 'Transfer-Encoding: chunked')
    const heard = await talk(served.port, `${smuggled}0\r\n\r\nGET /now HTTP/1.1\r\n\r\n`)
    expect(heard).toMatch(/^HTTP\/1\.1 400 /)
    expect(heard.match(/HTTP\/1\.1/g)).toHaveLength(1)
    expect(events()).toEqual([])
  })

  it.each(['nonsense\r\n\r\n', 'GET /now HTTP/1.1\r\nHost: x\r\nBad Name: 1\r\n\r\n'])(
    'what is no HTTP with a problem (%j)',
    async (text) => {
      const heard = await talk((await start()).served.port, text)
      expect(heard).toMatch(/^HTTP\/1\.1 400 /)
      expect(heard).toContain('application/problem+json')
    },
  )

  it('an address over the limit with 414', async () => {
    const { served } = await start({ urlBytes: 1000 })
    const heard = await talk(served.port, head(`GET /now?${'x'.repeat(1000)}`))
    expect(heard).toMatch(/^HTTP\/1\.1 414 /)
    expect(heard).toContain('urlBytes')
    const longer = await talk(served.port, `GET /now?${'x'.repeat(60_000)}`)
    expect(longer).toMatch(/^HTTP\/1\.1 414 /)
  })

  it('a header over the limit with 431', async () => {
    const { served } = await start({ headerBytes: 2000 })
    const heard = await talk(served.port, head('GET /now', `X-Long: ${'x'.repeat(2000)}`))
    expect(heard).toMatch(/^HTTP\/1\.1 431 /)
    expect(heard).toContain('headerBytes')
    const longer = await talk(served.port, head('GET /now', `X-Long: ${'x'.repeat(60_000)}`))
    expect(longer).toMatch(/^HTTP\/1\.1 431 /)
  })

  it('a header that does not arrive in time with 408', async () => {
    const { served } = await start({ headersTimeoutMs: 100 })
    expect(await talk(served.port, 'GET /now HTTP/1.1\r\nHost:')).toMatch(/^HTTP\/1\.1 408 /)
  })

  it('nothing that was not begun: a connection that is opened ahead is no late request', async () => {
    const { served } = await start({ headersTimeoutMs: 100 })
    const ahead = connect(served.port, '127.0.0.1')
    await once(ahead, 'connect')
    const answer = once(ahead, 'data')
    for (let round = 0; round < 2; round += 1)
      expect(await talk(served.port, 'GET /now HTTP/1.1\r\nHost:')).toMatch(/^HTTP\/1\.1 408 /)
    ahead.write(head('GET /now'))
    expect(String(await answer)).toMatch(/^HTTP\/1\.1 200 /)
    ahead.destroy()
  })

  it('[T12] a body that does not go on with 408', async () => {
    const { served } = await start()
    const heard = await talk(served.port, `${head('PUT /body', 'Content-Length: 10')}abc`)
    expect(heard).toMatch(/^HTTP\/1\.1 408 /)
    expect(heard).toContain('bodyIdleMs')
  })

  it('[T12] a body over the limit with 413 that its sender can read', async () => {
    const { served } = await start()
    const body = 'x'.repeat(5_000_000)
    const answer = await fetch(`${served.url}/body`, { method: 'PUT', body })
    expect(answer.status).toBe(413)
    expect(await answer.json()).toMatchObject({ type: 'urn:cartulary:problem:too-large' })
  })
})

it('a body within the limits arrives whole', async () => {
  const { served } = await start()
  const answer = await fetch(`${served.url}/body`, { method: 'PUT', body: 'x'.repeat(99_000) })
  expect(await answer.text()).toBe('99000')
})
