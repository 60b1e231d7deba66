/** Maps of areas as SVG: countries of Natural Earth (public domain), projected once for each view. */

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { geoMercator, type GeoPath, geoPath, type GeoProjection } from 'd3-geo'
import type { FeatureCollection, MultiPolygon, Polygon } from 'geojson'
import { feature } from 'topojson-client'
import { type BoundingBox, boundsOf, positionsOf } from '../../vocabularies/geometry.ts'
import { BoundedCache } from '../../workers/bounded-cache.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup } from '../html.ts'
import { listed } from '../record.ts'

/** The boxes around geometries of GeoJSON; one without a point has none. */
export const boxesOf = (geometries: unknown): readonly BoundingBox[] =>
  listed(geometries)
    .map((geometry) => boundsOf(positionsOf(geometry)))
    .filter(([west, south, east, north]) => west <= east && south <= north)

/** `7.1–8.3° E, 47.4–48.3° N` */
export function boxText([west, south, east, north]: BoundingBox): string {
  const side = (from: number, to: number, negative: string, positive: string) => {
    const [a, b] = [from, to].map((degrees) => Math.abs(Math.round(degrees * 10) / 10))
    if (from < 0 && to > 0) return `${a}° ${negative} – ${b}° ${positive}`
    return `${a === b ? a : `${a}–${b}`}° ${from < 0 ? negative : positive}`
  }
  return `${side(west, east, 'W', 'E')}, ${side(south, north, 'S', 'N')}`
}

/** One area of a country: what lies overseas costs nothing where it is not seen. */
type Part = {
  /** Number in ISO 3166; a few lands in dispute have none. */
  readonly id?: string | number | undefined
  /** In English. */
  readonly name: string
  readonly shape: Polygon
  readonly box: BoundingBox
}

/** Degrees across from which the small atlas is fine enough; the large one would make the page heavy. */
const wideView = 25

const atlases = new Map<string, readonly Part[]>()
const require = createRequire(import.meta.url)

/** Read at the first map that needs it: 756 kB for near views, 108 kB for wide ones. */
function atlas(scale: '50m' | '110m'): readonly Part[] {
  const known = atlases.get(scale)
  if (known) return known
  const file = require.resolve(`world-atlas/countries-${scale}.json`)
  const topology: Parameters<typeof feature>[0] = JSON.parse(readFileSync(file, 'utf8'))
  const object = topology.objects['countries']
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the package documents
  const countries = object && (feature(topology, object) as Countries)
  const parts = (countries?.features ?? []).flatMap(({ id, properties: { name }, geometry }) => {
    const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates
    return polygons.map((coordinates) => {
      const shape = { type: 'Polygon' as const, coordinates }
      return { id, name, shape, box: boundsOf(positionsOf(coordinates)) }
    })
  })
  atlases.set(scale, parts)
  return parts
}

type Countries = FeatureCollection<Polygon | MultiPolygon, { readonly name: string }>

type AreaMap = {
  /** Says in words what the map shows. */
  readonly label: string
  readonly width: number
  readonly height: number
}

/** A map with areas drawn on it. */
export function areaMap(
  { formats }: PageContext,
  boxes: readonly BoundingBox[],
  { label, width, height }: AreaMap,
): HtmlContent {
  if (boxes.length === 0) return false
  const view = widened(boxes)
  const outline = { type: 'MultiPoint' as const, coordinates: corners(view) }
  const projection = geoMercator().precision(0).fitSize([width, height], outline)
  const { land, names } = background(view, projection, { width, height })
  const shown = names.map(({ id, name, x, y }) => {
    const own = id === undefined ? name : formats.countryName(String(id))
    return html`<text x="${x}" y="${y}">${own}</text>`
  })
  const marks = [...new Set(boxes.map((box) => markOf(box, projection)))]
  return html`<svg class="map" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
    <path class="land" d="${land}"/>${shown}<g class="extent${boxes.length > 1 && ' many'}">${marks.map(markup)}</g></svg>`
}

const markup = (mark: string): HtmlMarkup => html`<path d="${mark}"/>`

/** Mercator's world ends before the poles. */
const latitude = (degrees: number): number => Math.max(-80, Math.min(84, degrees))

/** Around all boxes with room beside them, in steps of half a degree, so that similar areas share their map. */
function widened(boxes: readonly BoundingBox[]): BoundingBox {
  const [west, south, east, north] = boundsOf(boxes.flatMap(corners))
  const across = Math.max(2.6, (east - west) * 0.4)
  const along = Math.max(1.6, (north - south) * 0.4)
  const step = (value: number) => Math.round(value * 2) / 2
  return [
    Math.max(-180, step(west - across)),
    latitude(step(south - along)),
    Math.min(180, step(east + across)),
    latitude(step(north + along)),
  ]
}

/** South-west and north-east alone: no ring can be taken for the rest of the world. */
const corners = ([west, south, east, north]: BoundingBox): [number, number][] => [
  [west, latitude(south)],
  [east, latitude(north)],
]

/** Least width and height of an area on a map: a point can still be seen. */
const smallest = 5

/** A box in whole pixels: areas that nobody could tell apart are one. */
function markOf([west, south, east, north]: BoundingBox, projection: GeoProjection): string {
  const [left, top] = projection([west, latitude(north)]) ?? [0, 0]
  const [right, bottom] = projection([east, latitude(south)]) ?? [0, 0]
  const [w, h] = [right - left, bottom - top].map((size) => Math.max(smallest, Math.round(size)))
  return `M${Math.round(left)} ${Math.round(top)}h${w}v${h}h-${w}z`
}

type Name = Pick<Part, 'id' | 'name'> & { readonly x: number; readonly y: number }
type Background = { readonly land: string; readonly names: readonly Name[] }
type Size = Pick<AreaMap, 'width' | 'height'>

const kept = new BoundedCache<Background>('maps', 500)

/** The land in view, and where names of countries have room in it. */
function background(view: BoundingBox, projection: GeoProjection, size: Size): Background {
  const key = [...view, size.width, size.height].join(' ')
  const known = kept.get(key)
  if (known) return known
  const [west, south, east, north] = view
  const seen = atlas(east - west > wideView ? '110m' : '50m').filter(
    ({ box }) => box[0] <= east && box[2] >= west && box[1] <= north && box[3] >= south,
  )
  const edge = 4
  projection.clipExtent([
    [-edge, -edge],
    [size.width + edge, size.height + edge],
  ])
  const path = geoPath(projection).digits(0)
  const geometries = seen.map(({ shape }) => shape)
  const land = path({ type: 'GeometryCollection', geometries }) ?? ''
  const made = { land, names: namesIn(seen, path, size) }
  kept.set(key, made)
  return made
}

/** One name for each country, in the largest of its parts, where it is not too near to an edge. */
function namesIn(seen: readonly Part[], path: GeoPath, { width, height }: Size): readonly Name[] {
  const large = seen
    .map((part) => ({ ...part, area: path.area(part.shape) }))
    .filter(({ area }) => area > (width * height) / 60)
    .toSorted((a, b) => a.area - b.area)
  const byCountry = new Map(large.map((part) => [part.name, part]))
  return [...byCountry.values()].flatMap(({ id, name, shape }) => {
    const [x = 0, y = 0] = path.centroid(shape).map(Math.round)
    const isInside = x > 30 && x < width - 30 && y > 15 && y < height - 10
    return isInside ? [{ id, name, x, y }] : []
  })
}
