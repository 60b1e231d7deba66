/**
 * Documents of any size: unzipped, bounded and hashed on their way, kept in a file where they do not fit into memory, and JSON read
 * member by member.
 */

import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline as piped, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { TextDecoder } from 'node:util'
import { createGunzip } from 'node:zlib'
import { JSONParser } from '@streamparser/json'
import { Failure } from '../../errors.ts'
import type { Finding } from '../../pipe/message.ts'
import type { ImportContext } from './importer.ts'
import {
  checkBody,
  conditionsOf,
  shownUrl,
  type SourceAnswer,
  type SourceRequest,
  type SourceStream,
} from './source.ts'

type Bytes = AsyncIterable<Uint8Array>

const startSize = 4096

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
  async function* whole() {
    if (start.byteLength > 0) yield start
    yield* { [Symbol.asyncIterator]: () => iterator }
  }
  return { start, body: whole() }
}

/** Throws `source-truncated` when the archive ends too early, `source-malformed` when it is none. */
async function* gunzipped(body: Bytes): Bytes {
  try {
    // Whatever fails comes out of the loop as well.
    yield* piped(Readable.from(body), createGunzip(), () => undefined)
  } catch (error) {
    if (error instanceof Failure) throw error
    const code = error instanceof Error && 'code' in error ? error.code : ''
    const kind = code === 'Z_BUF_ERROR' ? 'source-truncated' : 'source-malformed'
    throw new Failure(kind, 'The compressed document cannot be read to its end.', { cause: error })
  }
}

/**
 * A body that may be an archive (RFC 1952, 2.3.1): its content, the beginning of that, and what its hash is (SHA-256 in hex) when
 * it was read. Throws `too-large` with more than `mostBytes`.
 */
export async function unpacked({ body }: SourceStream, mostBytes: number) {
  const raw = await peeked(body, 2)
  const plain = raw.start[0] === 0x1f && raw.start[1] === 0x8b ? gunzipped(raw.body) : raw.body
  const digest = createHash('sha256')
  async function* through() {
    let length = 0
    for await (const piece of plain) {
      length += piece.byteLength
      if (length > mostBytes)
        throw new Failure('too-large', `A document may have ${mostBytes} bytes (maxDocumentBytes).`)
      digest.update(piece)
      yield piece
    }
  }
  const { start, body: content } = await peeked(through(), startSize)
  return { start, body: content, hash: () => digest.digest('hex') }
}

