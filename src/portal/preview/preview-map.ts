/** What a preview draws on its map: the geometries of GeoJSON, or the places that columns of a table give. */

import {
  type BoundingBox,
  boundsOf,
  type Geometry,
  geometryOf,
} from '../../vocabularies/geometry.ts'
import { fromWkt } from '../../vocabularies/geometry-text.ts'
import { boundedJson } from '../../text/json.ts'
import type { PreviewTable } from './preview-table.ts'

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
function simplifiedLine(places: readonly Place[]): readonly Place[] {
  const step = Math.ceil(places.length / mostPerShape)
  return places.filter((_, at) => at % step === 0 || at === places.length - 1)
}

function shapesOf(geometry: Geometry): readonly PreviewShape[] {
  const of = (kind: PreviewShape['kind'], lines: readonly (readonly Place[])[]) =>
    lines.map((places) => ({ kind, places: simplifiedLine(places) }))
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
export function mapOfGeometries(geometries: readonly unknown[]): PreviewMap | undefined {
  const shapes: PreviewShape[] = []
  let places = 0
  for (const value of geometries) {
    const geometry = geometryOf(value)
    for (const shape of geometry ? shapesOf(geometry) : []) {
      places += shape.places.length
      if (shapes.length === mostShapes || places > mostPlaces) return mapOfShapes(shapes)
      shapes.push(shape)
    }
  }
  return mapOfShapes(shapes)
}

/** The narrower of the boxes around places: one ends east of 180, where it goes over the date line. */
function boxAround(places: readonly Place[]): BoundingBox {
  const plain = boundsOf(places)
  const easts = places.map(([east]) => (east < 0 ? east + 360 : east))
  const [west, east] = [Math.min(...easts), Math.max(...easts)]
  return east - west < plain[2] - plain[0] ? [west, plain[1], east, plain[3]] : plain
}

const mapOfShapes = (shapes: readonly PreviewShape[]): PreviewMap | undefined =>
  shapes.length === 0
    ? undefined
    : { shapes, box: boxAround(shapes.flatMap(({ places }) => places)) }

const namesIn = (text: string): ReadonlySet<string> => new Set(text.split(' '))
const latitudes = namesIn('lat latitude breite breitengrad latitud latitudine')
const longitudes = namesIn(
  'lon lng long longitude länge laenge längengrad laengengrad longitud longitudine',
)
const geometryNames = namesIn(
  'wkt geom geometry geometrie geometria shape point geo geojson coordinates koordinaten coordonnees coordonnées coordinate location position',
)

/** Names of lengths, ranks and forms as well. */
const otherNames = namesIn('länge laenge breite longitud x y shape point location position')

const only = (names: ReadonlySet<string>) => names.difference(otherNames)

/** Whether most texts of places have the decimals of degrees: lengths and ranks have fewer. */
const areExact = (texts: readonly string[]): boolean =>
  texts.filter((text) => (text.match(/\d[.,]\d{4}/g) ?? []).length > 1).length * 2 >= texts.length

/** `LAT_WGS84` → lat, wgs84 */
const wordsOf = (name: string): readonly string[] => name.toLowerCase().split(/[^\p{L}\p{N}]+/u)

const isNamed = (name: string, names: ReadonlySet<string>): boolean =>
  wordsOf(name).some((word) => names.has(word))

const columnOf = (head: readonly string[], names: ReadonlySet<string>): number =>
  head.findIndex((name) => isNamed(name, names))

const isCoordinate = (word: string): boolean => longitudes.has(word) || latitudes.has(word)

/** One column that is named for both coordinates, as `lat,lon`, holds pairs. */
const pairColumnOf = (head: readonly string[]): number =>
  head.findIndex((name) => isNamed(name, latitudes) && isNamed(name, longitudes))

/** `52.5` and `52,5`, also a number that is too large for degrees; NaN for anything else. */
const degreesOf = (text: string | undefined): number =>
  /^\s*[+-]?\d{1,20}(?:[.,]\d+)?\s*°?\s*$/.test(text ?? '')
    ? Number.parseFloat((text ?? '').replace(',', '.'))
    : Number.NaN

const pair = /^\s*[([]?\s*([+-]?\d{1,3}(?:\.\d+)?)\s*[,;\s]\s*([+-]?\d{1,3}(?:\.\d+)?)\s*[)\]]?\s*$/

function jsonIn(text: string): unknown {
  try {
    return boundedJson(text)
  } catch {
    return undefined
  }
}

/** WKT, GeoJSON, or latitude and longitude in the order of the column's name, as they stand in one cell. */
function geometryIn(text: string, isSwapped: boolean): unknown {
  const [, first, second] = pair.exec(text) ?? []
  if (second !== undefined) {
    const coordinates = [Number(second), Number(first)]
    return { type: 'Point', coordinates: isSwapped ? coordinates.toReversed() : coordinates }
  }
  return /^\s*\{/.test(text) ? jsonIn(text) : fromWkt(text)
}

const areDegrees = ([longitude, latitude]: Place): boolean =>
  Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90

/** The places in two columns of numbers: metres are no places, and one value out of range shows that they are metres. */
function columnPlaces({ head, rows }: PreviewTable): readonly Place[] {
  const firstOf = (...names: readonly ReadonlySet<string>[]) =>
    names.map((some) => columnOf(head, some)).find((at) => at >= 0) ?? -1
  const x = firstOf(only(longitudes), longitudes, new Set(['x']))
  const y = firstOf(only(latitudes), latitudes, new Set(['y']))
  const cells = rows
    .map((row) => [row[x] ?? '', row[y] ?? ''] as const)
    .filter((row) => !Number.isNaN(degreesOf(row[0]) + degreesOf(row[1])))
  const places = cells.map((row): Place => [degreesOf(row[0]), degreesOf(row[1])])
  const clear = only(longitudes.union(latitudes))
  const isSure = [x, y].some((at) => isNamed(head[at] ?? '', clear))
  const isRight = isSure || areExact(cells.map((row) => row.join(' ')))
  return isRight && places.every(areDegrees) ? places : []
}

/** The map of the places in a table: columns of latitude and longitude, `x` and `y` in degrees, or one column of geometries. */
export function mapOfTable(table: PreviewTable): PreviewMap | undefined {
  const { head, rows } = table
  const pairs = pairColumnOf(head)
  const places = pairs < 0 ? columnPlaces(table) : []
  if (places.length > 0)
    return mapOfGeometries(places.map((coordinates) => ({ type: 'Point', coordinates })))
  const column = pairs < 0 ? columnOf(head, geometryNames) : pairs
  const name = head[column] ?? ''
  const cells = rows.map((row) => row[column] ?? '').filter((text) => text.trim() !== '')
  const isSure = pairs >= 0 || isNamed(name, only(geometryNames))
  if (!isSure && cells.some((text) => pair.test(text)) && !areExact(cells)) return undefined
  const isSwapped = pairs >= 0 && longitudes.has(wordsOf(name).find(isCoordinate) ?? '')
  return mapOfGeometries(cells.map((text) => geometryIn(text, isSwapped)))
}
