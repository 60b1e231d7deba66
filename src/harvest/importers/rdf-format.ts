/**
 * Determines the RDF format of an answer, by the config, else its media type unless its first bytes contradict it, else its
 * first bytes, else the suffix of its address.
 */

import { Failure } from '../../errors.ts'
import { formatByName, formatOfText, formats, type Format } from '../../rdf/media-types.ts'

/** `Accept` header; formats that are cheap to parse first. */
export const acceptRdf =
  'application/n-quads, application/n-triples, text/turtle;q=0.9, application/trig;q=0.9, ' +
  'application/rdf+xml;q=0.8, application/ld+json;q=0.7, text/n3;q=0.4, */*;q=0.1'

/** Indications of the format. */
type RdfAnswer = {
  readonly inputFormat: string | undefined
  readonly contentType: string
  /** After redirects. */
  readonly url: string
  /** The beginning of the body. */
  readonly start: string
}

/**
 * Format of an answer; `undefined` if unknown. Throws `unsupported-media-type` for TriX, which is not read; another unknown type
 * gives `undefined`.
 */
export function rdfFormatOf(answer: RdfAnswer): Format | undefined {
  const { inputFormat, contentType, url, start } = answer
  if (inputFormat !== undefined) return formatByName(inputFormat)
  if (/^\s*application\/trix\s*(;|$)/i.test(contentType)) {
    const accepted = Object.values(formats).map(({ mediaType }) => mediaType)
    const detail = `The source answered ${contentType}, which is not read; accepted are ${accepted.join(', ')}.`
    throw new Failure('unsupported-media-type', detail)
  }
  const declared = formatByName(contentType)
  const bodyFormat = certainFormat(start)
  // Some servers send JSON-LD and RDF/XML with generic types, others send Turtle as CSV, N-Triples or N-Quads.
  const first = /^\s*(\S)/.exec(start)?.[1] ?? ''
  const beginnings: Partial<Record<Format, string>> = { jsonld: '{[', rdfxml: '<' }
  if (declared !== undefined && (beginnings[declared] ?? first).includes(first)) {
    const isContradicted = bodyFormat !== undefined && familyOf(declared) !== familyOf(bodyFormat)
    if (!isContradicted)
      return bodyFormat === 'turtle' && formats[declared].mediaType.endsWith('s')
        ? bodyFormat
        : declared
  }
  const suffix = /\.([A-Za-z0-9]+)$/.exec(new URL(url).pathname.replace(/\.gz$/i, ''))?.[1]
  return bodyFormat ?? formatByName(suffix ?? '') ?? formatOfText(start)
}

/**
 * Format that the beginning of a text proves; `undefined` for web pages, other elements without a prefix, and brackets that may
 * be TriG, Turtle or broken JSON.
 */
export function certainFormat(start: string): Format | undefined {
  const text = start.trimStart()
  if (/^<[a-z][a-z0-9]*[\s>/]/i.test(text) || isWebPage(text)) return undefined
  const isUnclear = /^[{[]/.test(text) && !/^(?:\{\s*"|\[\s*\{)/.test(text)
  return isUnclear ? undefined : formatOfText(text)
}

/** Whether a text begins like a web page. */
export const isWebPage = (start: string): boolean =>
  /^\s*(?:<\?xml[^>]*>\s*|<!--[^]*?-->\s*)*<(?:!doctype\s+html|html)[\s>]/i.test(start)

/** Groups of formats that first bytes distinguish; Turtle and its relatives are `lines`. */
const familyOf = (format: Format) => (format === 'jsonld' || format === 'rdfxml' ? format : 'lines')

/** Detail of the finding for a `Content-Type` that does not match the body; `undefined` if it does. */
export function mediaTypeFault(contentType: string, format: Format): string | undefined {
  const [type = ''] = contentType.toLowerCase().split(';')
  const declared = formatByName(type)
  const expectedType = { jsonld: /json|zip/, rdfxml: /\bxml$|(?<!xhtml)\+xml|zip/, lines: /zip/ }[
    familyOf(format)
  ]
  const isOldType = type === 'text/plain' && format === 'ntriples'
  if (isOldType || (declared ? familyOf(declared) === familyOf(format) : expectedType.test(type)))
    return undefined
  return `The Content-Type is ${type.trim() || 'missing'}; the body is read as ${formats[format].mediaType}.`
}
