/** A host that takes its time in every way there is. */

import { createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { portal, type Portal } from './portal.ts'

/**
 * `/silent` never answers, `/drip` gives a byte every 20 ms, `/stuck` stops after the head, `/head-only` closes after it,
 * `/endless` never ends, `/bomb` is gzip of a gigabyte; everything else is quick.
 */
export function slowHost(): Promise<Portal> {
  const on = (path: string) => (request: Request) => new URL(request.url).pathname === path
  return portal(
    () => new Response('x'.repeat(1000)),
    [
      { on: on('/silent'), fault: { kind: 'silent' } },
      { on: on('/drip'), fault: { kind: 'drip', everyMs: 20 } },
      { on: on('/stuck'), fault: { kind: 'stuck' } },
      { on: on('/head-only'), fault: { kind: 'head-only' } },
      { on: on('/endless'), fault: { kind: 'endless' } },
      { on: on('/bomb'), fault: { kind: 'bomb' } },
    ],
  )
}

/** A server that says these bytes, in HTTP or not, whatever it is asked or as it is asked, and stays on the line. */
export async function rawHost(
  said: string | ((asked: string) => string),
): Promise<{ port: number; close: () => Promise<void> }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    socket.once('data', (data) =>
      socket.write(typeof said === 'string' ? said : said(data.toString('latin1')), 'latin1'),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
