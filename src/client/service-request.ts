/**
 * One request to a service of the operator's (a triplestore, a search engine, a repository) and its whole answer, over a few
 * lasting connections and within limits. Such hosts are trusted: no guard looks at their addresses.
 */

import type { IncomingMessage } from 'node:http'
import { Failure } from '../errors.ts'
import { plainConnections } from './connections.ts'
import { type DeadlineClock, Overdue } from './deadlines.ts'
import { bodyFault, exchange, ExchangeFault, type Outgoing, received } from './exchange.ts'

/** How long and how much one request may take; all in milliseconds, except `bytes`. */
export type ServiceLimits = {
  /** Until a connection stands, and in all for the attempts to get one. */
  readonly connectMs: number
  /** From the standing connection until the head of the answer. */
  readonly firstByteMs: number
  /** The whole call: waiting for a socket, authentication, every attempt and the pauses between them. */
  readonly totalMs: number
  /** Length of an answer's body as it is sent. */
  readonly bytes: number
}

export type ServiceRequest = {
  /** Absolute, `http:` or `https:`, without user info. */
  readonly url: string
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Without `Authorization` (where credentials are configured) and `Content-Length`, which the client sets. */
  readonly headers: Readonly<Record<string, string>>
  /** Sent whole, in UTF-8, with its length. */
  readonly body?: string
  /** True when sending it twice does what sending it once does. */
  readonly idempotent: boolean
  readonly limits?: Partial<ServiceLimits>
}

/** A complete answer, whatever its status. Header names are in lower case. */
export type ServiceAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** How the service is called in messages, such as `store`, and what it is when it is not available. */
export type ServiceName = {
  readonly name: string
  readonly unavailable: 'store-unavailable' | 'engine-unavailable'
}

/** What all attempts of one call share. */
export type ServiceCall = {
  readonly clock: DeadlineClock
  readonly bytes: number
  readonly signal: AbortSignal
}

/**
 * Rejects with the signal's reason, an `ExchangeFault` (there was no connection, or it broke), or a `Failure`: time-limit,
 * too-large, unavailable.
 */
export type ServiceExchange = (outgoing: Outgoing, call: ServiceCall) => Promise<ServiceAnswer>

export type ServiceConnections = {
  readonly service: ServiceName
  /** Connections at the same time; requests beyond wait for one. */
  readonly sockets: number
  /** Whether a connection that carried an answer of 400 or more is given up (Virtuoso leaves bodies unread in it). */
  readonly destroyAfterError: boolean
}

// Shorter than the idle time of the servers that we know (5 s and more), so that we are the ones who hang up.
const idleMs = 4000

export function serviceExchange(options: ServiceConnections): {
  readonly exchange: ServiceExchange
  readonly close: () => void
} {
  const pool = plainConnections(options.sockets, idleMs)
  return {
    close: pool.close,
    exchange: async (outgoing, call) => {
      let message: IncomingMessage | undefined
      try {
        message = await exchange(outgoing, { ...call, connections: pool })
        if (outgoing.method !== 'HEAD' && !isFramed(message)) throw unframed(options.service)
        return await wholeAnswer(message, call, options)
      } catch (error) {
        message?.destroy()
        call.signal.throwIfAborted()
        const fault = bodyFault(error)
        throw isLate(fault) ? late(options.service) : fault
      }
    },
  }
}

/** Whether the service was slow; one that takes no connection is not there. */
function isLate(fault: Failure): boolean {
  const overdue = fault instanceof ExchangeFault ? fault.cause : fault
  return overdue instanceof Overdue && overdue.step !== 'connectMs'
}

const late = ({ name }: ServiceName) =>
  new Failure('time-limit', `The ${name} did not answer within its time limit.`)

async function wholeAnswer(
  message: IncomingMessage,
  { bytes, clock, signal }: ServiceCall,
  { service, destroyAfterError }: ServiceConnections,
): Promise<ServiceAnswer> {
  const { statusCode: status = 0, headers, socket } = message
  // At once when the body ends: one turn later the connection may carry somebody else's request.
  if (destroyAfterError && status >= 400) message.on('end', () => socket.destroy())
  const check = (length: number) => {
    if (length <= bytes) return
    const detail = `The answer of the ${service.name} is longer than ${bytes} bytes.`
    throw new Failure('too-large', detail)
  }
  // One that declares more is refused before it is read.
  check(Number(headers['content-length'] ?? 0))
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of received(message, clock, signal)) {
    length += part.length
    check(length)
    parts.push(part)
  }
  return { status, headers: headersOf(message), text: Buffer.concat(parts).toString() }
}

// A body that lasts until the connection closes cannot be told from one that was cut. Errors may: nobody builds on them.
const isFramed = ({ headers, statusCode = 0 }: IncomingMessage): boolean =>
  statusCode >= 300 ||
  statusCode === 204 ||
  'content-length' in headers ||
  'transfer-encoding' in headers

const unframed = ({ name, unavailable }: ServiceName) =>
  new Failure(unavailable, `The ${name} does not say where its answer ends.`, { retryAfter: 2 })

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const plain: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) plain[name] = typeof value === 'string' ? value : value.join(', ')
  return plain
}
