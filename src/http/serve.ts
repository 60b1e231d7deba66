/** HTTP server for an app: limits on headers, times and connections, and a shutdown that lets running requests finish. */

import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import { type Server as NetServer, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import { Failure, StartRefused } from '../errors.ts'
import { reportNumber, showLevel } from '../workers/numbers.ts'
import { FairLimiter } from '../workers/fair-limiter.ts'
import type { FetchHandler } from './app.ts'
import { withTimeLimit } from './context.ts'
import { defaultLimits, type Limits } from './limits.ts'
import { inRanges, isLoopback, machineOf, withoutIpv6Prefix } from './peer.ts'

type ServeOptions = {
  /** `127.0.0.1` by default. */
  readonly host?: string
  /** Port; 0 takes a free one. */
  readonly port: number
  /** Setting that error messages name; by default `PLATFORM_PORT` or `PLATFORM_HOST`. */
  readonly setting?: string
  /** By default `defaultLimits`. */
  readonly limits?: Limits
  /** Addresses and CIDR ranges of proxies, whose connections are not limited by client. */
  readonly trustedProxies?: readonly string[]
  /** Closes the server when it aborts. */
  readonly signal?: AbortSignal
}

/** Server that listens. */
export type RunningServer = {
  /** `http://host:port`, without a slash at its end. */
  readonly url: string
  readonly port: number
  /**
   * Accepts no more connections, lets running requests finish for at most `drainMs`, then closes the rest. Resolves when all
   * connections are closed; a second call waits for the same.
   */
  close(): Promise<void>
}

/** Starts a server; rejects with `StartRefused` when it cannot listen. */
export async function serve(app: FetchHandler, options: ServeOptions): Promise<RunningServer> {
  const { host = '127.0.0.1', port, limits = defaultLimits, signal } = options
  const running = new Set<ServerResponse>()
  let draining: Promise<void> | undefined
  const listener = getRequestListener((request, env: object) => app.fetch(request, env), {
    hostname: host,
  })
  const server = createServer(serverOptions(limits), (incoming, outgoing) => {
    running.add(outgoing)
    outgoing.once('close', () => {
      running.delete(outgoing)
      if (draining) server.closeIdleConnections()
    })
    if (draining) outgoing.setHeader('Connection', 'close')
    closeAfterBody(incoming)
    const isBusy = isReservedForProbes(incoming.socket) && !isProbe(incoming.url)
    if (isBusy) refuse(outgoing, 503, limits)
    else if (!refuseLongHeader(incoming, outgoing, limits))
      listener(incoming, outgoing).catch(() => outgoing.destroy())
  })
  const { isReservedForProbes } = boundConnections(server, limits, options.trustedProxies)
  server.on('clientError', (error: ParserError, socket: Socket) => {
    if (!isUnused(error, socket)) refuseUnparsed(error, socket)
    else if (server.keepAliveTimeout === crowdedKeepAliveMs) socket.destroy()
    else closeUnused(socket)
  })
  await listenOn(server, { host, port, setting: options.setting })

  const close = () => {
    draining ??= drain(server, running, limits.drainMs)
    return draining
  }
  // The code that stops the server awaits `close` and gets its failure.
  const closeQuietly = () => {
    close().catch(() => undefined)
  }
  signal?.addEventListener('abort', closeQuietly, { once: true })
  if (signal?.aborted) closeQuietly()
  return { ...addressOf(server), close }
}

const serverOptions = (limits: Limits) => ({
  headersTimeout: limits.headersTimeoutMs,
  // bodyIdleMs limits each pause in a body; this limits the total time.
  requestTimeout: Math.max(limits.longRequestMs, limits.headersTimeoutMs),
  connectionsCheckingInterval: Math.min(5000, limits.headersTimeoutMs),
  // The parser has one limit for both; refuseLongHeader decides which one was exceeded.
  maxHeaderSize: limits.headerBytes + limits.urlBytes,
})

/** Most milliseconds and bytes for which an unwanted body is read after the answer, so that its sender can read the answer. */
const [unreadBodyMs, unreadBodyBytes] = [2000, 64 * 2 ** 20]

/**
 * Makes the socket of a request end its writing side first when the request is answered before its body was read (RFC 9112, 9.6):
 * unread bytes would cause a reset, which may arrive before the answer.
 */
function closeAfterBody(incoming: IncomingMessage): void {
  const { socket } = incoming
  const close = () => Socket.prototype.destroySoon.call(socket)
  socket.destroySoon = () => {
    socket.destroySoon = close
    if (incoming.complete || socket.destroyed) return close()
    let bytes = 0
    const timer = setTimeout(() => socket.destroy(), unreadBodyMs).unref()
    socket.once('close', () => clearTimeout(timer))
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > unreadBodyBytes) socket.destroy()
    })
    incoming.once('end', close)
    socket.end()
    incoming.resume()
  }
}

