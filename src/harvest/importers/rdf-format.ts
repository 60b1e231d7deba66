/** In which RDF format a source answers: what the config says, the type, the suffix, the first bytes. */

import { Failure } from '../../errors.ts'
import { formatCalled, formatOfText, formats, type Format } from '../../rdf/media-types.ts'

/** Cheapest to read first. */
export const acceptRdf =
  'application/n-quads, application/n-triples, text/turtle;q=0.9, application/trig;q=0.9, ' +
  'application/rdf+xml;q=0.8, application/ld+json;q=0.7, text/n3;q=0.4, */*;q=0.1'

/** What may tell the format of an answer, most trusted first. */
type RdfAnswer = {
  readonly inputFormat: string | undefined
  readonly contentType: string
  /** After redirects. */
  readonly url: string
  /** The beginning of the body. */
  readonly start: string
}

/** `undefined` when nothing tells. Throws `unsupported-media-type` for RDF in a format that we know and do not read. */
export function rdfFormatOf(answer: RdfAnswer): Format | undefined {
  const { inputFormat, contentType, url, start } = answer
  if (inputFormat !== undefined) return formatCalled(inputFormat)
  if (/^\s*application\/trix\s*(;|$)/i.test(contentType)) {
    const accepted = Object.values(formats).map(({ mediaType }) => mediaType)
    const detail = `The source answered ${contentType}, which is not read; accepted are ${accepted.join(', ')}.`
    throw new Failure('unsupported-media-type', detail)
  }
  const named = formatCalled(contentType)
  // Some serve JSON-LD and RDF/XML under the bare names, and others serve Turtle with the type of a table.
  const first = /^[\s\uFEFF]*(\S)/.exec(start)?.[1] ?? ''
  const beginnings: Partial<Record<Format, string>> = { jsonld: '{[', rdfxml: '<' }
  if (named !== undefined && (beginnings[named] ?? first).includes(first)) return named
  const suffix = /\.([A-Za-z0-9]+)$/.exec(new URL(url).pathname.replace(/\.gz$/i, ''))?.[1]
  return formatCalled(suffix ?? '') ?? formatOfText(start)
}
