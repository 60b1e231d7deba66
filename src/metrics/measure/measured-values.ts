/**
 * What values mean to the assessment: which of them count, which are in the vocabularies or are known licences, and which media
 * types are machine readable or non-proprietary. The tables are those that we ship, and newer or further ones that are stored.
 */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Quad, Term } from '@rdfjs/types'
import { fromLines } from '../../rdf/lines.ts'
import { ctl, dc, dct, skos } from '../../rdf/namespaces.ts'
import { parse } from '../../rdf/parse.ts'
import { type Graph, graphOf, instances } from '../../rdf/read.ts'
import { licenceKey } from '../../vocabularies/licences.ts'

/** Any object is a value but text that is empty after trimming: availability is not validity. */
export const isValue = (term: Term): boolean =>
  term.termType !== 'Literal' || term.value.trim() !== ''

/** Dates as XML Schema writes them, the calendar aside; a slash or a blank where many sources have one. */
const date =
  /^-?\d{4,}(?:[-/]\d{2}(?:[-/]\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)?)?)?\s?(?:Z|[+-]\d{2}:?\d{2})?$/

/** A value that is written as a date: `31.02.2025` or `yesterday` say nothing to anybody who looks for dates. */
export const isDate = (term: Term): boolean =>
  term.termType === 'Literal' && date.test(term.value.trim())

/** Format and media type of one distribution, values only. */
type Formats = { readonly formats: readonly Term[]; readonly mediaTypes: readonly Term[] }

export type Values = {
  readonly isAccessRight: (value: Term) => boolean
  readonly isKnownLicence: (value: Term, graph: Graph) => boolean
  /** Both are given, and all are in the table of file types or in the IANA registry, as IRIs. */
  readonly isAligned: (given: Formats) => boolean
  /** A format or a media type is on the list. */
  readonly isMachineReadable: (given: Formats) => boolean
  readonly isNonProprietary: (given: Formats) => boolean
}

type ValueTables = {
  readonly accessRights: readonly Concept[]
  readonly fileTypes: readonly Concept[]
  /** Those that we ship; what they closely match is the same licence. */
  readonly licences: readonly Concept[]
  readonly furtherLicences: readonly Concept[]
  /** Registered names in lower case. */
  readonly mediaTypes: ReadonlySet<string>
  /** Whether formats and media types that are given as text count for the lists as their IRIs do. */
  readonly literalFormats: boolean
}

const plainHttp = (iri: string) => iri.replace(/^https:/, 'http:')

const irisOf = (concepts: readonly Concept[]): ReadonlySet<string> =>
  new Set(concepts.map(({ iri }) => plainHttp(iri)))

const isIn = (iris: ReadonlySet<string>, value: Term) =>
  value.termType === 'NamedNode' && iris.has(plainHttp(value.value))

export function valuesOf(tables: ValueTables): Values {
  const accessRights = irisOf(tables.accessRights)
  const fileTypes = irisOf(tables.fileTypes)
  const listed = (some: readonly Concept[], mediaTypes: ReadonlySet<string>) => {
    const iris = irisOf(some)
    const codes = new Set(some.flatMap((one) => one.codes.map((code) => code.toLowerCase())))
    const isFormat = (value: Term) =>
      value.termType === 'Literal' ? codes.has(value.value.trim().toLowerCase()) : isIn(iris, value)
    const counts = (value: Term) => tables.literalFormats || value.termType !== 'Literal'
    return ({ formats, mediaTypes: types }: Formats) =>
      formats.filter(counts).some(isFormat) ||
      types.filter(counts).some((value) => mediaTypes.has(mediaTypeName(value) ?? ''))
  }
  const { fileTypes: all } = tables
  return {
    isAccessRight: (value) => isIn(accessRights, value),
    isKnownLicence: knownLicence(tables.furtherLicences, tables.licences),
    isAligned: ({ formats, mediaTypes }) =>
      formats.length > 0 &&
      mediaTypes.length > 0 &&
      formats.every((value) => isIn(fileTypes, value)) &&
      mediaTypes.every((value) => tables.mediaTypes.has(registryName(value) ?? '')),
    isMachineReadable: listed(
      all.filter((one) => one.isMachineReadable),
      machineReadable,
    ),
    isNonProprietary: listed(
      all.filter((one) => one.isNonProprietary),
      nonProprietary,
    ),
  }
}

