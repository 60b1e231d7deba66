/** An app on a port: limits of the transport, and an end that loses no answer. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { Door } from './gateway.ts'
import { defaultLimits, type Limits } from './limits.ts'
import { inRanges, isLoopback, machineOf, plain } from './shell/client.ts'
import { within } from './shell/deadline.ts'
import { refuseConnection, refuseSocket, transportProblem } from './shell/transport-problem.ts'

type ServeOptions = {
  /** `127.0.0.1` by default. */
  readonly host?: string
  /** 0 takes a free one. */
  readonly port: number
  readonly limits?: Limits
  /** Addresses and ranges of proxies, whose connections are those of many clients. */
  readonly trustedProxies?: readonly string[]
  /** Closes the server when it aborts. */
  readonly signal?: AbortSignal
}

export type Served = {
  /** `http://host:port`, without a slash at its end. */
  readonly url: string
  readonly port: number
  /**
   * Takes no more connections, lets running requests finish for at most `drainMs`, then ends what is left. Resolves when
   * nothing is open any more; a second call waits for the same end.
   */
  close(): Promise<void>
}

/** Starts listening; rejects when the port is taken. */
export async function serve(app: Door, options: ServeOptions): Promise<Served> {
  const { host = '127.0.0.1', port, limits = defaultLimits, signal } = options
  const running = new Set<ServerResponse>()
  let ended: Promise<void> | undefined
  const listener = getRequestListener((request, env: object) => app.fetch(request, env), {
    hostname: host,
  })
  const server = createServer(serverOptions(limits), (incoming, outgoing) => {
    running.add(outgoing)
    outgoing.once('close', () => {
      running.delete(outgoing)
      if (ended) server.closeIdleConnections()
    })
    if (ended) outgoing.setHeader('Connection', 'close')
    const isBusy = isForProbes(incoming.socket) && !isProbe(incoming.url)
    if (isBusy) refuseBusy(outgoing, limits)
    else if (!isRefused(incoming, outgoing, limits)) void listener(incoming, outgoing)
  })
  const { isForProbes } = boundConnections(server, limits, options.trustedProxies)
  server.on('clientError', refuseConnection)
  await listening(server, host, port)

  const close = () => {
    ended ??= drain(server, running, limits.drainMs)
    return ended
  }
  signal?.addEventListener('abort', () => void close(), { once: true })
  if (signal?.aborted) void close()
  return { ...addressOf(server), close }
}

const serverOptions = (limits: Limits) => ({
  headersTimeout: limits.headersTimeoutMs,
  // Each pause in a body is bounded by bodyIdleMs; this bounds the sum.
  requestTimeout: Math.max(limits.longRequestMs, limits.headersTimeoutMs),
  connectionsCheckingInterval: Math.min(5000, limits.headersTimeoutMs),
  // The parser knows one limit for both; which of them was passed is told by isRefused.
  maxHeaderSize: limits.headerBytes + limits.urlBytes,
})

const isProbe = (url = ''): boolean => /^\/(?:health|metrics)(?:[/?]|$)/.test(url)

function refuseBusy(outgoing: ServerResponse, limits: Limits): void {
  const headers = { 'Content-Type': 'application/problem+json', 'Retry-After': '5' }
  outgoing.writeHead(503, { ...headers, Connection: 'close' })
  outgoing.end(transportProblem(503, limits))
}

/** Answers a request whose address or header is too long for us though not for the parser. */
function isRefused(incoming: IncomingMessage, outgoing: ServerResponse, limits: Limits): boolean {
  const url = incoming.url?.length ?? 0
  const header = incoming.rawHeaders.reduce((sum, text) => sum + text.length + 2, 0)
  const status = url > limits.urlBytes ? 414 : header > limits.headerBytes ? 431 : undefined
  if (status === undefined) return false
  outgoing.writeHead(status, { 'Content-Type': 'application/problem+json', Connection: 'close' })
  outgoing.end(transportProblem(status, limits))
  return true
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function addressOf(server: Server): { url: string; port: number } {
  const found = server.address()
  if (found === null || typeof found === 'string') throw new Error('not listening on a port')
  const { address, family, port } = found
  return { url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`, port }
}

async function drain(
  server: Server,
  running: ReadonlySet<ServerResponse>,
  milliseconds: number,
): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  server.closeIdleConnections()
  for (const outgoing of running) {
    if (!outgoing.headersSent) outgoing.setHeader('Connection', 'close')
  }
  const late = new Error('some requests did not finish in time')
  await within(closed, milliseconds, () => late).catch((error: unknown) => {
    if (error !== late) throw error
    server.closeAllConnections()
  })
  await closed
}

// How many connections there may be, and whose: one client cannot take them all, and probes always find one.

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
function boundConnections(
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
