/** RDF over HTTP: reads bodies in any format, and answers stored RDF in the negotiated format. */

import { Failure } from '../errors.ts'
import { formatOfMediaType, formats, negotiateFormat, type Format } from '../rdf/media-types.ts'
import { decode } from '../rdf/parse.ts'
import { serialise } from '../rdf/serialise.ts'
import { charsetOf, isCharset } from '../text/decoding.ts'
import type { AppContext } from './app.ts'
import { bodyPieces, readBody, type BodyLimits } from './body.ts'
import { entityTag, isFresh } from './conditions.ts'
import { addVary } from './headers.ts'

/** Format and charset of the body. Throws `unsupported-media-type` for a missing or unknown format and an unknown charset. */
function contentOf(c: AppContext): { format: Format; charset: string | undefined } {
  const header = c.req.header('Content-Type')
  const format = formatOfMediaType(header)
  const charset = charsetOf(header)
  const isReadable = charset === undefined || isCharset(charset)
  if (format && isReadable) return { format, charset }
  const accepted = Object.values(formats).map(({ mediaType }) => mediaType)
  const detail = isReadable
    ? `Content-Type must be one of ${accepted.join(', ')}; ${
        header === undefined ? 'it is missing' : `got ${header.slice(0, 200)}`
      }`
    : `the charset ${charset} of the Content-Type is not known: send UTF-8`
  throw new Failure('unsupported-media-type', detail, {
    headers: { Accept: accepted.join(', ') },
  })
}

/**
 * Reads the body as text without parsing it. Rejects with `unsupported-media-type`, as `readBody`, and with `malformed-rdf` for
 * bytes that are neither UTF-8 nor in the declared charset.
 */
export async function readRdfText(c: AppContext, limits: BodyLimits) {
  const { format } = contentOf(c)
  const body = await readBody(c.req.raw, limits, c.get('signal'))
  return { format, text: decode(body, c.req.header('Content-Type')) }
}

/** Throws `empty-body` for a blank text. Handlers call it after their look-ups, because other errors precede those of syntax. */
export function refuseEmptyText(text: string): void {
  if (text.trim() === '') throw noBody()
}

const noBody = () => new Failure('empty-body', 'send the description of the resource')

/** Format and charset of a body, and its pieces. */
type RdfBody = ReturnType<typeof contentOf> & { readonly pieces: AsyncGenerator<Uint8Array> }

/**
 * Reads the body piece by piece as it arrives. Its media type is checked now (throws `unsupported-media-type`), its size
 * (`limits` by format) while it is read. The pieces fail as `readBody` does, and end with `empty-body` for a blank body.
 */
export function readRdfPieces(c: AppContext, limits: (format: Format) => BodyLimits): RdfBody {
  const content = contentOf(c)
  const pieces = bodyPieces(c.req.raw, limits(content.format), c.get('signal'))
  return { ...content, pieces: refuseEmpty(pieces) }
}

/**
 * Reads the body into memory as bytes, and releases each piece when it is consumed: as text it would be twice as large. Rejects
 * as `readRdfText` without `malformed-rdf`; the pieces end with `empty-body` for a blank body.
 */
export async function readHeldRdf(c: AppContext, limits: BodyLimits): Promise<RdfBody> {
  const content = contentOf(c)
  const pieces: Uint8Array[] = []
  for await (const piece of bodyPieces(c.req.raw, limits, c.get('signal'))) pieces.push(piece)
  return { ...content, pieces: refuseEmpty(releasedPieces(pieces)) }
}

// oxlint-disable-next-line typescript/require-await -- its reader takes any async iterable
async function* releasedPieces(pieces: Uint8Array[]): AsyncGenerator<Uint8Array> {
  pieces.reverse()
  for (let piece = pieces.pop(); piece; piece = pieces.pop()) yield piece
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

/** Format of the answer: by the suffix of the path, else by `Accept`. Throws `not-acceptable` (406). */
export function answerFormat(c: AppContext, suffix?: Format): AnswerFormat {
  if (suffix) return { format: suffix, mediaType: formats[suffix].mediaType }
  const negotiated = negotiateFormat(c.req.header('Accept'))
  if (negotiated) return negotiated
  const offered = Object.values(formats).map(({ mediaType }) => mediaType)
  throw new Failure('not-acceptable', `Accept must allow one of ${offered.join(', ')}`)
}

/** Options of `answerRdf`. */
export type AnswerOptions = {
  /** Format named by a suffix of the path. */
  readonly suffix?: Format
  /**
   * Name of the graph in TriG and N-Quads for a path with a suffix. A negotiated answer is in the default graph, where clients
   * that prefer these formats in `Accept` look for the statements.
   */
  readonly graph?: string
  /** Stored hash, for `ETag` and 304. */
  readonly hash?: string
  readonly modified?: Date
  /** File name for downloads, without suffix. */
  readonly name?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Answers RDF in the negotiated format, or 304; always with `Vary: Accept`. `lines` are as `toLines` returns them. */
export async function answerRdf(
  c: AppContext,
  lines: string,
  options: AnswerOptions = {},
): Promise<Response> {
  const negotiated = answerFormat(c, options.suffix)
  const { hash, modified } = options
  if (hash !== undefined) c.header('ETag', entityTag(hash))
  if (modified) c.header('Last-Modified', modified.toUTCString())
  for (const [name, value] of Object.entries(options.headers ?? {})) c.header(name, value)
  if (hash !== undefined && isFresh(c.req.raw.headers, hash)) return withVary(c.body(null, 304))
  const { text, format, mediaType } = await serialiseAnswer(c, lines, { ...options, negotiated })
  if (options.name !== undefined) c.header('Content-Disposition', disposition(options.name, format))
  // Set here, because the answer to HEAD has no body from which it could be computed.
  c.header('Content-Length', String(Buffer.byteLength(text)))
  return withVary(c.body(text, 200, { 'Content-Type': contentType(mediaType) }))
}

type AnswerRequest = Pick<AnswerOptions, 'suffix' | 'graph'> & { readonly negotiated: AnswerFormat }

/** Serialises in the negotiated format; where that cannot express the graph, in the next one that `Accept` permits. */
async function serialiseAnswer(
  c: AppContext,
  lines: string,
  { negotiated, suffix, graph }: AnswerRequest,
) {
  const graphOptions = graph === undefined || suffix === undefined ? {} : { graph }
  try {
    return { ...negotiated, text: await serialise(lines, negotiated.format, graphOptions) }
  } catch (error) {
    const isInexpressible = error instanceof Failure && error.kind === 'not-acceptable'
    const alternative =
      isInexpressible && !suffix
        ? negotiateFormat(c.req.header('Accept'), negotiated.format)
        : undefined
    if (!alternative) throw error
    return { ...alternative, text: await serialise(lines, alternative.format, graphOptions) }
  }
}

function withVary(answer: Response): Response {
  addVary(answer.headers, 'Accept')
  return answer
}

/** Value of `Content-Type`; `text/…` gets a charset, because old clients assume another one than UTF-8. */
export const contentType = (mediaType: string): string =>
  mediaType.startsWith('text/') ? `${mediaType}; charset=utf-8` : mediaType

/** Value of `Content-Disposition` (RFC 6266) with a percent-encoded name. */
export const disposition = (name: string, format: Format): string =>
  `inline; filename*=UTF-8''${encodeURIComponent(name.toWellFormed())}.${formats[format].suffix}`
