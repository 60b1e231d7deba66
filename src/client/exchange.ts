/**
 * One HTTP exchange over a keep-alive connection: the head of the response, then its body. Used by the client for foreign
 * addresses (`outbound.ts`) and by the client for services of the operator (`service.ts`).
 */

import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps, type RequestOptions } from 'node:https'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { Failure, type Kind, shown } from '../errors.ts'
import { hostOf, portOf, type Permission } from './address-guard.ts'
import type { Connections, GuardedRequest } from './connections.ts'
import type { DeadlineClock } from './deadlines.ts'

/** A complete request, apart from `Content-Length`. */
export type OutgoingRequest = {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  /** Text (as UTF-8) or bytes, sent with `Content-Length`; a stream is sent as it comes, and its request can be sent once only. */
  readonly body?: string | Uint8Array | Readable
}

/** Phase in which a request failed: connecting, waiting for the head of the response, or reading the body. */
export type ExchangePhase = 'connecting' | 'asking' | 'answering'

type FaultOptions = {
  readonly phase: ExchangePhase
  readonly isReused?: boolean
  readonly cause?: unknown
}

/**
 * Failure of a request without a complete response: `source-unreachable`, `source-timeout`, `source-malformed` (not HTTP, or an
 * invalid content coding), `source-truncated`, or `address-refused`. The cause is the system error or another `Failure`.
 * Time-outs of the body are no `ExchangeFault`.
 */
export class ExchangeFault extends Failure {
  readonly phase: ExchangePhase
  /** Whether the connection had served another request before and may have been dead already; false for failures of the body. */
  readonly isReused: boolean

  constructor(kind: Kind, detail: string, { phase, isReused = false, cause }: FaultOptions) {
    super(kind, detail, { cause })
    this.phase = phase
    this.isReused = isReused
  }
}

type SendOptions = {
  readonly connections: Connections
  /** Permission of the request; required by `guardedConnections`, absent for `plainConnections`. */
  readonly permission?: Permission
  readonly clock: DeadlineClock
  readonly signal: AbortSignal
  /** Whether to repeat the request at once if a reused connection turns out to be dead. */
  readonly isRepeatable?: boolean
  /** Called when there is a connection, new or reused; again when the request is repeated. */
  readonly onConnected?: () => void
}

/**
 * Sends a request and returns the head of the response. Throws the signal's reason if it was aborted, `invalid-parameter` for an
 * invalid header, else an `ExchangeFault`.
 */
export async function exchange(
  outgoing: OutgoingRequest,
  options: SendOptions,
): Promise<IncomingMessage> {
  const { connections, signal, clock, onConnected } = options
  const host = shown(outgoing.url.host)
  for (;;) {
    let call: ClientRequest | undefined
    let phase: ExchangePhase = 'connecting'
    try {
      signal.throwIfAborted()
      call = send(outgoing, options)
      const head = responseHead(call)
      await waitForConnection(call, options)
      phase = 'asking'
      onConnected?.()
      return await clock.within(head, 'firstByteMs')
    } catch (error) {
      call?.destroy()
      signal.throwIfAborted()
      const isReused = call?.reusedSocket === true
      if (isReused) connections.dropIdle(outgoing.url)
      // The server may have closed a reused connection at the same moment; a new connection does not count as a retry.
      if (isReused && options.isRepeatable && !(error instanceof Failure)) continue
      throw headFault(error, host, { phase, isReused })
    }
  }
}

/**
 * Waits until the connection is established. The socket of a guarded connection is connected already; its agent applies
 * `connectMs`.
 */
async function waitForConnection(
  call: ClientRequest,
  { clock, signal }: SendOptions,
): Promise<void> {
  const [socket] = await clock.within<Socket[]>(once(call, 'socket', { signal }), 'pageMs')
  if (!socket?.connecting) return
  const connectedEvent = 'encrypted' in socket ? 'secureConnect' : 'connect'
  await clock.within(once(socket, connectedEvent), 'connectMs')
}

function send(outgoing: OutgoingRequest, { connections, permission, clock, signal }: SendOptions) {
  const { url, method, headers, body } = outgoing
  const { connectMs } = clock.deadlines
  const options: RequestOptions & { readonly guarded?: GuardedRequest } = {
    agent: connections.agentOf(url),
    hostname: hostOf(url),
    port: portOf(url),
    path: `${url.pathname}${url.search}`,
    method,
    headers:
      body === undefined || body instanceof Readable
        ? headers
        : { ...headers, 'content-length': Buffer.byteLength(body) },
    signal,
    maxHeaderSize: 65_536,
    ...(permission && { guarded: { url, permission, connectMs, signal } }),
  }
  const call = url.protocol === 'https:' ? requestHttps(options) : requestHttp(options)
  // Errors after the head are reported by the body. Node takes a body without length for complete when its connection breaks.
  call.on('error', () => undefined)
  call.on('response', (message) =>
    call.on('error', (error) => {
      if (!message.complete) message.destroy(error)
    }),
  )
  if (body instanceof Readable) sendStream(body, call)
  else call.end(body)
  return call
}

