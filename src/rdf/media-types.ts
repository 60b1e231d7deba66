/** RDF formats with their media types and suffixes; content negotiation. */

import { keysOf } from '../text/records.ts'

/** RDF format that the platform reads and writes. */
export type Format = 'turtle' | 'trig' | 'ntriples' | 'nquads' | 'rdfxml' | 'jsonld' | 'n3'

/** Media type of a format, its file suffix without dot, and whether it is written with named graphs (`quads`). */
export type FormatFacts = {
  readonly mediaType: string
  readonly suffix: string
  readonly quads: boolean
}

/** Formats in order of preference; the first one is the default. */
export const formats: Readonly<Record<Format, FormatFacts>> = {
  jsonld: { mediaType: 'application/ld+json', suffix: 'jsonld', quads: false },
  turtle: { mediaType: 'text/turtle', suffix: 'ttl', quads: false },
  trig: { mediaType: 'application/trig', suffix: 'trig', quads: true },
  ntriples: { mediaType: 'application/n-triples', suffix: 'nt', quads: false },
  nquads: { mediaType: 'application/n-quads', suffix: 'nq', quads: true },
  rdfxml: { mediaType: 'application/rdf+xml', suffix: 'rdf', quads: false },
  n3: { mediaType: 'text/n3', suffix: 'n3', quads: false },
}

const names = keysOf(formats)
const byMediaType = new Map(names.map((name) => [formats[name].mediaType, name]))
const bySuffix = new Map(names.map((name) => [formats[name].suffix, name]))
const offeredTypes = [...byMediaType.keys()]

/** Format of a `Content-Type`, ignoring parameters; `undefined` if missing or unknown. */
export const formatOfMediaType = (contentType: string | undefined): Format | undefined =>
  byMediaType.get((contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '')

/** Format of a file suffix without dot (`ttl`). */
export const formatOfSuffix = (suffix: string): Format | undefined =>
  bySuffix.get(suffix.toLowerCase())

/** Splits a known suffix off an id: `x.ttl` → `{ id: 'x', format: 'turtle' }`. */
export function splitSuffix(id: string): { id: string; format?: Format } {
  const dot = id.lastIndexOf('.')
  const format = dot < 0 ? undefined : formatOfSuffix(id.slice(dot + 1))
  return format ? { id: id.slice(0, dot), format } : { id }
}

type Range = { readonly type: string; readonly quality: number; readonly order: number }

/** Parses an `Accept` header (RFC 9110, 12.5.1). Invalid ranges and parameters other than `q` are ignored. */
function ranges(accept: string): Range[] {
  return accept.split(',').flatMap((part, order) => {
    const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
    if (!/^[^\s/]+\/[^\s/]+$/.test(type)) return []
    const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))
    const quality = weight === undefined ? 1 : Number(weight.replace(/^q\s*=\s*/, ''))
    return Number.isFinite(quality) && quality >= 0
      ? [{ type, quality: Math.min(1, quality), order }]
      : []
  })
}

const specificity = (range: string) => (range === '*/*' ? 0 : range.endsWith('/*') ? 1 : 2)

const covers = (range: string, type: string) =>
  range === '*/*' || range === type || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)))

/** Most specific range of an `Accept` header that covers the media type (RFC 9110, 12.5.1). */
function bestRange(accepted: readonly Range[], type: string): Range | undefined {
  let best: Range | undefined
  for (const range of accepted) {
    if (!covers(range.type, type)) continue
    if (!best || specificity(range.type) > specificity(best.type)) best = range
  }
  return best && best.quality > 0 ? best : undefined
}

/**
 * Chooses the offered media type that an `Accept` header prefers (RFC 9110, 12.5.1): by quality, then specificity, then the
 * client's order, then ours. `undefined` if none is acceptable; a missing header accepts everything.
 */
export function negotiate(
  accept: string | undefined,
  offered: readonly string[],
): string | undefined {
  if (!accept?.trim()) return offered[0]
  const accepted = ranges(accept)
  let best: { type: string; range: Range } | undefined
  for (const type of offered) {
    const range = bestRange(accepted, type.toLowerCase())
    if (range && (!best || isBetter(range, best.range))) best = { type, range }
  }
  return best?.type
}

function isBetter(range: Range, other: Range): boolean {
  if (range.quality !== other.quality) return range.quality > other.quality
  const exactness = specificity(range.type) - specificity(other.type)
  return exactness === 0 ? range.order < other.order : exactness > 0
}

/**
 * Chooses the format of an answer; JSON-LD by default. If only plain JSON is acceptable, JSON-LD is sent under that type.
 * `undefined` means 406. `without` is not offered.
 */
export function negotiateFormat(
  accept: string | undefined,
  without?: Format,
): { format: Format; mediaType: string } | undefined {
  const offered = offeredTypes.filter((type) => byMediaType.get(type) !== without)
  const mediaType = negotiate(accept, offered)
  const format = mediaType === undefined ? undefined : byMediaType.get(mediaType)
  if (mediaType !== undefined && format) return { format, mediaType }
  const json = negotiate(accept, ['application/json'])
  return json === undefined ? undefined : { format: 'jsonld', mediaType: json }
}

/** Unregistered names of formats in use. */
const unregisteredNames: Readonly<Record<string, Format>> = {
  json: 'jsonld',
  xml: 'rdfxml',
  owl: 'rdfxml',
  'application/json': 'jsonld',
  'application/turtle': 'turtle',
  'application/x-turtle': 'turtle',
  'application/xml': 'rdfxml',
  'text/rdf+n3': 'n3',
  'text/x-nquads': 'nquads',
  'text/xml': 'rdfxml',
}
const isFormat = (name: string): name is Format => Object.hasOwn(formats, name)

/** Format by name (`ntriples`), suffix (`nt`) or media type; `undefined` if unknown. */
export function formatByName(name: string): Format | undefined {
  const lowerName = name.split(';')[0]?.trim().toLowerCase() ?? ''
  if (isFormat(lowerName)) return lowerName
  return formatOfSuffix(lowerName) ?? formatOfMediaType(lowerName) ?? unregisteredNames[lowerName]
}

const triplePattern =
  /^(?:<[^>\s]*>|_:\S+)[ \t]+<[^>\s]*>[ \t]+(?:<[^>\s]*>|_:\S+|"(?:[^"\\]|\\.)*"\S*)[ \t]*/

/** Guesses the format from the beginning of a text; `undefined` if unclear. */
export function formatOfText(start: string): Format | undefined {
  const text = start.replace(/^(?:\s*#[^\n]*\n)+/, '').trimStart()
  if (/^(?:<\?xml|<rdf:RDF|<!--|<!DOCTYPE\s+rdf)/i.test(text)) return 'rdfxml'
  if (/^(?:@prefix|@base|PREFIX\s|BASE\s)/i.test(text)) return 'turtle'
  if (/^[{[]/.test(text)) return 'jsonld'
  const triple = triplePattern.exec(text)
  if (!triple) return undefined
  const afterTriple = text.slice(triple[0].length)
  if (/^\.\s*(?:\n|$)/.test(afterTriple)) return 'ntriples'
  return /^(?:<[^>\s]*>|_:\S+)[ \t]*\.\s*(?:\n|$)/.test(afterTriple) ? 'nquads' : 'turtle'
}
