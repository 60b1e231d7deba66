/**
 * Reads geometries of GeoJSON (RFC 7946): leniently for search documents, previews and geometries in text (`geometryOf`),
 * strictly for GeoJSON of harvested records (`strictGeometry`); and computes the boxes around them.
 */

type Position = readonly [number, number]
type Line = readonly Position[]

/** Geometry of GeoJSON; positions are longitude and latitude in degrees. */
export type Geometry =
  | { readonly type: 'Point'; readonly coordinates: Position }
  | { readonly type: 'MultiPoint' | 'LineString'; readonly coordinates: Line }
  | { readonly type: 'MultiLineString' | 'Polygon'; readonly coordinates: readonly Line[] }
  | { readonly type: 'MultiPolygon'; readonly coordinates: readonly (readonly Line[])[] }
  | { readonly type: 'GeometryCollection'; readonly geometries: readonly Geometry[] }

/** West, south, east, north in degrees; west is greater than east in a box that crosses the date line. */
export type BoundingBox = readonly [number, number, number, number]

/** Number of positions above which `geometryOf` returns the box around them. */
const maxPoints = 10_000
/** Maximum nesting of Features and collections. */
const maxDepth = 8

/** Rules for reading a geometry. */
type Rules = {
  /** Degrees by which a position may exceed the range of latitudes and longitudes. */
  readonly tolerance: number
  readonly decimals: number
  /** Whether open rings are closed; otherwise they are refused (RFC 7946, 3.1.6). */
  readonly closesRings: boolean
}

/** Rules of `geometryOf`, which repair what they can. */
const lenient: Rules = { tolerance: 1e-6, decimals: 7, closesRings: true }
/** Rules of `strictGeometry`. */
const strict: Rules = { tolerance: 0, decimals: 9, closesRings: false }

/**
 * Number of degrees, rounded; `undefined` beyond `limit` and for other values. Values below a millionth of a degree (10 cm)
 * become 0, so that none prints with an exponent.
 */
function readDegrees(value: unknown, limit: number, { tolerance, decimals }: Rules) {
  if (typeof value !== 'number' || !(Math.abs(value) <= limit + tolerance)) return undefined
  const factor = 10 ** decimals
  const rounded = Math.round(Math.max(-limit, Math.min(limit, value)) * factor) / factor
  return Math.abs(rounded) < 1e-6 ? 0 : rounded
}

/** Type of a geometry → nesting depth of its positions, and meaning of a list of positions. */
const nestingLevels = {
  Point: { depth: 0, list: 'points' },
  MultiPoint: { depth: 1, list: 'points' },
  LineString: { depth: 1, list: 'line' },
  MultiLineString: { depth: 2, list: 'line' },
  Polygon: { depth: 2, list: 'ring' },
  MultiPolygon: { depth: 3, list: 'ring' },
} as const
type Level = { readonly depth: number; readonly list: 'points' | 'line' | 'ring' }

type Nested = Position | readonly Nested[]

function readPosition(value: unknown, rules: Rules): Position | undefined {
  if (!Array.isArray(value)) return undefined
  const [x, y]: readonly unknown[] = value
  // Longitudes above 180 are on the other side of the date line.
  const [east, north] = [readDegrees(x, 360, rules), readDegrees(y, 90, rules)]
  return east === undefined || north === undefined ? undefined : [east, north]
}

/** Reads nested arrays as nested positions; `undefined` if one member is invalid. */
function readNested(value: unknown, { depth, list }: Level, rules: Rules): Nested | undefined {
  if (depth === 0) return readPosition(value, rules)
  if (!Array.isArray(value) || value.length === 0) return undefined
  const parts: Nested[] = []
  for (const part of value) {
    const nested = readNested(part, { depth: depth - 1, list }, rules)
    if (nested === undefined) return undefined
    parts.push(nested)
  }
  if (depth > 1 || list === 'points') return parts
  return list === 'line' ? (parts.length > 1 ? parts : undefined) : readRing(parts, rules)
}

/** Reads a ring: closed, with at least three corners. */
function readRing(points: readonly Nested[], { closesRings }: Rules): Nested | undefined {
  const [start = []] = points
  const isClosed = String(start) === String(points.at(-1))
  if (!isClosed && !closesRings) return undefined
  const ring = isClosed ? points : [...points, start]
  return ring.length >= 4 ? ring : undefined
}

const isCoordinateType = (type: unknown): type is keyof typeof nestingLevels =>
  typeof type === 'string' && Object.hasOwn(nestingLevels, type)

