/** Media types: how they are written, and which of them count as machine readable and as non-proprietary. */

import type { Term } from '@rdfjs/types'

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
