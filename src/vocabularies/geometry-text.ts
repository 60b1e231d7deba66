/**
 * Reads geometries from text: well-known text (WKT, OGC 06-103r4) with the leading CRS of GeoSPARQL 1.1, 8.5.1, the GML elements
 * (OGC 07-036r1) Envelope, Point and Polygon, GeoJSON, and boxes. Writes WKT.
 */

import { boundedJson } from '../text/json.ts'
import { type BoundingBox, boxGeometry, boxOnGlobe, geometryOf, type Geometry } from './geometry.ts'

/** Name in WKT → type of GeoJSON. */
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

/** Converts the two numbers of a position to longitude and latitude in degrees. */
type ToLonLat = (x: number, y: number) => readonly [number, number]

const lonLat: ToLonLat = (x, y) => [x, y]
const latLon: ToLonLat = (x, y) => [y, x]
/** Radius of the Earth in metres in EPSG 3857. */
const radius = 6_378_137
const degrees = (angle: number): number => (angle * 180) / Math.PI
const mercator: ToLonLat = (x, y) => [
  degrees(x / radius),
  degrees(Math.atan(Math.sinh(y / radius))),
]

/** EPSG code of a coordinate reference system → conversion of its positions; the other systems are not supported. */
const axisOrders = new Map<string, ToLonLat>([
  ['4326', latLon],
  ['4258', latLon],
  ['4979', latLon],
  ['4937', latLon],
  ['3857', mercator],
  ['900913', mercator],
])

/** Conversion for a coordinate reference system; `undefined` for an unknown one. Without a system longitude comes first. */
function axisOrderOf(crs: string | undefined): ToLonLat | undefined {
  if (crs === undefined || /CRS:?84h?$/i.test(crs)) return lonLat
  const [, srid] = /^SRID=(\d+)$/i.exec(crs) ?? []
  const toLonLat = axisOrders.get(srid ?? epsgCode(crs) ?? '')
  // PostGIS writes longitude first in every system.
  return srid !== undefined && toLonLat === latLon ? lonLat : toLonLat
}