/** Text as UTF-8, whatever the type of the answer says it is in; bytes that are no text become U+FFFD, and `broken` is called. */
export async function* utf8(body: Bytes, headers: Headers, broken: () => void): Bytes {
  const type = headers.get('content-type') ?? ''
  const decoder = decoderFor(/charset\s*=\s*"?([\w.:-]+)/i.exec(type)?.[1] ?? 'utf-8')
  const encoded = (text: string) => {
    if (text.includes('\uFFFD')) broken()
    return Buffer.from(text)
  }
  for await (const piece of body) yield encoded(decoder.decode(piece, { stream: true }))
  yield encoded(decoder.decode())
}

function decoderFor(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}

/** Bytes on disk that can be read as often as wanted. */
type Spilled = {
  readonly bytes: () => Bytes
  readonly remove: () => Promise<void>
}

/** Writes the bytes below `scratch`; what was written is gone when that fails. */
export async function spillFile(
  scratch: string,
  bytes: Bytes,
  signal: AbortSignal,
): Promise<Spilled> {
  await mkdir(scratch, { recursive: true, mode: 0o700 })
  const folder = await mkdtemp(join(scratch, 'import-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  const path = join(folder, 'document')
  try {
    await pipeline(Readable.from(bytes), createWriteStream(path, { mode: 0o600 }), { signal })
  } catch (error) {
    await remove()
    throw error
  }
  return { bytes: () => createReadStream(path, { highWaterMark: 1 << 18 }), remove }
}

/** A value of a JSON document. */
type Member = {
  /** Name of the list or object that holds it; empty when that is the document. */
  readonly list: string
  readonly key: string | number
  readonly value: unknown
  /** Bytes since the member before. */
  readonly size: number
}

type MemberOptions = {
  /** Where the values are, as `@streamparser/json` writes it: `$.*.*`. */
  readonly paths: string[]
  /** Most bytes from one value to the next. */
  readonly longest?: number
}

/**
 * The values at some paths as they become whole, in the order of the document: memory is bounded by the longest. Throws
 * `source-truncated`, `source-malformed` and `too-large`.
 */
export async function* jsonMembers(
  bytes: Bytes,
  { paths, longest = Infinity }: MemberOptions,
): AsyncGenerator<Member, void> {
  const parser = new JSONParser({ paths, keepStack: false })
  let members: Member[] = []
  let size = 0
  parser.onValue = ({ key, value, stack }) => {
    members.push({ list: String(stack.at(-1)?.key ?? ''), key: key ?? '', value, size })
    size = 0
  }
  for await (const piece of bytes) {
    size += piece.byteLength
    write(parser, piece)
    if (size > longest)
      throw new Failure('too-large', `A record may have ${longest} bytes (maxPageBytes).`)
    yield* members
    members = []
  }
  if (!parser.isEnded) throw new Failure('source-truncated', 'The JSON ends too early.')
}

function write(parser: JSONParser, piece: Uint8Array): void {
  try {
    parser.write(piece)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.slice(0, 200) : ''
    throw new Failure('source-malformed', `The JSON cannot be read: ${reason}`, { cause })
  }
}

/** The caller closes it. */
export type JsonDocument = SourceAnswer & {
  /** SHA-256 of the decompressed body in hex. */
  readonly hash: string
  /** The beginning as text, to tell an error from a document without members. */
  readonly start: string
  /** What is to be said of every record of the document. */
  readonly findings: readonly Finding[]
  /** What is two steps below the top, such as the elements of a top-level list; can be read as often as wanted. */
  readonly members: () => AsyncIterable<Member>
  readonly close: () => Promise<void>
}

const accept = 'application/json, application/ld+json;q=0.9, */*;q=0.1'

/**
 * A JSON document, checked to its last byte on the way to a file; the status instead when the request accepts it. Throws
 * what `Source.read` throws; `source-truncated` also for JSON that never closes, after the usual tries.
 */
async function documentOrStatus(
  { source, limits, scratch, signal }: ImportContext,
  url: string,
  request: SourceRequest,
): Promise<JsonDocument | number> {
  const { maxDocumentBytes, maxPageBytes: longest } = limits
  const asked = { accept, maxBytes: maxDocumentBytes, ...request }
  return source.read(url, asked, async (answer) => {
    if (request.accepts?.includes(answer.status) === true) return answer.status
    const { start: first, body, hash } = await unpacked(answer, maxDocumentBytes)
    const start = first.toString('utf8').replace(/^\uFEFF/, '')
    checkBody(answer, start)
    const isList = start.trimStart().startsWith('[')
    if (!isList && !start.trimStart().startsWith('{'))
      throw new Failure('source-malformed', `${shownUrl(url)} did not answer with a JSON document.`)
    let isBroken = false
    const text = utf8(body, answer.headers, () => (isBroken = true))
    const file = await spillFile(scratch, text, signal)
    const members = () => jsonMembers(file.bytes(), { paths: [isList ? '$.*' : '$.*.*'], longest })
    try {
      for await (const _ of members());
    } catch (error) {
      await file.remove()
      throw error
    }
    const { status, headers } = answer
    const findings = isBroken ? [brokenText] : []
    const about = { url: answer.url, status, headers, hash: hash(), start, findings }
    return { ...about, members, close: file.remove }
  })
}

const brokenText: Finding = {
  slug: 'invalid-text',
  detail: 'the document held bytes that are no text',
}

/** `undefined` when the answer has one of the statuses that the request accepts. */
export async function openJsonDocument(
  run: ImportContext,
  url: string,
  request: SourceRequest,
): Promise<JsonDocument | undefined> {
  const opened = await documentOrStatus(run, url, request)
  return typeof opened === 'number' ? undefined : opened
}

/**
 * The document, unless it is what the last complete run saw: what is unchanged is vouched for as it was. `absent`: statuses that say
 * that there is no such document.
 */
export async function openUnlessSame(
  run: ImportContext,
  url: string,
  absent: readonly number[] = [],
): Promise<JsonDocument | 'unchanged' | 'absent'> {
  const known = run.validators.find((validator) => validator.url === url)
  const request = known
    ? { accepts: [...absent, 304], headers: conditionsOf(known) }
    : { accepts: absent }
  const opened = await documentOrStatus(run, url, request)
  const isDocument = typeof opened !== 'number'
  const isSame = isDocument ? opened.hash === known?.bodyHash : !absent.includes(opened)
  if (!known || !isSame) return isDocument ? opened : 'absent'
  if (isDocument) await opened.close()
  run.validate(known)
  return 'unchanged'
}
