/** Map of a preview: geometries of GeoJSON, or coordinates in columns of a table. */

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

/** Shape with its positions in degrees. */
type PreviewShape = {
  readonly kind: 'point' | 'line' | 'area'
  readonly places: readonly Place[]
}

/** Shapes of a map; together they have at most `mostPlaces` positions. */
export type PreviewMap = {
  readonly shapes: readonly PreviewShape[]
  /** Bounding box of the shapes. */
  readonly box: BoundingBox
}

/** Most shapes of a map, most positions of all of them, and about the most of one. */
const [mostShapes, mostPlaces, mostPerShape] = [500, 5000, 200]

/** Reduces a line to at most `mostPerShape` positions, every n-th one, and its last. */
function simplifiedLine(places: readonly Place[]): readonly Place[] {
  const step = Math.ceil(places.length / mostPerShape)
  return places.filter((_, i) => i % step === 0 || i === places.length - 1)
}

function shapesOf(geometry: Geometry): readonly PreviewShape[] {
  const shapesFrom = (kind: PreviewShape['kind'], lines: readonly (readonly Place[])[]) =>
    lines.map((places) => ({ kind, places: simplifiedLine(places) }))
  switch (geometry.type) {
    case 'GeometryCollection':
      return geometry.geometries.flatMap(shapesOf)
    case 'Point':
      return shapesFrom('point', [[geometry.coordinates]])
    case 'MultiPoint':
      return shapesFrom(
        'point',
        geometry.coordinates.map((place) => [place]),
      )
    case 'LineString':
      return shapesFrom('line', [geometry.coordinates])
    case 'MultiLineString':
      return shapesFrom('line', geometry.coordinates)
    // Each ring is a shape of its own, also that of a hole.
    case 'Polygon':
      return shapesFrom('area', geometry.coordinates)
    default:
      return shapesFrom('area', geometry.coordinates.flat())
  }
}

/** Map of the first GeoJSON geometries, within the limits above; `undefined` where none can be read. */
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

/** Narrower one of the two bounding boxes of positions; a box across the date line has an east above 180. */
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

/** Names that can also mean a length, a rank or a form. */
const otherNames = namesIn('länge laenge breite longitud x y shape point location position')

/** Names that cannot mean anything else. */
const unambiguous = (names: ReadonlySet<string>) => names.difference(otherNames)

/**
 * Whether at least half of the texts have two numbers with four decimals or more, as degrees have; lengths and ranks have fewer.
 */
const areExact = (texts: readonly string[]): boolean =>
  texts.filter((text) => (text.match(/\d[.,]\d{4}/g) ?? []).length > 1).length * 2 >= texts.length

/** Words of the name of a column in lower case: `LAT_WGS84` → lat, wgs84. */
const wordsOf = (name: string): readonly string[] => name.toLowerCase().split(/[^\p{L}\p{N}]+/u)

const isNamed = (name: string, names: ReadonlySet<string>): boolean =>
  wordsOf(name).some((word) => names.has(word))

const columnOf = (head: readonly string[], names: ReadonlySet<string>): number =>
  head.findIndex((name) => isNamed(name, names))

const isCoordinate = (word: string): boolean => longitudes.has(word) || latitudes.has(word)

/** Index of a column that is named after both coordinates (`lat,lon`) and has pairs; -1 where there is none. */
const pairColumnOf = (head: readonly string[]): number =>
  head.findIndex((name) => isNamed(name, latitudes) && isNamed(name, longitudes))

/** Number such as `52.5` or `52,5`, also one too large for degrees; NaN for any other text. */
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

/** Geometry in a cell: WKT, GeoJSON, or a pair of coordinates, whose first is the latitude unless `isSwapped`. */
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

/**
 * Positions in two columns of numbers; none where a value is out of the range of degrees, because all are metres then, or where
 * names and values leave open whether they are degrees.
 */
function columnPlaces({ head, rows }: PreviewTable): readonly Place[] {
  const firstOf = (...names: readonly ReadonlySet<string>[]) =>
    names.map((some) => columnOf(head, some)).find((at) => at >= 0) ?? -1
  const x = firstOf(unambiguous(longitudes), longitudes, new Set(['x']))
  const y = firstOf(unambiguous(latitudes), latitudes, new Set(['y']))
  const cells = rows
    .map((row) => [row[x] ?? '', row[y] ?? ''] as const)
    .filter((row) => !Number.isNaN(degreesOf(row[0]) + degreesOf(row[1])))
  const places = cells.map((row): Place => [degreesOf(row[0]), degreesOf(row[1])])
  const clear = unambiguous(longitudes.union(latitudes))
  const isUnambiguous = [x, y].some((at) => isNamed(head[at] ?? '', clear))
  const areCoordinates = isUnambiguous || areExact(cells.map((row) => row.join(' ')))
  return areCoordinates && places.every(areDegrees) ? places : []
}

/**
 * Map of the positions in a table: columns of latitude and longitude, `x` and `y` in degrees, or one column of geometries;
 * `undefined` without these.
 */
export function mapOfTable(table: PreviewTable): PreviewMap | undefined {
  const { head, rows } = table
  const pairs = pairColumnOf(head)
  const places = pairs < 0 ? columnPlaces(table) : []
  if (places.length > 0)
    return mapOfGeometries(places.map((coordinates) => ({ type: 'Point', coordinates })))
  const column = pairs < 0 ? columnOf(head, geometryNames) : pairs
  const name = head[column] ?? ''
  const cells = rows.map((row) => row[column] ?? '').filter((text) => text.trim() !== '')
  const isUnambiguous = pairs >= 0 || isNamed(name, unambiguous(geometryNames))
  if (!isUnambiguous && cells.some((text) => pair.test(text)) && !areExact(cells)) return undefined
  const isSwapped = pairs >= 0 && longitudes.has(wordsOf(name).find(isCoordinate) ?? '')
  return mapOfGeometries(cells.map((text) => geometryIn(text, isSwapped)))
}
