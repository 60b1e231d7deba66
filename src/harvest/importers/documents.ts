/**
 * Documents of any size, for importers of RDF and `data.json`: each is stored in a temporary file first (unzipped, bounded,
 * hashed), so that the connection is short and the file can be read repeatedly.
 */

import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline as pipelineWithCallback, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { JSONParser } from '@streamparser/json'
import { Failure, shown } from '../../errors.ts'
import type { Validator } from '../../pipe/message.ts'
import { shownUrl } from '../../secrets.ts'
import { charsetOf, decodeText, TextDecoding } from '../../text/decoding.ts'
import { jsonFaultIn } from '../../text/json-fault.ts'
import type { ImportContext } from './importer.ts'
import { mediaTypeFault } from './rdf-format.ts'
import {
  checkBody,
  conditionsOf,
  jsonFailure,
  type SourceAnswer,
  type SourceRequest,
  type SourceStream,
} from './source.ts'

type Bytes = AsyncIterable<Uint8Array>

/** Document in a temporary file; the caller must close it. */
export type StoredDocument = SourceAnswer & {
  /** SHA-256 of the decompressed body in hex. */
  readonly hash: string
  /** Decompressed bytes. */
  readonly size: number
  /** Beginning as text, to detect formats and errors. */
  readonly start: string
  /** Content converted to UTF-8. */
  readonly bytes: () => Bytes
  readonly close: () => Promise<void>
}

/** Request for a document. */
type DocumentRequest = Omit<SourceRequest, 'accepts'> & {
  /** Statuses of a missing document. */
  readonly absent?: readonly number[]
  /** Validator of the last complete run, for a conditional request; an unchanged document keeps it. */
  readonly validator?: Validator
  /** Whether a `text/html` type makes the answer a web page. */
  readonly believesType?: boolean
  /** Checks the document; if it throws `source-truncated`, the document is requested again. */
  readonly check?: (document: StoredDocument) => Promise<void>
}

/** Fetches a document, unless it is `absent` or has not changed. Throws the failures of `ImportSource.read`. */
export async function fetchDocument(
  run: ImportContext,
  url: string,
  { check, believesType, absent = [], validator, ...request }: DocumentRequest,
): Promise<StoredDocument | 'unchanged' | 'absent'> {
  const maxBytes = request.maxBytes ?? run.limits.maxDocumentBytes
  const accepts = validator ? [...absent, 304] : absent
  const headers = { ...request.headers, ...(validator && conditionsOf(validator)) }
  const document = await run.source.read(
    url,
    { ...request, maxBytes, accepts, headers },
    async (answer) => {
      if (absent.includes(answer.status)) return 'absent'
      if (accepts.includes(answer.status)) return 'unchanged'
      const { start, complete: body } = await peek(unzip(answer.body), startSize)
      checkBody(answer, startOf(start, answer.headers), believesType)
      const document = await storeBody(run, { ...answer, body }, { start, maxBytes })
      try {
        const isSame = document.hash === validator?.bodyHash
        if (isSame) await document.close()
        else await check?.(document)
        return isSame ? 'unchanged' : document
      } catch (error) {
        await document.close()
        throw error
      }
    },
  )
  if (document === 'unchanged' && validator) run.addValidator(validator)
  return document
}

/** Bytes at the beginning by which formats and errors are detected. */
const startSize = 4096
const startOf = (start: Buffer, headers: Headers): string => {
  const declared = charsetOf(headers.get('content-type'))
  return decodeText(start.subarray(0, startSize), { declared }).text
}

/** Writes a body below the scratch directory; deletes the file on failure. */
async function storeBody(
  { scratch, signal, source }: Pick<ImportContext, 'scratch' | 'signal' | 'source'>,
  { body, url, status, headers }: SourceStream,
  { start, maxBytes }: { readonly start: Buffer; readonly maxBytes: number },
): Promise<StoredDocument> {
  await mkdir(scratch, { recursive: true, mode: 0o700 })
  const folder = await mkdtemp(join(scratch, 'import-'))
  const close = () => rm(folder, { recursive: true, force: true })
  const path = join(folder, 'document')
  const digest = createHash('sha256')
  let size = 0
  const decoding = new TextDecoding({ declared: charsetOf(headers.get('content-type')) })
  async function* utf8(): Bytes {
    for await (const piece of body) {
      size += piece.byteLength
      if (size > maxBytes)
        throw new Failure(
          'too-large',
          `A document may have at most ${maxBytes} bytes (maxDocumentBytes).`,
        )
      digest.update(piece)
      yield Buffer.from(decoding.write(piece))
    }
    yield Buffer.from(decoding.end())
  }
  try {
    await pipeline(Readable.from(utf8()), createWriteStream(path, { mode: 0o600 }), { signal })
  } catch (error) {
    await close()
    throw error
  }
  source.assume(url, 'invalid-text', decoding.assumption)
  const answer = { url, status, headers, hash: digest.digest('hex'), size }
  const bytes = () => createReadStream(path, { highWaterMark: 1 << 18 })
  return { ...answer, start: startOf(start, headers), bytes, close }
}

