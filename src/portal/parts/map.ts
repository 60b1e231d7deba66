/** Maps of areas as SVG: countries of Natural Earth (public domain), projected once for each view. */

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { geoMercator, geoPath, type GeoProjection } from 'd3-geo'
import type { FeatureCollection, MultiPolygon, Polygon } from 'geojson'
import { raw } from 'hono/html'
import { feature } from 'topojson-client'
import { type BoundingBox, boundsOf, boxesOf, positionsOf } from '../../vocabularies/geometry.ts'
import { BoundedCache } from '../../workers/bounded-cache.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup } from '../html.ts'
import { listed } from '../../text/json.ts'

/** The boxes around geometries of GeoJSON; one that goes over the date line ends east of 180. */
export const areasOf = (geometries: unknown): readonly BoundingBox[] =>
  listed(geometries).flatMap((geometry): readonly BoundingBox[] => {
    const boxes = boxesOf(geometry)
    const [west, east] = [boxes.find((one) => one[2] === 180), boxes.find((one) => one[0] === -180)]
    if (boxes.length !== 2 || !west || !east) return boxes
    return [[west[0], Math.min(west[1], east[1]), east[2] + 360, Math.max(west[3], east[3])]]
  })

/** `7.1–8.3° E, 47.4–48.3° N` */
export function boxText(
  { t, formats }: Pick<PageContext, 't' | 'formats'>,
  [west, south, east, north]: BoundingBox,
): string {
  const side = (from: number, to: number, negative: string, positive: string) => {
    const [a, b] = [from, to].map((degrees) =>
      formats.number(Math.abs(Math.round(degrees * 10) / 10)),
    )
    if (to > 180)
      return `${a}° ${t(positive)} – ${formats.number(Math.round((360 - to) * 10) / 10)}° ${t(negative)}`
    if (from < 0 && to > 0) return `${a}° ${t(negative)} – ${b}° ${t(positive)}`
    return `${a === b ? a : `${a}–${b}`}° ${t(from < 0 ? negative : positive)}`
  }
  return `${side(west, east, 'west', 'east')}, ${side(south, north, 'south', 'north')}`
}

type Size = { readonly width: number; readonly height: number }

const backgrounds = new BoundedCache<HtmlMarkup>('maps', 500)

/** Something on a map, in degrees. */
type MapShape = {
  readonly kind: 'point' | 'line' | 'area'
  readonly places: readonly (readonly [longitude: number, latitude: number])[]
}

type Drawing = Size & {
  /** What the map shows, in words. */
  readonly label: string
  /** Drawn in the place of the areas, in a nearer view. */
  readonly shapes?: readonly MapShape[]
}

/** A map with areas drawn on it, or with the shapes in them. */
export function areaMap(
  context: PageContext,
  areas: readonly BoundingBox[],
  { label, width, height, shapes }: Drawing,
): HtmlContent {
  if (areas.length === 0) return false
  const isOver = areas.some(([, , east]) => east > 180)
  // Around the date line, all of the west lies east of it.
  const boxes = isOver
    ? areas.map((one): BoundingBox =>
        one[2] < 0 ? [one[0] + 360, one[1], one[2] + 360, one[3]] : one,
      )
    : areas
  const view = viewAround(boxes, shapes ? narrowMargin : wideMargin)
  const outline = { type: 'MultiPoint' as const, coordinates: corners(view) }
  const middle = isOver ? 180 : 0
  const projection = geoMercator()
    .rotate([-middle, 0])
    .precision(0)
    .fitSize([width, height], outline)
  const key = [...view, width, height, context.language].join()
  const land = backgrounds.get(key) ?? background(context, view, projection, { width, height })
  backgrounds.set(key, land)
  const drawn = shapes
    ? shapes.map((shape) => shapePath(shape, projection))
    : boxes.map((box) => boxPath(box, projection))
  const marks = [...new Set(drawn)].join('')
  const isMany = drawn.length > 1
  return html`<svg class="map" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
    ${land}<g class="extent${isMany && ' many'}">${raw(marks)}</g></svg>`
}

/** Least width and height of an area on a map: a point can still be seen. */
const smallest = 5

/** A path around a box in whole pixels: areas that nobody could tell apart are one. */
function boxPath(box: BoundingBox, projection: GeoProjection): string {
  const pixels = corners(box).map((corner) => (projection(corner) ?? []).map(Math.round))
  const [[left = 0, bottom = 0] = [], [right = 0, top = 0] = []] = pixels
  const [w, h] = [Math.max(smallest, right - left), Math.max(smallest, bottom - top)]
  return `<path d="M${left} ${top}h${w}v${h}h-${w}z"/>`
}