// Concepts of a vocabulary as far as values are compared with them (W3C SKOS).

export type Concept = {
  readonly iri: string
  /** Identifiers and notations; the last step of the IRI when there are none. */
  readonly codes: readonly string[]
  readonly exactMatch: readonly string[]
  readonly closeMatch: readonly string[]
  /** File types: what the assessment of metadata quality counts. */
  readonly isMachineReadable: boolean
  readonly isNonProprietary: boolean
}

const concept = skos('Concept')

/** All concepts of a vocabulary. */
function conceptsOf(quads: readonly Quad[]): readonly Concept[] {
  const graph = graphOf(quads)
  const iris = instances(graph, concept).filter((key) => !key.startsWith('_:'))
  return iris.map((iri) => conceptOf(graph, iri))
}

function conceptOf(graph: Graph, iri: string): Concept {
  const codes = [dc('identifier'), dct('identifier'), skos('notation')]
    .flatMap((name) => graph.objects(iri, name))
    .flatMap((term) => (term.termType === 'Literal' ? [term.value.trim()] : []))
  return {
    iri,
    codes: codes.length > 0 ? codes : [iri.slice(iri.lastIndexOf('/') + 1)],
    exactMatch: iris(graph.objects(iri, skos('exactMatch'))),
    closeMatch: iris(graph.objects(iri, skos('closeMatch'))),
    isMachineReadable: isTrue(graph.objects(iri, ctl('machineReadable'))),
    isNonProprietary: isTrue(graph.objects(iri, ctl('nonProprietary'))),
  }
}

const iris = (terms: readonly Term[]) =>
  terms.flatMap((term) => (term.termType === 'NamedNode' ? [term.value] : []))

const isTrue = (terms: readonly Term[]) => terms.some(({ value }) => value === 'true')

// Which licences are known, whatever the spelling of their IRI.

/** Whether a value of `dct:license` is one of them; the graph may say more about it. */
type KnownLicence = (value: Term, graph: Graph) => boolean

/**
 * A value is known by its IRI, by what it says of itself (`skos:exactMatch`, identifiers), or, when it is text, by being an
 * identifier or such an IRI. `closeMatch` counts for the concepts that are trusted with it.
 */
export function knownLicence(
  concepts: readonly Concept[],
  trusted: readonly Concept[],
): KnownLicence {
  const iris = new Set<string>()
  const codes = new Set<string>()
  for (const { iri, exactMatch, codes: own } of [...concepts, ...trusted]) {
    for (const one of [iri, ...exactMatch]) iris.add(licenceKey(one))
    for (const code of own) codes.add(code)
  }
  for (const { closeMatch } of trusted) for (const one of closeMatch) iris.add(licenceKey(one))
  const isKnownText = (text: string) => codes.has(text.trim()) || iris.has(licenceKey(text))
  return (value, graph) => {
    if (value.termType === 'Literal') return isKnownText(value.value)
    if (value.termType === 'NamedNode' && iris.has(licenceKey(value.value))) return true
    return (
      graph.objects(value, exact).some((match) => iris.has(licenceKey(match.value))) ||
      identifiers.some((name) => graph.objects(value, name).some((id) => isKnownText(id.value)))
    )
  }
}

const exact = skos('exactMatch')
const identifiers = [dct('identifier'), dc('identifier')]

// Where the tables come from: those that we ship, and newer or further ones that are stored.

const authority = 'http://publications.europa.eu/resource/authority/'
const schemes = {
  accessRights: `${authority}access-right`,
  fileTypes: `${authority}file-type`,
  licences: `${authority}licence`,
} as const
const files = {
  accessRights: 'access-right.ttl',
  fileTypes: 'file-type.ttl',
  licences: 'licence.ttl',
} as const
type TableName = keyof typeof schemes

