/** The console's telnet door. */

import { createServer, type Server, type Socket } from 'node:net'
import { peerOf } from './telnet-client.ts'
import { visit, type SessionDeps } from './telnet-session.ts'

export type TelnetOptions = Omit<SessionDeps, 'keyMs'> & {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** Milliseconds without a word of the client; 30 minutes by default. */
  readonly idleMs?: number
  /** Milliseconds until the key must be there; one minute by default. */
  readonly keyMs?: number
  /** Clients at once; 16 by default. */
  readonly connections?: number
}

export type TelnetServer = {
  readonly host: string
  readonly port: number
  readonly close: () => Promise<void>
}

/** Starts listening; rejects when the port is taken. */
export async function openTelnet(options: TelnetOptions): Promise<TelnetServer> {
  const { idleMs = 30 * 60_000, keyMs = 60_000, connections = 16, log } = options
  const sockets = new Set<Socket>()
  // Who sends commands from a file closes its side before the answers are there.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    const peer = peerOf(socket, idleMs)
    visit(peer, { ...options, keyMs }).catch((error: unknown) => {
      log.error({ err: error }, 'console.broken')
      socket.destroy()
    })
  })
  server.maxConnections = connections
  await listening(server, options)
  server.on('error', (error) => log.error({ err: error }, 'console.broken'))
  const found = server.address()
  if (found === null || typeof found === 'string') throw new Error('not listening on a port')
  return {
    host: found.address,
    port: found.port,
    close: async () => {
      const closed = new Promise((resolve) => {
        server.close(resolve)
      })
      for (const socket of sockets)
        socket.end('\r\nthe console is closing\r\n', () => socket.destroy())
      await closed
    },
  }
}

function listening(server: Server, { host, port }: TelnetOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
