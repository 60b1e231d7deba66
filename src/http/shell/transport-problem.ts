/** Problems of requests that never became one: too long, broken or too slow for the parser. */

import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Limits } from '../limits.ts'

type Status = 400 | 408 | 414 | 431 | 503

/**
 * The body of a problem without a type of its own (RFC 9457 4.2.1): nothing more is known than the status says. `limits`
 * names the limit that was passed.
 */
export function transportProblem(status: Status, limits?: Limits): string {
  return problemText(status, limits && passed(status, limits))
}

function problemText(status: Status, detail: string | undefined): string {
  return JSON.stringify({
    type: 'about:blank',
    title: STATUS_CODES[status],
    status,
    ...(detail !== undefined && { detail }),
  })
}

/** Answers an error of Node's parser on the bare socket and closes the connection (`clientError`). */
export function refuseConnection(error: ParserError, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  end(socket, statusOf(error))
}

/** Answers a connection that is one too many, whatever it was about to ask, and closes it. */
export function refuseSocket(socket: Socket, detail: string): void {
  socket.on('error', () => socket.destroy())
  end(socket, 503, detail)
  socket.destroySoon()
}

function end(socket: Duplex, status: Status, detail?: string): void {
  const body = problemText(status, detail)
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      ...(status === 503 ? ['Retry-After: 5'] : []),
      'Content-Type: application/problem+json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'X-Content-Type-Options: nosniff',
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}

type ParserError = Error & { readonly code?: string; readonly rawPacket?: unknown }

function statusOf({ code, rawPacket }: ParserError): Status {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408
  if (code !== 'HPE_HEADER_OVERFLOW') return 400
  // A first packet without any line end is an address that never stopped.
  const isAddress = rawPacket instanceof Buffer && !rawPacket.includes('\r\n')
  return isAddress ? 414 : 431
}

function passed(status: Status, limits: Limits): string | undefined {
  if (status === 414) return `the address is longer than ${limits.urlBytes} bytes (limit urlBytes)`
  if (status === 431) {
    return `the header is longer than ${limits.headerBytes} bytes (limit headerBytes)`
  }
  if (status === 503)
    return `there are ${limits.connections} connections at most (limit connections)`
  return undefined
}
