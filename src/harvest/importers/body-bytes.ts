/** The bytes of a document on their way to the parser: unzipped, counted, hashed, and text in any case. */
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { pipeline, Readable } from 'node:stream'
import { TextDecoder } from 'node:util'
import { createGunzip } from 'node:zlib'
import { Failure } from '../../errors.ts'

type Bytes = AsyncIterable<Uint8Array>

/** The body and its beginning; the body still has its beginning. */
export async function peeked(body: Bytes, size: number): Promise<{ start: Buffer; body: Bytes }> {
  const iterator = body[Symbol.asyncIterator]()
  const parts: Uint8Array[] = []
  let length = 0
  while (length < size) {
    const next = await iterator.next()
    if (next.done === true) break
    parts.push(next.value)
    length += next.value.byteLength
  }
  const start = Buffer.concat(parts)
  const rest = { [Symbol.asyncIterator]: () => iterator }
  async function* whole() {
    if (start.byteLength > 0) yield start
    yield* rest
  }
  return { start, body: whole() }
}

/** Whether bytes begin as gzip does (RFC 1952, 2.3.1). */
export const isGzip = (start: Uint8Array): boolean => start[0] === 0x1f && start[1] === 0x8b

/** Throws `source-truncated` when the archive ends too early, `source-malformed` when it is none. */
export async function* gunzipped(body: Bytes): AsyncIterable<Uint8Array> {
  const gunzip = createGunzip()
  let fault: unknown
  // Whatever fails comes out of the loop below as well.
  const unzipped: AsyncIterable<Uint8Array> = pipeline(Readable.from(body), gunzip, (error) => {
    fault = error
  })
  try {
    yield* unzipped
  } catch (error) {
    if (error instanceof Failure) throw error
    if (fault instanceof Failure) throw fault
    const code = error instanceof Error && 'code' in error ? error.code : ''
    const kind = code === 'Z_BUF_ERROR' ? 'source-truncated' : 'source-malformed'
    throw new Failure(kind, 'The compressed document cannot be read to its end.', { cause: error })
  }
}

/** Throws `too-large` with more bytes than that. */
export async function* bounded(body: Bytes, most: number): AsyncIterable<Uint8Array> {
  let length = 0
  for await (const piece of body) {
    length += piece.byteLength
    if (length > most)
      throw new Failure('too-large', `A document may have ${most} bytes (maxDocumentBytes).`)
    yield piece
  }
}

/** Tells the SHA-256 of everything that went through. */
export function hashed(body: Bytes): { body: Bytes; hash: () => string } {
  const digest = createHash('sha256')
  async function* through() {
    for await (const piece of body) {
      digest.update(piece)
      yield piece
    }
  }
  return { body: through(), hash: () => digest.digest('hex') }
}

/** UTF-8 for sure: another charset is translated, bytes that are no text become U+FFFD and are told of once. */
export async function* utf8(
  body: Bytes,
  charset: string,
  broken: () => void,
): AsyncIterable<Uint8Array> {
  const decoder = decoderFor(charset)
  const isPlain = decoder.encoding === 'utf-8'
  let tail: Buffer = Buffer.alloc(0)
  for await (const piece of body) {
    if (!isPlain) {
      yield Buffer.from(decoder.decode(piece, { stream: true }))
      continue
    }
    const whole = tail.byteLength === 0 ? Buffer.from(piece) : Buffer.concat([tail, piece])
    const end = whole.byteLength - openEnd(whole)
    tail = whole.subarray(end)
    yield mended(whole.subarray(0, end), broken)
  }
  if (tail.byteLength > 0) yield mended(tail, broken)
  if (!isPlain) yield Buffer.from(decoder.decode())
}

function mended(bytes: Buffer, broken: () => void): Uint8Array {
  if (isUtf8(bytes)) return bytes
  broken()
  return Buffer.from(bytes.toString('utf8'))
}

/** How many bytes at the end belong to a character that is not whole yet. */
function openEnd(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.byteLength; back += 1) {
    const byte = bytes[bytes.byteLength - back] ?? 0
    if (byte < 0x80) return 0
    if (byte < 0xc0) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return length > back ? back : 0
  }
  return 0
}

function decoderFor(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}
