/** One request over a connection that may be kept: the head of its answer, then its body. For strangers and our own services alike. */

import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps, type RequestOptions } from 'node:https'
import type { Socket } from 'node:net'
import { Failure, type Kind, shown } from '../errors.ts'
import { hostOf, portOf, type Permission } from './address-guard.ts'
import type { Connections, Way } from './connections.ts'
import type { DeadlineClock } from './deadlines.ts'

/** A request that is ready to be sent as it is, apart from `Content-Length`. */
export type Outgoing = {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  /** Sent whole, in UTF-8, with its length. */
  readonly body?: string | undefined
}

/** How far a request had come when it failed: on its way to a connection, to the head of the answer, or in the body. */
export type Stage = 'connecting' | 'asking' | 'answering'

type FaultOptions = { readonly stage: Stage; readonly reused?: boolean; readonly cause?: unknown }

/**
 * A request that got no whole answer: `source-unreachable`, `source-timeout`, `source-malformed` (not HTTP, or not the encoding that
 * it says), `source-truncated`, or `address-refused`. What the system says is the cause.
 */
export class ExchangeFault extends Failure {
  readonly stage: Stage
  /** True when the connection had served another request before: it may have been dead already. */
  readonly reused: boolean

  constructor(kind: Kind, detail: string, { stage, reused = false, cause }: FaultOptions) {
    super(kind, detail, { cause })
    this.stage = stage
    this.reused = reused
  }
}

type SendOptions = {
  readonly connections: Connections
  /** Of guarded connections, which are made for it. */
  readonly permission?: Permission
  readonly clock: DeadlineClock
  readonly signal: AbortSignal
  /** Is sent again at once when a kept connection turns out to be dead. */
  readonly isRepeatable?: boolean
  /** Told when there is a connection: what fails from then on is not the network's fault. */
  readonly connected?: () => void
}

/** The head of the answer. Throws the signal's reason when it was aborted, else an `ExchangeFault`. */
export async function exchange(outgoing: Outgoing, options: SendOptions): Promise<IncomingMessage> {
  const { connections, signal, clock, connected } = options
  const host = shown(outgoing.url.host)
  for (;;) {
    let call: ClientRequest | undefined
    let stage: Stage = 'connecting'
    try {
      signal.throwIfAborted()
      call = send(outgoing, options)
      const answered = headOf(call)
      await connection(call, options)
      stage = 'asking'
      connected?.()
      return await clock.within(answered, 'firstByteMs')
    } catch (error) {
      call?.destroy()
      signal.throwIfAborted()
      const reused = call?.reusedSocket === true
      if (reused) connections.dropIdle(outgoing.url)
      // A kept connection that the server closed just when we wanted it: another one is due, not another attempt.
      if (reused && options.isRepeatable && !(error instanceof Failure)) continue
      throw headFault(error, host, { stage, reused })
    }
  }
}

/** Waits for a connection that stands. A guarded one is not seen before, and has its limit in its `Way`. */
async function connection(call: ClientRequest, { clock, signal }: SendOptions): Promise<void> {
  const [socket] = await clock.within<Socket[]>(once(call, 'socket', { signal }), 'pageMs')
  if (!socket?.connecting) return
  const standing = 'encrypted' in socket ? 'secureConnect' : 'connect'
  await clock.within(once(socket, standing), 'connectMs')
}

function send(outgoing: Outgoing, { connections, permission, clock, signal }: SendOptions) {
  const { url, method, headers, body } = outgoing
  const { connectMs } = clock.deadlines
  const options: RequestOptions & { readonly way?: Way } = {
    agent: connections.agentOf(url),
    hostname: hostOf(url),
    port: portOf(url),
    path: `${url.pathname}${url.search}`,
    method,
    headers:
      body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) },
    signal,
    maxHeaderSize: 65_536,
    ...(permission && { way: { url, permission, connectMs, signal } }),
  }
  const call = url.protocol === 'https:' ? requestHttps(options) : requestHttp(options)
  // Errors after the head are told by the body as well.
  call.on('error', () => undefined)
  call.end(body)
  return call
}

function headOf(call: ClientRequest): Promise<IncomingMessage> {
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    call.on('response', resolve)
    call.on('error', reject)
    call.on('close', () => reject(new Error('the connection was closed')))
  })
  // Whoever waits for the connection hears of the failure there.
  answered.catch(() => undefined)
  return answered
}

/**
 * What comes over the wire, chunk by chunk. Throws the signal's reason, `source-timeout`, `source-truncated`, or what the
 * system says (see `bodyFault`).
 */
export async function* received(
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
  if (!message.complete) throw new Failure('source-truncated', 'the answer ended early')
}

// What Node says about a broken connection, in the words of the harvest vocabulary.

/** While connecting or waiting for the head of the answer. */
function headFault(cause: unknown, host: string, options: FaultOptions): Failure {
  if (cause instanceof Failure)
    return new ExchangeFault(cause.kind, cause.detail, { ...options, cause })
  const code = codeOf(cause)
  if (code === 'ERR_INVALID_CHAR' || code === 'ERR_INVALID_HTTP_TOKEN') {
    return new Failure('invalid-parameter', 'a request header is not valid', { cause })
  }
  const more = { ...options, cause }
  return code.startsWith('HPE_')
    ? new ExchangeFault('source-malformed', `${host} does not answer in HTTP`, more)
    : new ExchangeFault('source-unreachable', `${host} ${words[code] ?? 'cannot be reached'}`, more)
}

/** While the body comes in; failures stay what they are. */
export function bodyFault(cause: unknown): Failure {
  if (cause instanceof Failure) return cause
  const code = codeOf(cause)
  const more = { stage: 'answering', cause } as const
  if (/^(?:Z_(?!BUF)|ERR_?_?BROTLI|ERR__ERROR)/.test(code)) {
    return new ExchangeFault('source-malformed', 'the answer is not compressed as it says', more)
  }
  if (code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE') {
    return new ExchangeFault('source-malformed', 'the answer breaks the rules of HTTP', more)
  }
  return new ExchangeFault('source-truncated', 'the answer ended before it was whole', more)
}

const codeOf = (cause: unknown): string =>
  cause instanceof Error && 'code' in cause ? String(cause.code) : ''

const words: Readonly<Record<string, string>> = {
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