/** Geometry of coordinates; `undefined` for an unknown type or wrong coordinates. */
function readSimple(type: unknown, value: unknown, rules: Rules): Geometry | undefined {
  const coordinates = isCoordinateType(type) && readNested(value, nestingLevels[type], rules)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `nestingLevels` says how deep the coordinates of each type are
  return coordinates ? withinLongitudes({ type, coordinates } as Geometry) : undefined
}

/** Equivalent longitude from −180 to 180. */
const wrapLongitude = (east: number): number =>
  Math.abs(east) <= 180 ? east : ((((east + 180) % 360) + 360) % 360) - 180

/** Geometry with longitudes from −180 to 180; a box that crosses the date line becomes two. `undefined` for points outside. */
function withinLongitudes(geometry: Geometry): Geometry | undefined {
  const isBeyond = [...positionsOf(geometry)].some(([east]) => Math.abs(east) > 180)
  if (!isBeyond) return geometry
  if (geometry.type === 'Point' || geometry.type === 'MultiPoint') return undefined
  const box = enclosedBox(geometry)
  if (box) return boxGeometry(boxOnGlobe(box))
  const wrap = (value: Nested): Nested => {
    const [east, north] = value
    return typeof east === 'number' && typeof north === 'number'
      ? [wrapLongitude(east), north]
      : value.flatMap((part) => (typeof part === 'number' ? [] : [wrap(part)]))
  }
  if (geometry.type === 'GeometryCollection') return undefined
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the nesting stays
  return { ...geometry, coordinates: wrap(geometry.coordinates) } as Geometry
}

/** Box with longitudes from −180 to 180; west is greater than east where it crosses the date line. */
export const boxOnGlobe = ([west, south, east, north]: BoundingBox): BoundingBox =>
  east - west >= 360
    ? [-180, south, 180, north]
    : [wrapLongitude(west), south, wrapLongitude(east), north]

type JsonRecord = { readonly [key: string]: unknown }
const isJsonRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null

/** Reads the members of a collection; `undefined` if one is invalid, and for an empty or too deeply nested one. */
function readCollection(parts: unknown, rules: Rules, depth: number): Geometry | undefined {
  if (!Array.isArray(parts) || parts.length === 0 || depth >= maxDepth) return undefined
  const geometries = parts.map((part: unknown) => readGeometry(part, rules, depth + 1))
  return geometries.every((geometry) => geometry !== undefined)
    ? { type: 'GeometryCollection', geometries }
    : undefined
}

/** Reads a geometry, a Feature or a collection of either; `undefined` for other values. */
function readGeometry(value: unknown, rules: Rules, depth: number): Geometry | undefined {
  if (!isJsonRecord(value)) return undefined
  const type = standardTypeName(value['type'])
  if (type === 'Feature')
    return depth < maxDepth ? readGeometry(value['geometry'], rules, depth + 1) : undefined
  if (type === 'FeatureCollection') return readCollection(value['features'], rules, depth)
  if (type === 'GeometryCollection') return readCollection(value['geometries'], rules, depth)
  return readSimple(type, value['coordinates'], rules)
}

const typeNames = new Map(
  [...Object.keys(nestingLevels), 'Feature', 'FeatureCollection', 'GeometryCollection'].map(
    (name) => [name.toLowerCase(), name],
  ),
)

/** Name of a type as in RFC 7946; some sources write it in lower or upper case. */
const standardTypeName = (type: unknown) =>
  typeof type === 'string' ? typeNames.get(type.toLowerCase()) : undefined

/** Yields the positions in a geometry or a part of one. */
export function* positionsOf(json: unknown): Generator<Position> {
  if (Array.isArray(json)) {
    const [east, north]: readonly unknown[] = json
    if (typeof east === 'number' && typeof north === 'number') yield [east, north]
    else for (const part of json) yield* positionsOf(part)
  } else if (isJsonRecord(json)) yield* positionsOf(json['coordinates'] ?? json['geometries'])
}

/** Box around positions, without regard to the date line; without positions west is greater than east. */
export function boundsOf(positions: Iterable<Position>): BoundingBox {
  let [west, south, east, north] = [180, 90, -180, -90]
  for (const [x, y] of positions) {
    if (x < west) west = x
    if (x > east) east = x
    if (y < south) south = y
    if (y > north) north = y
  }
  return [west, south, east, north]
}

/**
 * Boxes around a geometry of GeoJSON: two where it crosses the date line, those of each member of a collection, none without
 * positions. A side of more than 180 degrees is read as the shorter way round, except in a box whose first corner is its western
 * one.
 */
