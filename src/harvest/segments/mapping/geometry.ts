/** Geometries of GeoJSON (RFC 7946), checked and written as WKT. */
import { fieldsOf, structured } from './values/json.ts'

type Position = readonly [number, number]
export type Box = readonly [west: number, south: number, east: number, north: number]
export type Geometry = {
  readonly wkt: string
  /** A box has sides along meridians and parallels. */
  readonly kind: 'box' | 'point' | 'other'
}

/** More would be no metadata. */
const mostPositions = 20_000

type Shape = { readonly type: string; readonly coordinates: unknown }
type Reading = { readonly wkt: string; readonly coordinates: unknown }

/** A GeoJSON geometry or a feature with one, as object or text, or a geometry as WKT; `undefined` for whatever breaks a rule of RFC 7946. */
export function geometryOf(value: unknown): Geometry | undefined {
  if (typeof value === 'string' && wktText.test(value)) return fromWkt(value.trim())
  const fields = fieldsOf(structured(value))
  const given = fields['type'] === 'Feature' ? fieldsOf(fields['geometry']) : fields
  const { type, coordinates } = given
  if (typeof type !== 'string') return undefined
  const budget = { left: mostPositions }
  const read = reading({ type, coordinates }, budget)
  if (!read) return undefined
  const box = type === 'Polygon' ? boxOf(read.coordinates) : undefined
  if (box) return polygonOf(box)
  return { wkt: read.wkt, kind: type === 'Point' ? 'point' : 'other' }
}

const wktText =
  /^\s*(?:<[^<>\s]{1,200}>\s*)?(?:MULTI)?(?:POINT|LINESTRING|POLYGON)\s*(?:Z|M|ZM)?\s*\([-+0-9.eE,\s()]{3,500000}\)\s*$/i

/** WKT stays as it is; a plain box is written as all boxes are. */
function fromWkt(wkt: string): Geometry | undefined {
  const pairs = wkt.match(/[-+0-9.eE]+\s+[-+0-9.eE]+/g) ?? []
  const isOnGlobe = pairs.every((pair) => {
    const [x = Number.NaN, y = Number.NaN] = pair.split(/\s+/).map(Number)
    return isPlace(x, y)
  })
  // With another reference system there may be other numbers.
  if (!wkt.startsWith('<') && !isOnGlobe) return undefined
  const corners = /^POLYGON\s*\(\(([^()]*)\)\)$/i.exec(wkt)?.[1]?.split(',') ?? []
  const ring = corners.map((pair) => pair.trim().split(/\s+/).map(Number))
  const box = boxOf([ring])
  if (box) return polygonOf(box)
  return { wkt, kind: /^(?:<[^<>]*>\s*)?POINT/i.test(wkt) ? 'point' : 'other' }
}

type Budget = { left: number }

function reading({ type, coordinates }: Shape, budget: Budget): Reading | undefined {
  const point = (value: unknown) => positionOf(value, budget)
  const line = (value: unknown) => several(value, point, 2)
  const ring = (value: unknown) => {
    const found = several(value, point, 4)
    return found && isClosed(found) ? found : undefined
  }
  const polygon = (value: unknown) => several(value, ring, 1)
  switch (type) {
    case 'Point':
      return written('POINT', point(coordinates), (one) => `(${wktOf(one)})`)
    case 'MultiPoint':
      return written('MULTIPOINT', several(coordinates, point, 1), listed)
    case 'LineString':
      return written('LINESTRING', line(coordinates), listed)
    case 'MultiLineString':
      return written('MULTILINESTRING', several(coordinates, line, 1), nested)
    case 'Polygon':
      return written('POLYGON', polygon(coordinates), nested)
    case 'MultiPolygon':
      return written(
        'MULTIPOLYGON',
        several(coordinates, polygon, 1),
        (all) => `(${all.map(nested).join(', ')})`,
      )
    default:
      return undefined
  }
}