const isProbe = (url = ''): boolean => /^\/(?:health|metrics)(?:[/?]|$)/.test(url)

/**
 * Refuses a request whose address or header exceeds its own limit, although the parser accepted both together; returns whether it
 * did.
 */
function refuseLongHeader(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  limits: Limits,
): boolean {
  const url = incoming.url?.length ?? 0
  const header = incoming.rawHeaders.reduce((sum, text) => sum + text.length + 2, 0)
  const status = url > limits.urlBytes ? 414 : header > limits.headerBytes ? 431 : undefined
  if (status !== undefined) refuse(outgoing, status, limits)
  return status !== undefined
}

/** Host and port of a server, and the setting that error messages name. */
type ListenAddress = {
  readonly host: string
  readonly port: number
  readonly setting?: string | undefined
}

/** Starts listening; rejects with `StartRefused`, which names the setting to change. */
export async function listenOn(
  server: NetServer,
  { host, port, setting }: ListenAddress,
): Promise<void> {
  server.listen({ host, port })
  await once(server, 'listening').catch((cause: NodeJS.ErrnoException) => {
    const isPort = cause.code === 'EADDRINUSE' || cause.code === 'EACCES'
    const settingName = setting ?? (isPort ? 'PLATFORM_PORT' : 'PLATFORM_HOST')
    const reason =
      cause.code === 'EADDRINUSE'
        ? `port ${port} is taken: end what listens there, or choose another one`
        : `this process cannot listen on port ${port} of ${host} (${cause.code}): choose another one`
    throw new StartRefused(`${reason} (${settingName})`, { cause })
  })
}

