/** The few elements of GML (OGC 07-036r1) that catalogues use for their areas: Envelope, Point, Polygon. */

import { boxGeometry, geometryOf, type Geometry } from './geometry.ts'
import { axisOrder } from './wkt.ts'

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

function envelope(xml: string, swap: boolean): unknown {
  const corner = (name: string) => pairs(numbersIn(textsOf(xml, name)[0] ?? ''), swap)?.[0] ?? []
  const [west, south] = corner('lowerCorner')
  const [east, north] = corner('upperCorner')
  if (west === undefined || south === undefined || east === undefined || north === undefined)
    return undefined
  return boxGeometry([west, south, east, north])
}

function polygon(xml: string, swap: boolean): unknown {
  const rings = [...textsOf(xml, 'posList'), ...textsOf(xml, 'coordinates')]
  return { type: 'Polygon', coordinates: rings.map((ring) => pairs(numbersIn(ring), swap)) }
}

function point(xml: string, swap: boolean): unknown {
  const [text = ''] = [...textsOf(xml, 'pos'), ...textsOf(xml, 'coordinates')]
  return { type: 'Point', coordinates: pairs(numbersIn(text), swap)?.[0] }
}

const shapes = { Envelope: envelope, Point: point, Polygon: polygon } as const

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
