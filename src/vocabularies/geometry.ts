/**
 * Geometries as GeoJSON has them (RFC 7946): read leniently for search documents (`geometryOf`), strictly for records that we make
 * (`strictGeometry`).
 */

type Position = readonly [number, number]
type Line = readonly Position[]

export type Geometry =
  | { readonly type: 'Point'; readonly coordinates: Position }
  | { readonly type: 'MultiPoint' | 'LineString'; readonly coordinates: Line }
  | { readonly type: 'MultiLineString' | 'Polygon'; readonly coordinates: readonly Line[] }
  | { readonly type: 'MultiPolygon'; readonly coordinates: readonly (readonly Line[])[] }
  | { readonly type: 'GeometryCollection'; readonly geometries: readonly Geometry[] }

/** West, south, east, north. */
export type BoundingBox = readonly [number, number, number, number]

const maxPoints = 10_000
const maxDepth = 8

/** Strictness of reading a geometry. */
type Rules = {
  /** Degrees that a position may be outside the globe. */
  readonly tolerance: number
  readonly decimals: number
  /** Whether a ring that does not end where it begins is closed; else it is refused (RFC 7946, 3.1.6). */
  readonly closesRings: boolean
}

/** For search documents: what can be mended is mended. */
const lenient: Rules = { tolerance: 1e-6, decimals: 7, closesRings: true }
/** For the records that we make. */
const strict: Rules = { tolerance: 0, decimals: 9, closesRings: false }

/** Degrees that print without an exponent; a millionth of a degree is a hand's breadth. */
function readDegrees(value: unknown, limit: number, { tolerance, decimals }: Rules) {
  if (typeof value !== 'number' || !(Math.abs(value) <= limit + tolerance)) return undefined
  const factor = 10 ** decimals
  const rounded = Math.round(Math.max(-limit, Math.min(limit, value)) * factor) / factor
  return Math.abs(rounded) < 1e-6 ? 0 : rounded
}

/** Types of coordinates → how deep positions are nested in them, and what a list of positions is. */
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
  // Beyond 180 is on the other side of the date line.
  const [east, north] = [readDegrees(x, 360, rules), readDegrees(y, 90, rules)]
  return east === undefined || north === undefined ? undefined : [east, north]
}

/** Nested arrays in, nested positions out; one bad member spoils all. */
function readNested(value: unknown, { depth, list }: Level, rules: Rules): Nested | undefined {
  if (depth === 0) return readPosition(value, rules)
  if (!Array.isArray(value) || value.length === 0) return undefined
  const parts: Nested[] = []
  for (const part of value) {
    const read = readNested(part, { depth: depth - 1, list }, rules)
    if (read === undefined) return undefined
    parts.push(read)
  }
  if (depth > 1 || list === 'points') return parts
  return list === 'line' ? (parts.length > 1 ? parts : undefined) : readRing(parts, rules)
}

/** A ring ends where it begins and has at least three corners. */
function readRing(points: readonly Nested[], { closesRings }: Rules): Nested | undefined {
  const [start = []] = points
  const isClosed = String(start) === String(points.at(-1))
  if (!isClosed && !closesRings) return undefined
  const whole = isClosed ? points : [...points, start]
  return whole.length >= 4 ? whole : undefined
}

const isCoordinateType = (type: unknown): type is keyof typeof nestingLevels =>
  typeof type === 'string' && Object.hasOwn(nestingLevels, type)

/** Geometry of coordinates; `undefined` for an unknown type or wrong coordinates. */
function readSimple(type: unknown, value: unknown, rules: Rules): Geometry | undefined {
  const coordinates = isCoordinateType(type) && readNested(value, nestingLevels[type], rules)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `nestingLevels` says how deep the coordinates of each type are
  return coordinates ? withinLongitudes({ type, coordinates } as Geometry) : undefined
}

/** A longitude from −180 to 180. */
const wrapLongitude = (east: number): number =>
  Math.abs(east) <= 180 ? east : ((((east + 180) % 360) + 360) % 360) - 180

/** A geometry with longitudes from −180 to 180; a box that goes over the date line becomes two. A point beyond is a mistake. */
function withinLongitudes(geometry: Geometry): Geometry | undefined {
  const beyond = [...positionsOf(geometry)].some(([east]) => Math.abs(east) > 180)
  if (!beyond) return geometry
  if (geometry.type === 'Point' || geometry.type === 'MultiPoint') return undefined
  const box = enclosedBox(geometry)
  if (box) return boxGeometry(boxOnGlobe(box))
  const turn = (value: Nested): Nested => {
    const [east, north] = value
    return typeof east === 'number' && typeof north === 'number'
      ? [wrapLongitude(east), north]
      : value.flatMap((part) => (typeof part === 'number' ? [] : [turn(part)]))
  }
  if (geometry.type === 'GeometryCollection') return undefined
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the nesting stays
  return { ...geometry, coordinates: turn(geometry.coordinates) } as Geometry
}

