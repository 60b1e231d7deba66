/**
 * Geometries as text: well-known text (OGC 06-103r4) with the leading CRS of GeoSPARQL 1.1, 8.5.1, and the few elements of GML
 * (OGC 07-036r1) that catalogues use for their areas: Envelope, Point, Polygon.
 */

import { boxGeometry, geometryOf, type Geometry } from './geometry.ts'

const types: Readonly<Record<string, string>> = {
  POINT: 'Point',
  MULTIPOINT: 'MultiPoint',
  LINESTRING: 'LineString',
  MULTILINESTRING: 'MultiLineString',
  POLYGON: 'Polygon',
  MULTIPOLYGON: 'MultiPolygon',
}

const number = String.raw`[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?`
const position = new RegExp(`(${number})\\s+(${number})(?:\\s+${number}){0,2}`, 'g')

/** Coordinate reference systems by axis order; others are not understood. */
function axisOrder(crs: string): 'lon-lat' | 'lat-lon' | undefined {
  if (/CRS:?84$/i.test(crs)) return 'lon-lat'
  return /EPSG(?:\/[\d.]*\/|:+[\d.]*:*)4326$/i.test(crs) ? 'lat-lon' : undefined
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}

/** `((1 2, 3 4))` as nested arrays; `undefined` for anything but numbers, commas and brackets. */
function coordinatesOf(body: string, swap: boolean): unknown {
  const pairs = body.replace(position, (_, x: string, y: string) =>
    swap ? `[${Number(y)},${Number(x)}]` : `[${Number(x)},${Number(y)}]`,
  )
  return parsed(pairs.replaceAll('(', '[').replaceAll(')', ']'))
}

function members(body: string): readonly string[] {
  const parts: string[] = []
  let depth = 0
  let start = 1
  for (let at = 0; at < body.length; at++) {
    const character = body[at]
    if (character === '(') depth++
    else if (character === ')') depth--
    if ((character === ',' && depth === 1) || (character === ')' && depth === 0)) {
      parts.push(body.slice(start, at))
      start = at + 1
    }
  }
  return parts
}

function envelope(body: string): unknown {
  const [west, east, north, south] = body.slice(1, -1).split(',').map(Number)
  if (west === undefined || east === undefined || north === undefined || south === undefined)
    return undefined
  const isValid = [west, east, north, south].every(Number.isFinite) && south <= north
  return isValid ? boxGeometry([west, south, east, north]) : undefined
}

const unwrapped = (coordinates: unknown) =>
  Array.isArray(coordinates) ? coordinates[0] : undefined

const flattened = (coordinates: unknown) =>
  Array.isArray(coordinates)
    ? coordinates.map((part: unknown) =>
        Array.isArray(part) && Array.isArray(part[0]) ? part[0] : part,
      )
    : undefined

function shapeOf(text: string, swap: boolean, depth = 0): unknown {
  const match = /^\s*([A-Za-z]+)\s*(?:\b(?:ZM|Z|M)\b\s*)?(\([^]*\))\s*$/i.exec(text)
  const [, word = '', body = ''] = match ?? []
  const name = word.toUpperCase().replace(/(?<=POINT|STRING|POLYGON|COLLECTION)(?:ZM|Z|M)$/, '')
  if (name === 'ENVELOPE') return envelope(body)
  if (name === 'GEOMETRYCOLLECTION') {
    const geometries = depth < 8 ? members(body).map((part) => shapeOf(part, swap, depth + 1)) : []
    return { type: 'GeometryCollection', geometries }
  }
  const type = types[name]
  if (type === undefined) return undefined
  const coordinates = coordinatesOf(body, swap)
  if (type === 'Point') return { type, coordinates: unwrapped(coordinates) }
  return { type, coordinates: type === 'MultiPoint' ? flattened(coordinates) : coordinates }
}

