/**
 * File types: what people and servers call a format, as a concept of the EU file-type table, and media types as the IANA registry
 * has them. One list of other names for harvesting and for search documents.
 */

import type { Authorities } from './authorities.ts'
import type { Concept } from './concept.ts'
import { mapKeepingFirst, loadNames } from './concept-table.ts'
import { isPlaceholder, plainText, suffixOf } from './loose-values.ts'

/** Labels and media types in upper case → code. */
const codes = loadNames('formats')

/** Formats without a concept of their own, and the nearest one: for the records that we make, not for what others wrote. */
const nearest: Readonly<Record<string, string>> = {
  NDJSON: 'JSON',
  JSONL: 'JSON',
  JSONLINES: 'JSON',
  GPX: 'XML',
  'APPLICATION/GPX+XML': 'XML',
  WEBSITE: 'HTML',
  'WEB SITE': 'HTML',
}

/** Formats without a code: their media types. */
const mediaTypesByName: Readonly<Record<string, string>> = {
  PARQUET: 'application/vnd.apache.parquet',
  GEOPARQUET: 'application/vnd.apache.parquet',
}

const upperCaseKey = (text: string) =>
  (text.split(';', 1)[0] ?? '').trim().replace(/^\.+/, '').toUpperCase().replaceAll(/\s+/g, ' ')

export type FormatLookup = {
  readonly byText: (text: string) => Concept | undefined
  /** Only when one file type has it, or one of them is the plain one. */
  readonly byMediaType: (type: string) => Concept | undefined
}

/** The file types that a media type or an ending of many file types means. */
const genericTypes = new Set(['XML', 'PDF', 'ZIP', 'HTML', 'TXT', 'TIFF', 'RDF_XML', 'GZIP'])

const lowerCaseKey = (text: string) =>
  text.trim().toLowerCase().replace(/^\./, '').replaceAll('_', '-')

function unambiguousConcepts(
  concepts: readonly Concept[],
  keysOf: (concept: Concept) => readonly string[],
): ReadonlyMap<string, Concept> {
  const pairs = concepts.flatMap((one) => keysOf(one).map((key) => ({ key, one })))
  return new Map(
    [...Map.groupBy(pairs, ({ key }) => key)].flatMap(([key, all]) => {
      const found = all.length === 1 ? all[0] : all.find(({ one }) => genericTypes.has(one.id))
      return found ? [[key, found.one]] : []
    }),
  )
}

/** Lookups over the file types, which are in order of preference: by code, label, ending, other name or media type. */
export function formatLookup(fileTypes: readonly Concept[]): FormatLookup {
  const byCode = mapKeepingFirst(fileTypes.map((one) => [lowerCaseKey(one.id), one] as const))
  const byLabel = mapKeepingFirst(
    fileTypes.flatMap((one) =>
      Object.values(one.prefLabel).map((label) => [lowerCaseKey(label), one] as const),
    ),
  )
  const byEnding = unambiguousConcepts(fileTypes, ({ endings }) => endings.map(lowerCaseKey))
  const mediaTypes = unambiguousConcepts(fileTypes, (one) => one.mediaTypes)
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
  const known = lookups.get(authorities)
  if (known) return known
  const made = formatLookup(authorities.table('fileType').concepts)
  lookups.set(authorities, made)
  return made
}

/** The IRI of the file type that a label, media type or IRI means. */
export function formatIri(value: unknown, authorities: Authorities): string | undefined {
  const text = plainText(value)
  if (text === undefined || isPlaceholder(text)) return undefined
  const formats = authorities.table('fileType')
  if (/^https?:/i.test(text)) {
    const type = /\/media-types\/(.+)$/.exec(text)?.[1]
    const own = formats.bySimilarIri(text)?.iri
    return own ?? (type === undefined ? undefined : formatIri(type, authorities))
  }
  const label = upperCaseKey(text)
  const concept =
    formats.byCode(label) ??
    formats.byCode(codes.get(label) ?? nearest[label] ?? '') ??
    formats.byCode(label.replaceAll('.', '')) ??
    lookupOf(authorities).byMediaType(label.toLowerCase()) ??
    formats.byLabel(text)
  return concept?.iri
}

/** The format by the suffix of a download address; addresses of pages that only lead to a file have none. */
export const formatOfAddress = (url: unknown, authorities: Authorities): string | undefined =>
  formatIri(suffixOf(url), authorities)

/** Endings of addresses with a page or a program behind them. */
const pageSuffixes = new Set('html htm php asp aspx jsp jsf do rest xhtml api js pl exe'.split(' '))

/** Whether an address ends as data does, not as a page or a program. */
export function isDataAddress(url: unknown, authorities: Authorities): boolean {
  const ending = suffixOf(url)
  if (ending === undefined || pageSuffixes.has(ending)) return false
  return (
    formatIri(ending, authorities) !== undefined ||
    mediaTypesByName[ending.toUpperCase()] !== undefined
  )
}

/** A registered media type as its IRI; a name that stands for one counts too. */
export function mediaTypeIri(value: unknown, authorities: Authorities): string | undefined {
  const text = plainText(value)
  if (text === undefined) return undefined
  const bare = text.replace(/^https?:\/\/(?:www\.)?iana\.org\/assignments\/media-types\//i, '')
  const named = mediaTypesByName[upperCaseKey(bare)]
  const type = authorities.mediaType(named ?? (bare.split(';', 1)[0] ?? '').trim())
  return type === undefined ? undefined : `https://www.iana.org/assignments/media-types/${type}`
}
