/** What a preview draws on its map: the geometries of GeoJSON, or the places that columns of a table give. */

import {
  type BoundingBox,
  boundsOf,
  type Geometry,
  geometryOf,
} from '../../vocabularies/geometry.ts'
import { fromWkt } from '../../vocabularies/geometry-text.ts'
import { boundedJson } from '../../text/json.ts'
import type { PreviewTable } from './table.ts'

type Place = readonly [longitude: number, latitude: number]

/** Degrees, at most `mostPlaces` of them in all shapes together. */
type PreviewShape = {
  readonly kind: 'point' | 'line' | 'area'
  readonly places: readonly Place[]
}

export type PreviewMap = {
  readonly shapes: readonly PreviewShape[]
  /** Around the shapes. */
  readonly box: BoundingBox
}

const [mostShapes, mostPlaces, mostPerShape] = [500, 5000, 200]

/** A line with fewer corners: every nth, and the last. */
function thinned(places: readonly Place[]): readonly Place[] {
  const step = Math.ceil(places.length / mostPerShape)
  return places.filter((_, at) => at % step === 0 || at === places.length - 1)
}

function shapesOf(geometry: Geometry): readonly PreviewShape[] {
  const of = (kind: PreviewShape['kind'], lines: readonly (readonly Place[])[]) =>
    lines.map((places) => ({ kind, places: thinned(places) }))
  switch (geometry.type) {
    case 'GeometryCollection':
      return geometry.geometries.flatMap(shapesOf)
    case 'Point':
      return of('point', [[geometry.coordinates]])
    case 'MultiPoint':
      return of(
        'point',
        geometry.coordinates.map((place) => [place]),
      )
    case 'LineString':
      return of('line', [geometry.coordinates])
    case 'MultiLineString':
      return of('line', geometry.coordinates)
    // Holes are drawn as what they are: outlines.
    case 'Polygon':
      return of('area', geometry.coordinates)
    default:
      return of('area', geometry.coordinates.flat())
  }
}

/** The map of geometries; absent where none lies on Earth in degrees. */
export function mapOf(geometries: readonly unknown[]): PreviewMap | undefined {
  const shapes: PreviewShape[] = []
  let places = 0
  for (const value of geometries) {
    const geometry = geometryOf(value)
    for (const shape of geometry ? shapesOf(geometry) : []) {
      places += shape.places.length
      if (shapes.length === mostShapes || places > mostPlaces) return framed(shapes)
      shapes.push(shape)
    }
  }
  return framed(shapes)
}

const framed = (shapes: readonly PreviewShape[]): PreviewMap | undefined =>
  shapes.length === 0
    ? undefined
    : { shapes, box: boundsOf(shapes.flatMap((shape) => [...shape.places])) }

const latitudes = new Set(['lat', 'latitude', 'breite', 'breitengrad', 'latitud', 'latitudine'])
const longitudes = new Set(
  ['lon', 'lng', 'long', 'longitude', 'länge', 'laenge', 'längengrad', 'laengengrad'].concat([
    'longitud',
    'longitudine',
  ]),
)
const geometryNames = new Set(
  ['wkt', 'geom', 'geometry', 'geometrie', 'geometria', 'shape', 'point', 'geo', 'geojson'].concat([
    'coordinates',
    'koordinaten',
    'coordonnees',
    'coordonnées',
    'coordinate',
    'location',
    'position',
  ]),
)

/** `LAT_WGS84` → lat, wgs84 */
const wordsOf = (name: string): readonly string[] => name.toLowerCase().split(/[^\p{L}\p{N}]+/u)

const isNamed = (name: string, names: ReadonlySet<string>): boolean =>
  wordsOf(name).some((word) => names.has(word))

const columnOf = (head: readonly string[], names: ReadonlySet<string>): number =>
  head.findIndex((name) => isNamed(name, names))

/** One column that is named for both coordinates, as `lat,lon`, holds pairs. */
const pairColumnOf = (head: readonly string[]): number =>
  head.findIndex((name) => isNamed(name, latitudes) && isNamed(name, longitudes))

/** `52.5` and `52,5`, also a number that is too large for degrees; NaN for anything else. */
const degreesOf = (text: string | undefined): number =>
  /^\s*[+-]?\d{1,20}(?:[.,]\d+)?\s*°?\s*$/.test(text ?? '')
    ? Number.parseFloat((text ?? '').replace(',', '.'))
    : Number.NaN

const pair = /^\s*[([]?\s*([+-]?\d{1,2}(?:\.\d+)?)\s*[,;\s]\s*([+-]?\d{1,3}(?:\.\d+)?)\s*[)\]]?\s*$/

function jsonIn(text: string): unknown {
  try {
    return boundedJson(text)
  } catch {
    return undefined
  }
}

/** WKT, GeoJSON, or latitude and longitude, as they stand in one cell. */
function geometryIn(text: string): unknown {
  const [, latitude, longitude] = pair.exec(text) ?? []
  if (longitude !== undefined)
    return { type: 'Point', coordinates: [Number(longitude), Number(latitude)] }
  return /^\s*\{/.test(text) ? jsonIn(text) : fromWkt(text)
}

const areDegrees = ([longitude, latitude]: Place): boolean =>
  Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90

/** The map of the places in a table: columns of latitude and longitude, `x` and `y` in degrees, or one column of geometries. */
export function tableMap({ head, rows }: PreviewTable): PreviewMap | undefined {
  const given = [columnOf(head, longitudes), columnOf(head, latitudes)] as const
  const plain = [columnOf(head, new Set(['x'])), columnOf(head, new Set(['y']))] as const
  const [x, y] = given.includes(-1) ? plain : given
  const pairs = pairColumnOf(head)
  if (pairs < 0 && x >= 0 && y >= 0) {
    const places = rows
      .map((row): Place => [degreesOf(row[x]), degreesOf(row[y])])
      .filter(([east, north]) => !Number.isNaN(east + north))
    // Metres are no places, and one value out of range shows that they are metres.
    if (places.every(areDegrees))
      return mapOf(places.map((coordinates) => ({ type: 'Point', coordinates })))
  }
  const column = pairs < 0 ? columnOf(head, geometryNames) : pairs
  return column < 0 ? undefined : mapOf(rows.map((row) => geometryIn(row[column] ?? '')))
}
