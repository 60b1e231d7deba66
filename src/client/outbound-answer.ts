/** Responses of the outbound client. */

import type { IncomingMessage } from 'node:http'
import { pipeline, Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { Failure, shown } from '../errors.ts'
import { charsetOf, decodeText } from '../text/decoding.ts'
import type { DeadlineClock } from './deadlines.ts'
import { bodyFault, bodyChunks } from './exchange.ts'
import type { OutboundAnswer, WholeAnswer } from './outbound-request.ts'

type ArrivedResponse = {
  readonly message: IncomingMessage
  readonly url: string
  readonly redirected: readonly string[]
  readonly bounds: Parameters<typeof bodyOf>[1]
  readonly method: string
  /** Releases the slot of the host. */
  readonly done: () => void
}

/** Wraps a response. An unread response is discarded when the signal fires. */
export function wrapResponse(
  { message, method, url, redirected, bounds, done }: ArrivedResponse,
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
    // Drains an empty body, which frees the connection.
    message.resume()
    over()
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

async function* nothing(): AsyncGenerator<Uint8Array> {}

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
  for (let place = 0; place + 1 < rawHeaders.length; place += 2) {
    const value = rawHeaders[place + 1] ?? ''
    // oxlint-disable-next-line no-control-regex
    if (!/[\u0000\r\n]|[^\u0000-\u00ff]/.test(value)) headers.append(rawHeaders[place] ?? '', value)
  }
  return headers
}

// Body of a response: read on demand, decompressed, bounded in size, ratio and time.

type Bounds = {
  readonly maxBytes: number
  /** Maximum ratio of decompressed to compressed bytes, after the first megabyte. */
  readonly ratio: number
  readonly clock: DeadlineClock
}

/** Yields the body once; calls `done` at its end, also after an error. */
async function* bodyOf(
  message: IncomingMessage,
  { maxBytes, ratio, clock }: Bounds,
  done: () => void,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let [raw, total] = [0, 0]
  async function* wire() {
    for await (const chunk of bodyChunks(message, clock, signal)) {
      raw += chunk.length
      yield chunk
    }
  }
  try {
    signal.throwIfAborted()
    const codings = codingsOf(message.headers['content-encoding'] ?? null)
    const declared = Number(message.headers['content-length'])
    if (codings.length === 0 && declared > maxBytes) throw tooLarge(maxBytes)
    for await (const chunk of decode(wire(), codings)) {
      total += chunk.length
      if (total > maxBytes) throw tooLarge(maxBytes)
      if (codings.length > 0 && total > megabyte && total > ratio * raw) {
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
    done()
  }
}

const megabyte = 1_000_000

const tooLarge = (maxBytes: number) =>
  new Failure('too-large', `the answer has more than ${maxBytes} bytes`)

// Content codings (RFC 9110, 8.4.1) as streams.

type Bytes = AsyncIterable<Uint8Array>

/** Maximum number of nested codings; more are legal but suspicious. */
const mostCodings = 2

/** Parses `Content-Encoding`, outermost coding last. Throws `source-malformed` for a coding that was not requested. */
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
function decode(bytes: Bytes, codings: readonly string[]): Bytes {
  return codings.reduceRight((inner, coding) => decoders[coding]?.(inner) ?? inner, bytes)
}

const decoders: Readonly<Record<string, (bytes: Bytes) => Bytes>> = {
  gzip: (bytes) => through(bytes, () => createGunzip()),
  br: (bytes) => through(bytes, () => createBrotliDecompress()),
  // Some servers omit the zlib header (RFC 1950: its low nibble is 8).
  deflate: (bytes) =>
    through(bytes, (first) => ((first ?? 0) % 16 === 8 ? createInflate() : createInflateRaw())),
}

async function* through(
  bytes: Bytes,
  decoder: (firstByte: number | undefined) => Transform,
): AsyncGenerator<Uint8Array> {
  const source = bytes[Symbol.asyncIterator]()
  const first = await source.next()
  // An empty body is valid in every coding.
  if (first.done) return
  async function* all() {
    yield first.value
    yield* { [Symbol.asyncIterator]: () => source }
  }
  const stream = decoder(first.value[0])
  pipeline(Readable.from(all()), stream, () => undefined)
  try {
    yield* stream
  } finally {
    await source.return?.()
  }
}
