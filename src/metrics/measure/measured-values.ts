/**
 * What values mean to the assessment: which of them count, which are in the vocabularies or are known licences, and which media
 * types are machine readable or non-proprietary. The tables are those that we ship, and newer or further ones that are stored.
 */

import type { Term } from '@rdfjs/types'
import { fromLines } from '../../rdf/lines.ts'
import { type Graph, graphOf } from '../../rdf/read.ts'
import { shippedAuthorities } from '../../vocabularies/authorities.ts'
import { type Concept, conceptsOf, schemes } from '../../vocabularies/concept.ts'
import { preferred, similarIri } from '../../vocabularies/concept-table.ts'
import { namingTerms } from '../../vocabularies/described-values.ts'
import { formatLookup } from '../../vocabularies/formats.ts'
import { licenceKey, licenceOf } from '../../vocabularies/licences.ts'

/** Any object is a value but text that is empty after trimming: availability is not validity. */
export const isValue = (term: Term): boolean =>
  term.termType !== 'Literal' || term.value.trim() !== ''

/** Dates as XML Schema writes them, the calendar aside; a slash or a blank where many sources have one. */
const date =
  /^-?\d{4,}(?:[-/]\d{2}(?:[-/]\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)?)?)?\s?(?:Z|[+-]\d{2}:?\d{2})?$/

/** A value that is written as a date: `31.02.2025` or `yesterday` say nothing to anybody who looks for dates. */
export const isDate = (term: Term): boolean =>
  term.termType === 'Literal' && date.test(term.value.trim())

/** Format and media type of one distribution, values only; `graph` says what nodes among them stand for. */
type Formats = {
  readonly formats: readonly Term[]
  readonly mediaTypes: readonly Term[]
  readonly graph?: Graph
}

/** The questions that indicators ask about values; answered from tables, so none of them waits. */
export type Values = {
  readonly isAccessRight: (value: Term, graph: Graph) => boolean
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
  /** The IRI of the licence that a text means. */
  readonly licenceNamed?: (text: string) => string | undefined
  /** Whether a media type is registered (IANA), by its name in lower case. */
  readonly isRegistered: (name: string) => boolean
  /** Whether formats and media types that are given as text count for the lists as their IRIs do. */
  readonly literalFormats: boolean
}

const irisOf = (concepts: readonly Concept[]): ReadonlySet<string> =>
  new Set(concepts.map(({ iri }) => similarIri(iri)))

const nothing = graphOf([])

/** Whether a value, or what its node stands for, is one of these IRIs; a bare text is none. */
const isIn = (iris: ReadonlySet<string>, value: Term, graph = nothing) =>
  value.termType !== 'Literal' &&
  namingTerms(value, graph).some((name) => iris.has(similarIri(name.value)))

/** IRIs are compared whatever their scheme, case and slashes at their end. */
export function valuesOf(tables: ValueTables): Values {
  const accessRights = irisOf(tables.accessRights)
  const fileTypes = irisOf(tables.fileTypes)
  const { fileTypes: all } = tables
  const lookup = formatLookup(preferred(all))
  const listed = (some: readonly Concept[], mediaTypes: ReadonlySet<string>) => {
    const iris = irisOf(some)
    const ids = new Set(some.map(({ iri }) => iri))
    const isFormat = (name: Term) => {
      if (name.termType !== 'Literal') return iris.has(similarIri(name.value))
      const concept = lookup.byText(name.value) ?? lookup.byMediaType(mediaTypeName(name) ?? '')
      return ids.has(concept?.iri ?? '')
    }
    const counts = (value: Term) => tables.literalFormats || value.termType !== 'Literal'
    return ({ formats, mediaTypes: types, graph = nothing }: Formats) => {
      const names = (values: readonly Term[]) =>
        values.filter(counts).flatMap((value) => namingTerms(value, graph))
      return (
        names(formats).some(isFormat) ||
        names(types).some((name) => mediaTypes.has(mediaTypeName(name) ?? ''))
      )
    }
  }
  return {
    isAccessRight: (value, graph) => isIn(accessRights, value, graph),
    isKnownLicence: knownLicence(tables.furtherLicences, tables.licences, tables.licenceNamed),
    isAligned: ({ formats, mediaTypes, graph = nothing }) =>
      formats.length > 0 &&
      mediaTypes.length > 0 &&
      formats.every((value) => isIn(fileTypes, value, graph)) &&
      mediaTypes.every((value) =>
        namingTerms(value, graph).some((name) => tables.isRegistered(registryName(name) ?? '')),
      ),
    isMachineReadable: listed(
      all.filter((one) => one.machineReadable),
      machineReadable,
    ),
    isNonProprietary: listed(
      all.filter((one) => one.nonProprietary),
      nonProprietary,
    ),
  }
}

// Which licences are known, whatever the spelling of their IRI.

/** Whether a value of `dct:license` is one of them; the graph may say more about it. */
type KnownLicence = (value: Term, graph: Graph) => boolean

type LicenceConcept = Pick<Concept, 'iri' | 'id' | 'exactMatch' | 'closeMatch'>

/**
 * A value is known by its IRI, by what its node says that it stands for, or, when it is text, by being an identifier, such an IRI or
 * a name that `named` knows. `closeMatch` counts for the concepts that are trusted with it.
 */
export function knownLicence(
  concepts: readonly LicenceConcept[],
  trusted: readonly LicenceConcept[],
  named: (text: string) => string | undefined = () => undefined,
): KnownLicence {
  const all = [...concepts, ...trusted]
  const codes = new Set(all.map(({ id }) => id))
  const same = all.flatMap(({ iri, exactMatch }) => [iri, ...exactMatch])
  const close = trusted.flatMap(({ closeMatch }) => closeMatch)
  const iris = new Set([...same, ...close].map(licenceKey))
  const isKnown = ({ termType, value }: Term) =>
    iris.has(licenceKey(value)) ||
    (termType === 'Literal' && codes.has(value.trim())) ||
    (termType !== 'BlankNode' && iris.has(licenceKey(named(value) ?? '')))
  return (value, graph) => namingTerms(value, graph).some(isKnown)
}

// Where the tables come from: those that we ship, and newer or further ones that are stored.

/** Characters of a text in which a licence is looked for. */
const longestName = 2000

type TableOptions = {
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
export async function openValues({
  licenceSchemes,
  literalFormats,
  read,
}: TableOptions): Promise<(signal: AbortSignal) => Promise<Values>> {
  const authorities = await shippedAuthorities()
  const { table, mediaType } = authorities
  const further = [...new Set([schemes.licence, ...licenceSchemes])]
  return async (signal) => {
    const stored = async (scheme: string): Promise<readonly Concept[]> => {
      const text = await read(scheme, signal)
      return text === undefined ? [] : conceptsOf(graphOf(fromLines(text)), scheme)
    }
    const [accessRights, fileTypes, ...licences] = await Promise.all([
      stored(schemes.accessRight),
      stored(schemes.fileType),
      ...further.map(stored),
    ])
    return valuesOf({
      accessRights: [...table('accessRight').concepts, ...accessRights],
      fileTypes: [...table('fileType').concepts, ...fileTypes],
      licences: table('licence').concepts,
      furtherLicences: licences.flat(),
      licenceNamed: (text) => {
        const found = licenceOf({ title: text.slice(0, longestName) }, authorities)
        return found?.kind === 'iri' ? found.iri : undefined
      },
      isRegistered: (name) => mediaType(name) !== undefined,
      literalFormats,
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

/** What counts as machine readable and as non-proprietary by its media type. */
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

/** The name that an IRI of the IANA registry means: lower case, without parameters. */
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
