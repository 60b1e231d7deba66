/**
 * Tests of values for the indicators: whether they count, are in the vocabularies, are known licences, and whether formats are
 * machine readable or non-proprietary. The tables are the shipped ones and the vocabularies that are stored.
 */

import type { Term } from '@rdfjs/types'
import { fromLines } from '../../rdf/lines.ts'
import { type Graph, graphOf } from '../../rdf/read.ts'
import { shippedAuthorities } from '../../vocabularies/authorities.ts'
import { type Concept, conceptsOf, schemes } from '../../vocabularies/concept.ts'
import { currentFirst, iriKey } from '../../vocabularies/concept-table.ts'
import { nameCandidates } from '../../vocabularies/described-values.ts'
import { formatLookup } from '../../vocabularies/formats.ts'
import { licenceKey, licenceOf } from '../../vocabularies/licences.ts'

/** Whether an object counts as a value: everything but blank text, because availability is not validity. */
export const isValue = (term: Term): boolean =>
  term.termType !== 'Literal' || term.value.trim() !== ''

/**
 * Dates as XML Schema writes them, without a check of the calendar; slashes and blanks are permitted, as many sources write them.
 */
const date =
  /^-?\d{4,}(?:[-/]\d{2}(?:[-/]\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)?)?)?\s?(?:Z|[+-]\d{2}:?\d{2})?$/

/** Whether a value is written as a date; `31.02.2025` and `yesterday` are not. */
export const isDate = (term: Term): boolean =>
  term.termType === 'Literal' && date.test(term.value.trim())

/** Values of format and media type of one distribution; `graph` describes the nodes among them. */
type Formats = {
  readonly formats: readonly Term[]
  readonly mediaTypes: readonly Term[]
  readonly graph?: Graph
}

/** Tests of values against the tables. */
export type ValueTests = {
  readonly isAccessRight: (value: Term, graph: Graph) => boolean
  readonly isKnownLicence: (value: Term, graph: Graph) => boolean
  /** Whether both are given, all formats are in the table of file types, and all media types in the IANA registry, as IRIs. */
  readonly isAligned: (values: Formats) => boolean
  /** Whether a format or a media type is on the list of machine-readable ones. */
  readonly isMachineReadable: (values: Formats) => boolean
  /** Whether a format or a media type is on the list of non-proprietary ones. */
  readonly isNonProprietary: (values: Formats) => boolean
}

type ValueTables = {
  readonly accessRights: readonly Concept[]
  readonly fileTypes: readonly Concept[]
  /** Shipped licences; those that they closely match are the same licence. */
  readonly licences: readonly Concept[]
  /** Licences of stored vocabularies; those that they closely match do not count. */
  readonly furtherLicences: readonly Concept[]
  /** Finds the IRI of the licence that a text or an IRI means. */
  readonly licenceNamed?: (text: string) => string | undefined
  /** Whether a media type is registered (IANA), by its name in lower case. */
  readonly isRegistered: (name: string) => boolean
  /** Whether formats and media types that are given as text count for the lists as their IRIs do. */
  readonly literalFormats: boolean
}

const irisOf = (concepts: readonly Concept[]): ReadonlySet<string> =>
  new Set(concepts.map(({ iri }) => iriKey(iri)))

const emptyGraph = graphOf([])

/** Whether a value, or the IRI that describes its node, is among IRIs; text is not. */
const isAmong = (iris: ReadonlySet<string>, value: Term, graph = emptyGraph) =>
  value.termType !== 'Literal' &&
  nameCandidates(value, graph).some((name) => iris.has(iriKey(name.value)))

