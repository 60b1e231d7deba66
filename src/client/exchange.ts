/** One request and the head of its answer. */

import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps, type RequestOptions } from 'node:https'
import { Failure, shown } from '../errors.ts'
import { hostOf, portOf } from './address-guard.ts'
import type { DeadlineClock } from './deadlines.ts'
import type { Sockets, Way } from './guarded-sockets.ts'

type Ask = Way & {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  readonly clock: DeadlineClock
  /** Told when there is a connection: what fails from then on is not the network's fault. */
  readonly connected: () => void
}

/** Throws the signal's reason when it was aborted, else a `Failure`. */
export async function exchange(ask: Ask, sockets: Sockets): Promise<IncomingMessage> {
  // What breaks it off when time is up; the body is broken off by its reader.
  const breaking = new AbortController()
  const signal = AbortSignal.any([ask.signal, breaking.signal])
  for (;;) {
    const call = send({ ...ask, signal }, sockets)
    try {
      return await headOf(call, ask)
    } catch (error) {
      ask.signal.throwIfAborted()
      if (wentStale(call, error, ask)) continue
      breaking.abort()
      call.destroy()
      throw connectionFault(error, shown(ask.url.host))
    }
  }
}

/** A kept connection that the server closed just when we wanted it: another one is due, not another attempt. */
const wentStale = (call: ClientRequest, error: unknown, ask: Ask): boolean =>
  call.reusedSocket && !(error instanceof Failure) && ask.method !== 'POST'

function send(ask: Ask, sockets: Sockets): ClientRequest {
  const { url, method, headers, signal, permission } = ask
  const options: RequestOptions & { readonly way: Way } = {
    agent: sockets.agentOf(url),
    hostname: hostOf(url),
    port: portOf(url),
    path: `${url.pathname}${url.search}`,
    method,
    headers,
    signal,
    maxHeaderSize: 65_536,
    way: { url, permission, signal },
  }
  try {
    const call = url.protocol === 'https:' ? requestHttps(options) : requestHttp(options)
    // Errors after the head are told by the body as well.
    call.on('error', () => undefined)
    call.end(ask.body)
    return call
  } catch (cause) {
    throw connectionFault(cause, shown(url.host))
  }
}

async function headOf(call: ClientRequest, ask: Ask): Promise<IncomingMessage> {
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    call.on('response', resolve)
    call.on('error', reject)
    call.on('close', () => reject(new Failure('source-unreachable', 'the connection was closed')))
  })
  // Whoever waits for the connection hears of the failure there.
  answered.catch(() => undefined)
  await ask.clock.within(once(call, 'socket'), 'connectMs')
  ask.connected()
  return ask.clock.within(answered, 'firstByteMs')
}

// What Node says about a broken connection, in the words of the harvest vocabulary.

/** While connecting or waiting for the head of the answer. */
function connectionFault(cause: unknown, host: string): Failure {
  if (cause instanceof Failure) return cause
  const code = codeOf(cause)
  if (code.startsWith('HPE_')) {
    return new Failure('source-malformed', `${host} does not answer in HTTP`, { cause })
  }
  if (code === 'ERR_INVALID_CHAR' || code === 'ERR_INVALID_HTTP_TOKEN') {
    return new Failure('invalid-parameter', 'a request header is not valid', { cause })
  }
  return new Failure('source-unreachable', `${host} ${words[code] ?? 'cannot be reached'}`, {
    cause,
  })
}

/** While the body comes in. */
export function bodyFault(cause: unknown): Failure {
  if (cause instanceof Failure) return cause
  const code = codeOf(cause)
  const early = 'the answer ended before it was whole'
  if (code === 'Z_BUF_ERROR') return new Failure('source-truncated', early, { cause })
  if (/^(?:Z_|ERR_?_?BROTLI|ERR__ERROR)/.test(code)) {
    return new Failure('source-malformed', 'the answer is not compressed as it says', { cause })
  }
  if (code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE') {
    return new Failure('source-malformed', 'the answer breaks the rules of HTTP', { cause })
  }
  return new Failure('source-truncated', early, { cause })
}

const codeOf = (cause: unknown): string =>
  cause instanceof Error && 'code' in cause ? String(cause.code) : ''

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections',
  ECONNRESET: 'closed the connection without an answer',
  ETIMEDOUT: 'does not answer',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  CERT_HAS_EXPIRED: 'shows a certificate that has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'shows a certificate that nobody vouches for',
  SELF_SIGNED_CERT_IN_CHAIN: 'shows a certificate that nobody vouches for',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'shows a certificate that nobody vouches for',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'shows a certificate that nobody vouches for',
  ERR_TLS_CERT_ALTNAME_INVALID: 'shows the certificate of another host',
}
