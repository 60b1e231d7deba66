/** Writes nested nodes of datasets: agents, contacts, places, periods. */

import type { NamedNode } from '@rdfjs/types'
import { dcat, dct, foaf, geosparql, locn, org, rdf, skos, vcard } from '../../rdf/namespaces.ts'
import { literal } from '../../rdf/terms.ts'
import type { Fields } from '../../text/json.ts'
import { conceptIri } from '../../vocabularies/authorities.ts'
import {
  parseBox,
  fromWkt,
  geometryIn,
  looksLikeGeometry,
  toWkt,
} from '../../vocabularies/geometry-text.ts'
import {
  type BoundingBox,
  boxGeometry,
  enclosedBox,
  type Geometry,
  strictGeometry,
} from '../../vocabularies/geometry.ts'
import { meaningfulText, parseEmbeddedJson } from '../../vocabularies/loose-values.ts'
import { periodEnds } from '../../vocabularies/periods.ts'
import { nameOf } from './addresses.ts'
import type { Subject } from './record.ts'

// Agents and contacts.

/** Values of an agent as given by the source. */
export type AgentFields = {
  /** Text, or texts by language. */
  readonly name?: unknown
  readonly iri?: unknown
  readonly email?: unknown
  readonly url?: unknown
  /** Publisher type (ADMS): IRI or label. */
  readonly type?: unknown
  readonly identifier?: unknown
  readonly isPerson?: boolean
  /** Parent organisations. */
  readonly parents?: readonly AgentFields[]
}

const hasValue = (value: unknown) =>
  typeof value === 'object' ? value !== null : meaningfulText(value) !== undefined

/** Whether an agent can be written: it has a name or an IRI. */
export const isNamed = ({ name, iri }: AgentFields): boolean =>
  hasValue(name) || meaningfulText(iri) !== undefined

/** Writes an agent and returns its node, which has no type if only its IRI is known; `undefined` without name and IRI. */
export function writeAgent(
  subject: Subject,
  predicate: NamedNode,
  fields: AgentFields,
): Subject | undefined {
  const { name, iri, email, url, type, identifier, isPerson, parents } = fields
  if (!isNamed(fields)) return undefined
  const part = subject.part(predicate, undefined, meaningfulText(iri))
  const kind = conceptIri('publisherType', type, subject.record.options.authorities)
  if (kind === undefined) part.noteLoss(dct('type'), type)
  const results = [
    part.text(foaf('name'), name),
    part.contactLink(foaf('mbox'), email, 'mail'),
    part.link(foaf('homepage'), url),
    part.literal(dct('identifier'), identifier),
    part.iri(dct('type'), kind),
  ]
  if (results.includes(true))
    part.add(rdf('type'), foaf(isPerson === true ? 'Person' : 'Organization'))
  for (const parent of parents ?? []) writeAgent(part, org('subOrganizationOf'), parent)
  return part
}

/** Values of a contact as given by the source. */
export type ContactFields = {
  readonly name?: unknown
  readonly iri?: unknown
  readonly email?: unknown
  readonly phone?: unknown
  /** A web form or page. */
  readonly url?: unknown
  readonly organization?: unknown
  /** Position of a person. */
  readonly title?: unknown
  /** vCard addresses: `street-address`, `locality`, `region`, `postal-code`, `country-name`. */
  readonly addresses?: readonly Fields[]
}

const addressParts = 'street-address locality region postal-code country-name'.split(' ')

/** Whether a contact has any value. */
export const isContact = ({ iri, email, phone, url, ...names }: ContactFields): boolean =>
  [iri, email, phone, url].some((value) => meaningfulText(value) !== undefined) ||
  [names.name, names.organization, names.title].some(hasValue)

/** Writes a contact, if it has any value. */
export function writeContact(subject: Subject, predicate: NamedNode, fields: ContactFields): void {
  if (!isContact(fields)) return
  const part = subject.part(predicate, vcard('Kind'), meaningfulText(fields.iri))
  for (const address of fields.addresses ?? []) {
    const place = part.part(vcard('hasAddress'), vcard('Address'))
    for (const partName of addressParts) place.literal(vcard(partName), address[partName])
  }
  part.text(vcard('organization-name'), fields.organization)
  part.text(vcard('title'), fields.title)
  part.text(vcard('fn'), fields.name)
  part.contactLink(vcard('hasEmail'), fields.email, 'mail')
  part.contactLink(vcard('hasTelephone'), fields.phone, 'telephone')
  part.link(vcard('hasURL'), fields.url)
}

// Places and periods.

/** Properties of a `dct:Location` by kind of outline; a box has sides along meridians and parallels. */
const outlinePredicates = {
  box: dcat('bbox'),
  point: dcat('centroid'),
  other: locn('geometry'),
} as const

