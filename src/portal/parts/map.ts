/** Maps of areas as SVG: countries of Natural Earth (public domain), projected once for each view. */

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { geoBounds, geoMercator, geoPath, type GeoProjection } from 'd3-geo'
import type { Feature, FeatureCollection, Geometry } from 'geojson'
import { feature } from 'topojson-client'
import { raw } from 'hono/html'
import { html, type HtmlContent } from '../html.ts'
import { listed, memberFields } from '../record.ts'

/** West, south, east, north in degrees. */
type MapBox = readonly [west: number, south: number, east: number, north: number]

type Country = {
  readonly shape: Feature<Geometry, { readonly name: string }>
  readonly box: MapBox
}

const mostPoints = 100_000

/** The box around a geometry of GeoJSON within the world; `undefined` where it has no point in it. */
export function mapBoxOf(geometry: unknown): MapBox | undefined {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity]
  let count = 0
  const queue: unknown[] = [
    memberFields(geometry)['coordinates'],
    ...listed(memberFields(geometry)['geometries']).map((one) => memberFields(one)['coordinates']),
  ]
  for (let value = queue.pop(); value !== undefined && count < mostPoints; value = queue.pop()) {
    if (!Array.isArray(value)) continue
    const [x, y]: unknown[] = value
    if (typeof x !== 'number' || typeof y !== 'number') queue.push(...value.slice(0, mostPoints))
    else if (Math.abs(x) <= 180 && Math.abs(y) <= 90) {
      ;[west, south, east, north] = [
        Math.min(west, x),
        Math.min(south, y),
        Math.max(east, x),
        Math.max(north, y),
      ]
      count += 1
    }
  }
  return count === 0 ? undefined : [west, south, east, north]
}

/** `7.1–8.3° E, 47.4–48.3° N` */
export function boxText([west, south, east, north]: MapBox): string {
  const side = (from: number, to: number, [negative, positive]: readonly [string, string]) => {
    const [a, b] = [from, to].map((one) => Math.round(one * 10) / 10)
    if (from >= 0) return `${a === b ? a : `${a}–${b}`}° ${positive}`
    if (to <= 0)
      return `${a === b ? Math.abs(a ?? 0) : `${Math.abs(a ?? 0)}–${Math.abs(b ?? 0)}`}° ${negative}`
    return `${Math.abs(a ?? 0)}° ${negative} – ${b}° ${positive}`
  }
  return `${side(west, east, ['W', 'E'])}, ${side(south, north, ['S', 'N'])}`
}

const require = createRequire(import.meta.url)
let countries: readonly Country[] | undefined

/** Read at the first map: 756 kB. */
function allCountries(): readonly Country[] {
  if (countries) return countries
  const file = require.resolve('world-atlas/countries-50m.json')
  const topology: Parameters<typeof feature>[0] = JSON.parse(readFileSync(file, 'utf8'))
  const object = topology.objects['countries']
  if (!object) return []
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the package documents
  const { features } = feature(topology, object) as FeatureCollection<Geometry, { name: string }>
  countries = features.map((shape) => {
    const [[west, south], [east, north]] = geoBounds(shape)
    return { shape, box: [west, south, east, north] as const }
  })
  return countries
}

const [kept, mostKept] = [new Map<string, string>(), 500]

type View = { readonly width: number; readonly height: number }

/** A map with areas drawn on it; `label` says in words what it shows. */
export function areaMap(
  boxes: readonly MapBox[],
  label: string,
  { width, height }: View,
): HtmlContent {
  const whole = union(boxes)
  if (!whole) return false
  const view = widened(whole)
  const projection = geoMercator().fitExtent(
    [
      [0, 0],
      [width, height],
    ],
    outline(view),
  )
  const land = landOf(view, { width, height })
  const kind = boxes.length > 1 ? ' many' : ''
  const areas = new Set(boxes.map((box) => outlineOf(box, projection)))
  const marks = [...areas].map((path) => `<path d="${path}"/>`).join('')
  return html`<svg class="map" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
    ${raw(land)}<g class="extent${kind}">${raw(marks)}</g></svg>`
}