type TableOptions = {
  /** With the tables that we ship. */
  readonly directory: string
  /** Schemes of stored vocabularies whose licences are known, too. */
  readonly licenceSchemes: readonly string[]
  /** Whether formats that are given as text count for the lists of machine-readable and non-proprietary ones. */
  readonly literalFormats: boolean
  /** A stored graph as N-Triples; `undefined` when there is none. */
  readonly read: (graph: string, signal: AbortSignal) => Promise<string | undefined>
}

/**
 * Reads the shipped tables now, and with every call what is stored: a vocabulary that was replaced counts from the next run
 * on. Fails when a shipped table cannot be read.
 */
export async function openValues(
  options: TableOptions,
): Promise<(signal: AbortSignal) => Promise<Values>> {
  const { directory, read } = options
  const shipped = async (name: TableName) => {
    const text = await readFile(join(directory, files[name]), 'utf8')
    const quads = await parse(text, 'turtle', { baseIri: 'urn:cartulary:bundled:' })
    return conceptsOf(quads)
  }
  const [accessRights, fileTypes, licences, registry] = await Promise.all([
    shipped('accessRights'),
    shipped('fileTypes'),
    shipped('licences'),
    readFile(join(directory, 'iana-media-types.txt'), 'utf8'),
  ])
  const lines = registry.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const mediaTypes = new Set(lines.map((line) => line.trim().toLowerCase()))
  const further = [...new Set([schemes.licences, ...options.licenceSchemes])]

  return async (signal) => {
    const stored = async (scheme: string): Promise<readonly Concept[]> => {
      const text = await read(scheme, signal)
      return text === undefined ? [] : conceptsOf(fromLines(text))
    }
    const [newerRights, newerTypes, ...newerLicences] = await Promise.all([
      stored(schemes.accessRights),
      stored(schemes.fileTypes),
      ...further.map(stored),
    ])
    return valuesOf({
      accessRights: [...accessRights, ...newerRights],
      fileTypes: [...fileTypes, ...newerTypes],
      licences,
      furtherLicences: newerLicences.flat(),
      mediaTypes,
      literalFormats: options.literalFormats,
    })
  }
}

// Media types: how they are written, and which of them count as machine readable and as non-proprietary.

/** Type → its subtypes, with blanks between them. */
const typesIn = (table: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(table).flatMap(([type, names]) => names.split(' ').map((one) => `${type}/${one}`))

/** Registered types of the machine-readable and non-proprietary file types, and what else is in use for them. */
const open = typesIn({
  application:
    'geo+json json ld+json n-quads n-triples netcdf rdf+xml rss+xml trig vnd.google-earth.kml+xml ' +
    'vnd.google-earth.kmz vnd.oasis.opendocument.spreadsheet x-netcdf xml',
  text: 'calendar csv turtle xml',
})

const proprietary = typesIn({
  application:
    'vnd.ms-excel vnd.openxmlformats-officedocument.spreadsheetml.sheet vnd.shp x-shapefile',
})

const unreadable = typesIn({
  application: 'geopackage+sqlite3 gzip rtf vnd.dbf vnd.ogc.wms_xml x-dbase x-gzip x-tar zip',
  image: 'bmp jp2 png tiff',
  text: 'html plain rtf tab-separated-values',
})

export const machineReadable: ReadonlySet<string> = new Set([...open, ...proprietary])
export const nonProprietary: ReadonlySet<string> = new Set([...open, ...unreadable])

const registry = /^https?:\/\/(?:www\.)?iana\.org\/assignments\/media-types\//i
/** RFC 6838, 4.2, generous about length. */
const name = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/

function nameIn(text: string): string | undefined {
  const [type = ''] = text.split(';', 1)
  const bare = type.trim().toLowerCase()
  return name.test(bare) ? bare : undefined
}

/** The name that an IRI of the IANA registry stands for: lower case, without parameters. */
export function registryName(term: Term): string | undefined {
  if (term.termType !== 'NamedNode' || !registry.test(term.value)) return undefined
  return nameIn(unescaped(term.value.replace(registry, '')))
}

/** The same, or that of a literal `type/subtype`. */
export const mediaTypeName = (term: Term): string | undefined =>
  term.termType === 'Literal' ? nameIn(term.value) : registryName(term)

/** IRIs may have their `+` and `;` percent-encoded. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return text
    throw error
  }
}
