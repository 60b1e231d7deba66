/**
 * Keep-alive connection pools. `guardedConnections` check the addresses of a host before they connect, and the address of the
 * connection once it is established; `plainConnections` connect to whatever the operator has configured.
 */

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
  permittedAddresses,
  portOf,
  type Resolve,
} from './address-guard.ts'
import { timeLimited } from './deadlines.ts'

/** Connects to one of the permitted addresses. */
export type Dial = (addresses: readonly string[], port: number) => Socket

/** Permission and limits for the connection of a request. */
export type GuardedRequest = {
  readonly url: URL
  readonly permission: Permission
  readonly connectMs: number
  readonly signal: AbortSignal
}

/** Connection pools for http and https. */
export type Connections = {
  readonly agentOf: (url: URL) => HttpAgent
  /** Closes the idle connections to the host and port of a URL. If one of them was dead, the others are likely dead too. */
  readonly dropIdle: (url: URL) => void
  readonly close: () => void
}

/**
 * Pool for configured addresses. `sockets`: maximum connections per host, further requests wait; `keepAliveMs`: lifetime of an
 * idle connection; `ca`: certificates of authorities in PEM, in place of those of the system.
 */
export const plainConnections = (sockets: number, keepAliveMs: number, ca?: string): Connections =>
  connectionPool((Agent) => {
    const options = { keepAlive: true, maxSockets: sockets, timeout: keepAliveMs }
    return new Agent(ca === undefined ? options : { ...options, ca })
  })

type GuardOptions = { readonly resolve?: Resolve; readonly dial?: Dial | undefined }

/** Pool for requests that pass a `GuardedRequest` as the option `guarded`; other requests get no connection. */
export const guardedConnections = (options: GuardOptions = {}): Connections =>
  connectionPool((Agent) => {
    const agent = new Agent({ keepAlive: true, maxFreeSockets: 64, timeout: 15_000 })
    const nameOf = agent.getName.bind(agent)
    // Requests share a connection only if they have the same permission.
    agent.getName = (request) =>
      `${nameOf(request)} ${guardedRequestOf(request)?.permission.key ?? ''}`
    agent.createConnection = (request: object, callback) => {
      if (callback) callbackify(openInTime)(guardedRequestOf(request), options, callback)
      return undefined
    }
    return agent
  })

function connectionPool(
  createAgent: (Agent: typeof HttpAgent | typeof HttpsAgent) => HttpAgent,
): Connections {
  const [http, https] = [createAgent(HttpAgent), createAgent(HttpsAgent)]
  const agentOf = (url: URL) => (url.protocol === 'https:' ? https : http)
  return {
    agentOf,
    dropIdle: (url) => {
      for (const [name, idle = []] of Object.entries(agentOf(url).freeSockets)) {
        if (name.startsWith(`${hostOf(url)}:${portOf(url)}:`))
          for (const socket of idle) socket.destroy()
      }
    },
    close: () => {
      http.destroy()
      https.destroy()
    },
  }
}

function guardedRequestOf(options: object | undefined): GuardedRequest | undefined {
  const hasGuarded = (value: object): value is { guarded: GuardedRequest | undefined } =>
    'guarded' in value
  return options && hasGuarded(options) ? options.guarded : undefined
}

async function openInTime(
  guarded: GuardedRequest | undefined,
  options: GuardOptions,
): Promise<Socket> {
  if (!guarded) throw new Failure('address-refused', 'a connection without permission')
  // Closes a connection that is established only after the time-out.
  const timedOut = new AbortController()
  const signal = AbortSignal.any([guarded.signal, timedOut.signal])
  const opening = openGuarded({ ...guarded, signal }, options)
  try {
    return await timeLimited(opening, 'connectMs', guarded.connectMs)
  } catch (error) {
    timedOut.abort()
    opening.catch(() => undefined)
    throw error
  }
}

async function openGuarded(
  guarded: GuardedRequest,
  { resolve, dial = systemDial }: GuardOptions,
): Promise<Socket> {
  const { url, permission, signal } = guarded
  const addresses = await permittedAddresses(url, permission, resolve)
  signal.throwIfAborted()
  const socket = dial(addresses, portOf(url))
  try {
    await once(socket, 'connect', { signal })
    const remote = socket.remoteAddress
    // Second check of the address, before anything is written.
    if (remote === undefined || !permission.permits(remote)) throw addressRefused(hostOf(url))
    return url.protocol === 'https:' ? await openTls(socket, guarded) : socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}

async function openTls(socket: Socket, { url, signal }: GuardedRequest): Promise<Socket> {
  const host = hostOf(url)
  const secure = connectTls({
    socket,
    host,
    ...(isIP(host) === 0 && { servername: host.replace(/\.$/, '') }),
    ALPNProtocols: ['http/1.1'],
    // Certificates are verified regardless of the environment.
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

const systemDial: Dial = (addresses, port) =>
  connect({
    host: 'permitted.invalid',
    port,
    noDelay: true,
    keepAlive: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 1000,
    // Uses the checked addresses; a second resolution could give others.
    lookup: (_, __, callback) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: isIP(address) })),
      ),
  })
