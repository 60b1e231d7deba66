/** How many connections there may be, and whose: one client cannot take them all, and probes always find one. */

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Limits } from '../limits.ts'
import { inRanges, isLoopback, machineOf, plain } from './client.ts'
import { refuseSocket } from './transport-problem.ts'

type Connections = {
  /** Whether the connection is one of those that are kept for `/health` and `/metrics`. */
  readonly isForProbes: (socket: Socket) => boolean
}

/** Kept for probes from elsewhere, and as many again for this host; fewer where there are few connections at all. */
const mostKept = 20
const keptShare = 0.05

/** From this share on idle connections are not kept. */
const crowded = 0.9
const keepAliveMs = 65_000
const crowdedKeepAliveMs = 2000

/** A connection that is kept for probes must ask within this time. */
const probeMs = 2000

/** Bounds the connections of a server: all together, and by address. `trusted` are proxies, behind which many clients stand. */
export function boundConnections(
  server: Server,
  limits: Pick<Limits, 'connections' | 'connectionsPerClient'>,
  trusted: readonly string[] = [],
): Connections {
  const { connections: most, connectionsPerClient } = limits
  const kept = Math.min(mostKept, Math.floor(most * keptShare))
  const isProxy = inRanges(trusted)
  const open = openConnections(server, most)
  const probes = new WeakSet<Socket>()

  const admit = (socket: Socket): boolean => {
    const address = plain(socket.remoteAddress ?? '')
    const isOwn = isLoopback(address)
    const client = machineOf(address)
    const isCounted = !isOwn && !isProxy(address)
    if (isCounted && open.of(client) >= connectionsPerClient) {
      return refuse(socket, `one address may have ${connectionsPerClient} (connectionsPerClient)`)
    }
    if (!isOwn && open.all() >= most - kept) {
      return refuse(socket, `there may be ${most} (connections)`)
    }
    open.add(socket, client)
    if (!isOwn && open.all() > most - 2 * kept) {
      probes.add(socket)
      const late = setTimeout(() => socket.destroy(), probeMs)
      socket.once('close', () => clearTimeout(late))
    }
    return true
  }

  server.maxConnections = most
  // What is refused must not reach the server's own listeners, which would begin to parse it.
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    if (admit(socket)) for (const listener of listeners) listener.call(server, socket)
  })
  return { isForProbes: (socket) => probes.has(socket) }
}

/** Counts connections until they close; while it is crowded, idle ones are not kept. */
function openConnections(server: Server, most: number) {
  const clients = new Map<string, number>()
  let all = 0
  const changed = () => {
    const isCrowded = all >= most * crowded
    server.keepAliveTimeout = isCrowded ? crowdedKeepAliveMs : keepAliveMs
    if (isCrowded) server.closeIdleConnections()
  }
  const count = (client: string, by: number) => {
    all += by
    const own = (clients.get(client) ?? 0) + by
    if (own > 0) clients.set(client, own)
    else clients.delete(client)
    changed()
  }
  changed()
  return {
    all: () => all,
    of: (client: string) => clients.get(client) ?? 0,
    add: (socket: Socket, client: string) => {
      count(client, 1)
      socket.once('close', () => count(client, -1))
    },
  }
}

function refuse(socket: Socket, why: string): false {
  refuseSocket(socket, `too many connections: ${why}`)
  return false
}
