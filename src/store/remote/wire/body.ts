/** The body of an answer, whole or not at all. */

import type { IncomingMessage } from 'node:http'
import { tooLong, unavailable } from './faults.ts'
import type { Sink } from './messages.ts'

/**
 * The text of a body of at most `bytes` bytes. Rejects with `Failure` too-large, with `Failure` store-unavailable when
 * nothing says where the body ends, and with the socket's error when it ends before that.
 */
export function bodyOf(response: IncomingMessage, bytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    if (Number(response.headers['content-length'] ?? 0) > bytes) return reject(tooLong(bytes))
    if (!isFramed(response))
      return reject(unavailable('The store does not say where its answer ends.'))
    const parts: Buffer[] = []
    let length = 0
    response.on('data', (part: Buffer) => {
      length += part.length
      if (length > bytes) reject(tooLong(bytes))
      else parts.push(part)
    })
    response.on('end', () => {
      if (response.complete) resolve(textOf(parts, length))
    })
    response.on('error', reject)
    response.on('close', () => {
      if (!response.complete) reject(new Error('the answer ended early'))
    })
  })
}

/** Hands a body over while it arrives, whole or with a rejection like those of `bodyOf`; answers `''`. */
export function drained(response: IncomingMessage, sink: Sink): Promise<string> {
  return new Promise((resolve, reject) => {
    if (!isFramed(response))
      return reject(unavailable('The store does not say where its answer ends.'))
    response.on('data', (part: Buffer) => {
      try {
        sink.take(part)
      } catch (error) {
        reject(error)
      }
    })
    response.on('end', () => {
      if (response.complete) resolve('')
    })
    response.on('error', reject)
    response.on('close', () => {
      if (!response.complete) reject(new Error('the answer ended early'))
    })
  })
}

// A body that lasts until the connection closes cannot be told from one that was cut. Errors may: nobody builds on them.
const isFramed = ({ headers, statusCode = 0 }: IncomingMessage): boolean =>
  statusCode >= 300 ||
  statusCode === 204 ||
  'content-length' in headers ||
  'transfer-encoding' in headers

const textOf = (parts: readonly Buffer[], length: number): string =>
  (parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts, length)).toString()