/**
 * Sends a body as it comes. When the call ends before the body, by an early answer or a broken connection, the rest is read and
 * dropped: who sends it hears of the end only after that.
 */
function sendStream(body: Readable, call: ClientRequest): void {
  // A body that breaks off must not arrive as if it were whole.
  body.on('error', (error) => call.destroy(error))
  const drop = () => {
    body.unpipe(call)
    body.resume()
  }
  call.on('error', drop)
  call.on('close', drop)
  body.pipe(call)
}

function responseHead(call: ClientRequest): Promise<IncomingMessage> {
  const head = new Promise<IncomingMessage>((resolve, reject) => {
    call.on('response', resolve)
    call.on('error', reject)
    call.on('close', () => reject(new Error('the connection was closed')))
  })
  // A failure before the head is awaited is reported where the connection is awaited.
  head.catch(() => undefined)
  return head
}

/**
 * Yields the chunks of a body as received. Throws the signal's reason, `source-timeout`, `source-truncated`, or an error of Node,
 * also when the request is aborted (see `bodyFault`).
 */
export async function* bodyChunks(
  message: IncomingMessage,
  clock: DeadlineClock,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const chunks: AsyncIterator<unknown> = message[Symbol.asyncIterator]()
  for (;;) {
    const next = await clock.within(chunks.next(), 'idleMs')
    signal.throwIfAborted()
    if (next.done) break
    if (next.value instanceof Uint8Array) yield next.value
  }
  if (!message.complete) throw bodyFault(new Error('the answer ended early'))
}

// Failures for connection errors of Node. `HPE_` codes come from its HTTP parser, `Z_` and `BROTLI` codes from its decoders.

/** Failure while connecting or waiting for the head of the response. */
function headFault(cause: unknown, host: string, options: FaultOptions): Failure {
  if (cause instanceof Failure)
    return new ExchangeFault(cause.kind, cause.detail, { ...options, cause })
  const code = codeOf(cause)
  if (code === 'ERR_INVALID_CHAR' || code === 'ERR_INVALID_HTTP_TOKEN') {
    return new Failure('invalid-parameter', 'a request header is not valid', { cause })
  }
  const faultOptions = { ...options, cause }
  return code.startsWith('HPE_')
    ? new ExchangeFault('source-malformed', `${host} does not answer in HTTP`, faultOptions)
    : new ExchangeFault(
        'source-unreachable',
        `${host} ${errorTexts[code] ?? 'cannot be reached'}`,
        faultOptions,
      )
}

/** Failure while reading the body; failures are returned unchanged. */
export function bodyFault(cause: unknown): Failure {
  if (cause instanceof Failure) return cause
  const code = codeOf(cause)
  const faultOptions = { phase: 'answering', cause } as const
  if (/^(?:Z_(?!BUF)|ERR_?_?BROTLI|ERR__ERROR)/.test(code)) {
    return new ExchangeFault(
      'source-malformed',
      'the answer is not compressed as it says',
      faultOptions,
    )
  }
  if (code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE') {
    return new ExchangeFault(
      'source-malformed',
      'the answer breaks the rules of HTTP',
      faultOptions,
    )
  }
  return new ExchangeFault('source-truncated', 'the answer ended before it was whole', faultOptions)
}

const codeOf = (cause: unknown): string =>
  cause instanceof Error && 'code' in cause ? String(cause.code) : ''

/** Problem of the certificate of a server, as the end of a sentence; `undefined` for another failure. */
export function certificateProblem({ cause }: ExchangeFault): string | undefined {
  const text = errorTexts[codeOf(cause)]
  return text?.includes('certificate') ? text : undefined
}

/** Texts for the codes of connection errors; they follow the name of the host. */
const errorTexts: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections',
  ECONNRESET: 'closed the connection without an answer',
  ETIMEDOUT: 'does not answer',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  CERT_HAS_EXPIRED: 'presents a certificate that has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'presents a certificate that is not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'presents a certificate that is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'presents a certificate that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'presents a certificate that is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'presents the certificate of another host',
}
