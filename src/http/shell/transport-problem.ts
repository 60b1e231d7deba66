/** Problems of requests that never became one: too long, broken or too slow for the parser. */

import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Limits } from '../limits.ts'

type Status = 400 | 408 | 414 | 431

/**
 * The body of a problem without a type of its own (RFC 9457 4.2.1): nothing more is known than the status says. `limits`
 * names the limit that was passed.
 */
export function transportProblem(status: Status, limits?: Limits): string {
  const detail = limits && passed(status, limits)
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
  const status = statusOf(error)
  const body = transportProblem(status)
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
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
  return undefined
}
