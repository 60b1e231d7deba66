/** Parts of a dataset that are nodes of their own: agents and contacts, places with one geometry each, and periods. */

import type { NamedNode } from '@rdfjs/types'
import { dcat, dct, foaf, geosparql, locn, org, rdf, skos, vcard } from '../../rdf/namespaces.ts'
import { literal } from '../../rdf/terms.ts'
import type { Fields } from '../../text/json.ts'
import { conceptIri } from '../../vocabularies/authorities.ts'
import {
  boxSides,
  fromWkt,
  geometryIn,
  looksDrawn,
  toWkt,
} from '../../vocabularies/geometry-text.ts'
import {
  type BoundingBox,
  boxGeometry,
  enclosedBox,
  type Geometry,
  strictGeometry,
} from '../../vocabularies/geometry.ts'
import { saidText, structured } from '../../vocabularies/loose-values.ts'
import { periodEnds } from '../../vocabularies/periods.ts'
import { nameOf } from './addresses.ts'
import type { Subject } from './record.ts'

// People and organisations, and how to reach them.

/** Every value as the source gives it. */
export type AgentFields = {
  /** Text, or texts by language. */
  readonly name?: unknown
  readonly iri?: unknown
  readonly email?: unknown
  readonly url?: unknown
  /** A kind of publisher (ADMS): its IRI or label. */
  readonly type?: unknown
  readonly identifier?: unknown
  readonly person?: boolean
  /** Organisations that it is a part of. */
  readonly parents?: readonly AgentFields[]
}

const hasValue = (value: unknown) =>
  typeof value === 'object' ? value !== null : saidText(value) !== undefined

/** Whether an agent can be written: it has a name or an IRI. */
export const isNamed = ({ name, iri }: AgentFields): boolean =>
  hasValue(name) || saidText(iri) !== undefined

/** A `foaf:Organization` (or person); nothing when it has neither name nor IRI. */
export function agent(
  subject: Subject,
  predicate: NamedNode,
  fields: AgentFields,
): Subject | undefined {
  const { name, iri, email, url, type, identifier, person, parents } = fields
  if (!isNamed(fields)) return undefined
  const part = subject.part(predicate, undefined, saidText(iri))
  const kind = conceptIri('publisherType', type, subject.record.options.authorities)
  if (kind === undefined) part.noteLoss(dct('type'), type)
  const written = [
    part.text(foaf('name'), name),
    part.reach(foaf('mbox'), email, 'mail'),
    part.link(foaf('homepage'), url),
    part.literal(dct('identifier'), identifier),
    part.iri(dct('type'), kind),
  ]
  if (written.includes(true))
    part.add(rdf('type'), foaf(person === true ? 'Person' : 'Organization'))
  for (const parent of parents ?? []) agent(part, org('subOrganizationOf'), parent)
  return part
}

/** Every value as the source gives it. */
export type ContactFields = {
  readonly name?: unknown
  readonly iri?: unknown
  readonly email?: unknown
  readonly phone?: unknown
  /** A web form or page. */
  readonly url?: unknown
  readonly organization?: unknown
  /** Title of the post that a person holds. */
  readonly title?: unknown
  /** Named as in vCard: `street-address`, `locality`, `region`, `postal-code`, `country-name`. */
  readonly addresses?: readonly Fields[]
}

const addressParts = 'street-address locality region postal-code country-name'.split(' ')

/** Whether the source says anything of a contact. */
export const isContact = ({ iri, email, phone, url, ...names }: ContactFields): boolean =>
  [iri, email, phone, url].some((one) => saidText(one) !== undefined) ||
  [names.name, names.organization, names.title].some(hasValue)

