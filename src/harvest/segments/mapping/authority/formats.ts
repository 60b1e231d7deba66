/** File types: what people and servers call a format, as a concept of the EU file-type authority. */
import { plainText, isPlaceholder } from '../values/json.ts'
import { suffixOf } from '../values/urls.ts'
import type { Authorities } from './authorities.ts'

/** Code → labels and media types in upper case; a concept's own code and unambiguous media types need no line. */
const names = `
CSV: CSV, TEXT/CSV, COMMA SEPARATED VALUES, APPLICATION/CSV, CSV FILE
TSV: TSV, TAB SEPARATED VALUES, TEXT/TAB-SEPARATED-VALUES
TXT: TXT, TEXT, TEXT/PLAIN, PLAIN TEXT
XLSX: XLSX, EXCEL (XLSX), APPLICATION/VND.OPENXMLFORMATS-OFFICEDOCUMENT.SPREADSHEETML.SHEET
XLS: XLS, EXCEL, MS EXCEL, MICROSOFT EXCEL, APPLICATION/VND.MS-EXCEL, APPLICATION/EXCEL
ODS: ODS, APPLICATION/VND.OASIS.OPENDOCUMENT.SPREADSHEET
JSON: JSON, APPLICATION/JSON, NDJSON, JSONL, JSONLINES, TEXT/JSON
JSON_LD: JSONLD, JSON-LD, JSON_LD, APPLICATION/LD+JSON
GEOJSON: GEOJSON, GEO JSON, APPLICATION/GEO+JSON, APPLICATION/VND.GEO+JSON
XML: XML, TEXT/XML, APPLICATION/XML, GPX, APPLICATION/GPX+XML
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
HTML: HTML, HTM, TEXT/HTML, WEBSITE, WEB PAGE, WEBPAGE, WEB SITE
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

const table = new Map<string, string>()
for (const line of names.trim().split('\n')) {
  const [code = '', labels = ''] = line.split(/:\s(.*)/)
  for (const label of labels.split(',')) table.set(label.trim(), code)
}

/** Formats without a code: their media types. */
const mediaTypesByName: Readonly<Record<string, string>> = {
  PARQUET: 'application/vnd.apache.parquet',
  GEOPARQUET: 'application/vnd.apache.parquet',
}

const normal = (text: string) =>
  (text.split(';', 1)[0] ?? '').trim().replace(/^\.+/, '').toUpperCase().replaceAll(/\s+/g, ' ')

/** One label, media type or IRI. */
export function formatOf(value: unknown, authorities: Authorities): string | undefined {
  const text = plainText(value)
  if (text === undefined || isPlaceholder(text)) return undefined
  const formats = authorities.table('format')
  if (/^https?:/i.test(text)) {
    const type = /\/media-types\/(.+)$/.exec(text)?.[1]
    return formats.byIri(text) ?? (type === undefined ? undefined : formatOf(type, authorities))
  }
  const label = normal(text)
  const code = table.get(label)
  return (
    formats.byCode(label) ??
    (code === undefined ? undefined : formats.byCode(code)) ??
    formats.byCode(label.replaceAll('.', '')) ??
    formats.byMediaType(label) ??
    formats.byLabel(text)
  )
}

/** What a download address ends in; pages that only lead to a file say nothing about it. */
export const formatOfAddress = (url: unknown, authorities: Authorities): string | undefined => {
  const ending = suffixOf(url)
  return ending === undefined ? undefined : formatOf(ending, authorities)
}

/** Endings of addresses behind which there is data, not a page or a program. */
export function isDataAddress(url: unknown, authorities: Authorities): boolean {
  const ending = suffixOf(url)
  if (ending === undefined || pages.has(ending)) return false
  return (
    formatOf(ending, authorities) !== undefined ||
    mediaTypesByName[ending.toUpperCase()] !== undefined
  )
}
const pages = new Set([
  'html',
  'htm',
  'php',
  'asp',
  'aspx',
  'jsp',
  'jsf',
  'do',
  'rest',
  'xhtml',
  'api',
  'js',
  'pl',
  'exe',
])

/** A registered media type as its IRI; a name that stands for one counts too. */
export function mediaTypeOf(value: unknown, authorities: Authorities): string | undefined {
  const text = plainText(value)
  if (text === undefined) return undefined
  const bare = text.replace(/^https?:\/\/(?:www\.)?iana\.org\/assignments\/media-types\//i, '')
  const named = mediaTypesByName[normal(bare)]
  const type = authorities.mediaType(named ?? (bare.split(';', 1)[0] ?? '').trim())
  return type === undefined ? undefined : `https://www.iana.org/assignments/media-types/${type}`
}