const epsgCode = (crs: string) => /EPSG(?:\/[\d.]*\/|:(?:[\d.]*:)?|#)(\d+)$/i.exec(crs)?.[1]

const crsBefore = /^\s*(?:<([^<>]*)>|(SRID=\d+);)?\s*([^]*)$/i
const srsName = /^\s*(?:<\?[^>]*>\s*)?<[^<>]*\bsrsName\s*=\s*["']([^"']*)["']/

/** Coordinate reference system of a WKT or GML text if it is not supported, such as `EPSG:2056`; otherwise `undefined`. */
export function unknownCrs(text: string): string | undefined {
  const [, iri, srid] = crsBefore.exec(text) ?? []
  const crs = srsName.exec(text)?.[1] ?? srid ?? (/^<[a-z]+:/i.test(text.trim()) ? iri : undefined)
  if (crs === undefined || axisOrderOf(crs)) return undefined
  const code = epsgCode(crs) ?? /^SRID=(\d+)$/i.exec(crs)?.[1]
  return code === undefined ? crs : `EPSG:${code}`
}

function parseJsonOrUndefined(json: string): unknown {
  try {
    return boundedJson(json)
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}

/** Reads `((1 2, 3 4))` as nested arrays; `undefined` for anything but numbers, commas and parentheses. */
function coordinatesOf(body: string, toLonLat: ToLonLat): unknown {
  const pairs = body.replace(position, (_, x: string, y: string) =>
    JSON.stringify(toLonLat(Number(x), Number(y))),
  )
  return parseJsonOrUndefined(pairs.replaceAll('(', '[').replaceAll(')', ']'))
}

/** Splits the members of a collection at its top-level commas. */
function splitMembers(body: string): readonly string[] {
  const parts: string[] = []
  let depth = 0
  let start = 1
  for (let index = 0; index < body.length; index++) {
    const character = body[index]
    if (character === '(') depth++
    else if (character === ')') depth--
    if ((character === ',' && depth === 1) || (character === ')' && depth === 0)) {
      parts.push(body.slice(start, index))
      start = index + 1
    }
  }
  return parts
}

/** Reads the sides of `ENVELOPE(west, east, north, south)`. */
function parseEnvelope(body: string): unknown {
  const [west, east, north, south] = body.slice(1, -1).split(',').map(Number)
  if (west === undefined || east === undefined || north === undefined || south === undefined)
    return undefined
  const isValid = [west, east, north, south].every(Number.isFinite) && south <= north
  return isValid ? boxGeometry([west, south, east, north]) : undefined
}

/** Reads `BOX(west south,east north)`, as PostGIS writes it. */
const parsePostgisBox = (body: string): Geometry | undefined => parseBoxGeometry(body.slice(1, -1))

const firstPosition = (coordinates: unknown) =>
  Array.isArray(coordinates) ? coordinates[0] : undefined

/** Positions of a MultiPoint, whose points may have parentheses of their own. */
const unwrapPoints = (coordinates: unknown) =>
  Array.isArray(coordinates)
    ? coordinates.map((part: unknown) =>
        Array.isArray(part) && Array.isArray(part[0]) ? part[0] : part,
      )
    : undefined

/** Reads WKT as GeoJSON, to be checked by `geometryOf`; collections at most eight levels deep. */
function readWktGeometry(text: string, toLonLat: ToLonLat, depth = 0): unknown {
  const match = /^\s*([A-Za-z]+)\s*(?:\b(?:ZM|Z|M)\b\s*)?(\([^]*\))\s*$/i.exec(text)
  const [, word = '', body = ''] = match ?? []
  const name = word.toUpperCase().replace(/(?<=POINT|STRING|POLYGON|COLLECTION)(?:ZM|Z|M)$/, '')
  if (name === 'ENVELOPE') return parseEnvelope(body)
  if (name === 'BOX') return parsePostgisBox(body)
  if (name === 'GEOMETRYCOLLECTION') {
    const geometries =
      depth < 8 ? splitMembers(body).map((part) => readWktGeometry(part, toLonLat, depth + 1)) : []
    return { type: 'GeometryCollection', geometries }
  }
  const type = types[name]
  if (type === undefined) return undefined
  const coordinates = coordinatesOf(body, toLonLat)
  if (type === 'Point') return { type, coordinates: firstPosition(coordinates) }
  return { type, coordinates: type === 'MultiPoint' ? unwrapPoints(coordinates) : coordinates }
}

/** Geometry of a WKT text; `undefined` for other texts and unsupported coordinate reference systems. */
export function fromWkt(text: string): Geometry | undefined {
  const [, iri, srid, body = ''] = crsBefore.exec(text) ?? []
  const toLonLat = axisOrderOf(iri ?? srid)
  return toLonLat && geometryOf(readWktGeometry(body, toLonLat))
}

/** Coordinates of GeoJSON in WKT. */
const wktCoordinates = (coordinates: unknown): string => {
  const parts: readonly unknown[] = Array.isArray(coordinates) ? coordinates : []
  return typeof parts[0] === 'number'
    ? parts.join(' ')
    : `(${parts.map(wktCoordinates).join(', ')})`
}

/** Writes a geometry as WKT: longitude before latitude, without CRS. */
export const toWkt = (geometry: Geometry): string => {
  if (geometry.type === 'GeometryCollection')
    return `GEOMETRYCOLLECTION(${geometry.geometries.map(toWkt).join(', ')})`
  const body = wktCoordinates(geometry.coordinates)
  return `${geometry.type.toUpperCase()}${geometry.type === 'Point' ? `(${body})` : body}`
}

type Numbers = readonly number[]

/** Texts of the elements with a local name. */
function textsOf(xml: string, name: string): readonly string[] {
  const pattern = new RegExp(`<(?:[A-Za-z][\\w-]*:)?${name}(?:\\s[^<>]*)?>([^<]*)</`, 'g')
  return [...xml.matchAll(pattern)].map(([, text = '']) => text)
}

const numbersIn = (text: string): Numbers =>
  text
    .trim()
    .split(/[\s,]+/)
    .map(Number)

/** Positions of a list of numbers; `undefined` for an odd count or something else than numbers. */
function pairs(numbers: Numbers, toLonLat: ToLonLat): readonly Numbers[] | undefined {
  if (numbers.length < 2 || numbers.length % 2 !== 0 || !numbers.every(Number.isFinite))
    return undefined
  const positions: Numbers[] = []
  for (let index = 0; index < numbers.length; index += 2) {
    const [x = NaN, y = NaN] = numbers.slice(index, index + 2)
    positions.push(toLonLat(x, y))
  }
  return positions
}

function gmlEnvelope(xml: string, toLonLat: ToLonLat): unknown {
  const corner = (name: string) =>
    pairs(numbersIn(textsOf(xml, name)[0] ?? ''), toLonLat)?.[0] ?? []
  const [west, south] = corner('lowerCorner')
  const [east, north] = corner('upperCorner')
  if (west === undefined || south === undefined || east === undefined || north === undefined)
    return undefined
  return boxGeometry([west, south, east, north])
}

function gmlPolygon(xml: string, toLonLat: ToLonLat): unknown {
  const rings = [...textsOf(xml, 'posList'), ...textsOf(xml, 'coordinates')]
  return { type: 'Polygon', coordinates: rings.map((ring) => pairs(numbersIn(ring), toLonLat)) }
}

function gmlPoint(xml: string, toLonLat: ToLonLat): unknown {
  const [text = ''] = [...textsOf(xml, 'pos'), ...textsOf(xml, 'coordinates')]
  return { type: 'Point', coordinates: pairs(numbersIn(text), toLonLat)?.[0] }
}

const gmlReaders = { Envelope: gmlEnvelope, Point: gmlPoint, Polygon: gmlPolygon } as const

/** Geometry of a GML text; `undefined` for other texts and unsupported coordinate reference systems. */
export function fromGml(text: string): Geometry | undefined {
  const root =
    /^\s*(?:<\?[^>]*>\s*)?<(?:[A-Za-z][\w-]*:)?(Envelope|Point|Polygon)(\s[^<>]*)?>/.exec(text)
  const name = root?.[1]
  if (name !== 'Envelope' && name !== 'Point' && name !== 'Polygon') return undefined
  const crs = /\bsrsName\s*=\s*["']([^"']*)["']/.exec(root?.[2] ?? '')?.[1]
  const toLonLat = axisOrderOf(crs)
  return toLonLat && geometryOf(gmlReaders[name](text, toLonLat))
}

const fourNumbers = new RegExp(`^\\s*${number}(?:(?:\\s*[,;]\\s*|\\s+)${number}){3}\\s*$`)

/**
 * Reads a box of four numbers: west, south, east and north; `undefined` for other texts. The box may cross the date line, but a
 * west that is greater than east by less than 180 degrees is a mistake.
 */
export function parseBox(text: string): BoundingBox | undefined {
  if (!fourNumbers.test(text)) return undefined
  const sides = text
    .trim()
    .split(/[\s,;]+/)
    .map(Number)
  const [west = NaN, south = NaN, east = NaN, north = NaN] = sides
  const isSwapped = west > east && west - east < 180
  const areLongitudes = Math.abs(west) <= 180 && Math.abs(east) <= 360 && !isSwapped
  const isBox = areLongitudes && south >= -90 && south <= north && north <= 90
  return isBox ? boxOnGlobe([west, south, east, north]) : undefined
}

/** Reads a box of four numbers as a geometry. */
function parseBoxGeometry(text: string): Geometry | undefined {
  const box = parseBox(text)
  return box && boxGeometry(box)
}

/** Reads a DCMI Box in degrees: `northlimit=-10; southlimit=-20; westlimit=170; eastlimit=-170`. */
function parseDcmiBox(text: string): Geometry | undefined {
  const side = (name: string) =>
    new RegExp(`(?:^|;)\\s*${name}limit\\s*=\\s*(${number})\\s*(?:;|$)`, 'i').exec(text)?.[1]
  return parseBoxGeometry(['west', 'south', 'east', 'north'].map(side).join(' '))
}

/** Reads a geometry in any form: GeoJSON, four numbers, a DCMI Box, GML or WKT; `undefined` for other texts. */
export function geometryIn(text: string): Geometry | undefined {
  const trimmed = text.trim()
  if (trimmed.startsWith('{')) return geometryOf(parseJsonOrUndefined(trimmed))
  const box = parseBoxGeometry(trimmed) ?? parseDcmiBox(trimmed)
  if (box) return box
  const isXml = trimmed.startsWith('<') && !/^<https?:[^<>]*>\s*[A-Za-z]/.test(trimmed)
  return isXml && !trimmed.startsWith('<urn:') ? fromGml(trimmed) : fromWkt(trimmed)
}

/** Beginnings and forms of geometries. */
const geometryPatterns = [
  /^\s*(?:[{<]|SRID=|geometrycollection\b|(?:envelope|box\w{0,2})\s*\()/i,
  /^\s*(?:multi)?(?:point|linestring|polygon)\s*(?:z|m|zm)?\s*(?:\(|empty)/i,
  /(?:north|west)limit\s*=/i,
  // Numbers, with or without directions.
  /^(?=\D*\d)[-+\d.,;:/\s°′″'"NSEWO]+$/i,
]

/** Whether a text is meant as a geometry, even if it is invalid, and not as the name of a place. */
export const looksLikeGeometry = (text: string): boolean =>
  geometryPatterns.some((pattern) => pattern.test(text))
