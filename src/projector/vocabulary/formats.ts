/** File types by code, label, ending, alias or media type. */

import type { Concept } from './concept.ts'
import { firstWins } from './table.ts'

/** Common names that are neither code nor label nor ending. */
const aliases: Readonly<Record<string, string>> = {
  excel: 'XLS',
  'ms excel': 'XLS',
  'esri shapefile': 'SHP',
  shapefile: 'SHP',
  shape: 'SHP',
  'geo json': 'GEOJSON',
  'json-ld': 'JSON_LD',
  turtle: 'RDF_TURTLE',
  'rdf/xml': 'RDF_XML',
  'n-triples': 'RDF_N_TRIPLES',
  wms: 'WMS_SRVC',
  'ogc wms': 'WMS_SRVC',
  wfs: 'WFS_SRVC',
  wcs: 'WCS_SRVC',
  wmts: 'WMTS_SRVC',
  geopackage: 'GPKG',
  'web page': 'HTML',
  webpage: 'HTML',
  text: 'TXT',
  jpg: 'JPEG',
  tif: 'TIFF',
  geotiff: 'GEOTIFF',
  api: 'REST',
  rest: 'REST',
  gtfs: 'GTFS',
}

/** The file types that a media type or an ending of many file types means. */
const plain = new Set(['XML', 'PDF', 'ZIP', 'HTML', 'TXT', 'TIFF', 'RDF_XML', 'GZIP'])

export type Formats = {
  readonly byText: (text: string) => Concept | undefined
  /** Only when one file type has it, or one of them is the plain one. */
  readonly byMediaType: (type: string) => Concept | undefined
}

const spelling = (text: string) => text.trim().toLowerCase().replace(/^\./, '').replaceAll('_', '-')

function unambiguous(pairs: Iterable<readonly [string, Concept]>): ReadonlyMap<string, Concept> {
  const all = new Map<string, Concept[]>()
  for (const [key, concept] of pairs) {
    const concepts = all.get(key)
    if (concepts) concepts.push(concept)
    else all.set(key, [concept])
  }
  const chosen = [...all].map(([key, concepts]) => {
    const plainOne = concepts.find(({ id }) => plain.has(id))
    return [key, concepts.length === 1 ? concepts[0] : plainOne] as const
  })
  return new Map(chosen.filter((pair): pair is readonly [string, Concept] => pair[1] !== undefined))
}

/** Lookups over the file types, which are in order of preference. */
export function formatsOf(fileTypes: readonly Concept[]): Formats {
  const codes = firstWins(fileTypes.map((concept) => [spelling(concept.id), concept] as const))
  const labels = firstWins(
    fileTypes.flatMap((concept) =>
      Object.values(concept.prefLabel).map((label) => [spelling(label), concept] as const),
    ),
  )
  const endings = unambiguous(
    fileTypes.flatMap((concept) =>
      concept.endings.map((ending) => [spelling(ending), concept] as const),
    ),
  )
  const mediaTypes = unambiguous(
    fileTypes.flatMap((concept) => concept.mediaTypes.map((type) => [type, concept] as const)),
  )
  return {
    byMediaType: (type) => mediaTypes.get(type),
    byText: (text) => {
      const key = spelling(text)
      const alias = aliases[text.trim().toLowerCase().replace(/^\./, '')]
      return (
        codes.get(key) ??
        labels.get(key) ??
        endings.get(key) ??
        (alias === undefined ? undefined : codes.get(spelling(alias)))
      )
    },
  }
}