function addressOf(server: Server): { url: string; port: number } {
  const found = server.address()
  if (found === null || typeof found === 'string') throw new Error('not listening on a port')
  const { address, family, port } = found
  return { url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`, port }
}

/** Closes a server after its running requests, at the latest after some milliseconds. */
async function drain(
  server: Server,
  running: ReadonlySet<ServerResponse>,
  milliseconds: number,
): Promise<void> {
  const closing = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  server.closeIdleConnections()
  for (const outgoing of running) {
    if (!outgoing.headersSent) outgoing.setHeader('Connection', 'close')
  }
  const timeout = new Error('some requests did not finish in time')
  await withTimeLimit(closing, milliseconds, () => timeout).catch((error: unknown) => {
    if (error !== timeout) throw error
    server.closeAllConnections()
  })
  await closing
}

// Limits on connections: one client cannot take all of them, and some are reserved for health probes.

/** Most connections that are reserved for probes, and as many again for this host; at most a twentieth of all. */
const mostReserved = 20
const reservedShare = 0.05

/** Share of open connections from which on idle ones are closed. */
const crowdedShare = 0.9
/** Milliseconds that an idle connection is kept, usually and above that share. */
const keepAliveMs = 65_000
const crowdedKeepAliveMs = 2000

/** Milliseconds after which a connection that is reserved for probes is closed, whatever it does. */
const probeMs = 2000

/**
 * Limits the connections of a server in total and by client. `trusted` are proxies, which, like this host, are not limited by
 * client. `isReservedForProbes` tells whether a connection may only request `/health` and `/metrics`.
 */
function boundConnections(
  server: Server,
  limits: Pick<Limits, 'connections' | 'connectionsPerClient'>,
  trusted: readonly string[] = [],
) {
  const { connections: maxConnections, connectionsPerClient } = limits
  const reserved = Math.min(mostReserved, Math.floor(maxConnections * reservedShare))
  const isProxy = inRanges(trusted)
  const openCount = openConnections(server, maxConnections)
  const tooMany = () => {
    const detail = `one address may have ${connectionsPerClient} (connectionsPerClient)`
    return new Failure('too-many-requests', detail, { retryAfter: 5 })
  }
  const perClientLimiter = new FairLimiter({ perClient: connectionsPerClient, refusal: tooMany })
  const probes = new WeakSet<Socket>()

  const admit = (socket: Socket): boolean => {
    const address = withoutIpv6Prefix(socket.remoteAddress ?? '')
    const isLocal = isLoopback(address)
    const isCounted = !isLocal && !isProxy(address)
    const release = isCounted ? perClientLimiter.tryTake(machineOf(address)) : () => undefined
    if (!release) return refuseSocket(socket, tooMany().detail, 'connectionsPerClient')
    if (!isLocal && openCount.count() >= maxConnections - reserved) {
      release()
      return refuseSocket(socket, `there may be ${maxConnections} (connections)`)
    }
    openCount.add(socket)
    socket.once('close', release)
    if (!isLocal && openCount.count() > maxConnections - 2 * reserved) {
      probes.add(socket)
      const timer = setTimeout(() => socket.destroy(), probeMs)
      socket.once('close', () => clearTimeout(timer))
    }
    return true
  }

  server.maxConnections = maxConnections
  // A refused connection must not reach the listeners of the server, which would parse it.
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    if (admit(socket)) for (const listener of listeners) listener.call(server, socket)
  })
  return { isReservedForProbes: (socket: Socket) => probes.has(socket) }
}

/** Open connections of all servers of the process, for `/metrics`. */
let connectionsOfAll = 0

/** Counts open connections; while there are many, idle ones are closed. */
function openConnections(server: Server, maxConnections: number) {
  let count = 0
  const updateCount = (step: 1 | -1 | 0) => {
    count += step
    connectionsOfAll += step
    const isCrowded = count >= maxConnections * crowdedShare
    server.keepAliveTimeout = isCrowded ? crowdedKeepAliveMs : keepAliveMs
    if (isCrowded) server.closeIdleConnections()
  }
  updateCount(0)
  showLevel('http_connections', () => connectionsOfAll)
  return {
    count: () => count,
    add: (socket: Socket) => {
      updateCount(1)
      socket.once('close', () => updateCount(-1))
    },
  }
}

/** Answers a connection that is one too many, whatever it was about to ask, and closes it. */
function refuseSocket(socket: Socket, reason: string, limit: keyof Limits = 'connections'): false {
  reportNumber('cartulary_refusals_total', [limit])
  socket.on('error', () => socket.destroy())
  endSocket(socket, 503, `too many connections: ${reason}`)
  socket.destroySoon()
  return false
}

// Problems that no app answers: of requests that are too long, broken or too slow, or for which there is no connection.

type Status = 400 | 408 | 414 | 431 | 503

/** A problem without a type of its own (RFC 9457 4.2.1): nothing more is known than the status says. */
const problemText = (status: Status, detail?: string): string =>
  JSON.stringify({ type: 'about:blank', title: STATUS_CODES[status], status, detail })

const headersOf = (status: Status) => ({
  ...(status === 503 && { 'Retry-After': '5' }),
  'Content-Type': 'application/problem+json',
  Connection: 'close',
})

/** Refuses a request that was parsed, and names the limit that it passed. */
function refuse(outgoing: ServerResponse, status: 414 | 431 | 503, limits: Limits): void {
  const details = {
    414: `the address is longer than ${limits.urlBytes} bytes (limit urlBytes)`,
    431: `the header is longer than ${limits.headerBytes} bytes (limit headerBytes)`,
    503: `there are ${limits.connections} connections at most (limit connections)`,
  }
  reportNumber('cartulary_refusals_total', [
    { 414: 'urlBytes', 431: 'headerBytes', 503: 'connections' }[status],
  ])
  outgoing.writeHead(status, headersOf(status))
  outgoing.end(problemText(status, details[status]))
}

type ParserError = Error & { readonly code?: string; readonly rawPacket?: unknown }

/** Milliseconds that a connection without a byte is kept after its time-out. */
const unusedMs = 300_000

/**
 * Whether a connection that timed out has sent nothing. Some clients open connections ahead of their requests; they would take an
 * answer now for that to their next request.
 */
const isUnused = ({ code }: ParserError, socket: Socket): boolean =>
  code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0

/** Closes a connection without an answer when it stays unused. */
function closeUnused(socket: Socket): void {
  const timer = setTimeout(() => {
    if (socket.bytesRead === 0) socket.destroy()
  }, unusedMs)
  timer.unref()
  socket.once('close', () => clearTimeout(timer))
}

/** Answers an error of Node's parser on the socket (`clientError`) and closes the connection. */
function refuseUnparsed(error: ParserError, socket: Duplex): void {
  if (socket.writable && error.code !== 'ECONNRESET') endSocket(socket, statusOf(error))
  else socket.destroy()
}

function statusOf({ code, rawPacket }: ParserError): Status {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408
  if (code !== 'HPE_HEADER_OVERFLOW') return 400
  // A first packet without a line end is an address that is too long.
  const isAddress = rawPacket instanceof Buffer && !rawPacket.includes('\r\n')
  return isAddress ? 414 : 431
}

function endSocket(socket: Duplex, status: Status, detail?: string): void {
  const body = problemText(status, detail)
  const headers = {
    ...headersOf(status),
    'Content-Length': Buffer.byteLength(body),
    'X-Content-Type-Options': 'nosniff',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'))
}