/**
 * Unzips a body if it is compressed (RFC 1952, 2.3.1). Throws `source-truncated` for an incomplete archive,
 * `source-malformed` for an invalid one.
 */
async function* unzip(body: Bytes): Bytes {
  const { start, complete } = await peek(body, 2)
  if (start[0] !== 0x1f || start[1] !== 0x8b) {
    yield* complete
    return
  }
  try {
    // Errors are thrown by the loop as well.
    yield* pipelineWithCallback(Readable.from(complete), createGunzip(), () => undefined)
  } catch (error) {
    if (error instanceof Failure) throw error
    const code = error instanceof Error && 'code' in error ? error.code : ''
    const kind = code === 'Z_BUF_ERROR' ? 'source-truncated' : 'source-malformed'
    throw new Failure(kind, 'The compressed document cannot be read to its end.', { cause: error })
  }
}

/** Reads the beginning of a body; `complete` is the whole body, with the beginning. */
async function peek(body: Bytes, size: number): Promise<{ start: Buffer; complete: Bytes }> {
  const iterator = body[Symbol.asyncIterator]()
  let start = Buffer.alloc(0)
  while (start.byteLength < size) {
    const next = await iterator.next()
    if (next.done === true) break
    start = Buffer.concat([start, next.value])
  }
  async function* complete() {
    if (start.byteLength > 0) yield start
    yield* { [Symbol.asyncIterator]: () => iterator }
  }
  return { start, complete: complete() }
}

// Incremental reading of JSON documents.

/** A value of a JSON document. */
type Member = {
  /** Name of the enclosing list or object; empty at the top level. */
  readonly list: string
  readonly key: string | number
  readonly value: unknown
  /** Bytes since the previous member. */
  readonly size: number
}

/** Selects members and limits their length. */
type MemberOptions = {
  /** Paths of the values in the syntax of `@streamparser/json`: `$.*.*`. */
  readonly paths: string[]
  /** Maximum bytes between two values. */
  readonly maxBytes?: number
}

/**
 * Yields the values at some paths in document order; memory is bounded by the longest value. Throws `source-truncated`,
 * `source-malformed` and `too-large`.
 */
export async function* jsonMembers(
  { bytes, url }: Pick<StoredDocument, 'bytes' | 'url'>,
  { paths, maxBytes = Infinity }: MemberOptions,
): AsyncGenerator<Member, void> {
  const parser = new JSONParser({ paths, keepStack: false })
  let members: Member[] = []
  let size = 0
  parser.onValue = ({ key, value, stack }) => {
    members.push({ list: String(stack.at(-1)?.key ?? ''), key: key ?? '', value, size })
    size = 0
  }
  // The parser reports no position; a second pass finds it.
  const fault = async () => jsonFaultIn(Readable.from(bytes()).setEncoding('utf8'))
  for await (const piece of bytes()) {
    size += piece.byteLength
    try {
      parser.write(piece)
    } catch (cause) {
      throw jsonFailure(url, await fault(), cause)
    }
    if (size > maxBytes)
      throw new Failure('too-large', `A record may have at most ${maxBytes} bytes (maxPageBytes).`)
    yield* members
    members = []
  }
  if (!parser.isEnded) throw jsonFailure(url, await fault(), undefined)
}

/** JSON document in a file, readable member by member. */
export type JsonDocument = StoredDocument & {
  /** Values two levels below the top, or elements of a top-level list; repeatable. */
  readonly members: () => AsyncIterable<Member>
}

const accept = 'application/json, application/ld+json;q=0.9, */*;q=0.1'

/**
 * Fetches a JSON document and parses it once to check it, unless it is missing (a status in `absent`) or has not changed since
 * the last complete run. Throws the failures of `ImportSource.read`; incomplete JSON is `source-truncated` after the retries.
 */
export async function openJsonDocument(
  run: ImportContext,
  url: string,
  absent: readonly number[] = [],
): Promise<JsonDocument | 'unchanged' | 'absent'> {
  const maxBytes = run.limits.maxPageBytes
  const membersOf = (document: StoredDocument) =>
    jsonMembers(document, { paths: [/^\s*\[/.test(document.start) ? '$.*' : '$.*.*'], maxBytes })
  const check = async (document: StoredDocument) => {
    if (!/^\s*[[{]/.test(document.start))
      throw new Failure(
        'source-malformed',
        `${shownUrl(url)} did not answer with a JSON document: expected "{" or "[", found ${shown(document.start.slice(0, 40))}.`,
      )
    for await (const _ of membersOf(document));
  }
  const validator = run.validators.find((validator) => validator.url === url)
  const document = await fetchDocument(run, url, { accept, absent, validator, check })
  if (typeof document === 'string') return document
  const type = document.headers.get('content-type') ?? ''
  run.source.assume(url, 'wrong-media-type', mediaTypeFault(type, 'jsonld'))
  return { ...document, members: () => membersOf(document) }
}
