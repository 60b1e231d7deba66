/** Request bodies, decompressed and limited while they arrive, so that no body can fill the memory. */

import { pipeline } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { Failure } from '../errors.ts'
import { charsetOf, decodeText, UndecodableText } from '../text/decoding.ts'
import { nextTurn } from '../workers/event-loop.ts'
import { withTimeLimit } from './context.ts'

/** Limits of a body. A body that exceeds one is refused while it arrives. */
export type BodyLimits = {
  /** Most bytes after decompression. */
  readonly bytes: number
  /** Configuration key of `bytes` for error messages; by default `bodyBytes`, empty for a fixed limit. */
  readonly name?: string
  /** Most decompressed bytes per received byte after the first MB; by default 100. */
  readonly ratio?: number
  /** Most milliseconds until the first piece and between two pieces; by default 30,000. */
  readonly idleMs?: number
}

/** Bytes above which the handling of a body takes long. */
const longBytes = 30_000

/**
 * Reads the body of a request. Rejects with `too-large` as soon as a limit is exceeded, `unsupported-media-type` for a content
 * coding other than gzip, deflate and br, `invalid-parameter` for a broken coding, `request-timeout` for a sender that
 * pauses too long, or the signal's reason.
 */
export async function readBody(
  request: Request,
  limits: BodyLimits,
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = []
  for await (const piece of bodyPieces(request, limits, signal)) pieces.push(piece)
  const body = Buffer.concat(pieces)
  // A turn for each body, because many that arrive together would block the event loop.
  if (body.byteLength > longBytes) await nextTurn()
  return body
}

/**
 * Reads the body as text: UTF-8, UTF-16 with a byte order mark, or the charset of its `Content-Type`. Rejects as `readBody`, and
 * with `invalid-parameter` for bytes that cannot be decoded.
 */
export async function readBodyText(
  request: Request,
  limits: BodyLimits,
  signal?: AbortSignal,
): Promise<string> {
  const bytes = await readBody(request, limits, signal)
  try {
    const declared = charsetOf(request.headers.get('Content-Type'))
    return decodeText(bytes, { declared, isStrict: true }).text
  } catch (cause) {
    if (!(cause instanceof UndecodableText)) throw cause
    const { line, column } = cause.place
    const detail = `the body cannot be read in line ${line}, column ${column}: ${cause.message}; send UTF-8, or name the charset in Content-Type`
    throw new Failure('invalid-parameter', detail, { errors: [{ line, column, detail }], cause })
  }
}

/** Reads the body piece by piece, with the limits and errors of `readBody`. */
export async function* bodyPieces(
  request: Request,
  limits: BodyLimits,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const coding = codingOf(request.headers.get('Content-Encoding'))
  const announced = Number(request.headers.get('Content-Length') ?? 0)
  if (!coding && announced > limits.bytes) throw tooLarge(limits)
  if (!request.body) return
  const received = timedPieces(request.body, limits, signal)
  if (!coding) {
    let total = 0
    for await (const piece of received) {
      total += piece.byteLength
      if (total > limits.bytes) throw tooLarge(limits)
      yield piece
    }
    return
  }
  yield* decompressedPieces(received, coding, limits)
}

const decoders = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress } as const

type Coding = keyof typeof decoders

const isCoding = (name: string): name is Coding => Object.hasOwn(decoders, name)

function codingOf(header: string | null): Coding | undefined {
  const name = header?.trim().toLowerCase() ?? ''
  if (name === '' || name === 'identity') return undefined
  if (name === 'x-gzip') return 'gzip'
  if (isCoding(name)) return name
  const accepted = Object.keys(decoders).join(', ')
  throw new Failure('unsupported-media-type', `Content-Encoding must be one of ${accepted}`, {
    headers: { 'Accept-Encoding': accepted },
  })
}

/** Decompressed bytes for which the ratio is not checked. */
const freeBytes = 2 ** 20

/** Decompresses pieces, with limits on the size and the ratio. */
async function* decompressedPieces(
  wire: AsyncIterable<Uint8Array>,
  coding: Coding,
  limits: BodyLimits,
): AsyncGenerator<Uint8Array> {
  const { ratio = 100 } = limits
  let received = 0
  async function* countedPieces() {
    for await (const piece of wire) {
      received += piece.byteLength
      yield piece
    }
  }
  const decoder = decoders[coding]()
  // The loop below also gets every error; the callback only prevents an unhandled one.
  const flow = pipeline(countedPieces, decoder, () => undefined)
  let total = 0
  try {
    for await (const piece of flow as AsyncIterable<Uint8Array>) {
      total += piece.byteLength
      if (total > limits.bytes) throw tooLarge(limits)
      if (total > freeBytes && total > received * ratio) throw tooDense(ratio)
      yield piece
    }
  } catch (error) {
    throw isCodingError(error) ? brokenCoding(coding, error) : error
  } finally {
    flow.destroy()
  }
}

/** Pieces of a body; fails with `request-timeout` after a pause that is too long. */
async function* timedPieces(
  body: ReadableStream<Uint8Array>,
  { idleMs = 30_000 }: BodyLimits,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  const timeoutFailure = () => {
    const detail = `the body paused for more than ${idleMs / 1000} s (limit bodyIdleMs)`
    return new Failure('request-timeout', detail, { headers: { Connection: 'close' } })
  }
  const stop = () => void reader.cancel(signal?.reason).catch(() => undefined)
  signal?.addEventListener('abort', stop, { once: true })
  let isEnded = false
  try {
    while (!isEnded) {
      signal?.throwIfAborted()
      const result = await withTimeLimit(reader.read(), idleMs, timeoutFailure)
      if (result.done) isEnded = true
      else yield result.value
    }
    signal?.throwIfAborted()
  } finally {
    signal?.removeEventListener('abort', stop)
    if (!isEnded) stop()
  }
}

function tooLarge({ bytes, name = 'bodyBytes' }: BodyLimits): Failure {
  const setting = name === '' ? '' : ` (limit ${name} in PLATFORM_LIMITS)`
  const detail = `the body is larger than ${bytes} bytes after decompression${setting}`
  return new Failure('too-large', detail)
}

const tooDense = (ratio: number): Failure =>
  new Failure(
    'too-large',
    `the body grows to more than ${ratio} times its size (limit bodyRatio in PLATFORM_LIMITS)`,
  )

const isCodingError = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  /^(Z_|ERR__?ERROR|ERR_PADDING|ERR_BROTLI|ERR__)/.test(String(error.code))

function brokenCoding(coding: Coding, cause: unknown): Failure {
  const detail = `the body is not valid ${coding}`
  return new Failure('invalid-parameter', detail, {
    errors: [{ parameter: 'Content-Encoding', detail }],
    cause,
  })
}