/** Makes the tests of values. HTTP IRIs are compared without their scheme, `www.`, case and slashes at their end. */
export function valueTests(tables: ValueTables): ValueTests {
  const accessRights = irisOf(tables.accessRights)
  const fileTypeIris = irisOf(tables.fileTypes)
  const { fileTypes } = tables
  const lookup = formatLookup(currentFirst(fileTypes))
  const formatTest = (concepts: readonly Concept[], mediaTypes: ReadonlySet<string>) => {
    const iris = irisOf(concepts)
    const ids = new Set(concepts.map(({ iri }) => iri))
    const isFormat = (name: Term) => {
      if (name.termType !== 'Literal') return iris.has(iriKey(name.value))
      const concept = lookup.byText(name.value) ?? lookup.byMediaType(mediaTypeName(name) ?? '')
      return ids.has(concept?.iri ?? '')
    }
    const isCounted = (value: Term) => tables.literalFormats || value.termType !== 'Literal'
    return ({ formats, mediaTypes: types, graph = emptyGraph }: Formats) => {
      const names = (values: readonly Term[]) =>
        values.filter(isCounted).flatMap((value) => nameCandidates(value, graph))
      return (
        names(formats).some(isFormat) ||
        names(types).some((name) => mediaTypes.has(mediaTypeName(name) ?? ''))
      )
    }
  }
  return {
    isAccessRight: (value, graph) => isAmong(accessRights, value, graph),
    isKnownLicence: licenceTest(tables.furtherLicences, tables.licences, tables.licenceNamed),
    isAligned: ({ formats, mediaTypes, graph = emptyGraph }) =>
      formats.length > 0 &&
      mediaTypes.length > 0 &&
      formats.every((value) => isAmong(fileTypeIris, value, graph)) &&
      mediaTypes.every((value) =>
        nameCandidates(value, graph).some((name) => tables.isRegistered(registryName(name) ?? '')),
      ),
    isMachineReadable: formatTest(
      fileTypes.filter((fileType) => fileType.machineReadable),
      machineReadable,
    ),
    isNonProprietary: formatTest(
      fileTypes.filter((fileType) => fileType.nonProprietary),
      nonProprietary,
    ),
  }
}

/** Whether a value of `dct:license` is a known licence; the graph may say more about it. */
type LicenceTest = (value: Term, graph: Graph) => boolean

type LicenceConcept = Pick<Concept, 'iri' | 'id' | 'exactMatch' | 'closeMatch'>

/**
 * Makes the test of licences. A value is known by its IRI, by the IRI that describes its node, as a text or IRI that
 * `licenceNamed` resolves to such an IRI, or, when it is text, as an identifier or as such an IRI. `closeMatch` counts for the
 * concepts of `trusted` alone.
 */
export function licenceTest(
  concepts: readonly LicenceConcept[],
  trusted: readonly LicenceConcept[],
  licenceNamed: (text: string) => string | undefined = () => undefined,
): LicenceTest {
  const licences = [...concepts, ...trusted]
  const codes = new Set(licences.map(({ id }) => id))
  const exactIris = licences.flatMap(({ iri, exactMatch }) => [iri, ...exactMatch])
  const closeIris = trusted.flatMap(({ closeMatch }) => closeMatch)
  const iris = new Set([...exactIris, ...closeIris].map(licenceKey))
  const isKnown = ({ termType, value }: Term) =>
    iris.has(licenceKey(value)) ||
    (termType === 'Literal' && codes.has(value.trim())) ||
    (termType !== 'BlankNode' && iris.has(licenceKey(licenceNamed(value) ?? '')))
  return (value, graph) => nameCandidates(value, graph).some(isKnown)
}

/** Most characters of a text that is matched against licences. */
const maxNameLength = 2000

type TableOptions = {
  /** Schemes of stored vocabularies whose licences are known too. */
  readonly licenceSchemes: readonly string[]
  /** Whether formats that are given as text count for the lists of machine-readable and non-proprietary ones. */
  readonly literalFormats: boolean
  /** Reads a stored graph as N-Triples; `undefined` when there is none. */
  readonly read: (graph: string, signal: AbortSignal) => Promise<string | undefined>
}

/**
 * Reads the shipped tables now, and the stored vocabularies at every call of the result: a replaced vocabulary counts from the
 * next run on. Rejects when a shipped table cannot be read.
 */
