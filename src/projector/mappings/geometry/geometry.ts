/** Geometries as GeoJSON has them (RFC 7946), checked and made short. */

import { isObject, type Json } from '../json.ts'

export type Position = readonly [number, number]
type Line = readonly Position[]

export type Geometry =
  | { readonly type: 'Point'; readonly coordinates: Position }
  | { readonly type: 'MultiPoint' | 'LineString'; readonly coordinates: Line }
  | { readonly type: 'MultiLineString' | 'Polygon'; readonly coordinates: readonly Line[] }
  | { readonly type: 'MultiPolygon'; readonly coordinates: readonly (readonly Line[])[] }
  | { readonly type: 'GeometryCollection'; readonly geometries: readonly Geometry[] }

/** West, south, east, north. */
export type Bounds = readonly [number, number, number, number]

const tolerance = 1e-6
const mostPoints = 10_000
const deepest = 8

const rounded = (degrees: number) => Math.round(degrees * 1e7) / 1e7 + 0

const within = (value: unknown, limit: number): value is number =>
  typeof value === 'number' && Math.abs(value) <= limit + tolerance

const clamped = (value: number, limit: number) => rounded(Math.max(-limit, Math.min(limit, value)))

function positionOf(value: unknown): Position | undefined {
  if (!Array.isArray(value)) return undefined
  const [east, north]: readonly unknown[] = value
  return within(east, 180) && within(north, 90)
    ? [clamped(east, 180), clamped(north, 90)]
    : undefined
}

/** Reads an array of what `read` reads; one bad member spoils it. */
const listOf =
  <T>(read: (value: unknown) => T | undefined) =>
  (value: unknown): readonly T[] | undefined => {
    if (!Array.isArray(value) || value.length === 0) return undefined
    const parts = value.map((part: unknown) => read(part))
    return parts.every((part) => part !== undefined) ? parts : undefined
  }

const same = (a: Position | undefined, b: Position | undefined) =>
  a !== undefined && b !== undefined && a[0] === b[0] && a[1] === b[1]

const pointsOf = listOf(positionOf)

function lineOf(value: unknown): Line | undefined {
  const line = pointsOf(value)
  return line && line.length > 1 ? line : undefined
}

/** A ring ends where it begins. */
function ringOf(value: unknown): Line | undefined {
  const ring = pointsOf(value)
  const start = ring?.[0]
  if (ring === undefined || start === undefined) return undefined
  const whole = same(start, ring.at(-1)) ? ring : [...ring, start]
  return whole.length >= 4 ? whole : undefined
}

const linesOf = listOf(lineOf)
const ringsOf = listOf(ringOf)
const polygonsOf = listOf(ringsOf)

function simpleOf(type: unknown, value: unknown): Geometry | undefined {
  switch (type) {
    case 'Point': {
      const coordinates = positionOf(value)
      return coordinates && { type, coordinates }
    }
    case 'MultiPoint':
    case 'LineString': {
      const coordinates = type === 'LineString' ? lineOf(value) : pointsOf(value)
      return coordinates && { type, coordinates }
    }
    case 'MultiLineString':
    case 'Polygon': {
      const coordinates = type === 'Polygon' ? ringsOf(value) : linesOf(value)
      return coordinates && { type, coordinates }
    }
    case 'MultiPolygon': {
      const coordinates = polygonsOf(value)
      return coordinates && { type, coordinates }
    }
    default:
      return undefined
  }
}

type Loose = { readonly [key: string]: unknown }
const isLoose = (value: unknown): value is Loose => typeof value === 'object' && value !== null

function collected(parts: unknown, depth: number): Geometry | undefined {
  if (!Array.isArray(parts) || parts.length === 0 || depth >= deepest) return undefined
  const geometries = parts.map((part: unknown) => read(part, depth + 1))
  return geometries.every((geometry) => geometry !== undefined)
    ? { type: 'GeometryCollection', geometries }
    : undefined
}

function read(value: unknown, depth: number): Geometry | undefined {
  if (!isLoose(value)) return undefined
  const { type } = value
  if (type === 'Feature') return depth < deepest ? read(value['geometry'], depth + 1) : undefined
  if (type === 'FeatureCollection') return collected(value['features'], depth)
  if (type === 'GeometryCollection') return collected(value['geometries'], depth)
  return simpleOf(type, value['coordinates'])
}

/** Every position in a geometry or a part of one. */
export function* positionsOf(json: Json): Generator<Position> {
  if (typeof json !== 'object') return
  if (isObject(json)) {
    yield* positionsOf(json['coordinates'] ?? json['geometries'] ?? [])
    return
  }
  const [east, north] = json
  if (typeof east === 'number' && typeof north === 'number') yield [east, north]
  else for (const part of json) yield* positionsOf(part)
}

/** The box around positions. */
export function boundsOf(all: Iterable<Position>): Bounds {
  let [west, south, east, north] = [180, 90, -180, -90]
  for (const [x, y] of all) {
    if (x < west) west = x
    if (x > east) east = x
    if (y < south) south = y
    if (y > north) north = y
  }
  return [west, south, east, north]
}

const rectangle = ([west, south, east, north]: Bounds): Line => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
]

/** A box as a polygon; one that goes over the date line (west > east) as two. */
export function boxGeometry([west, south, east, north]: Bounds): Geometry {
  if (west <= east) return { type: 'Polygon', coordinates: [rectangle([west, south, east, north])] }
  return {
    type: 'MultiPolygon',
    coordinates: [[rectangle([west, south, 180, north])], [rectangle([-180, south, east, north])]],
  }
}

/**
 * Checks a GeoJSON value: geometry, Feature or FeatureCollection; two dimensions, seven decimals, closed rings, degrees
 * in range. `undefined` when it is none. More than 10 000 points become the box around them.
 */
export function geometryOf(value: unknown): Geometry | undefined {
  const geometry = read(value, 0)
  if (!geometry) return undefined
  let points = 0
  for (const _ of positionsOf(geometry)) points++
  return points > mostPoints ? boxGeometry(boundsOf(positionsOf(geometry))) : geometry
}
