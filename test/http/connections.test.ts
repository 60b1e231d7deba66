/** Connections of strangers are bounded by address and in all; this host and probes always get one. */

import { connect, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterEach, describe, expect, it } from 'vitest'
import { newApp } from '../../src/http/app.ts'
import { defaultLimits, type Limits } from '../../src/http/limits.ts'
import { serve, type RunningServer } from '../../src/http/serve.ts'
import { logger } from '../../src/log.ts'

/** An address of this machine that is not loopback: who connects to it comes from it. */
const own = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address

const servers: RunningServer[] = []
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await Promise.all(servers.splice(0).map((served) => served.close()))
})

async function start(limits: Partial<Limits>, trustedProxies: readonly string[] = []) {
  const app = newApp({ log: logger('silent'), name: 'test' })
  app.get('/now', (c) => c.text('now'))
  app.get('/health', (c) => c.text('well'))
  const all = { ...defaultLimits, ...limits }
  const served = await serve(app, { host: '0.0.0.0', port: 0, limits: all, trustedProxies })
  servers.push(served)
  return served.port
}

/** Connects, asks if there is a path, and tells the status of what comes; `undefined` when the connection just stands. */
async function ask(port: number, host: string, path?: string): Promise<number | undefined> {
  const socket = connect(port, host)
  sockets.push(socket)
  const status = Promise.withResolvers<number>()
  socket.on('error', () => status.resolve(0))
  socket.on('close', () => status.resolve(0))
  socket.on('data', (bytes) => status.resolve(Number(bytes.toString().split(' ')[1])))
  if (path === undefined) {
    await new Promise((resolve) => socket.once('connect', resolve))
    return undefined
  }
  socket.write(`GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`)
  return status.promise
}

async function hold(port: number, host: string, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) expect(await ask(port, host, '/now')).toBe(200)
}

describe.skipIf(own === undefined)('connections', () => {
  const stranger = own ?? ''

  it('of one address are bounded, and those of this host are not', async () => {
    const port = await start({ connectionsPerClient: 3 })
    await hold(port, stranger, 3)
    expect(await ask(port, stranger, '/now')).toBe(503)
    await hold(port, '127.0.0.1', 6)
    sockets[0]?.destroy()
    await expect.poll(() => ask(port, stranger, '/now')).toBe(200)
  })

  it('of a trusted proxy are those of many', async () => {
    const port = await start({ connectionsPerClient: 3 }, [stranger])
    await hold(port, stranger, 5)
    expect(await ask(port, stranger, '/now')).toBe(200)
  })

  it('in all leave some for probes, and the last for this host', async () => {
    // Two of forty are kept for probes, and two for this host; idle ones are closed only from 36 on.
    const port = await start({ connections: 40 })
    for (let n = 0; n < 36; n += 1) await ask(port, stranger)
    expect(await ask(port, stranger, '/now')).toBe(503)
    expect(await ask(port, stranger, '/health')).toBe(200)
    expect(await ask(port, '127.0.0.1', '/now')).toBe(200)
  })
})