export function boxesOf(geometry: unknown): readonly BoundingBox[] {
  if (isJsonRecord(geometry) && Array.isArray(geometry['geometries']))
    return geometry['geometries'].flatMap((member: unknown) => boxesOf(member))
  const lines = [...linesOf(isJsonRecord(geometry) ? geometry['coordinates'] : undefined)]
  if (!lines.some(crossesDateLine)) {
    const isPair = lines.length === 2 && lines.every((line) => line.length > 1)
    const boxes = isPair ? lines.map(boundsOf) : []
    const [a, b] = boxes
    if (a && b && ((a[2] === 180 && b[0] === -180) || (b[2] === 180 && a[0] === -180))) return boxes
    const box = boundsOf(positionsOf(geometry))
    return box[0] <= box[2] ? [box] : []
  }
  return splitAtDateLine(boundsOf(lines.flatMap((line) => eastward(line))))
}

/** Yields the lists of positions in coordinates: lines, rings, points. */
function* linesOf(json: unknown): Generator<Line> {
  if (!Array.isArray(json)) return
  const positions = [...positionsOf(json)]
  if (!json.some((part: unknown) => Array.isArray(part) && Array.isArray(part[0]))) yield positions
  else for (const part of json) yield* linesOf(part)
}

/** Whether a line crosses the date line. */
function crossesDateLine(line: Line): boolean {
  const easts = line.map(([east]) => east)
  const widest = Math.max(
    ...easts.map((east, index) => Math.abs(east - (easts[index - 1] ?? east))),
  )
  if (widest <= 180 || widest >= 359) return false
  return new Set(easts).size > 2 || easts[0] === Math.max(...easts)
}

/** Line with 360 added to its western longitudes, so that it is continuous across the date line. */
const eastward = (line: Line): Line =>
  line.map(([east, north]) => [east < 0 ? east + 360 : east, north])

/** The box, or the two that it consists of on both sides of the date line. */
function splitAtDateLine(box: BoundingBox): readonly BoundingBox[] {
  const [west, south, east, north] = boxOnGlobe(box)
  if (west <= east) return [[west, south, east, north]]
  return [
    [west, south, 180, north],
    [-180, south, east, north],
  ]
}

const rectangle = ([west, south, east, north]: BoundingBox): Line => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
]

/** Box as a polygon; as two polygons where it crosses the date line (west > east). */
export function boxGeometry([west, south, east, north]: BoundingBox): Geometry {
  if (west <= east) return { type: 'Polygon', coordinates: [rectangle([west, south, east, north])] }
  return {
    type: 'MultiPolygon',
    coordinates: [[rectangle([west, south, 180, north])], [rectangle([-180, south, east, north])]],
  }
}

function countPositions(geometry: Geometry): number {
  let count = 0
  for (const _ of positionsOf(geometry)) count++
  return count
}

/**
 * Reads a GeoJSON geometry, Feature or FeatureCollection: in two dimensions and seven decimals, with rings closed. `undefined`
 * for other values and degrees out of range. More than 10 000 points become the box around them.
 */
export function geometryOf(value: unknown): Geometry | undefined {
  const geometry = readGeometry(value, lenient, 0)
  return geometry && countPositions(geometry) > maxPoints
    ? boxGeometry(boundsOf(positionsOf(geometry)))
    : geometry
}

/** Most positions of a geometry in a harvested record. */
const maxStrictPoints = 20_000

/** Reads a valid GeoJSON geometry (RFC 7946), or that of a Feature; `undefined` for a collection or more than 20 000 points. */
export function strictGeometry(value: unknown): Geometry | undefined {
  const geometry = readGeometry(value, strict, 0)
  const isSingle = geometry !== undefined && geometry.type !== 'GeometryCollection'
  return isSingle && countPositions(geometry) <= maxStrictPoints ? geometry : undefined
}

/** Box of a polygon that is a rectangle along meridians and parallels; otherwise `undefined`. */
export function enclosedBox(geometry: Geometry): BoundingBox | undefined {
  if (geometry.type !== 'Polygon' || geometry.coordinates.length !== 1) return undefined
  const [points = []] = geometry.coordinates
  const [xs, ys] = [new Set(points.map(([x]) => x)), new Set(points.map(([, y]) => y))]
  if (points.length !== 5 || xs.size !== 2 || ys.size !== 2) return undefined
  const isAround = points.every(([x, y], index) => {
    const next = points[index + 1]
    return !next || (x === next[0]) !== (y === next[1])
  })
  if (!isAround) return undefined
  return crossesDateLine(points) ? boxOnGlobe(boundsOf(eastward(points))) : boundsOf(points)
}
