/**
 * File types: what people and servers call a format, as a concept of the EU file-type table, and media types as the IANA registry
 * has them. One list of other names for harvesting and for search documents.
 */

import type { Authorities } from './authorities.ts'
import type { Concept } from './concept.ts'
import { firstWins } from './concept-table.ts'
import { isPlaceholder, plainText, suffixOf } from './loose-values.ts'

/** Code → labels and media types in upper case; a concept's own code and unambiguous media types need no line. */
const names = `
CSV: CSV, TEXT/CSV, COMMA SEPARATED VALUES, APPLICATION/CSV, CSV FILE
TSV: TSV, TAB SEPARATED VALUES, TEXT/TAB-SEPARATED-VALUES
TXT: TXT, TEXT, TEXT/PLAIN, PLAIN TEXT
XLSX: XLSX, EXCEL (XLSX), APPLICATION/VND.OPENXMLFORMATS-OFFICEDOCUMENT.SPREADSHEETML.SHEET
XLS: XLS, EXCEL, MS EXCEL, MICROSOFT EXCEL, APPLICATION/VND.MS-EXCEL, APPLICATION/EXCEL
ODS: ODS, APPLICATION/VND.OASIS.OPENDOCUMENT.SPREADSHEET
JSON: JSON, APPLICATION/JSON, TEXT/JSON
JSON_LD: JSONLD, JSON-LD, JSON_LD, APPLICATION/LD+JSON
GEOJSON: GEOJSON, GEO JSON, APPLICATION/GEO+JSON, APPLICATION/VND.GEO+JSON
XML: XML, TEXT/XML, APPLICATION/XML
GML: GML, APPLICATION/GML+XML
KML: KML, APPLICATION/VND.GOOGLE-EARTH.KML+XML
KMZ: KMZ, APPLICATION/VND.GOOGLE-EARTH.KMZ
SHP: SHP, SHAPE, SHAPEFILE, SHAPEFILES, ESRI SHAPEFILE, ESRI SHAPE, APPLICATION/VND.SHP, ZIPPED SHAPEFILE, SHAPE-ZIP, APPLICATION/X-SHAPEFILE
GPKG: GPKG, GEOPACKAGE, OGC GEOPACKAGE, APPLICATION/GEOPACKAGE+SQLITE3
GDB: GDB, FILEGDB, FILE GEODATABASE, ESRI FILE GEODATABASE
MIF_MID: MIF/MID, MIF
WMS_SRVC: WMS, OGC:WMS, OGC WMS, WMS_SRVC
WFS_SRVC: WFS, OGC:WFS, OGC WFS, WFS_SRVC
WMTS_SRVC: WMTS, OGC:WMTS, OGC WMTS, WMTS_SRVC
WCS_SRVC: WCS, OGC:WCS, OGC WCS, WCS_SRVC
MAP_SRVC: ARCGIS GEOSERVICE, ARCGIS GEOSERVICES REST API, ESRI REST, ARCGIS SERVER REST SERVICE, ESRI:REST, MAP_SRVC
REST: REST, API, REST API, WEB API
ATOM: ATOM, INSPIRE ATOM, ATOM FEED, APPLICATION/ATOM+XML
GTFS: GTFS
RDF_TURTLE: TTL, TURTLE, RDF TURTLE, TEXT/TURTLE
RDF_XML: RDF, RDF/XML, RDF+XML, RDF-XML, APPLICATION/RDF+XML
RDF_N_TRIPLES: NT, N-TRIPLES, NTRIPLES, APPLICATION/N-TRIPLES
RDF_N_QUADS: NQ, N-QUADS, NQUADS, APPLICATION/N-QUADS
RDF_TRIG: TRIG, APPLICATION/TRIG
RDF_TRIX: TRIX
N3: N3, TEXT/N3
SPARQLQ: SPARQL
HTML: HTML, HTM, TEXT/HTML, WEB PAGE, WEBPAGE
PDF: PDF, APPLICATION/PDF
DOC: DOC, WORD, APPLICATION/MSWORD
DOCX: DOCX, APPLICATION/VND.OPENXMLFORMATS-OFFICEDOCUMENT.WORDPROCESSINGML.DOCUMENT
PPT: PPT, APPLICATION/VND.MS-POWERPOINT
ODT: ODT, APPLICATION/VND.OASIS.OPENDOCUMENT.TEXT
ZIP: ZIP, APPLICATION/ZIP, APPLICATION/X-ZIP-COMPRESSED
GZIP: GZ, GZIP, APPLICATION/GZIP, APPLICATION/X-GZIP
TAR: TAR, APPLICATION/X-TAR
TAR_GZ: TGZ, TAR.GZ, TAR_GZ
7Z: 7Z, 7ZIP, 7-ZIP
RAR: RAR
PNG: PNG, IMAGE/PNG
JPEG: JPEG, JPG, IMAGE/JPEG, IMAGE/JPG
TIFF: TIFF, TIF, IMAGE/TIFF
GEOTIFF: GEOTIFF, GEO TIFF, GEOTIF, IMAGE/GEOTIFF
GIF: GIF, IMAGE/GIF
SVG: SVG, IMAGE/SVG+XML
BMP: BMP, IMAGE/BMP
NETCDF: NC, NETCDF, APPLICATION/X-NETCDF, APPLICATION/NETCDF
HDF: HDF, HDF5
ICS: ICS, ICAL, ICALENDAR, TEXT/CALENDAR
RSS: RSS, RSS FEED, APPLICATION/RSS+XML
YAML: YAML, YML
MDB: MDB, ACCESS
SQL: SQL
`

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

