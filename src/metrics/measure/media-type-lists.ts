/** Media types: how they are written, and which of them count as machine readable and as non-proprietary. */

import type { Term } from '@rdfjs/types'

/** The registered types of the machine-readable file types, and what else is in use for them. */
export const machineReadable: ReadonlySet<string> = new Set([
  'application/geo+json',
  'application/json',
  'application/ld+json',
  'application/n-quads',
  'application/n-triples',
  'application/netcdf',
  'application/rdf+xml',
  'application/rss+xml',
  'application/trig',
  'application/vnd.google-earth.kml+xml',
  'application/vnd.google-earth.kmz',
  'application/vnd.ms-excel',
  'application/vnd.oasis.opendocument.spreadsheet',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.shp',
  'application/x-netcdf',
  'application/x-shapefile',
  'application/xml',
  'text/calendar',
  'text/csv',
  'text/turtle',
  'text/xml',
])

/** The same of the non-proprietary ones. */
export const nonProprietary: ReadonlySet<string> = new Set([
  'application/geo+json',
  'application/geopackage+sqlite3',
  'application/gzip',
  'application/json',
  'application/ld+json',
  'application/n-quads',
  'application/n-triples',
  'application/netcdf',
  'application/rdf+xml',
  'application/rss+xml',
  'application/rtf',
  'application/trig',
  'application/vnd.dbf',
  'application/vnd.google-earth.kml+xml',
  'application/vnd.google-earth.kmz',
  'application/vnd.oasis.opendocument.spreadsheet',
  'application/vnd.ogc.wms_xml',
  'application/x-dbase',
  'application/x-gzip',
  'application/x-netcdf',
  'application/x-tar',
  'application/xml',
  'application/zip',
  'image/bmp',
  'image/jp2',
  'image/png',
  'image/tiff',
  'text/calendar',
  'text/csv',
  'text/html',
  'text/plain',
  'text/rtf',
  'text/tab-separated-values',
  'text/turtle',
  'text/xml',
])

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
