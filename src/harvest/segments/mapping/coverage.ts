/** What a dataset is about in space and time. */
import { dcat, dct, geosparql, locn, skos, xsd } from '../../../rdf/namespaces.ts'
import { literal } from '../../../rdf/terms.ts'
import { boxFrom, geometryOf, polygonOf, type Geometry } from './geometry.ts'
import type { Subject } from './subject.ts'
import { saidText } from './values/json.ts'

export type PlaceFields = {
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
  const shape = geometryOf(geometry) ?? (box && polygonOf(box))
  if (!shape) for (const one of [geometry, bbox]) subject.lost(dct('spatial'), one)
  const name = typeof label === 'object' ? label : saidText(label)
  if (!shape && (name === undefined || name === null))
    return subject.iri(dct('spatial'), saidText(iri))
  const part = subject.part(dct('spatial'), dct('Location'), saidText(iri))
  if (shape) outline(part, shape)
  return part.text(skos('prefLabel'), name) || shape !== undefined
}

/** One geometry for a place, or the shapes of DCAT-AP refuse the record; always as WKT. */
function outline(part: Subject, { wkt, kind }: Geometry): void {
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
