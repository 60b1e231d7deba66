/** One request and its whole answer over lasting connections. */

import { Agent, request as requestHttp, type IncomingMessage } from 'node:http'
import { Agent as SecureAgent, request as requestHttps } from 'node:https'

export type Outgoing = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: string
  readonly type?: string
}

export type Answered = { readonly status: number; readonly text: string }

/** A connection that could not be made or broke; `reused` = it had served before, so its other end may have hung up. */
export class Broken extends Error {
  readonly reused: boolean

  constructor(cause: unknown, reused: boolean) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.name = 'Broken'
    this.reused = reused
  }
}

export type Exchange = {
  /** Rejects with `Broken`, or with the signal's reason. */
  send(outgoing: Outgoing, signal: AbortSignal): Promise<Answered>
  /** Gives up the connections that wait for work. */
  dropIdle(): void
  close(): void
}

/** Shorter than the 5 s of the server: we are the ones who hang up. */
const idleMs = 4000
const connectMs = 3000
const longestAnswer = 256 * 1024 * 1024

/** Over at most `sockets` connections at a time; what comes in between waits. */
export function exchange(origin: URL, key: string | undefined, sockets: number): Exchange {
  const isSecure = origin.protocol === 'https:'
  const options = { keepAlive: true, maxSockets: sockets, timeout: idleMs }
  const agent = isSecure ? new SecureAgent(options) : new Agent(options)
  const start = isSecure ? requestHttps : requestHttp
  const root = origin.pathname.replace(/\/+$/, '')
  const place = { agent, hostname: origin.hostname.replace(/^\[|\]$/g, ''), port: origin.port }
  const authorization = key === undefined || key === '' ? {} : { authorization: `Bearer ${key}` }

  const send = ({ method, path, body, type }: Outgoing, signal: AbortSignal): Promise<Answered> =>
    new Promise((resolve, reject) => {
      const headers = {
        ...authorization,
        ...(body !== undefined && {
          'content-type': type ?? 'application/json',
          'content-length': Buffer.byteLength(body),
        }),
      }
      const request = start({ ...place, path: root + path, method, headers, signal })
      const fail = (error: unknown) =>
        reject(signal.aborted ? signal.reason : new Broken(error, request.reusedSocket))
      request.on('socket', (socket) => {
        if (!socket.connecting) return
        const late = () => request.destroy(new Error(`no connection within ${connectMs} ms`))
        socket.setTimeout(connectMs, late)
        socket.once('connect', () => socket.off('timeout', late).setTimeout(idleMs))
      })
      request.on('error', fail)
      request.on('response', (response) => {
        textOf(response).then(
          (text) => resolve({ status: response.statusCode ?? 0, text }),
          (error: unknown) => {
            request.destroy()
            fail(error)
          },
        )
      })
      request.end(body)
    })

  return {
    send,
    dropIdle: () => {
      for (const idle of Object.values(agent.freeSockets))
        for (const socket of idle ?? []) socket.destroy()
    },
    close: () => agent.destroy(),
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of response) {
    if (!Buffer.isBuffer(part)) continue
    size += part.length
    if (size > longestAnswer) throw new Error('the answer is too long')
    parts.push(part)
  }
  // Broken off in the middle, it ends like a whole one.
  if (!response.complete) throw new Error('the answer broke off')
  return Buffer.concat(parts).toString()
}