/** A path in whole pixels. Rings are projected corner by corner: d3 takes one that runs the other way for the rest of the world. */
function shapePath({ kind, places }: MapShape, projection: GeoProjection): string {
  const [[east, north] = [0, 0]] = places
  if (kind === 'point') return boxPath([east, north, east, north], projection)
  const corner = ([x, y]: readonly [number, number]) =>
    (projection([x, latitude(y)]) ?? []).map(Math.round).join(' ')
  const line = `M${places.map(corner).join('L')}`
  return kind === 'area' ? `<path d="${line}z"/>` : `<path class="line" d="${line}"/>`
}

/** Mercator's world ends before the poles. */
const latitude = (degrees: number): number => Math.max(-80, Math.min(84, degrees))

/** South-west and north-east alone: no ring can be taken for the rest of the world. */
const corners = ([west, south, east, north]: BoundingBox): [number, number][] => [
  [west, latitude(south)],
  [east, latitude(north)],
]

/** Room beside what is drawn, in degrees, and how many steps a degree has: similar areas share their map. */
type Margin = { readonly across: number; readonly along: number; readonly steps: number }
const wideMargin: Margin = { across: 2.6, along: 1.6, steps: 2 }
const narrowMargin: Margin = { across: 0.1, along: 0.06, steps: 20 }

/** Around all boxes with room beside them. */
function viewAround(boxes: readonly BoundingBox[], room: Margin): BoundingBox {
  const [west, south, east, north] = boundsOf(boxes.flatMap(corners))
  const across = Math.max(room.across, (east - west) * 0.4)
  const along = Math.max(room.along, (north - south) * 0.4)
  const sides = [west - across, south - along, east + across, north + along]
  const [left = 0, bottom = 0, right = 0, top = 0] = sides.map(
    (side) => Math.round(side * room.steps) / room.steps,
  )
  const middle = east > 180 ? 180 : 0
  return [
    Math.max(middle - 180, left),
    latitude(bottom),
    Math.min(middle + 180, right),
    latitude(top),
  ]
}

/** The land in view, and where names of countries have room in it. */
function background(
  { formats }: PageContext,
  view: BoundingBox,
  projection: GeoProjection,
  { width, height }: Size,
): HtmlMarkup {
  const beyond = 4
  projection.clipExtent([
    [-beyond, -beyond],
    [width + beyond, height + beyond],
  ])
  const path = geoPath(projection).digits(0)
  const parts = partsIn(view)
  const land = path({ type: 'GeometryCollection', geometries: parts.map(({ shape }) => shape) })
  const large = parts
    .map((part) => ({ ...part, area: path.area(part.shape) }))
    .filter(({ area }) => area > (width * height) / 60)
    .toSorted((a, b) => a.area - b.area)
  // The largest part of a country has its name.
  const named = [...new Map(large.map((part) => [part.name, part])).values()]
  const names = named.map(({ id, name, shape }) => {
    const [x = 0, y = 0] = path.centroid(shape).map(Math.round)
    const isInside = x > 30 && x < width - 30 && y > 15 && y < height - 10
    const own = id === undefined ? name : formats.countryName(String(id))
    return isInside && html`<text x="${x}" y="${y}">${own}</text>`
  })
  return html`${raw(`<path class="land" d="${land ?? ''}"/>`)}${names}`
}

/** Degrees across up to which the large atlas is read: it would make the page of a wider view heavy. */
const nearView = 25

const atlases = new Map<string, ReturnType<typeof readAtlas>>()
const require = createRequire(import.meta.url)
const atlasFiles = {
  '50m': require.resolve('world-atlas/countries-50m.json'),
  '110m': require.resolve('world-atlas/countries-110m.json'),
}

type Countries = FeatureCollection<Polygon | MultiPolygon, { readonly name: string }>

/** The parts of all countries, each with its box: what lies overseas costs nothing where it is not seen. */
function readAtlas(scale: '50m' | '110m') {
  const text = readFileSync(atlasFiles[scale], 'utf8')
  const topology: Parameters<typeof feature>[0] = JSON.parse(text)
  const object = topology.objects['countries']
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the package documents
  const countries = object && (feature(topology, object) as Countries)
  return (countries?.features ?? []).flatMap(({ id, properties: { name }, geometry }) => {
    const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates
    return polygons.map((coordinates) => {
      const shape = { type: 'Polygon' as const, coordinates }
      return { id, name, shape, box: boundsOf(positionsOf(coordinates)) }
    })
  })
}

/** What may be seen of the world; 756 kB are read at the first near view, 108 kB at the first wide one. */
function partsIn([west, south, east, north]: BoundingBox) {
  const scale = east - west > nearView ? '110m' : '50m'
  const parts = atlases.get(scale) ?? readAtlas(scale)
  atlases.set(scale, parts)
  return parts.filter(({ box }) => {
    const isBeside = (turn: number) => box[0] + turn <= east && box[2] + turn >= west
    return (isBeside(0) || isBeside(360)) && box[1] <= north && box[3] >= south
  })
}
