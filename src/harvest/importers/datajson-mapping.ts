/** From a dataset of a `data.json` to DCAT-AP: Project Open Data (DCAT-US 1.1) and DCAT-US 3, told apart field by field. */
import type { NamedNode } from '@rdfjs/types'
import { adms, dcat, dct, foaf, org, owl, prov, rdfs, skos } from '../../rdf/namespaces.ts'
import { namedNode } from '../../rdf/terms.ts'
import { agent, contact } from '../mapping/agents.ts'
import { concepts } from '../mapping/concepts.ts'
import { themesOf } from '../../vocabularies/themes.ts'
import { accessOf } from '../../vocabularies/coded-values.ts'
import {
  metres,
  period,
  periodFrom,
  place,
  placeFrom,
  resolution,
  themesOrKeywords,
} from '../mapping/coverage.ts'
import { distribution, rightsStatement, standards } from '../mapping/distribution.ts'
import type { MappedRecord } from '../mapping/record.ts'
import type { Subject } from '../mapping/subject.ts'
import {
  fieldsOf,
  isPlaceholder,
  listOf,
  plainText,
  saidText,
} from '../../vocabularies/loose-values.ts'
import type { Fields } from '../../text/json.ts'
import { isUsableIri, nameOf } from '../mapping/addresses.ts'

/** Writes an entry into its record, which is new. */
export function mapPod(given: Fields, record: MappedRecord): MappedRecord {
  const fields = plainFields(given)
  const { dataset } = record
  dataset.literal(dct('identifier'), fields['identifier'])
  for (const other of listOf(fields['otherIdentifier'])) {
    const notation = plainFields(other)['notation'] ?? saidText(other)
    dataset.part(adms('identifier'), adms('Identifier')).literal(skos('notation'), notation)
  }
  dataset.text(dct('title'), texts(fields, 'title'))
  dataset.text(dct('description'), texts(fields, 'description'), { html: true })
  dataset.text(dcat('keyword'), texts(fields, 'keyword'))
  for (const value of listOf(fields['theme'])) theme(dataset, value)
  concepts(dataset, dct('language'), 'language', fields['language'])
  times(dataset, fields)
  people(dataset, fields)
  conditions(dataset, fields)
  extent(dataset, fields)
  pages(dataset, fields)
  relations(dataset, fields)
  for (const one of listOf(fields['distribution'])) file(dataset, one, fields)
  return record
}

/** The first id that an entry tells: its identifier, else its node, another identifier, or its page. */
export function podIdentifier(fields: Fields): string {
  const others = listOf(fields['otherIdentifier']).map((one) => fieldsOf(one)['notation'])
  const own = [...listOf(fields['identifier']), fields['@id'], ...others]
  const all = [...own, ...listOf(fields['landingPage'])].map((one) => plainText(plain(one)))
  return all.find((id) => id !== undefined && !isPlaceholder(id) && !id.startsWith('_:')) ?? ''
}

/** Why an entry of this access level is not for the public; `undefined` for public ones. */
export function podRestriction(fields: Fields): string | undefined {
  const level = saidText(fields['accessLevel'])
  return level === undefined || level.toLowerCase() === 'public' ? undefined : `is ${level}`
}

/** JSON-LD may write a literal as `{"@value": …}`. */
const plain = (value: unknown): unknown => {
  const fields = fieldsOf(value)
  return fields['@value'] === undefined ? value : fields['@value']
}
const plainFields = (value: unknown): Fields =>
  Object.fromEntries(
    Object.entries(fieldsOf(value)).map(([key, one]) => [
      key,
      Array.isArray(one) ? one.map(plain) : plain(one),
    ]),
  )

/** Texts by language where there are some (`titleMap`), else the plain field. */
const texts = (fields: Fields, name: string): unknown =>
  Object.keys(fieldsOf(fields[`${name}Map`])).length > 0 ? fields[`${name}Map`] : fields[name]

/** The IRI of a node, whether it is described or only named. */
const iriIn = (value: unknown): string | undefined =>
  [saidText(value), saidText(fieldsOf(value)['@id'])].find(
    (text) => text !== undefined && addressLike.test(text) && isUsableIri(text),
  )
// `DOI:USGS` is the name of an office.
const addressLike = /^(?:https?|ftp|urn|info|tag|did|ark|mailto|doi):/

const labels = ['prefLabel', 'label', 'title', 'name', 'notation'] as const

/** What a node is called: its own text, or that of its label. */
function labelIn(value: unknown): unknown {
  if (typeof value !== 'object') return saidText(value)
  const fields = plainFields(value)
  return labels.map((name) => texts(fields, name)).find((text) => text !== undefined)
}

/** An IRI, or a text that may be the name of a concept. */
const idOrLabel = (value: unknown): unknown => iriIn(value) ?? saidText(labelIn(value))

