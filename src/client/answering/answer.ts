/** An answer as its reader sees it. */

import type { IncomingMessage } from 'node:http'
import { bodyOf } from './body.ts'
import type { OutboundAnswer, WholeAnswer } from '../request.ts'
import { textOf } from './text.ts'

type Arrived = {
  readonly message: IncomingMessage
  readonly url: string
  readonly redirected: readonly string[]
  readonly bounds: Parameters<typeof bodyOf>[1]
  readonly method: string
  /** Gives back the place at the host. */
  readonly done: () => void
}

/** Wraps what arrived; an answer that nobody reads ends with the signal. */
export function answerOf(
  { message, method, url, redirected, bounds, done }: Arrived,
  signal: AbortSignal,
): OutboundAnswer {
  const headers = headersOf(message)
  const over = () => {
    signal.removeEventListener('abort', discard)
    done()
  }
  const discard = () => {
    message.destroy()
    over()
  }
  if (signal.aborted) discard()
  signal.addEventListener('abort', discard, { once: true })
  const body = hasBody(message, method) ? bodyOf(message, bounds, over, signal) : nothing()
  if (!hasBody(message, method)) {
    // Nobody needs to read what is not there: the connection is free again.
    message.resume()
    over()
  }
  return {
    url,
    status: message.statusCode ?? 0,
    headers,
    redirected,
    body,
    text: async () => textOf(await bytesOf(body), headers.get('content-type')),
    discard,
  }
}

const hasBody = ({ statusCode = 0, headers }: IncomingMessage, method: string): boolean =>
  method !== 'HEAD' && statusCode !== 204 && statusCode !== 304 && headers['content-length'] !== '0'

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** The answer with its body in memory. */
export async function whole(answer: OutboundAnswer): Promise<WholeAnswer> {
  const { url, status, headers, redirected, body } = answer
  const bytes = await bytesOf(body)
  return {
    url,
    status,
    headers,
    redirected,
    bytes,
    text: textOf(bytes, headers.get('content-type')),
  }
}

async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const part of body) parts.push(part)
  return Buffer.concat(parts)
}

/** Values that no header can hold are left out instead of failing the answer. */
function headersOf(message: IncomingMessage): Headers {
  const headers = new Headers()
  const { rawHeaders } = message
  for (let place = 0; place + 1 < rawHeaders.length; place += 2) {
    const value = rawHeaders[place + 1] ?? ''
    // oxlint-disable-next-line no-control-regex
    if (!/[\u0000\r\n]|[^\u0000-\u00ff]/.test(value)) headers.append(rawHeaders[place] ?? '', value)
  }
  return headers
}
