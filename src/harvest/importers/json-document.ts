/** A JSON document of any size: checked to its last byte on the way to a file, then read member by member. */

import { JSONParser } from '@streamparser/json'
import { Failure } from '../../errors.ts'
import type { Finding } from '../../pipe/message.ts'
import { emptyFailure, htmlFailure, isHtmlType, isWebPage, shownUrl } from './answers.ts'
import { bounded, gunzipped, hashed, isGzip, peeked, utf8 } from './body-bytes.ts'
import type { ImportContext } from './importer.ts'
import {
  conditionsOf,
  type Source,
  type SourceAnswer,
  type SourceRequest,
  type SourceStream,
} from './source.ts'
import { spillFile } from './spill-file.ts'

type Bytes = AsyncIterable<Uint8Array>

/** A value two steps below the top, such as an element of a top-level list. */
type Member = {
  /** Name of the list or object that holds it; empty for an element of a document that is a list itself. */
  readonly list: string
  readonly key: string | number
  readonly value: unknown
}

export type JsonDocument = SourceAnswer & {
  /** SHA-256 of the decompressed body in hex. */
  readonly hash: string
  /** The beginning as text, to tell an error from a document without members. */
  readonly start: string
  /** What is to be said of every record of the document. */
  readonly findings: readonly Finding[]
  /** Every member in the order of the document; can be read as often as wanted. */
  readonly members: () => AsyncIterable<Member>
  readonly close: () => Promise<void>
}

type Opening = { readonly source: Source; readonly context: ImportContext }

const startSize = 4096
const accept = 'application/json, application/ld+json;q=0.9, */*;q=0.1'

/**
 * `undefined` when the answer has one of the statuses that the request accepts. The caller closes the document. Throws
 * what `Source.read` throws; `source-truncated` also for JSON that never closes, after the usual tries.
 */
export async function openJsonDocument(
  opening: Opening,
  url: string,
  request: SourceRequest,
  signal: AbortSignal,
): Promise<JsonDocument | undefined> {
  const opened = await documentOrStatus(opening, url, request, signal)
  return typeof opened === 'number' ? undefined : opened
}

/** The same, but with the accepted status for who asks for several. */
function documentOrStatus(
  { source, context }: Opening,
  url: string,
  request: SourceRequest,
  signal: AbortSignal,
): Promise<JsonDocument | number> {
  const { maxDocumentBytes, maxPageBytes } = context.limits
  const wanted = { accept, maxBytes: maxDocumentBytes, ...request }
  return source.read(url, wanted, async (answer) => {
    if (request.accepts?.includes(answer.status) === true) return answer.status
    const raw = await peeked(answer.body, 2)
    const plain = isGzip(raw.start) ? gunzipped(raw.body) : raw.body
    const digest = hashed(bounded(plain, maxDocumentBytes))
    const { start, body } = await peeked(digest.body, startSize)
    const text = startOf(answer, start)
    const findings: Finding[] = []
    const noteBroken = () => findings.push(brokenText)
    const whole = checked(utf8(body, charsetOf(answer.headers), noteBroken), text, maxPageBytes)
    const file = await spillFile(context.scratch, whole, signal)
    return {
      url: answer.url,
      status: answer.status,
      headers: answer.headers,
      hash: digest.hash(),
      start: text,
      findings: findings.slice(0, 1),
      members: () => membersIn(file.bytes(), { start: text, longest: maxPageBytes }),
      close: file.remove,
    }
  })
}

const brokenText: Finding = {
  slug: 'invalid-text',
  detail: 'the document held bytes that are no text',
}

function startOf({ url, headers }: SourceStream, start: Buffer): string {
  const text = start.toString('utf8').replace(/^\uFEFF/, '')
  if (text.trim() === '') throw emptyFailure(url)
  if (isHtmlType(headers) || isWebPage(text)) throw htmlFailure(url)
  if (!/^\s*[[{]/.test(text))
    throw new Failure('source-malformed', `${shownUrl(url)} did not answer with a JSON document.`)
  return text
}

const charsetOf = (headers: Headers) =>
  /charset\s*=\s*"?([\w.:-]+)/i.exec(headers.get('content-type') ?? '')?.[1] ?? 'utf-8'

/** The bytes as they are, on the condition that they are one whole document. */
async function* checked(body: Bytes, start: string, longest: number): Bytes {
  const reader = memberReader(start, longest)
  for await (const piece of body) {
    reader.write(piece)
    yield piece
  }
  reader.end()
}

type Reading = { readonly start: string; readonly longest: number }

async function* membersIn(body: Bytes, { start, longest }: Reading): AsyncIterable<Member> {
  const reader = memberReader(start, longest)
  for await (const piece of body) yield* reader.write(piece)
  reader.end()
}

/** Emits what becomes whole, and forgets it: memory is bounded by `longest`, the most bytes of one member. */
function memberReader(start: string, longest: number) {
  const isList = start.trimStart().startsWith('[')
  const parser = new JSONParser({ paths: [isList ? '$.*' : '$.*.*'], keepStack: false })
  let found: Member[] = []
  let waiting = 0
  let isFirst = true
  parser.onValue = ({ key, value, stack }) => {
    found.push({ list: String(stack.at(-1)?.key ?? ''), key: key ?? '', value })
  }
  return {
    write: (piece: Uint8Array): readonly Member[] => {
      const bytes = isFirst ? withoutMark(piece) : piece
      if (piece.byteLength > 0) isFirst = false
      step(() => parser.write(bytes))
      const ready = found
      found = []
      waiting = ready.length > 0 ? 0 : waiting + piece.byteLength
      if (waiting > longest)
        throw new Failure('too-large', `A record may have ${longest} bytes (maxPageBytes).`)
      return ready
    },
    end: () => {
      demandEnd(parser)
    },
  }
}

const withoutMark = (piece: Uint8Array) =>
  piece[0] === 0xef && piece[1] === 0xbb && piece[2] === 0xbf ? piece.subarray(3) : piece

// A JSON document, unless it is what the last complete run saw.

type Asked = {
  readonly url: string
  /** Statuses that say that there is no such document. */
  readonly absent?: readonly number[]
}

/** As `openJsonDocument`; what is unchanged is vouched for as it was. The caller closes the document. */
export async function openUnlessSame(
  opening: Opening,
  { url, absent = [] }: Asked,
  signal: AbortSignal,
): Promise<JsonDocument | 'unchanged' | 'absent'> {
  const { context } = opening
  const known = context.validators.find((validator) => validator.url === url)
  const request = known
    ? { accepts: [...absent, 304], headers: conditionsOf(known) }
    : { accepts: absent }
  const found = await documentOrStatus(opening, url, request, signal)
  const isDocument = typeof found !== 'number'
  const isSame = isDocument ? found.hash === known?.bodyHash : !absent.includes(found)
  if (!known || !isSame) return isDocument ? found : 'absent'
  if (isDocument) await found.close()
  context.validate(known)
  return 'unchanged'
}

// Steps of a streaming JSON parser: what it cannot read is the source's fault, and said so.

/** Throws `source-malformed`. */
export function step(work: () => void): void {
  try {
    work()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.slice(0, 200) : ''
    throw new Failure('source-malformed', `The JSON cannot be read: ${reason}`, { cause })
  }
}

/** To be called behind the last piece. Throws `source-truncated`. */
export function demandEnd({ isEnded }: { readonly isEnded: boolean }): void {
  if (!isEnded) throw new Failure('source-truncated', 'The JSON ends too early.')
}
