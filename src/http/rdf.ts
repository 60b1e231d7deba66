/** RDF over HTTP: bodies to quads, quads to the format that was asked for. */

import { Failure } from '../errors.ts'
import { formatOfMediaType, formats, negotiateFormat, type Format } from '../rdf/media-types.ts'
import { decode } from '../rdf/parse.ts'
import { serialise } from '../rdf/serialise.ts'
import { charsetOf, isCharset } from '../text/decoding.ts'
import type { AppContext } from './app.ts'
import { bodyPieces, readBody, type BodyLimits } from './body.ts'
import { entityTag, isFresh } from './conditions.ts'
import { addVary } from './headers.ts'

/** Format and charset of the body. Throws `unsupported-media-type` (415) where either is missing or not known. */
function contentOf(c: AppContext): { format: Format; charset: string | undefined } {
  const given = c.req.header('Content-Type')
  const format = formatOfMediaType(given)
  const charset = charsetOf(given)
  const isReadable = charset === undefined || isCharset(charset)
  if (format && isReadable) return { format, charset }
  const accepted = Object.values(formats).map(({ mediaType }) => mediaType)
  const detail = isReadable
    ? `Content-Type must be one of ${accepted.join(', ')}; ${
        given === undefined ? 'it is missing' : `got ${given.slice(0, 200)}`
      }`
    : `the charset ${charset} of the Content-Type is not known: send UTF-8`
  throw new Failure('unsupported-media-type', detail, {
    headers: { Accept: accepted.join(', ') },
  })
}

/**
 * The body as text, not parsed yet, for services that must look something up between size and syntax. Throws
 * `unsupported-media-type`, `too-large`, and `malformed-rdf` for bytes that are neither UTF-8 nor in the declared charset.
 */
export async function readRdfText(c: AppContext, limits: BodyLimits) {
  const { format } = contentOf(c)
  const body = await readBody(c.req.raw, limits, c.get('signal'))
  return { format, text: decode(body, c.req.header('Content-Type')) }
}

/** Throws `empty-body` for a text without content. Handlers call it after their look-ups: an empty body is an error of syntax. */
export function refuseEmptyText(text: string): void {
  if (text.trim() === '') throw noBody()
}

const noBody = () => new Failure('empty-body', 'send the description of the resource')

/** A body piece by piece. */
type RdfBody = ReturnType<typeof contentOf> & { readonly pieces: AsyncGenerator<Uint8Array> }

/**
 * The body as it arrives, for services that need not hold it: its media type is checked now, its size while it is read.
 * `limits` of the format. Throws as `readRdfText`, `empty-body` at its end.
 */
export function readRdfPieces(c: AppContext, limits: (format: Format) => BodyLimits): RdfBody {
  const content = contentOf(c)
  const pieces = bodyPieces(c.req.raw, limits(content.format), c.get('signal'))
  return { ...content, pieces: refuseEmpty(pieces) }
}

/**
 * The body as it came, all of it, given up piece by piece as it is taken: as text it would be twice as large. Throws as
 * `readRdfText` does, but for bytes that are not text; `empty-body` at the end of the pieces.
 */
export async function readHeldRdf(c: AppContext, limits: BodyLimits): Promise<RdfBody> {
  const content = contentOf(c)
  const held: Uint8Array[] = []
  for await (const piece of bodyPieces(c.req.raw, limits, c.get('signal'))) held.push(piece)
  return { ...content, pieces: refuseEmpty(releasedPieces(held)) }
}

// oxlint-disable-next-line typescript/require-await -- what reads it waits for pieces that arrive
async function* releasedPieces(held: Uint8Array[]): AsyncGenerator<Uint8Array> {
  held.reverse()
  for (let piece = held.pop(); piece; piece = held.pop()) yield piece
}

const isSpace = (byte: number) => byte === 32 || (byte >= 9 && byte <= 13)

async function* refuseEmpty(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isEmpty = true
  for await (const piece of pieces) {
    isEmpty &&= piece.every(isSpace)
    yield piece
  }
  if (isEmpty) throw noBody()
}

type AnswerFormat = { readonly format: Format; readonly mediaType: string }

/** Format of an answer: by the suffix of the path, else by `Accept`. Throws `not-acceptable` (406). */
export function answerFormat(c: AppContext, suffix?: Format): AnswerFormat {
  if (suffix) return { format: suffix, mediaType: formats[suffix].mediaType }
  const found = negotiateFormat(c.req.header('Accept'))
  if (found) return found
  const offered = Object.values(formats).map(({ mediaType }) => mediaType)
  throw new Failure('not-acceptable', `Accept must allow one of ${offered.join(', ')}`)
}

/** Headers and form of an answer beside the description itself. */
export type AnswerOptions = {
  /** Format named by a suffix of the path. */
  readonly suffix?: Format
  /**
   * Name of the graph in TriG and N-Quads, where a suffix asks for that file. A negotiated answer is in the default graph: clients that
   * put these formats first in `Accept` look for the statements there.
   */
  readonly graph?: string
  /** Stored hash: `ETag`, and 304 for a reader that has it. */
  readonly hash?: string
  readonly modified?: Date
  /** Name for saving, without suffix. */
  readonly name?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The answer to a read of RDF, given as lines of `toLines`: 200 in the format asked for, or 304; `Vary: Accept` always. */
export async function answerRdf(
  c: AppContext,
  lines: string,
  options: AnswerOptions = {},
): Promise<Response> {
  const asked = answerFormat(c, options.suffix)
  const { hash, modified } = options
  if (hash !== undefined) c.header('ETag', entityTag(hash))
  if (modified) c.header('Last-Modified', modified.toUTCString())
  for (const [name, value] of Object.entries(options.headers ?? {})) c.header(name, value)
  if (hash !== undefined && isFresh(c.req.raw.headers, hash)) return withVary(c.body(null, 304))
  const { text, format, mediaType } = await serialiseAnswer(c, lines, { ...options, asked })
  if (options.name !== undefined) c.header('Content-Disposition', disposition(options.name, format))
  // Said here, because the answer to HEAD has no body that it could be read off.
  c.header('Content-Length', String(Buffer.byteLength(text)))
  return withVary(c.body(text, 200, { 'Content-Type': contentType(mediaType) }))
}

type AnswerRequest = Pick<AnswerOptions, 'suffix' | 'graph'> & { readonly asked: AnswerFormat }

/** In the format asked for; where that has no words for the graph, in the next one that `Accept` allows. */
async function serialiseAnswer(
  c: AppContext,
  lines: string,
  { asked, suffix, graph }: AnswerRequest,
) {
  const given = graph === undefined || suffix === undefined ? {} : { graph }
  try {
    return { ...asked, text: await serialise(lines, asked.format, given) }
  } catch (error) {
    const isLacking = error instanceof Failure && error.kind === 'not-acceptable'
    const next =
      isLacking && !suffix ? negotiateFormat(c.req.header('Accept'), asked.format) : undefined
    if (!next) throw error
    return { ...next, text: await serialise(lines, next.format, given) }
  }
}

function withVary(answer: Response): Response {
  addVary(answer.headers, 'Accept')
  return answer
}

/** The header of that name: `text/…` without a charset is read as ASCII or worse by old clients; the other types define UTF-8 themselves. */
export const contentType = (mediaType: string): string =>
  mediaType.startsWith('text/') ? `${mediaType}; charset=utf-8` : mediaType

/** RFC 6266 with the name percent-encoded, so that no character of it can end the header. */
export const disposition = (name: string, format: Format): string =>
  `inline; filename*=UTF-8''${encodeURIComponent(name.toWellFormed())}.${formats[format].suffix}`