type Outline = { readonly wkt: string; readonly kind: keyof typeof outlinePredicates }

const wktText =
  /^\s*(?:<[^<>\s]{1,200}>\s*)?(?:MULTI)?(?:POINT|LINESTRING|POLYGON)\s*(?:Z|M|ZM)?\s*\([-+0-9.eE,\s()]{3,500000}\)\s*$/i

/** Text and kind of a geometry; a box over the date line is a geometry of two halves. */
function outlineOf(geometry: Geometry): Outline {
  const box = enclosedBox(geometry)
  const outline = box ? boxGeometry(box) : geometry
  const kind =
    box && outline.type === 'Polygon' ? 'box' : outline.type === 'Point' ? 'point' : 'other'
  return { wkt: toWkt(outline), kind }
}

/**
 * Parses a geometry given as GeoJSON (object or text; `undefined` if it violates RFC 7946), as WKT (unchanged unless it is a
 * box), or in another notation.
 */
export function outlineFrom(value: unknown): Outline | undefined {
  if (typeof value !== 'string' || !wktText.test(value)) {
    const isJson = typeof value !== 'string' || /^\s*[[{]/.test(value)
    const geometry = isJson ? strictGeometry(parseEmbeddedJson(value)) : geometryIn(value)
    return geometry && outlineOf(geometry)
  }
  const wkt = value.trim()
  const hasReferenceSystem = wkt.startsWith('<')
  const geometry = hasReferenceSystem ? undefined : fromWkt(wkt)
  if (!geometry && !hasReferenceSystem) return undefined
  if (geometry && enclosedBox(geometry)) return outlineOf(geometry)
  return { wkt, kind: /^(?:<[^<>]*>\s*)?POINT/i.test(wkt) ? 'point' : 'other' }
}

/** Parses `[west, south, east, north]` as numbers or text; `undefined` for an empty or invalid box. */
export function boxFrom(value: unknown): BoundingBox | undefined {
  const parts: readonly unknown[] =
    typeof value === 'string' ? value.split(/[\s,;]+/) : Array.isArray(value) ? value.flat() : []
  return parseBox(parts.map((part) => meaningfulText(part) ?? '').join(' '))
}

/** Fields of a place as sources give them. */
type PlaceFields = {
  /** Geometry in a form that `outlineFrom` reads. */
  readonly geometry?: unknown
  /** `[west, south, east, north]`, as numbers or text. */
  readonly bbox?: unknown
  readonly iri?: unknown
  readonly label?: unknown
}

/**
 * Writes a `dct:spatial`: the IRI alone, or a `dct:Location` with one geometry as WKT (the shapes of DCAT-AP permit one). A
 * name becomes a label.
 */
export function writePlace(subject: Subject, { geometry, bbox, iri, label }: PlaceFields): boolean {
  const box = boxFrom(bbox)
  const outline = outlineFrom(geometry) ?? (box && outlineOf(boxGeometry(box)))
  if (!outline) for (const value of [geometry, bbox]) subject.noteLoss(dct('spatial'), value)
  const name = typeof label === 'object' ? label : meaningfulText(label)
  if (!outline && (name === undefined || name === null))
    return subject.iri(dct('spatial'), meaningfulText(iri))
  const part = subject.part(dct('spatial'), dct('Location'), meaningfulText(iri))
  if (outline)
    part.add(outlinePredicates[outline.kind], literal(outline.wkt, geosparql('wktLiteral')))
  return part.text(skos('prefLabel'), name) || outline !== undefined
}

/** Writes a place given as IRI, geometry or name. */
export function writePlaceFrom(subject: Subject, value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return writePlace(subject, { geometry: value })
  const text = meaningfulText(value)
  if (text === undefined) return false
  if (/^https?:\/\/\S+$/.test(text)) return writePlace(subject, { iri: text })
  return writePlace(subject, looksLikeGeometry(text) ? { geometry: text } : { label: text })
}

/** Dates as written by the source; one may be missing. */
type PeriodFields = { readonly start?: unknown; readonly end?: unknown }

/** Writes a `dct:temporal` with the known ends. */
export function writePeriod(subject: Subject, { start, end }: PeriodFields): boolean {
  if (meaningfulText(start) === undefined && meaningfulText(end) === undefined) return false
  const part = subject.part(dct('temporal'), dct('PeriodOfTime'))
  return [part.date(dcat('startDate'), start), part.date(dcat('endDate'), end)].includes(true)
}

/** Writes a period given as one text. */
export function writePeriodFrom(subject: Subject, value: unknown): void {
  const text = meaningfulText(value)
  if (text === undefined) return
  const ends = periodEnds(text, subject.record.options)
  if (ends) writePeriod(subject, ends)
  else subject.record.note('invalid-date', text, nameOf(dct('temporal')))
}
