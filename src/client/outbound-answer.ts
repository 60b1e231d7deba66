/** Responses of the outbound client: reads bodies on demand, decompresses them, and bounds them in size, ratio and time. */

import type { IncomingMessage } from 'node:http'
import { pipeline, Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { Failure, shown } from '../errors.ts'
import { charsetOf, decodeText } from '../text/decoding.ts'
import type { DeadlineClock } from './deadlines.ts'
import { bodyFault, bodyChunks } from './exchange.ts'
import type { OutboundAnswer, WholeAnswer } from './outbound-request.ts'

/** Response whose head has arrived. */
type ArrivedResponse = {
  readonly message: IncomingMessage
  readonly url: string
  readonly redirected: readonly string[]
  readonly bounds: Parameters<typeof bodyOf>[1]
  readonly method: string
  /** Releases the slot of the host. */
  readonly release: () => void
}

/** Wraps a response. An unread response is discarded when the signal fires. */
export function wrapResponse(
  { message, method, url, redirected, bounds, release }: ArrivedResponse,
  signal: AbortSignal,
): OutboundAnswer {
  const headers = headersOf(message)
  const finish = () => {
    signal.removeEventListener('abort', discard)
    release()
  }
  const discard = () => {
    message.destroy()
    finish()
  }
  if (signal.aborted) discard()
  signal.addEventListener('abort', discard, { once: true })
  const body = hasBody(message, method) ? bodyOf(message, bounds, finish, signal) : emptyBody()
  if (!hasBody(message, method)) {
    // Drains an empty body, which frees the connection.
    message.resume()
    finish()
  }
  return {
    url,
    status: message.statusCode ?? 0,
    headers,
    redirected,
    body,
    text: async () => textOf(await bytesOf(body), headers),
    discard,
  }
}

const hasBody = ({ statusCode = 0, headers }: IncomingMessage, method: string): boolean =>
  method !== 'HEAD' && statusCode !== 204 && statusCode !== 304 && headers['content-length'] !== '0'

async function* emptyBody(): AsyncGenerator<Uint8Array> {}

/** Reads the whole body into memory. */
export async function readWhole(answer: OutboundAnswer): Promise<WholeAnswer> {
  const { url, status, headers, redirected, body } = answer
  const bytes = await bytesOf(body)
  return {
    url,
    status,
    headers,
    redirected,
    bytes,
    text: textOf(bytes, headers),
  }
}

const textOf = (bytes: Uint8Array, headers: Headers): string =>
  decodeText(bytes, { declared: charsetOf(headers.get('content-type')) }).text

async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const part of body) parts.push(part)
  return Buffer.concat(parts)
}

/** Headers of a response without values that `Headers` does not accept. */
function headersOf(message: IncomingMessage): Headers {
  const headers = new Headers()
  const { rawHeaders } = message
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const value = rawHeaders[index + 1] ?? ''
    // oxlint-disable-next-line no-control-regex
    if (!/[\u0000\r\n]|[^\u0000-\u00ff]/.test(value)) headers.append(rawHeaders[index] ?? '', value)
  }
  return headers
}

// Body of a response.

type Bounds = {
  /** Maximum bytes of the decompressed body. */
  readonly maxBytes: number
  /** Maximum ratio of decompressed to compressed bytes, after the first megabyte. */
  readonly ratio: number
  readonly clock: DeadlineClock
}

/**
 * Yields the decompressed body; calls `finish` at its end, also after an error. Throws the failures of `OutboundAnswer.body`, or
 * the signal's reason.
 */
async function* bodyOf(
  message: IncomingMessage,
  { maxBytes, ratio, clock }: Bounds,
  finish: () => void,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let [receivedBytes, decodedBytes] = [0, 0]
  async function* receivedChunks() {
    for await (const chunk of bodyChunks(message, clock, signal)) {
      receivedBytes += chunk.length
      yield chunk
    }
  }
  try {
    signal.throwIfAborted()
    const codings = codingsOf(message.headers['content-encoding'] ?? null)
    const declared = Number(message.headers['content-length'])
    if (codings.length === 0 && declared > maxBytes) throw tooLarge(maxBytes)
    for await (const chunk of decodeBody(receivedChunks(), codings)) {
      decodedBytes += chunk.length
      if (decodedBytes > maxBytes) throw tooLarge(maxBytes)
      if (codings.length > 0 && decodedBytes > megabyte && decodedBytes > ratio * receivedBytes) {
        const detail = `the answer grows more than ${ratio} : 1 when it is decompressed (limit bodyRatio)`
        throw new Failure('too-large', detail)
      }
      yield chunk
    }
  } catch (error) {
    signal.throwIfAborted()
    throw bodyFault(error)
  } finally {
    // A connection with an unread body cannot be reused.
    if (!message.readableEnded) message.destroy()
    finish()
  }
}

const megabyte = 1_000_000

const tooLarge = (maxBytes: number) =>
  new Failure('too-large', `the answer has more than ${maxBytes} bytes`)

// Content codings (RFC 9110, 8.4.1) as streams.

type Bytes = AsyncIterable<Uint8Array>

/** Maximum number of content codings of one body. More are legal, but only hostile servers nest them. */
const mostCodings = 2

/** Parses `Content-Encoding`, outermost coding last. Throws `source-malformed` for an unknown coding or too many. */
function codingsOf(header: string | null): readonly string[] {
  const names = (header ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim().replace(/^x-/, ''))
    .filter((name) => name !== '' && name !== 'identity')
  const unknown = names.find((name) => !Object.hasOwn(decoders, name))
  if (unknown !== undefined || names.length > mostCodings) {
    throw new Failure(
      'source-malformed',
      `the content encoding ${shown(header)} is not one we know`,
    )
  }
  return names
}

/** Decodes a stream of bytes with back-pressure. */
function decodeBody(bytes: Bytes, codings: readonly string[]): Bytes {
  return codings.reduceRight((inner, coding) => decoders[coding]?.(inner) ?? inner, bytes)
}

const decoders: Readonly<Record<string, (bytes: Bytes) => Bytes>> = {
  gzip: (bytes) => decompressed(bytes, () => createGunzip()),
  br: (bytes) => decompressed(bytes, () => createBrotliDecompress()),
  // Some servers omit the zlib header (RFC 1950: its low nibble is 8).
  deflate: (bytes) =>
    decompressed(bytes, (first) =>
      (first ?? 0) % 16 === 8 ? createInflate() : createInflateRaw(),
    ),
}

/** Pipes bytes through a decoder, which is created when the first byte is known. Yields nothing for an empty body. */
async function* decompressed(
  bytes: Bytes,
  decoder: (firstByte: number | undefined) => Transform,
): AsyncGenerator<Uint8Array> {
  const source = bytes[Symbol.asyncIterator]()
  const first = await source.next()
  // An empty body is valid in every coding.
  if (first.done) return
  async function* wholeBody() {
    yield first.value
    yield* { [Symbol.asyncIterator]: () => source }
  }
  const stream = decoder(first.value[0])
  pipeline(Readable.from(wholeBody()), stream, () => undefined)
  try {
    yield* stream
  } finally {
    await source.return?.()
  }
}