/** The geometry of a WKT text; `undefined` when it is none or in a foreign coordinate system. */
export function fromWkt(text: string): Geometry | undefined {
  const [, crs, body = ''] = /^\s*(?:<([^<>]*)>|SRID=4326;)?\s*([^]*)$/i.exec(text) ?? []
  const axes = crs === undefined ? 'lon-lat' : axisOrder(crs)
  return axes && geometryOf(shapeOf(body, axes === 'lat-lon'))
}

const written = (coordinates: unknown): string => {
  const parts: readonly unknown[] = Array.isArray(coordinates) ? coordinates : []
  return typeof parts[0] === 'number' ? parts.join(' ') : `(${parts.map(written).join(', ')})`
}

/** A geometry as WKT: longitude before latitude, no CRS. */
export const toWkt = (geometry: Geometry): string => {
  if (geometry.type === 'GeometryCollection')
    return `GEOMETRYCOLLECTION(${geometry.geometries.map(toWkt).join(', ')})`
  const body = written(geometry.coordinates)
  return `${geometry.type.toUpperCase()}${geometry.type === 'Point' ? `(${body})` : body}`
}

type Numbers = readonly number[]

/** Text of every element with that local name. */
function textsOf(xml: string, name: string): readonly string[] {
  const pattern = new RegExp(`<(?:[A-Za-z][\\w-]*:)?${name}(?:\\s[^<>]*)?>([^<]*)</`, 'g')
  return [...xml.matchAll(pattern)].map(([, text = '']) => text)
}

const numbersIn = (text: string): Numbers =>
  text
    .trim()
    .split(/[\s,]+/)
    .map(Number)

function pairs(numbers: Numbers, swap: boolean): readonly Numbers[] | undefined {
  if (numbers.length < 2 || numbers.length % 2 !== 0 || !numbers.every(Number.isFinite))
    return undefined
  const found: Numbers[] = []
  for (let at = 0; at < numbers.length; at += 2) {
    const pair = numbers.slice(at, at + 2)
    found.push(swap ? pair.toReversed() : pair)
  }
  return found
}

function gmlEnvelope(xml: string, swap: boolean): unknown {
  const corner = (name: string) => pairs(numbersIn(textsOf(xml, name)[0] ?? ''), swap)?.[0] ?? []
  const [west, south] = corner('lowerCorner')
  const [east, north] = corner('upperCorner')
  if (west === undefined || south === undefined || east === undefined || north === undefined)
    return undefined
  return boxGeometry([west, south, east, north])
}

function gmlPolygon(xml: string, swap: boolean): unknown {
  const rings = [...textsOf(xml, 'posList'), ...textsOf(xml, 'coordinates')]
  return { type: 'Polygon', coordinates: rings.map((ring) => pairs(numbersIn(ring), swap)) }
}

function gmlPoint(xml: string, swap: boolean): unknown {
  const [text = ''] = [...textsOf(xml, 'pos'), ...textsOf(xml, 'coordinates')]
  return { type: 'Point', coordinates: pairs(numbersIn(text), swap)?.[0] }
}

const shapes = { Envelope: gmlEnvelope, Point: gmlPoint, Polygon: gmlPolygon } as const

/** The geometry of a GML text; `undefined` when it is none or in a foreign coordinate system. */
export function fromGml(text: string): Geometry | undefined {
  const root =
    /^\s*(?:<\?[^>]*>\s*)?<(?:[A-Za-z][\w-]*:)?(Envelope|Point|Polygon)(\s[^<>]*)?>/.exec(text)
  const name = root?.[1]
  if (name !== 'Envelope' && name !== 'Point' && name !== 'Polygon') return undefined
  const crs = /\bsrsName\s*=\s*["']([^"']*)["']/.exec(root?.[2] ?? '')?.[1]
  const axes = crs === undefined ? 'lon-lat' : axisOrder(crs)
  return axes && geometryOf(shapes[name](text, axes === 'lat-lon'))
}
