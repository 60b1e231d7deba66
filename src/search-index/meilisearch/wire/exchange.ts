/** One request and its whole answer over lasting connections. */

import { Agent, request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http'
import { Agent as SecureAgent, request as requestHttps } from 'node:https'
import type { Failure } from '../../../errors.ts'
import { away, givenUp } from '../engine-failures.ts'

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

/** When a call is over at the latest: a server that takes `ms` is as good as none. */
export type Bounds = { readonly ms: number; readonly signal?: AbortSignal | undefined }

export type Exchange = {
  /** Rejects with `Broken`, also when nothing came within `ms`, or with a `Failure` when the signal fired. */
  send(outgoing: Outgoing, bounds: Bounds): Promise<Answered>
  /** Gives up the connections that wait for work. */
  dropIdle(): void
  /** Ends what runs. */
  close(): void
}

/** Shorter than the 5 s of the server: we are the ones who hang up. */
const idleMs = 4000
const connectMs = 3000
const longestAnswer = 256 * 1024 * 1024

/** Over at most `sockets` connections at a time; what comes in between waits. */
export function exchange(origin: URL, key: string | undefined, sockets: number): Exchange {
  const options = { keepAlive: true, maxSockets: sockets, timeout: idleMs }
  const agent = origin.protocol === 'https:' ? new SecureAgent(options) : new Agent(options)
  const begin = beginning(origin, key, agent)
  const running = new Set<(reason: Failure) => void>()
  let isClosed = false
  return {
    send: async (outgoing, bounds) => {
      if (bounds.signal?.aborted) throw givenUp(bounds.signal.reason)
      if (isClosed) throw closed()
      return bounded(begin(outgoing), bounds, running)
    },
    dropIdle: () => {
      for (const idle of Object.values(agent.freeSockets))
        for (const socket of idle ?? []) socket.destroy()
    },
    close: () => {
      isClosed = true
      for (const stop of running) stop(closed())
      agent.destroy()
    },
  }
}

const closed = () => away('The connection to the search engine is closed.')

function beginning(origin: URL, key: string | undefined, agent: Agent) {
  const start = origin.protocol === 'https:' ? requestHttps : requestHttp
  const root = origin.pathname.replace(/\/+$/, '')
  const place = { agent, hostname: origin.hostname.replace(/^\[|\]$/g, ''), port: origin.port }
  const authorization = key === undefined || key === '' ? {} : { authorization: `Bearer ${key}` }
  return ({ method, path, body, type }: Outgoing): ClientRequest => {
    const headers = {
      ...authorization,
      ...(body !== undefined && {
        'content-type': type ?? 'application/json',
        'content-length': Buffer.byteLength(body),
      }),
    }
    const request = start({ ...place, path: root + path, method, headers })
    request.on('socket', (socket) => {
      if (!socket.connecting) return
      const late = () => request.destroy(new Error(`no connection within ${connectMs} ms`))
      socket.setTimeout(connectMs, late)
      socket.once('connect', () => socket.off('timeout', late).setTimeout(idleMs))
    })
    return request.end(body)
  }
}

/** The answer, unless a bound is over before, or somebody among `running` is stopped. */
async function bounded(
  request: ClientRequest,
  { ms, signal }: Bounds,
  running: Set<(reason: Failure) => void>,
): Promise<Answered> {
  const { promise, reject } = Promise.withResolvers<never>()
  const stop = (reason: Failure | Broken) => {
    reject(reason)
    request.destroy()
  }
  // Composed signals would stay in memory until their time is over: these bounds go with the call.
  const late = () => stop(new Broken(`no answer within ${ms} ms`, false))
  const clock = setTimeout(late, ms)
  const abort = () => stop(givenUp(signal?.reason))
  signal?.addEventListener('abort', abort, { once: true })
  running.add(stop)
  try {
    return await Promise.race([answerOf(request), promise])
  } finally {
    clearTimeout(clock)
    signal?.removeEventListener('abort', abort)
    running.delete(stop)
  }
}

const answerOf = (request: ClientRequest): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const fail = (error: unknown) => reject(new Broken(error, request.reusedSocket))
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
  })

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