const wktOf = ([x, y]: Position) => `${x} ${y}`
const listed = (positions: readonly Position[]) => `(${positions.map(wktOf).join(', ')})`
const nested = (lines: readonly (readonly Position[])[]) => `(${lines.map(listed).join(', ')})`

const written = <T>(
  name: string,
  value: T | undefined,
  text: (value: T) => string,
): Reading | undefined =>
  value === undefined ? undefined : { wkt: `${name}${text(value)}`, coordinates: value }

function several<T>(
  value: unknown,
  one: (value: unknown) => T | undefined,
  least: number,
): T[] | undefined {
  if (!Array.isArray(value) || value.length < least) return undefined
  const found: T[] = []
  for (const each of value) {
    const read = one(each)
    if (read === undefined) return undefined
    found.push(read)
  }
  return found
}

/** Longitude and latitude; a height is left out. */
function positionOf(value: unknown, budget: Budget): Position | undefined {
  if (!Array.isArray(value) || value.length < 2 || (budget.left -= 1) < 0) return undefined
  const [x, y]: readonly unknown[] = value
  return typeof x === 'number' && typeof y === 'number' && isPlace(x, y)
    ? [plain(x), plain(y)]
    : undefined
}

/** Numbers that print without an exponent; a millionth of a degree is a hand's breadth. */
const plain = (number: number) => (Math.abs(number) < 1e-6 ? 0 : Number(number.toFixed(9)))
const isPlace = (x: number, y: number) => Math.abs(x) <= 180 && Math.abs(y) <= 90

function isClosed(ring: readonly Position[]): boolean {
  const [first, last] = [ring[0], ring.at(-1)]
  return first !== undefined && last !== undefined && first[0] === last[0] && first[1] === last[1]
}

/** Four corners whose sides run along meridians and parallels. */
function boxOf(coordinates: unknown): Box | undefined {
  const rings: readonly unknown[] = Array.isArray(coordinates) ? coordinates : []
  const ring: readonly unknown[] = rings.length === 1 && Array.isArray(rings[0]) ? rings[0] : []
  if (ring.length !== 5) return undefined
  const points = ring.map((one) => positionOf(one, { left: 1 })).filter((one) => one !== undefined)
  const xs = [...new Set(points.map(([x]) => x))].sort((a, b) => a - b)
  const ys = [...new Set(points.map(([, y]) => y))].sort((a, b) => a - b)
  const [west, east, ...moreX] = xs
  const [south, north, ...moreY] = ys
  if (west === undefined || east === undefined || south === undefined || north === undefined)
    return undefined
  if (moreX.length + moreY.length > 0) return undefined
  const isAround = points.every((point, at) => {
    const next = points[at + 1]
    return !next || (point[0] === next[0]) !== (point[1] === next[1])
  })
  return isAround ? [west, south, east, north] : undefined
}

/** `[west, south, east, north]` as numbers or text; `undefined` when it encloses nothing on the globe. */
export function boxFrom(value: unknown): Box | undefined {
  const parts: readonly unknown[] =
    typeof value === 'string' ? value.split(/[\s,;]+/) : Array.isArray(value) ? value.flat() : []
  const numbers = parts.map((one) =>
    typeof one === 'string' && one.trim() !== ''
      ? Number(one)
      : typeof one === 'number'
        ? one
        : Number.NaN,
  )
  const [west, south, east, north] = numbers
  if (numbers.length !== 4 || west === undefined || south === undefined) return undefined
  if (east === undefined || north === undefined || !isPlace(west, south) || !isPlace(east, north))
    return undefined
  return west <= east && south <= north
    ? [plain(west), plain(south), plain(east), plain(north)]
    : undefined
}

/** A box as the polygon around it. */
export function polygonOf([west, south, east, north]: Box): Geometry {
  const ring: readonly Position[] = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ]
  return { wkt: `POLYGON${nested([ring])}`, kind: 'box' }
}
