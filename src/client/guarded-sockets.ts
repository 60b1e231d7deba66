/** Connections that go only where they may: every one is judged by name, by address, and again when it stands. */

import { once } from 'node:events'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { callbackify } from 'node:util'
import { Failure } from '../errors.ts'
import {
  addressRefused,
  hostOf,
  type Permission,
  permitted,
  portOf,
  type Resolve,
} from './address-guard.ts'

/** Connects to one of the addresses, all of them permitted. */
export type Dial = (addresses: readonly string[], port: number) => Socket

/** What a request brings along for the connection that it may need. */
export type Way = {
  readonly url: URL
  readonly permission: Permission
  readonly signal: AbortSignal
}

export type Sockets = {
  readonly agentOf: (url: URL) => HttpAgent
  readonly close: () => void
}

type Means = { readonly resolve?: Resolve | undefined; readonly dial?: Dial | undefined }

/** Two agents that keep connections alive; requests name their `Way` as the option `way`. */
export function sockets(means: Means = {}): Sockets {
  const http = guarded(new HttpAgent(keptAlive), means)
  const https = guarded(new HttpsAgent(keptAlive), means)
  return {
    agentOf: (url) => (url.protocol === 'https:' ? https : http),
    close: () => {
      http.destroy()
      https.destroy()
    },
  }
}

const keptAlive = { keepAlive: true, maxFreeSockets: 64, timeout: 15_000 } as const

function guarded<A extends HttpAgent>(agent: A, means: Means): A {
  const nameOf = agent.getName.bind(agent)
  // A connection that one request was allowed to open is no way round the guard for another.
  agent.getName = (options) => `${nameOf(options)} ${wayOf(options)?.permission.key ?? ''}`
  agent.createConnection = (options: object, callback) => {
    const way = wayOf(options)
    if (callback) callbackify(open)(way, means, callback)
    return undefined
  }
  return agent
}

function wayOf(options: object | undefined): Way | undefined {
  const holds = (value: object): value is { way: Way | undefined } => 'way' in value
  return options && holds(options) ? options.way : undefined
}

async function open(way: Way | undefined, { resolve, dial = system }: Means): Promise<Socket> {
  if (!way) throw new Failure('address-refused', 'a connection without permission')
  const { url, permission, signal } = way
  const addresses = await permitted(url, permission, resolve)
  signal.throwIfAborted()
  const socket = dial(addresses, portOf(url))
  try {
    await once(socket, 'connect', { signal })
    const remote = socket.remoteAddress
    // Belt and braces: nothing has been written yet.
    if (remote === undefined || !permission.permits(remote)) throw addressRefused(hostOf(url))
    return url.protocol === 'https:' ? await secured(socket, way) : socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}

async function secured(socket: Socket, { url, signal }: Way): Promise<Socket> {
  const host = hostOf(url)
  const secure = connectTls({
    socket,
    host,
    ...(isIP(host) === 0 && { servername: host.replace(/\.$/, '') }),
    ALPNProtocols: ['http/1.1'],
    // Whatever the environment says: a certificate that nobody vouches for is nobody's.
    rejectUnauthorized: true,
  })
  try {
    await once(secure, 'secureConnect', { signal })
    return secure
  } catch (error) {
    secure.destroy()
    throw error
  }
}

const system: Dial = (addresses, port) => {
  const [first = ''] = addresses
  if (addresses.length === 1) return connect({ host: first, port, noDelay: true, keepAlive: true })
  return connect({
    host: 'permitted.invalid',
    port,
    noDelay: true,
    keepAlive: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 1000,
    lookup: (_, __, callback) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: isIP(address) })),
      ),
  })
}