/** A box with longitudes from −180 to 180: west is greater than east where it goes over the date line. */
export const boxOnGlobe = ([west, south, east, north]: BoundingBox): BoundingBox =>
  east - west >= 360
    ? [-180, south, 180, north]
    : [wrapLongitude(west), south, wrapLongitude(east), north]

type JsonRecord = { readonly [key: string]: unknown }
const isJsonRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null

function readCollection(parts: unknown, rules: Rules, depth: number): Geometry | undefined {
  if (!Array.isArray(parts) || parts.length === 0 || depth >= maxDepth) return undefined
  const geometries = parts.map((part: unknown) => readGeometry(part, rules, depth + 1))
  return geometries.every((geometry) => geometry !== undefined)
    ? { type: 'GeometryCollection', geometries }
    : undefined
}

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

/** A type in its own letters: some sources write all of them small or large. */
const standardTypeName = (type: unknown) =>
  typeof type === 'string' ? typeNames.get(type.toLowerCase()) : undefined

/** Every position in a geometry or a part of one. */
export function* positionsOf(json: unknown): Generator<Position> {
  if (Array.isArray(json)) {
    const [east, north]: readonly unknown[] = json
    if (typeof east === 'number' && typeof north === 'number') yield [east, north]
    else for (const part of json) yield* positionsOf(part)
  } else if (isJsonRecord(json)) yield* positionsOf(json['coordinates'] ?? json['geometries'])
}

/** The box around positions. */
export function boundsOf(all: Iterable<Position>): BoundingBox {
  let [west, south, east, north] = [180, 90, -180, -90]
  for (const [x, y] of all) {
    if (x < west) west = x
    if (x > east) east = x
    if (y < south) south = y
    if (y > north) north = y
  }
  return [west, south, east, north]
}

/**
 * The boxes around a geometry of GeoJSON: two where it goes over the date line. A side of more than 180 degrees goes the shorter way
 * round, unless it is that of a box whose first corner is its western one; then that box is wide.
 */
export function boxesOf(geometry: unknown): readonly BoundingBox[] {
  if (isJsonRecord(geometry) && Array.isArray(geometry['geometries']))
    return geometry['geometries'].flatMap((one: unknown) => boxesOf(one))
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

/** The lists of positions in coordinates: lines, rings, points. */
function* linesOf(json: unknown): Generator<Line> {
  if (!Array.isArray(json)) return
  const positions = [...positionsOf(json)]
  if (!json.some((part: unknown) => Array.isArray(part) && Array.isArray(part[0]))) yield positions
  else for (const part of json) yield* linesOf(part)
}

/** Whether a line goes over the date line. */
function crossesDateLine(line: Line): boolean {
  const easts = line.map(([east]) => east)
  const widest = Math.max(...easts.map((east, at) => Math.abs(east - (easts[at - 1] ?? east))))
  if (widest <= 180 || widest >= 359) return false
  return new Set(easts).size > 2 || easts[0] === Math.max(...easts)
}

/** A line with all its longitudes east of −180, also those behind the date line. */
const eastward = (line: Line): Line =>
  line.map(([east, north]) => [east < 0 ? east + 360 : east, north])

/** A box as it is, or as two that meet at the date line. */
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

/** A box as a polygon; one that goes over the date line (west > east) as two. */
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
 * Checks a GeoJSON value: geometry, Feature or FeatureCollection; two dimensions, seven decimals, closed rings, degrees
 * in range. `undefined` when it is none. More than 10 000 points become the box around them.
 */
export function geometryOf(value: unknown): Geometry | undefined {
  const geometry = readGeometry(value, lenient, 0)
  return geometry && countPositions(geometry) > maxPoints
    ? boxGeometry(boundsOf(positionsOf(geometry)))
    : geometry
}

/** More would be no metadata. */
const maxStrictPoints = 20_000

/** A GeoJSON geometry, or a Feature with one, that keeps the rules of RFC 7946; no collection, no more than 20 000 points. */
export function strictGeometry(value: unknown): Geometry | undefined {
  const geometry = readGeometry(value, strict, 0)
  const isSingle = geometry !== undefined && geometry.type !== 'GeometryCollection'
  return isSingle && countPositions(geometry) <= maxStrictPoints ? geometry : undefined
}

/** The box that a polygon is: four corners whose sides run along meridians and parallels. West is greater than east over the date line. */
export function enclosedBox(geometry: Geometry): BoundingBox | undefined {
  if (geometry.type !== 'Polygon' || geometry.coordinates.length !== 1) return undefined
  const [points = []] = geometry.coordinates
  const [xs, ys] = [new Set(points.map(([x]) => x)), new Set(points.map(([, y]) => y))]
  if (points.length !== 5 || xs.size !== 2 || ys.size !== 2) return undefined
  const isAround = points.every(([x, y], at) => {
    const next = points[at + 1]
    return !next || (x === next[0]) !== (y === next[1])
  })
  if (!isAround) return undefined
  return crossesDateLine(points) ? boxOnGlobe(boundsOf(eastward(points))) : boundsOf(points)
}