export async function loadValueTests({
  licenceSchemes,
  literalFormats,
  read,
}: TableOptions): Promise<(signal: AbortSignal) => Promise<ValueTests>> {
  const authorities = await shippedAuthorities()
  const { table, mediaType } = authorities
  const schemesToRead = [...new Set([schemes.licence, ...licenceSchemes])]
  return async (signal) => {
    const readConcepts = async (scheme: string): Promise<readonly Concept[]> => {
      const text = await read(scheme, signal)
      return text === undefined ? [] : conceptsOf(graphOf(fromLines(text)), scheme)
    }
    const [accessRights, fileTypes, ...licences] = await Promise.all([
      readConcepts(schemes.accessRight),
      readConcepts(schemes.fileType),
      ...schemesToRead.map(readConcepts),
    ])
    return valueTests({
      accessRights: [...table('accessRight').concepts, ...accessRights],
      fileTypes: [...table('fileType').concepts, ...fileTypes],
      licences: table('licence').concepts,
      furtherLicences: licences.flat(),
      licenceNamed: (text) => {
        const match = licenceOf({ title: text.slice(0, maxNameLength) }, authorities)
        return match?.kind === 'iri' ? match.iri : undefined
      },
      isRegistered: (name) => mediaType(name) !== undefined,
      literalFormats,
    })
  }
}

/** Media types of a table: type → its subtypes, with blanks between them. */
const typesIn = (table: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(table).flatMap(([type, names]) =>
    names.split(' ').map((subtype) => `${type}/${subtype}`),
  )

/** Media types of file types that are machine readable and non-proprietary, registered ones and others in use. */
const openFormats = typesIn({
  application:
    'geo+json json ld+json n-quads n-triples netcdf rdf+xml rss+xml trig vnd.google-earth.kml+xml ' +
    'vnd.google-earth.kmz vnd.oasis.opendocument.spreadsheet x-netcdf xml',
  text: 'calendar csv turtle xml',
})

/** Media types of file types that are machine readable and proprietary. */
const proprietaryFormats = typesIn({
  application:
    'vnd.ms-excel vnd.openxmlformats-officedocument.spreadsheetml.sheet vnd.shp x-shapefile',
})

/** Media types of file types that are non-proprietary and not machine readable. */
const unreadableFormats = typesIn({
  application: 'geopackage+sqlite3 gzip rtf vnd.dbf vnd.ogc.wms_xml x-dbase x-gzip x-tar zip',
  image: 'bmp jp2 png tiff',
  text: 'html plain rtf tab-separated-values',
})

/** Media types that count as machine readable and as non-proprietary. */
export const machineReadable: ReadonlySet<string> = new Set([...openFormats, ...proprietaryFormats])
export const nonProprietary: ReadonlySet<string> = new Set([...openFormats, ...unreadableFormats])

const registry = /^https?:\/\/(?:www\.)?iana\.org\/assignments\/media-types\//i
/** Names of media types (RFC 6838, 4.2), of any length. */
const mediaTypePattern = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/

function nameIn(text: string): string | undefined {
  const [type = ''] = text.split(';', 1)
  const mediaType = type.trim().toLowerCase()
  return mediaTypePattern.test(mediaType) ? mediaType : undefined
}

/** Name of the media type of an IRI of the IANA registry, in lower case without parameters. */
export function registryName(term: Term): string | undefined {
  if (term.termType !== 'NamedNode' || !registry.test(term.value)) return undefined
  return nameIn(unescaped(term.value.replace(registry, '')))
}

/** Name of the media type of an IRI of the IANA registry or of a literal `type/subtype`. */
export const mediaTypeName = (term: Term): string | undefined =>
  term.termType === 'Literal' ? nameIn(term.value) : registryName(term)

/** Decodes an IRI whose `+` and `;` may be percent-encoded. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return text
    throw error
  }
}
