/**
 * One request to a service of the operator (triplestore, search engine) with its whole response, over keep-alive
 * connections and within limits. Its address is trusted and not checked.
 */

import type { IncomingMessage } from 'node:http'
import { Failure } from '../errors.ts'
import { plainConnections } from './connections.ts'
import { type DeadlineClock, StepTimeout } from './deadlines.ts'
import { bodyFault, exchange, ExchangeFault, type OutgoingRequest, bodyChunks } from './exchange.ts'

/** Limits of a request; in ms, except `bytes`. */
export type ServiceLimits = {
  /** Establishing a connection. Failed connections are retried only within this time from the start of the call. */
  readonly connectMs: number
  /** From the connection to the head of the response. */
  readonly firstByteMs: number
  /** The whole call: waiting for a socket, authentication, all attempts with their bodies, and the pauses between them. */
  readonly totalMs: number
  /** Maximum bytes of a response body as sent. */
  readonly bytes: number
}

/** A request to a service. */
export type ServiceRequest = {
  /** Absolute URL, `http:` or `https:`, without user info. */
  readonly url: string
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Headers without `Content-Length` and, with configured credentials, `Authorization`; the client sets both. */
  readonly headers: Readonly<Record<string, string>>
  /** Sent as UTF-8 with `Content-Length`. */
  readonly body?: string
  /** Whether the request may be sent twice. */
  readonly isIdempotent: boolean
  /** Limits that differ from those of the client. */
  readonly limits?: Partial<ServiceLimits>
}

/** A complete response of any status. Header names are in lower case. */
export type ServiceAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** Name of the service in messages, such as `store`, and the kind of failure when it is not available. */
export type ServiceName = {
  readonly name: string
  readonly unavailable: 'store-unavailable' | 'engine-unavailable'
  /** Noun of its log events; by default `store` or `engine`. */
  readonly topic?: string
}

/** State shared by all attempts of one call; `bytes` is the limit of a response. */
export type ServiceCall = {
  readonly clock: DeadlineClock
  readonly bytes: number
  readonly signal: AbortSignal
}

/**
 * Sends one request. Rejects with the signal's reason, an `ExchangeFault` (no connection, or a broken one), or a `Failure`:
 * `time-limit`, `too-large`, or the kind `unavailable` of the service.
 */
export type ServiceExchange = (
  outgoing: OutgoingRequest,
  call: ServiceCall,
) => Promise<ServiceAnswer>

/** Options of the connections to a service. */
export type ConnectionOptions = {
  readonly service: ServiceName
  /** Maximum parallel connections; further requests wait. */
  readonly sockets: number
  /** Whether to close a connection after a response of 400 or more (Virtuoso leaves the request body unread in it). */
  readonly closesAfterError: boolean
  /** Certificates of authorities that the service is trusted by, in PEM; absent = those of the system. */
  readonly ca?: string
}

/** Lifetime of an idle connection; shorter than that of known servers (5 s and more), so that the client closes first. */
const keepAliveMs = 4000

/** Opens the connection pool of a service; `close` destroys its connections. */
export function serviceExchange(options: ConnectionOptions): {
  readonly exchange: ServiceExchange
  readonly close: () => void
} {
  const pool = plainConnections(options.sockets, keepAliveMs, options.ca)
  return {
    close: pool.close,
    exchange: async (outgoing, call) => {
      let message: IncomingMessage | undefined
      try {
        message = await exchange(outgoing, { ...call, connections: pool })
        if (outgoing.method !== 'HEAD' && !isFramed(message)) throw unframedFailure(options.service)
        return await wholeAnswer(message, call, options)
      } catch (error) {
        message?.destroy()
        call.signal.throwIfAborted()
        const fault = bodyFault(error)
        throw isLate(fault) ? timeLimitFailure(options.service) : fault
      }
    },
  }
}

/** Whether the service was slow; a failed connection means that it is down. */
function isLate(fault: Failure): boolean {
  const timeout = fault instanceof ExchangeFault ? fault.cause : fault
  return timeout instanceof StepTimeout && timeout.step !== 'connectMs'
}

const timeLimitFailure = ({ name }: ServiceName) =>
  new Failure('time-limit', `The ${name} did not answer within its time limit.`)

async function wholeAnswer(
  message: IncomingMessage,
  { bytes, clock, signal }: ServiceCall,
  { service, closesAfterError }: ConnectionOptions,
): Promise<ServiceAnswer> {
  const { statusCode: status = 0, headers, socket } = message
  // At once: one turn later the connection may carry another request.
  if (closesAfterError && status >= 400) message.on('end', () => socket.destroy())
  const check = (length: number) => {
    if (length <= bytes) return
    const detail = `The answer of the ${service.name} is longer than ${bytes} bytes.`
    throw new Failure('too-large', detail)
  }
  // A response that declares a larger body is refused before reading.
  check(Number(headers['content-length'] ?? 0))
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of bodyChunks(message, clock, signal)) {
    length += part.length
    check(length)
    parts.push(part)
  }
  return { status, headers: headersOf(message), text: Buffer.concat(parts).toString() }
}

/**
 * Whether the end of the body can be verified. A body that ends with the connection may be truncated; only responses of 300 or
 * more may end so.
 */
const isFramed = ({ headers, statusCode = 0 }: IncomingMessage): boolean =>
  statusCode >= 300 ||
  statusCode === 204 ||
  'content-length' in headers ||
  /(?:^|,)\s*chunked$/i.test(headers['transfer-encoding'] ?? '')

const unframedFailure = ({ name, unavailable }: ServiceName) =>
  new Failure(unavailable, `The ${name} does not say where its answer ends.`, { retryAfter: 2 })

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const joined: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) joined[name] = typeof value === 'string' ? value : value.join(', ')
  return joined
}
