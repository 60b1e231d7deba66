/** Maps of areas as SVG over the countries of Natural Earth (public domain), whose paths are cached for each view. */

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Literal } from '@rdfjs/types'
import { geoMercator, geoPath, type GeoProjection } from 'd3-geo'
import type { FeatureCollection, MultiPolygon, Polygon } from 'geojson'
import { raw } from 'hono/html'
import { feature } from 'topojson-client'
import { geometryIn } from '../../vocabularies/geometry-text.ts'
import { type BoundingBox, boundsOf, boxesOf, positionsOf } from '../../vocabularies/geometry.ts'
import { BoundedCache } from '../../workers/bounded-cache.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup } from '../html.ts'
import { listed } from '../../text/json.ts'

/** Bounding boxes of GeoJSON geometries; a box across the date line has an east above 180. */
export const areasOf = (geometries: unknown): readonly BoundingBox[] =>
  listed(geometries).flatMap((geometry): readonly BoundingBox[] => {
    const boxes = boxesOf(geometry)
    const [west, east] = [boxes.find((box) => box[2] === 180), boxes.find((box) => box[0] === -180)]
    if (boxes.length !== 2 || !west || !east) return boxes
    return [[west[0], Math.min(west[1], east[1]), east[2] + 360, Math.max(west[3], east[3])]]
  })

/** Bounding box in words: `7.1–8.3° E, 47.4–48.3° N`. */
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

/** Text of a geometry in words; empty for any other literal. */
export const geometryText = (
  context: Pick<PageContext, 't' | 'formats'>,
  { datatype, value }: Literal,
): string =>
  /wktLiteral|geo\+?json/i.test(datatype.value)
    ? areasOf([geometryIn(value)])
        .map((box) => boxText(context, box))
        .join('; ')
    : ''

/** Size of a map in pixels. */
type Size = { readonly width: number; readonly height: number }

const backgrounds = new BoundedCache<HtmlMarkup>('maps', 500)

/** Shape on a map with its positions in degrees. */
type MapShape = {
  readonly kind: 'point' | 'line' | 'area'
  readonly places: readonly (readonly [longitude: number, latitude: number])[]
}

/** Size and content of a map. */
type Drawing = Size & {
  /** Text alternative of the map. */
  readonly label: string
  /** Whether a script may draw the area anew: the map says how degrees become pixels. */
  readonly isEdited?: boolean
  /** Drawn instead of the areas, in a closer view. */
  readonly shapes?: readonly MapShape[]
}

/** Map of areas, or of the shapes in them; nothing without areas. */
export function areaMap(
  context: PageContext,
  areas: readonly BoundingBox[],
  { label, width, height, shapes, isEdited }: Drawing,
): HtmlContent {
  if (areas.length === 0) return false
  const crossesDateLine = areas.some(([, , east]) => east > 180)
  // A view across the date line moves western longitudes to the east of it.
  const boxes = crossesDateLine
    ? areas.map((box): BoundingBox =>
        box[2] < 0 ? [box[0] + 360, box[1], box[2] + 360, box[3]] : box,
      )
    : areas
  const view = viewAround(boxes, shapes ? narrowMargin : wideMargin)
  const outline = { type: 'MultiPoint' as const, coordinates: corners(view) }
  const middle = crossesDateLine ? 180 : 0
  const projection = geoMercator()
    .rotate([-middle, 0])
    .precision(0)
    .fitSize([width, height], outline)
  const key = [...view, width, height, context.language].join()
  const land = backgrounds.get(key) ?? background(context, view, projection, { width, height })
  backgrounds.set(key, land)
  const paths = shapes
    ? shapes.map((shape) => shapePath(shape, projection))
    : boxes.map((box) => boxPath(box, projection))
  const marks = [...new Set(paths)].join('')
  const isMany = paths.length > 1
  const scale = [projection.scale(), ...projection.translate(), middle].join(' ')
  return html`<svg class="map" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}"${isEdited && html` data-scale="${scale}"`}>
    ${land}<g class="extent${isMany && ' many'}">${raw(marks)}</g></svg>`
}

/** Least width and height of an area in pixels, so that points are visible. */
const smallest = 5

/** Path around a box in whole pixels, so that areas that look the same are drawn once. */
function boxPath(box: BoundingBox, projection: GeoProjection): string {
  const pixels = corners(box).map((corner) => (projection(corner) ?? []).map(Math.round))
  const [[left = 0, bottom = 0] = [], [right = 0, top = 0] = []] = pixels
  const [w, h] = [Math.max(smallest, right - left), Math.max(smallest, bottom - top)]
  return `<path d="M${left} ${top}h${w}v${h}h-${w}z"/>`
}

/**
 * Path of a shape in whole pixels. Its positions are projected one by one, because d3 takes a ring with the other direction for
 * the rest of the world.
 */
function shapePath({ kind, places }: MapShape, projection: GeoProjection): string {
  const [[east, north] = [0, 0]] = places
  if (kind === 'point') return boxPath([east, north, east, north], projection)
  const corner = ([x, y]: readonly [number, number]) =>
    (projection([x, latitude(y)]) ?? []).map(Math.round).join(' ')
  const line = `M${places.map(corner).join('L')}`
  return kind === 'area' ? `<path d="${line}z"/>` : `<path class="line" d="${line}"/>`
}

