/** What a dataset is about in space and time: places with one geometry each, periods, resolutions. */

import { dcat, dct, geosparql, locn, skos, xsd } from '../../rdf/namespaces.ts'
import { literal, namedNode } from '../../rdf/terms.ts'
import { fromWkt, toWkt } from '../../vocabularies/geometry-text.ts'
import {
  type BoundingBox,
  boxGeometry,
  enclosedBox,
  type Geometry,
  strictGeometry,
} from '../../vocabularies/geometry.ts'
import { listOf, saidText, structured } from '../../vocabularies/loose-values.ts'
import { themesOf } from '../../vocabularies/themes.ts'
import type { Subject } from './subject.ts'

type Outline = {
  readonly wkt: string
  /** A box has sides along meridians and parallels. */
  readonly kind: 'box' | 'point' | 'other'
}

const wktText =
  /^\s*(?:<[^<>\s]{1,200}>\s*)?(?:MULTI)?(?:POINT|LINESTRING|POLYGON)\s*(?:Z|M|ZM)?\s*\([-+0-9.eE,\s()]{3,500000}\)\s*$/i

const boxOutline = (box: BoundingBox): Outline => ({ wkt: toWkt(boxGeometry(box)), kind: 'box' })

function outlineOf(geometry: Geometry): Outline {
  const box = enclosedBox(geometry)
  if (box) return boxOutline(box)
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
 * A `dct:spatial`: the IRI alone when nothing else is known, else a `dct:Location`. A name is its label, never a bare
 * literal.
 */
export function place(subject: Subject, { geometry, bbox, iri, label }: PlaceFields): boolean {
  const box = boxFrom(bbox)
  const shape = outlineFrom(geometry) ?? (box && boxOutline(box))
  if (!shape) for (const one of [geometry, bbox]) subject.lost(dct('spatial'), one)
  const name = typeof label === 'object' ? label : saidText(label)
  if (!shape && (name === undefined || name === null))
    return subject.iri(dct('spatial'), saidText(iri))
  const part = subject.part(dct('spatial'), dct('Location'), saidText(iri))
  if (shape) outline(part, shape)
  return part.text(skos('prefLabel'), name) || shape !== undefined
}

/** One geometry for a place, or the shapes of DCAT-AP refuse the record; always as WKT. */
function outline(part: Subject, { wkt, kind }: Outline): void {
  part.add(outlines[kind], literal(wkt, geosparql('wktLiteral')))
}

const outlines = { box: dcat('bbox'), point: dcat('centroid'), other: locn('geometry') } as const

/** A `dct:temporal` with the ends that are known. */
export function period(
  subject: Subject,
  { start, end }: { start?: unknown; end?: unknown },
): boolean {
  if (saidText(start) === undefined && saidText(end) === undefined) return false
  const part = subject.part(dct('temporal'), dct('PeriodOfTime'))
  const said = [part.date(dcat('startDate'), start), part.date(dcat('endDate'), end)]
  return said.includes(true)
}

/** An ISO 8601 duration as `dcat:temporalResolution`; nothing for what is none. */
export function resolution(subject: Subject, value: unknown): boolean {
  const text = saidText(value)
  const isDuration =
    text !== undefined &&
    /^P(?=.)(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=.)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?$/.test(text)
  if (!isDuration) return subject.lost(dcat('temporalResolution'), value)
  return subject.literal(dcat('temporalResolution'), text, xsd('duration'))
}

/** Metres as `dcat:spatialResolutionInMeters`. */
export function metres(subject: Subject, value: unknown): boolean {
  const text = saidText(value)
  const property = dcat('spatialResolutionInMeters')
  return text !== undefined && /^\d{1,12}(?:\.\d{1,12})?$/.test(text)
    ? subject.literal(property, text, xsd('decimal'))
    : subject.lost(property, value)
}

// What the mappings of several platforms say of a dataset in the same words.

/** `dcat:theme` for labels that mean a theme of the authority, and for IRIs; the others become keywords. */
export function themesOrKeywords(subject: Subject, labels: unknown): void {
  for (const label of listOf(labels)) {
    const themes = themesOf(label, subject.record.options.authorities)
    for (const theme of themes) subject.add(dcat('theme'), namedNode(theme))
    if (themes.length > 0) continue
    const iri = /^https?:\/\//.test(saidText(label) ?? '') ? saidText(label) : undefined
    if (subject.iri(dcat('theme'), iri)) subject.record.note('unknown-theme', iri ?? '')
    else subject.text(dcat('keyword'), label)
  }
}

/** A place told as an IRI, as GeoJSON or by its name. */
export function placeFrom(subject: Subject, value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return place(subject, { geometry: value })
  const text = saidText(value)
  if (text === undefined) return false
  if (/^https?:\/\/\S+$/.test(text)) return place(subject, { iri: text })
  if (text.startsWith('{')) return place(subject, { geometry: text })
  const numbers = text.split(',').map((part) => part.trim())
  const isBox = numbers.length === 4 && numbers.every((part) => /^-?\d+(?:\.\d+)?$/.test(part))
  return isBox ? place(subject, { bbox: numbers }) : place(subject, { label: text })
}

/** A period told as `start/end` (ISO 8601-1, 5.5), or as a single date. */
export function periodFrom(subject: Subject, value: unknown): boolean {
  const text = saidText(value)
  if (text === undefined) return false
  const [start = '', end = ''] = text.split(/\s*(?:\/|\s(?:to|bis|à|until|[-–—])\s)\s*/)
  const ends = [start, end].map((part) => (part === '..' ? '' : part))
  return period(subject, { start: ends[0], end: ends[1] })
}

type Service = { readonly title: string; readonly endpoint: string }

/** The service through which a distribution can be queried (`dcat:accessService`). */
export function accessService(distribution: Subject | undefined, service: Service): void {
  const part = distribution?.part(dcat('accessService'), dcat('DataService'))
  part?.text(dct('title'), service.title, { language: '' })
  part?.link(dcat('endpointURL'), service.endpoint)
}