/** Least width and height of an area on a map: a point can still be seen. */
const smallest = 5

/** A box in whole pixels: areas that nobody could tell apart are one. */
function outlineOf([west, south, east, north]: MapBox, projection: GeoProjection): string {
  const [left, top] = projection([west, north]) ?? [0, 0]
  const [right, bottom] = projection([east, south]) ?? [0, 0]
  const [w, h] = [right - left, bottom - top].map((size) => Math.max(smallest, Math.round(size)))
  return `M${Math.round(left)} ${Math.round(top)}h${w}v${h}h-${w}z`
}

function union(boxes: readonly MapBox[]): MapBox | undefined {
  if (boxes.length === 0) return undefined
  return [
    Math.min(...boxes.map((one) => one[0])),
    Math.min(...boxes.map((one) => one[1])),
    Math.max(...boxes.map((one) => one[2])),
    Math.max(...boxes.map((one) => one[3])),
  ]
}

/** With room around it, in steps of half a degree, so that similar areas share their map. */
function widened([west, south, east, north]: MapBox): MapBox {
  const across = Math.max(2.6, (east - west) * 0.4)
  const along = Math.max(1.6, (north - south) * 0.4)
  const step = (value: number) => Math.round(value * 2) / 2
  return [
    Math.max(-180, step(west - across)),
    Math.max(-80, step(south - along)),
    Math.min(180, step(east + across)),
    Math.min(84, step(north + along)),
  ]
}

/** Corners only: Mercator keeps them, and no ring can be taken for the rest of the world. */
const outline = ([west, south, east, north]: MapBox): Geometry => ({
  type: 'MultiPoint',
  coordinates: [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
  ],
})

/** Countries in view, with their names where there is room. */
function landOf(view: MapBox, { width, height }: View): string {
  const key = [...view, width, height].join(' ')
  const known = kept.get(key)
  if (known !== undefined) return known
  const projection = geoMercator()
    .fitExtent(
      [
        [0, 0],
        [width, height],
      ],
      outline(view),
    )
    .clipExtent([
      [-4, -4],
      [width + 4, height + 4],
    ])
  const path = geoPath(projection).digits(0)
  const seen = allCountries().filter(({ box }) => meets(box, view))
  const shapes = seen.map(({ shape }) => `<path class="land" d="${coarse(path(shape) ?? '')}"/>`)
  const names = seen.map(({ shape }) => nameOf(shape, path, { width, height }))
  const land = [...shapes, ...names].join('')
  if (kept.size >= mostKept) kept.delete(kept.keys().next().value ?? '')
  kept.set(key, land)
  return land
}

/** Pixels between two points of a coast: nobody sees nearer ones, and a map of the world has a million of them. */
const fineness = 2

/** A path (`M1,2L3,4Z…`) without points that are next to the one before, and without rings of fewer than four. */
const coarse = (path: string): string =>
  path
    .split('M')
    .slice(1)
    .map((ring) => {
      let last = [-Infinity, -Infinity]
      const points = ring.split(/[LZ]/).filter((point) => {
        const [x = 0, y = 0] = point.split(',').map(Number)
        const [a = 0, b = 0] = last
        if (point === '' || Math.abs(x - a) + Math.abs(y - b) <= fineness) return false
        last = [x, y]
        return true
      })
      return points.length < 4 ? '' : `M${points.join('L')}Z`
    })
    .join('')

function meets([west, south, east, north]: MapBox, view: MapBox): boolean {
  const crosses = west > east
  return south <= view[3] && north >= view[1] && (crosses || (west <= view[2] && east >= view[0]))
}

function nameOf(
  shape: Country['shape'],
  path: ReturnType<typeof geoPath>,
  { width, height }: View,
): string {
  const [x, y] = path.centroid(shape)
  const room = path.area(shape) > (width * height) / 60
  if (!room || !(x > 30 && x < width - 30 && y > 15 && y < height - 10)) return ''
  const name = shape.properties.name.replaceAll(/[<>&"]/g, '')
  return `<text x="${Math.round(x)}" y="${Math.round(y)}">${name}</text>`
}
