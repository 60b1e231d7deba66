/**
 * Finds the concept of the EU file types, or the registered media type (IANA), for a format as people and servers write it.
 * Harvests, search documents and metrics use the same list of names.
 */

import type { Authorities } from './authorities.ts'
import type { Concept } from './concept.ts'
import { mapKeepingFirst, loadNames } from './concept-table.ts'
import { isPlaceholder, plainText, suffixOf } from './loose-values.ts'

/** Common label or media type in upper case → code of the file type. */
const codes = loadNames('formats')

/** Formats without a concept → code of the most similar one; used for harvested records, not in lookups of written ones. */
const similarCodes: Readonly<Record<string, string>> = {
  NDJSON: 'JSON',
  JSONL: 'JSON',
  JSONLINES: 'JSON',
  GPX: 'XML',
  'APPLICATION/GPX+XML': 'XML',
  WEBSITE: 'HTML',
  'WEB SITE': 'HTML',
}

/** Formats without a concept → their media types. */
const mediaTypesByName: Readonly<Record<string, string>> = {
  PARQUET: 'application/vnd.apache.parquet',
  GEOPARQUET: 'application/vnd.apache.parquet',
}

/** Key of `codes`: in upper case, without parameters of a media type and a point before a suffix. */
const upperCaseKey = (text: string) =>
  (text.split(';', 1)[0] ?? '').trim().replace(/^\.+/, '').toUpperCase().replaceAll(/\s+/g, ' ')

/** Lookups of file types. */
export type FormatLookup = {
  /** By code, label, suffix, or common name. */
  readonly byText: (text: string) => Concept | undefined
  /** By media type, if one file type has it, or one of several is the generic one. */
  readonly byMediaType: (type: string) => Concept | undefined
}

/** Codes of the file types that a media type or suffix of several file types means. */
const genericTypes = new Set(['XML', 'PDF', 'ZIP', 'HTML', 'TXT', 'TIFF', 'RDF_XML', 'GZIP'])

const lowerCaseKey = (text: string) =>
  text.trim().toLowerCase().replace(/^\./, '').replaceAll('_', '-')

/** Map from key to concept, without keys that several concepts have, unless one of these is a generic type. */
function unambiguousConcepts(
  concepts: readonly Concept[],
  keysOf: (concept: Concept) => readonly string[],
): ReadonlyMap<string, Concept> {
  const pairs = concepts.flatMap((concept) => keysOf(concept).map((key) => ({ key, concept })))
  return new Map(
    [...Map.groupBy(pairs, ({ key }) => key)].flatMap(([key, matches]) => {
      const chosen =
        matches.length === 1
          ? matches[0]
          : matches.find(({ concept }) => genericTypes.has(concept.id))
      return chosen ? [[key, chosen.concept]] : []
    }),
  )
}

/** Lookups in the given file types, which are in order of preference. */
export function formatLookup(fileTypes: readonly Concept[]): FormatLookup {
  const byCode = mapKeepingFirst(
    fileTypes.map((fileType) => [lowerCaseKey(fileType.id), fileType] as const),
  )
  const byLabel = mapKeepingFirst(
    fileTypes.flatMap((fileType) =>
      Object.values(fileType.prefLabel).map((label) => [lowerCaseKey(label), fileType] as const),
    ),
  )
  const byEnding = unambiguousConcepts(fileTypes, ({ endings }) => endings.map(lowerCaseKey))
  const mediaTypes = unambiguousConcepts(fileTypes, (fileType) => fileType.mediaTypes)
  return {
    byMediaType: (type) => mediaTypes.get(type),
    byText: (text) => {
      const key = lowerCaseKey(text)
      const code = codes.get(upperCaseKey(text))
      return (
        byCode.get(key) ??
        byLabel.get(key) ??
        byEnding.get(key) ??
        (code === undefined ? undefined : byCode.get(lowerCaseKey(code)))
      )
    },
  }
}

const lookups = new WeakMap<Authorities, FormatLookup>()

function lookupOf(authorities: Authorities): FormatLookup {
  const cached = lookups.get(authorities)
  if (cached) return cached
  const lookup = formatLookup(authorities.table('fileType').concepts)
  lookups.set(authorities, lookup)
  return lookup
}

/** IRI of the file type that a code, label, media type or IRI means, or of a similar one (`similarCodes`). */
export function formatIri(value: unknown, authorities: Authorities): string | undefined {
  const text = plainText(value)
  if (text === undefined || isPlaceholder(text)) return undefined
  const formats = authorities.table('fileType')
  if (/^https?:/i.test(text)) {
    const type = /\/media-types\/(.+)$/.exec(text)?.[1]
    const iri = formats.bySimilarIri(text)?.iri
    return iri ?? (type === undefined ? undefined : formatIri(type, authorities))
  }
  const label = upperCaseKey(text)
  const concept =
    formats.byCode(label) ??
    formats.byCode(codes.get(label) ?? similarCodes[label] ?? '') ??
    formats.byCode(label.replaceAll('.', '')) ??
    lookupOf(authorities).byMediaType(label.toLowerCase()) ??
    formats.byLabel(text)
  return concept?.iri
}

/** IRI of the file type by the suffix of a download address. */
export const formatOfAddress = (url: unknown, authorities: Authorities): string | undefined =>
  formatIri(suffixOf(url), authorities)

/** Suffixes of addresses of pages and programs. */
const pageSuffixes = new Set('html htm php asp aspx jsp jsf do rest xhtml api js pl exe'.split(' '))

/** Whether an address has the suffix of data, not of a page or a program. */
export function isDataAddress(url: unknown, authorities: Authorities): boolean {
  const ending = suffixOf(url)
  if (ending === undefined || pageSuffixes.has(ending)) return false
  return (
    formatIri(ending, authorities) !== undefined ||
    mediaTypesByName[ending.toUpperCase()] !== undefined
  )
}

/** IRI of a registered media type, by the type, its IRI, or the name of a format without a concept. */
export function mediaTypeIri(value: unknown, authorities: Authorities): string | undefined {
  const text = plainText(value)
  if (text === undefined) return undefined
  const name = text.replace(/^https?:\/\/(?:www\.)?iana\.org\/assignments\/media-types\//i, '')
  const namedType = mediaTypesByName[upperCaseKey(name)]
  const type = authorities.mediaType(namedType ?? (name.split(';', 1)[0] ?? '').trim())
  return type === undefined ? undefined : `https://www.iana.org/assignments/media-types/${type}`
}