/** Limits a latitude to the range that the Mercator projection can show. */
const latitude = (degrees: number): number => Math.max(-80, Math.min(84, degrees))

/** South-western and north-eastern corner of a box; two points cannot be taken for a ring around the rest of the world. */
const corners = ([west, south, east, north]: BoundingBox): [number, number][] => [
  [west, latitude(south)],
  [east, latitude(north)],
]

/**
 * Least margins around the drawn area in degrees, and steps per degree to which the view is rounded, so that similar areas share
 * a background.
 */
type Margin = { readonly across: number; readonly along: number; readonly steps: number }
const wideMargin: Margin = { across: 2.6, along: 1.6, steps: 2 }
const narrowMargin: Margin = { across: 0.1, along: 0.06, steps: 20 }

/** View around boxes with margins. */
function viewAround(boxes: readonly BoundingBox[], margin: Margin): BoundingBox {
  const [west, south, east, north] = boundsOf(boxes.flatMap(corners))
  const across = Math.max(margin.across, (east - west) * 0.4)
  const along = Math.max(margin.along, (north - south) * 0.4)
  const sides = [west - across, south - along, east + across, north + along]
  const [left = 0, bottom = 0, right = 0, top = 0] = sides.map(
    (side) => Math.round(side * margin.steps) / margin.steps,
  )
  const middle = east > 180 ? 180 : 0
  return [
    Math.max(middle - 180, left),
    latitude(bottom),
    Math.min(middle + 180, right),
    latitude(top),
  ]
}

/** Land in the view, with names of countries where there is room for them. */
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
  // The name of a country is on its largest part.
  const named = [...new Map(large.map((part) => [part.name, part])).values()]
  const names = named.map(({ id, name, shape }) => {
    const [x = 0, y = 0] = path.centroid(shape).map(Math.round)
    const isInside = x > 30 && x < width - 30 && y > 15 && y < height - 10
    const label = id === undefined ? name : formats.countryName(String(id))
    return isInside && html`<text x="${x}" y="${y}">${label}</text>`
  })
  return html`${raw(`<path class="land" d="${land ?? ''}"/>`)}${names}`
}

/** Width of a view in degrees up to which the detailed atlas is used; in wider views it would make the page too large. */
const nearView = 25

const atlases = new Map<string, ReturnType<typeof readAtlas>>()
const require = createRequire(import.meta.url)
const atlasFiles = {
  '50m': require.resolve('world-atlas/countries-50m.json'),
  '110m': require.resolve('world-atlas/countries-110m.json'),
}

type Countries = FeatureCollection<Polygon | MultiPolygon, { readonly name: string }>

/** Reads an atlas: the polygons of all countries, each with its bounding box, so that only visible ones are drawn. */
function readAtlas(scale: '50m' | '110m') {
  const text = readFileSync(atlasFiles[scale], 'utf8')
  const topology: Parameters<typeof feature>[0] = JSON.parse(text)
  const object = topology.objects['countries']
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the package documents
  const countries = object && (feature(topology, object) as Countries)
  return (countries?.features ?? []).flatMap(({ id, properties: { name }, geometry }) => {
    const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates
    const code = id === undefined ? undefined : new Intl.Locale(`und-${id}`).region
    return polygons.map((coordinates) => {
      const shape = { type: 'Polygon' as const, coordinates }
      return { id, code, name, shape, box: boundsOf(positionsOf(coordinates)) }
    })
  })
}

/** Polygons of an atlas, which is read at its first use: 756 kB for close views, 108 kB for wide ones. */
function atlas(scale: '50m' | '110m') {
  const parts = atlases.get(scale) ?? readAtlas(scale)
  atlases.set(scale, parts)
  return parts
}

/** Degrees from the largest part of a country beyond which its other parts are not in its box, such as overseas territories. */
const nearParts = 15

/** Box around a country, by its two letters in ISO 3166, to a tenth of a degree; `undefined` for one that the atlas has not. */
export function countryBox(code: string): BoundingBox | undefined {
  const size = ([west, south, east, north]: BoundingBox) => (east - west) * (north - south)
  const boxes = atlas('50m').flatMap((part) => (part.code === code.toUpperCase() ? [part.box] : []))
  const [largest] = boxes.toSorted((a, b) => size(b) - size(a))
  if (!largest) return undefined
  const [left, bottom, right, top] = largest
  const near = boxes.filter(
    (box) =>
      box[0] < right + nearParts &&
      box[2] > left - nearParts &&
      box[1] < top + nearParts &&
      box[3] > bottom - nearParts,
  )
  const [west, south, east, north] = boundsOf(near.flatMap(corners))
  const [down, up] = [Math.floor, Math.ceil].map((round) => (side: number) => round(side * 10) / 10)
  return down && up ? [down(west), down(south), up(east), up(north)] : undefined
}

/** Polygons whose boxes are in the view. */
function partsIn([west, south, east, north]: BoundingBox) {
  return atlas(east - west > nearView ? '110m' : '50m').filter(({ box }) => {
    const isBeside = (turn: number) => box[0] + turn <= east && box[2] + turn >= west
    return (isBeside(0) || isBeside(360)) && box[1] <= north && box[3] >= south
  })
}
