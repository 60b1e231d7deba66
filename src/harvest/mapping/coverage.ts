/** What a dataset is about in space and time: places with one geometry each, periods, resolutions. */

import { dcat, dct, geosparql, locn, skos } from '../../rdf/namespaces.ts'
import { literal } from '../../rdf/terms.ts'
import { fromWkt, toWkt } from '../../vocabularies/geometry-text.ts'
import {
  type BoundingBox,
  boxGeometry,
  enclosedBox,
  type Geometry,
  strictGeometry,
} from '../../vocabularies/geometry.ts'
import { saidText, structured } from '../../vocabularies/loose-values.ts'
import type { Subject } from './record.ts'

/** A box has sides along meridians and parallels. */
const outlines = { box: dcat('bbox'), point: dcat('centroid'), other: locn('geometry') } as const

type Outline = { readonly wkt: string; readonly kind: keyof typeof outlines }

const wktText =
  /^\s*(?:<[^<>\s]{1,200}>\s*)?(?:MULTI)?(?:POINT|LINESTRING|POLYGON)\s*(?:Z|M|ZM)?\s*\([-+0-9.eE,\s()]{3,500000}\)\s*$/i

function outlineOf(geometry: Geometry): Outline {
  const box = enclosedBox(geometry)
  if (box) return { wkt: toWkt(boxGeometry(box)), kind: 'box' }
  return { wkt: toWkt(geometry), kind: geometry.type === 'Point' ? 'point' : 'other' }
}

/**
 * The outline that a source gives as GeoJSON (object or text), or as WKT, which stays as it is unless it is a plain box; `undefined`
 * for whatever breaks a rule of RFC 7946.
 */
export function outlineFrom(value: unknown): Outline | undefined {
  if (typeof value !== 'string' || !wktText.test(value)) {
    const geometry = strictGeometry(structured(value))
    return geometry && outlineOf(geometry)
  }
  const wkt = value.trim()
  const isForeign = wkt.startsWith('<')
  const geometry = isForeign ? undefined : fromWkt(wkt)
  if (!geometry && !isForeign) return undefined
  if (geometry && enclosedBox(geometry)) return outlineOf(geometry)
  return { wkt, kind: /^(?:<[^<>]*>\s*)?POINT/i.test(wkt) ? 'point' : 'other' }
}

/** `[west, south, east, north]` as numbers or text; `undefined` when it encloses nothing on the globe. */
export function boxFrom(value: unknown): BoundingBox | undefined {
  const parts: readonly unknown[] =
    typeof value === 'string' ? value.split(/[\s,;]+/) : Array.isArray(value) ? value.flat() : []
  const numbers = parts.map((one) => Number(saidText(one)))
  const corner = (at: number) =>
    strictGeometry({ type: 'Point', coordinates: numbers.slice(at, at + 2) })
  const [low, high] = [corner(0), corner(2)]
  if (numbers.length !== 4 || low?.type !== 'Point' || high?.type !== 'Point') return undefined
  const [[west, south], [east, north]] = [low.coordinates, high.coordinates]
  return west <= east && south <= north ? [west, south, east, north] : undefined
}

type PlaceFields = {
  /** GeoJSON, as object or text. */
  readonly geometry?: unknown
  /** `[west, south, east, north]`, as numbers or text. */
  readonly bbox?: unknown
  readonly iri?: unknown
  readonly label?: unknown
}

/**
 * A `dct:spatial`: the IRI alone when nothing else is known, else a `dct:Location` with one geometry, always as WKT (the shapes of
 * DCAT-AP refuse more). A name is its label, never a bare literal.
 */
export function place(subject: Subject, { geometry, bbox, iri, label }: PlaceFields): boolean {
  const box = boxFrom(bbox)
  const outline = outlineFrom(geometry) ?? (box && outlineOf(boxGeometry(box)))
  if (!outline) for (const one of [geometry, bbox]) subject.lost(dct('spatial'), one)
  const name = typeof label === 'object' ? label : saidText(label)
  if (!outline && (name === undefined || name === null))
    return subject.iri(dct('spatial'), saidText(iri))
  const part = subject.part(dct('spatial'), dct('Location'), saidText(iri))
  if (outline) part.add(outlines[outline.kind], literal(outline.wkt, geosparql('wktLiteral')))
  return part.text(skos('prefLabel'), name) || outline !== undefined
}

/** A place told as an IRI, as GeoJSON, as a box or by its name. */
export function placeFrom(subject: Subject, value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return place(subject, { geometry: value })
  const text = saidText(value)
  if (text === undefined) return false
  if (/^https?:\/\/\S+$/.test(text)) return place(subject, { iri: text })
  if (text.startsWith('{')) return place(subject, { geometry: text })
  const isBox = /^\s*-?\d+(?:\.\d+)?(?:\s*,\s*-?\d+(?:\.\d+)?){3}\s*$/.test(text)
  return place(subject, isBox ? { bbox: text.split(',') } : { label: text })
}

type Ends = { readonly start?: unknown; readonly end?: unknown }

/** A `dct:temporal` with the ends that are known. */
export function period(subject: Subject, { start, end }: Ends): boolean {
  if (saidText(start) === undefined && saidText(end) === undefined) return false
  const part = subject.part(dct('temporal'), dct('PeriodOfTime'))
  return [part.date(dcat('startDate'), start), part.date(dcat('endDate'), end)].includes(true)
}

/** A period told as `start/end` (ISO 8601-1, 5.5), or as a single date. */
export function periodFrom(subject: Subject, value: unknown): void {
  const ends = saidText(value)?.split(/\s*(?:\/|\s(?:to|bis|à|until|[-–—])\s)\s*/) ?? []
  const [start, end] = ends.map((part) => (part === '..' ? '' : part))
  period(subject, { start, end })
}