const codes = new Map<string, string>()
for (const line of names.trim().split('\n')) {
  const [code = '', labels = ''] = line.split(/:\s(.*)/)
  for (const label of labels.split(',')) codes.set(label.trim(), code)
}

/** Formats without a code: their media types. */
const mediaTypesByName: Readonly<Record<string, string>> = {
  PARQUET: 'application/vnd.apache.parquet',
  GEOPARQUET: 'application/vnd.apache.parquet',
}

const normal = (text: string) =>
  (text.split(';', 1)[0] ?? '').trim().replace(/^\.+/, '').toUpperCase().replaceAll(/\s+/g, ' ')

export type FormatLookup = {
  readonly byText: (text: string) => Concept | undefined
  /** Only when one file type has it, or one of them is the plain one. */
  readonly byMediaType: (type: string) => Concept | undefined
}

/** The file types that a media type or an ending of many file types means. */
const plain = new Set(['XML', 'PDF', 'ZIP', 'HTML', 'TXT', 'TIFF', 'RDF_XML', 'GZIP'])

const spelling = (text: string) => text.trim().toLowerCase().replace(/^\./, '').replaceAll('_', '-')

function unambiguous(
  concepts: readonly Concept[],
  keysOf: (concept: Concept) => readonly string[],
): ReadonlyMap<string, Concept> {
  const pairs = concepts.flatMap((one) => keysOf(one).map((key) => ({ key, one })))
  return new Map(
    [...Map.groupBy(pairs, ({ key }) => key)].flatMap(([key, all]) => {
      const found = all.length === 1 ? all[0] : all.find(({ one }) => plain.has(one.id))
      return found ? [[key, found.one]] : []
    }),
  )
}

/** Lookups over the file types, which are in order of preference: by code, label, ending, other name or media type. */
export function formatLookup(fileTypes: readonly Concept[]): FormatLookup {
  const byCode = firstWins(fileTypes.map((one) => [spelling(one.id), one] as const))
  const byLabel = firstWins(
    fileTypes.flatMap((one) =>
      Object.values(one.prefLabel).map((label) => [spelling(label), one] as const),
    ),
  )
  const byEnding = unambiguous(fileTypes, ({ endings }) => endings.map(spelling))
  const mediaTypes = unambiguous(fileTypes, (one) => one.mediaTypes)
  return {
    byMediaType: (type) => mediaTypes.get(type),
    byText: (text) => {
      const key = spelling(text)
      const code = codes.get(normal(text))
      return (
        byCode.get(key) ??
        byLabel.get(key) ??
        byEnding.get(key) ??
        (code === undefined ? undefined : byCode.get(spelling(code)))
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
  const label = normal(text)
  const concept =
    formats.byCode(label) ??
    formats.byCode(codes.get(label) ?? nearest[label] ?? '') ??
    formats.byCode(label.replaceAll('.', '')) ??
    lookupOf(authorities).byMediaType(label.toLowerCase()) ??
    formats.byLabel(text)
  return concept?.iri
}

/** What a download address ends in; pages that only lead to a file say nothing about it. */
export const formatOfAddress = (url: unknown, authorities: Authorities): string | undefined =>
  formatIri(suffixOf(url), authorities)

/** Endings of addresses with a page or a program behind them. */
const pages = new Set('html htm php asp aspx jsp jsf do rest xhtml api js pl exe'.split(' '))

/** Whether an address ends as data does, not as a page or a program. */
export function isDataAddress(url: unknown, authorities: Authorities): boolean {
  const ending = suffixOf(url)
  if (ending === undefined || pages.has(ending)) return false
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
  const named = mediaTypesByName[normal(bare)]
  const type = authorities.mediaType(named ?? (bare.split(';', 1)[0] ?? '').trim())
  return type === undefined ? undefined : `https://www.iana.org/assignments/media-types/${type}`
}
