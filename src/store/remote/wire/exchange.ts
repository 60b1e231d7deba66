/** One request and its whole answer over a few lasting connections, within limits. */

import { Agent, request as requestHttp, type ClientRequest } from 'node:http'
import { Agent as SecureAgent, request as requestHttps } from 'node:https'
import type { WireAnswer, WireLimits, WireRequest } from './messages.ts'
import { Running } from './running.ts'

/** A request that is ready to be sent as it is. */
export type Outgoing = Pick<WireRequest, 'method' | 'headers' | 'body' | 'into'> & {
  readonly url: URL
}

/** The limits of a call, and the time by the wire's clock at which all of it must be over. */
export type Bounds = Omit<WireLimits, 'totalMs'> & { readonly until: number }

/** Rejects with a `ConnectionFault`, a `Failure` (time-limit, too-large, store-unavailable) or the signal's reason. */
export type Exchange = (
  outgoing: Outgoing,
  bounds: Bounds,
  signal?: AbortSignal,
) => Promise<WireAnswer>

export type Exchanges = {
  readonly exchange: Exchange
  /** Gives up connections that wait for work: when one was found dead, they are likely to be as well. */
  readonly dropIdle: () => void
}

type Options = {
  readonly sockets: number
  readonly destroyAfterError: boolean
  readonly now: () => number
  /** Ends what runs, with its reason, and closes all connections. */
  readonly closing: AbortSignal
}

// Shorter than the idle time of the servers that we know (5 s and more), so that we are the ones who hang up.
const idleMs = 4000

/** At most `sockets` connections to one origin at the same time; what comes in between waits. */
export function exchanges({ sockets, destroyAfterError, now, closing }: Options): Exchanges {
  const options = { keepAlive: true, maxSockets: sockets, timeout: idleMs }
  const plain = new Agent(options)
  const secure = new SecureAgent(options)
  const running = new Set<Running>()
  closing.addEventListener('abort', () => {
    for (const one of running) one.stop(closing.reason)
    plain.destroy()
    secure.destroy()
  })

  const start = ({ url, method, headers, body }: Outgoing): ClientRequest => {
    const isSecure = url.protocol === 'https:'
    return (isSecure ? requestHttps : requestHttp)({
      agent: isSecure ? secure : plain,
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port,
      path: url.pathname + url.search,
      method,
      headers: hasBody(method, body) ? { ...headers, 'Content-Length': lengthOf(body) } : headers,
    })
  }

  const exchange: Exchange = async (outgoing, bounds, signal) => {
    closing.throwIfAborted()
    signal?.throwIfAborted()
    const one = new Running(start(outgoing), {
      ...bounds,
      totalMs: bounds.until - now(),
      destroyAfterError,
    })
    const abort = () => one.stop(signal?.reason)
    running.add(one)
    signal?.addEventListener('abort', abort)
    try {
      return await one.answer(outgoing)
    } finally {
      signal?.removeEventListener('abort', abort)
      running.delete(one)
    }
  }

  return {
    exchange,
    dropIdle: () => {
      for (const agent of [plain, secure])
        for (const idle of Object.values(agent.freeSockets))
          for (const socket of idle ?? []) socket.destroy()
    },
  }
}

const hasBody = (method: string, body: WireRequest['body']): boolean =>
  body !== undefined || method === 'POST' || method === 'PUT'
const lengthOf = (body: WireRequest['body']): number => {
  if (body === undefined) return 0
  return typeof body === 'string' ? Buffer.byteLength(body) : body.bytes
}