/** What a concept or an IRI means as a theme, or its label as keyword. */
function theme(dataset: Subject, value: unknown): void {
  const { authorities } = dataset.record.options
  const iri = iriIn(value)
  const label = labelIn(value)
  const found = [iri, label].map((one) => themesOf(one, authorities)).find((all) => all.length > 0)
  if (found) for (const one of found) dataset.add(dcat('theme'), namedNode(one))
  else if (iri !== undefined && typeof value === 'object')
    dataset.part(dcat('theme'), skos('Concept'), iri).text(skos('prefLabel'), label)
  else themesOrKeywords(dataset, label)
}

function times(dataset: Subject, fields: Fields): void {
  dataset.date(dct('issued'), fields['issued'])
  dataset.date(dct('created'), fields['created'])
  const { modified } = fields
  // A repeating interval is a frequency that came into the wrong field.
  if (/^R\d*\/P/i.test(plainText(modified) ?? ''))
    dataset.record.note('invalid-date', `dct:modified: ${plainText(modified)} is a frequency`)
  else dataset.date(dct('modified'), modified)
  const frequency = listOf(fields['accrualPeriodicity']).map(idOrLabel)
  concepts(dataset, dct('accrualPeriodicity'), 'frequency', frequency)
}

const roles = [
  ['publisher', dct('publisher')],
  ['creator', dct('creator')],
  ['contributor', dct('contributor')],
  ['rightsHolder', dct('rightsHolder')],
] as const

function people(dataset: Subject, fields: Fields): void {
  for (const [name, predicate] of roles) {
    const all = listOf(fields[name])
    // There is one publisher at most.
    for (const one of name === 'publisher' ? all.slice(0, 1) : all) who(dataset, predicate, one)
  }
  for (const value of listOf(fields['qualifiedAttribution'])) {
    const { agent: one, hadRole } = plainFields(value)
    const part = dataset.part(prov('qualifiedAttribution'), prov('Attribution'))
    who(part, prov('agent'), one)
    part.iri(dcat('hadRole'), iriIn(hadRole))
  }
  for (const value of listOf(fields['contactPoint'])) contactPoint(dataset, value)
}

const deepest = 5

function who(subject: Subject, predicate: NamedNode, value: unknown, depth = 0): void {
  const iri = iriIn(value)
  const fields = plainFields(value)
  const name = labelIn(value)
  const part = agent(subject, predicate, {
    name: name === iri ? undefined : name,
    iri,
    email: fields['mbox'] ?? fields['email'],
    url: fields['homepage'],
  })
  const parent = fields['subOrganizationOf']
  if (!part || depth === deepest) return
  for (const one of listOf(parent)) who(part, org('subOrganizationOf'), one, depth + 1)
}

function contactPoint(dataset: Subject, value: unknown): void {
  const fields = plainFields(value)
  const mail = listOf(fields['hasEmail'] ?? fields['email'])[0]
  contact(dataset, dcat('contactPoint'), {
    iri: iriIn(value),
    name: texts(fields, 'fn'),
    email: fieldsOf(mail)['@id'] ?? mail,
    phone: listOf(fields['tel'])[0],
    url: fields['hasURL'],
    organization: texts(fields, 'organization-name'),
    title: texts(fields, 'title'),
    addresses: listOf(fields['address']).map(plainFields),
  })
}

function conditions(dataset: Subject, fields: Fields): void {
  concepts(dataset, dct('accessRights'), 'access', fields['accessLevel'])
  access(dataset, fields['accessRights'])
  rightsStatement(dataset, rightsIn(fields))
  for (const one of listOf(fields['provenance'])) {
    const part = dataset.part(dct('provenance'), dct('ProvenanceStatement'), iriIn(one))
    part.text(rdfs('label'), labelIn(one))
  }
  standardsIn(dataset, fields)
  dataset.literal(dcat('version'), fields['version'])
  dataset.literal(owl('versionInfo'), fields['version'])
  dataset.text(adms('versionNotes'), texts(fields, 'versionNotes'))
}

/** A right of the authority, any other IRI, or words. */
function access(subject: Subject, value: unknown): void {
  for (const one of listOf(value)) {
    const [iri, label] = [iriIn(one), labelIn(one)]
    const known = [iri, label]
      .map((name) => accessOf(name, subject.record.options.authorities))
      .find(Boolean)
    if (subject.iri(dct('accessRights'), known ?? iri)) continue
    subject.part(dct('accessRights'), dct('RightsStatement')).text(rdfs('label'), label)
  }
}

const restrictions = [
  'rights',
  'accessRestriction',
  'useRestriction',
  'cuiRestriction',
  'liabilityStatement',
] as const

const rightsIn = (fields: Fields): readonly string[] =>
  restrictions.flatMap((name) => listOf(fields[name])).map((one) => leavesOf(one).join('; '))