/** A `dcat:contactPoint` or the like; nothing when the source says nothing of it. */
export function contact(subject: Subject, predicate: NamedNode, fields: ContactFields): void {
  if (!isContact(fields)) return
  const part = subject.part(predicate, vcard('Kind'), saidText(fields.iri))
  for (const address of fields.addresses ?? []) {
    const place = part.part(vcard('hasAddress'), vcard('Address'))
    for (const each of addressParts) place.literal(vcard(each), address[each])
  }
  part.text(vcard('organization-name'), fields.organization)
  part.text(vcard('title'), fields.title)
  part.text(vcard('fn'), fields.name)
  part.reach(vcard('hasEmail'), fields.email, 'mail')
  part.reach(vcard('hasTelephone'), fields.phone, 'telephone')
  part.link(vcard('hasURL'), fields.url)
}

// Space and time.

/** A box has sides along meridians and parallels. */
const outlines = { box: dcat('bbox'), point: dcat('centroid'), other: locn('geometry') } as const

type Outline = { readonly wkt: string; readonly kind: keyof typeof outlines }

const wktText =
  /^\s*(?:<[^<>\s]{1,200}>\s*)?(?:MULTI)?(?:POINT|LINESTRING|POLYGON)\s*(?:Z|M|ZM)?\s*\([-+0-9.eE,\s()]{3,500000}\)\s*$/i

/** Boxes and points have properties of their own; all else is a geometry, also the two halves of a box over the date line. */
function outlineOf(geometry: Geometry): Outline {
  const box = enclosedBox(geometry)
  const drawn = box ? boxGeometry(box) : geometry
  const kind = box && drawn.type === 'Polygon' ? 'box' : drawn.type === 'Point' ? 'point' : 'other'
  return { wkt: toWkt(drawn), kind }
}

/**
 * The outline that a source gives as GeoJSON (object or text), which is `undefined` where it breaks a rule of RFC 7946, as WKT, which
 * stays as it is unless it is a plain box, or as any other text that spells out a geometry.
 */
export function outlineFrom(value: unknown): Outline | undefined {
  if (typeof value !== 'string' || !wktText.test(value)) {
    const isJson = typeof value !== 'string' || /^\s*[[{]/.test(value)
    const geometry = isJson ? strictGeometry(structured(value)) : geometryIn(value)
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
  return boxSides(parts.map((one) => saidText(one) ?? '').join(' '))
}

/** Fields of a place as sources give them. */
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
  if (!outline) for (const one of [geometry, bbox]) subject.noteLoss(dct('spatial'), one)
  const name = typeof label === 'object' ? label : saidText(label)
  if (!outline && (name === undefined || name === null))
    return subject.iri(dct('spatial'), saidText(iri))
  const part = subject.part(dct('spatial'), dct('Location'), saidText(iri))
  if (outline) part.add(outlines[outline.kind], literal(outline.wkt, geosparql('wktLiteral')))
  return part.text(skos('prefLabel'), name) || outline !== undefined
}

/** A place given as an IRI, as a geometry in any notation, or by its name. */
export function placeFrom(subject: Subject, value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return place(subject, { geometry: value })
  const text = saidText(value)
  if (text === undefined) return false
  if (/^https?:\/\/\S+$/.test(text)) return place(subject, { iri: text })
  return place(subject, looksDrawn(text) ? { geometry: text } : { label: text })
}

/** Dates as the source writes them; one may be missing. */
type Ends = { readonly start?: unknown; readonly end?: unknown }

/** A `dct:temporal` with the ends that are known. */
export function period(subject: Subject, { start, end }: Ends): boolean {
  if (saidText(start) === undefined && saidText(end) === undefined) return false
  const part = subject.part(dct('temporal'), dct('PeriodOfTime'))
  return [part.date(dcat('startDate'), start), part.date(dcat('endDate'), end)].includes(true)
}

/** A period in one text, as `periodEnds` reads it. */
export function periodFrom(subject: Subject, value: unknown): void {
  const text = saidText(value)
  if (text === undefined) return
  const ends = periodEnds(text, subject.record.options)
  if (ends) period(subject, ends)
  else subject.record.note('invalid-date', text, nameOf(dct('temporal')))
}