/** All that a node says in words; its IRI where it says nothing. */
function leavesOf(value: unknown, depth = 0): readonly string[] {
  const text = saidText(plain(value))
  if (text !== undefined) return [text]
  if (typeof value !== 'object' || value === null || depth === deepest) return []
  const said = Object.entries(value)
    .filter(([key]) => !key.startsWith('@'))
    .flatMap(([, one]) => leavesOf(one, depth + 1))
  return said.length > 0 ? said : [iriIn(value)].filter((iri) => iri !== undefined)
}

function standardsIn(subject: Subject, fields: Fields): void {
  for (const one of listOf(fields['conformsTo'])) standards(subject, idOrLabel(one))
}

function extent(dataset: Subject, fields: Fields): void {
  for (const value of listOf(fields['spatial'])) {
    const { bbox, centroid, geometry, coordinates } = plainFields(value)
    const isPlace = typeof value === 'object' && value !== null && coordinates === undefined
    const shapes = { geometry: geometry ?? bbox ?? centroid, iri: iriIn(value) }
    if (isPlace) place(dataset, { ...shapes, label: labelIn(value) })
    else placeFrom(dataset, value)
  }
  const sides = ['west', 'south', 'east', 'north']
  for (const value of listOf(fields['geographicBoundingBox'])) {
    const box = plainFields(value)
    const bbox = sides.map(
      (side) => box[`${side}BoundingLongitude`] ?? box[`${side}BoundingLatitude`],
    )
    place(dataset, { bbox })
  }
  for (const value of listOf(fields['temporal'])) {
    const { startDate: start, endDate: end } = plainFields(value)
    if (typeof value === 'object') period(dataset, { start, end })
    else periodFrom(dataset, value)
  }
  resolution(dataset, listOf(fields['temporalResolution'])[0])
  metres(dataset, listOf(fields['spatialResolutionInMeters'])[0])
}

const links = [
  ['page', foaf('page')],
  ['describedBy', foaf('page')],
  ['references', foaf('page')],
  ['landingPage', dcat('landingPage')],
] as const

function pages(subject: Subject, fields: Fields): void {
  for (const [name, predicate] of links)
    for (const one of listOf(fields[name])) {
      const { '@id': iri, accessURL: url } = fieldsOf(one)
      subject.link(predicate, url ?? iri ?? one)
    }
}

const related = [
  ['inSeries', dcat('inSeries')],
  ['isPartOf', dcat('inSeries')],
  ['hasVersion', dcat('hasVersion')],
  ['previousVersion', dcat('previousVersion')],
  ['source', dct('source')],
  ['relation', dct('relation')],
  ['replaces', dct('replaces')],
  ['isReferencedBy', dct('isReferencedBy')],
  ['subject', dct('subject')],
  ['category', dct('type')],
  ['wasGeneratedBy', prov('wasGeneratedBy')],
] as const

/** IRIs stay; what a node without one says would hang in the air. */
function relations(dataset: Subject, fields: Fields): void {
  for (const [name, predicate] of related)
    for (const one of listOf(fields[name])) {
      if (dataset.iri(predicate, iriIn(one))) continue
      const said = leavesOf(one).join('; ')
      if (said !== '') dataset.record.note('unmapped-value', `${nameOf(predicate)}: ${said}`)
    }
  for (const value of listOf(fields['qualifiedRelation'])) {
    const { relation, hadRole } = plainFields(value)
    const part = dataset.part(dcat('qualifiedRelation'), dcat('Relationship'))
    part.iri(dct('relation'), iriIn(relation))
    part.iri(dcat('hadRole'), iriIn(hadRole))
  }
}

function file(dataset: Subject, value: unknown, fields: Fields): void {
  const one = plainFields(value)
  const licence = (from: Fields) =>
    listOf(from['license']).map((given) => ({ url: iriIn(given) ?? saidText(labelIn(given)) }))
  const { checksumValue, algorithm } = plainFields(one['checksum'])
  const part = distribution(dataset, {
    iri: fieldsOf(value)['@id'],
    identifier: one['identifier'],
    title: texts(one, 'title'),
    description: texts(one, 'description'),
    html: true,
    accessUrl: idOf(one['accessURL']),
    downloadUrl: idOf(one['downloadURL']),
    format: idOrLabel(one['format']),
    mediaType: idOrLabel(one['mediaType']),
    compressFormat: idOrLabel(one['compressFormat']),
    packageFormat: idOrLabel(one['packageFormat']),
    size: one['byteSize'],
    checksum: { value: checksumValue, algorithm: idOrLabel(algorithm) },
    licences: [...licence(one), ...licence(fields)],
    rights: rightsIn(one),
    issued: one['issued'],
    modified: one['modified'],
    language: one['language'],
    conformsTo: listOf(one['conformsTo']).map(idOrLabel),
    status: idOrLabel(one['status']),
    availability: idOrLabel(one['availability']),
  })
  if (!part) return
  pages(part, { describedBy: one['describedBy'], page: one['page'] })
  access(part, one['accessRights'])
}

/** The first address of a field that may hold nodes and lists. */
const idOf = (value: unknown): unknown => {
  const [first] = listOf(value)
  return iriIn(first) ?? first
}
