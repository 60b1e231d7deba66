/** From a dataset of a `data.json` to DCAT-AP: Project Open Data (DCAT-US 1.1) and DCAT-US 3, told apart field by field. */

import { dcat, dct, prov, rdfs, skos } from '../../rdf/namespaces.ts'
import type { Fields } from '../../text/json.ts'
import { textTag } from '../../vocabularies/coded-values.ts'
import {
  fieldsOf,
  isPlaceholder,
  listOf,
  plainText,
  saidText,
} from '../../vocabularies/loose-values.ts'
import { themesOf } from '../../vocabularies/themes.ts'
import { isUsableIri } from '../mapping/addresses.ts'
import type { AgentFields, ContactFields } from '../mapping/agents.ts'
import { distribution } from '../mapping/distribution.ts'
import { fromHtml, type PropertyValues, write } from '../mapping/properties.ts'
import type { MappedRecord, Subject } from '../mapping/record.ts'
import { type PortalEntry, type Portal, recordIn } from './portal.ts'

/** How the datasets of one source are read. */
export type PodSource = Portal & {
  /** The page of a dataset, by its id; absolute. */
  readonly pageOf: (id: string) => string
  /** The platform's own id in an identifier; other platforms' records have their IRIs and languages in the document. */
  readonly idIn?: (identifier: string) => string | undefined
  /** What relative addresses are relative to; the root of the portal when absent. */
  readonly base?: string
}

/** `key`: the id under which the source files the dataset. */
export const podReader =
  (source: PodSource, key = '') =>
  (fields: Fields): PortalEntry => {
    const { idIn, base, config, pageOf } = source
    const identifier = podIdentifier(fields) || key
    const sourceId = idIn?.(identifier) ?? identifier
    const page = pageOf(key || sourceId)
    const more = {
      iri: isUsableIri(fields['@id']) ? fields['@id'] : sourceId,
      language: textTag(listOf(fields['language'])) ?? config.language,
      ...(base !== undefined && { base }),
    }
    const level = saidText(fields['accessLevel'])
    const isPublic = level === undefined || level.toLowerCase() === 'public'
    return {
      sourceId,
      aliases: [idIn ? identifier : key].filter((id) => id !== '' && id !== sourceId),
      sourceUrl: idIn ? plainText(fields['landingPage']) : page,
      skipped: isPublic ? undefined : `is ${level}`,
      lasting: fields,
      map: () => mapPod(fields, recordIn(source, page, idIn ? {} : more)),
    }
  }

/** The first id that an entry tells: its identifier, else its node, another identifier, or its page. */
function podIdentifier(fields: Fields): string {
  const others = listOf(fields['otherIdentifier']).map((one) => fieldsOf(one)['notation'])
  const own = [...listOf(fields['identifier']), fields['@id'], ...others]
  const all = [...own, ...listOf(fields['landingPage'])].map((one) => plainText(plain(one)))
  return all.find((id) => id !== undefined && !isPlaceholder(id) && !id.startsWith('_:')) ?? ''
}

// How fields are read: JSON-LD may write a literal as `{"@value": …}` and a node as text, as an IRI or with its labels.

const plain = (value: unknown): unknown => fieldsOf(value)['@value'] ?? value
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

// `DOI:USGS` is the name of an office.
const addressLike = /^(?:https?|ftp|urn|info|tag|did|ark|mailto|doi):/

/** The IRI of a node, whether it is described or only named. */
const iriIn = (value: unknown): string | undefined =>
  [saidText(value), saidText(fieldsOf(value)['@id'])].find(
    (text) => text !== undefined && addressLike.test(text) && isUsableIri(text),
  )

const labels = ['prefLabel', 'label', 'title', 'name', 'notation']

/** What a node is called: its own text, or that of its label. */
function labelIn(value: unknown): unknown {
  if (typeof value !== 'object') return saidText(value)
  const fields = plainFields(value)
  return labels.map((name) => texts(fields, name)).find((text) => text !== undefined)
}

/** An IRI, or a text that may be the name of a concept. */
const idOrLabel = (value: unknown): unknown => iriIn(value) ?? saidText(labelIn(value))

/** The address of a page, of whatever describes it. */
const addressIn = (value: unknown): unknown => {
  const { '@id': iri, accessURL: url } = fieldsOf(value)
  return url ?? iri ?? value
}

/** Deeper than any source nests. */
const deepest = 5

/** All that a node says in words; its IRI where it says nothing. */
function wordsIn(value: unknown, depth = 0): readonly string[] {
  const text = saidText(plain(value))
  if (text !== undefined) return [text]
  if (typeof value !== 'object' || value === null || depth === deepest) return []
  const own = Object.entries(value).filter(([key]) => !key.startsWith('@'))
  const said = own.flatMap(([, one]) => wordsIn(one, depth + 1))
  return said.length > 0 ? said : [iriIn(value) ?? []].flat()
}

function agentIn(value: unknown, depth = 0): AgentFields {
  const [iri, name, fields] = [iriIn(value), labelIn(value), plainFields(value)]
  const parents = depth === deepest ? [] : listOf(fields['subOrganizationOf'])
  return {
    name: name === iri ? undefined : name,
    iri,
    email: fields['mbox'] ?? fields['email'],
    url: fields['homepage'],
    parents: parents.map((one) => agentIn(one, depth + 1)),
  }
}

function contactIn(value: unknown): ContactFields {
  const fields = plainFields(value)
  const [mail] = listOf(fields['hasEmail'] ?? fields['email'])
  return {
    iri: iriIn(value),
    name: texts(fields, 'fn'),
    email: fieldsOf(mail)['@id'] ?? mail,
    phone: listOf(fields['tel'])[0],
    url: fields['hasURL'],
    organization: texts(fields, 'organization-name'),
    title: texts(fields, 'title'),
    addresses: listOf(fields['address']).map(plainFields),
  }
}

/** Writes an entry into its record, which is new. */
export function mapPod(given: Fields, record: MappedRecord): MappedRecord {
  const fields = plainFields(given)
  const { dataset } = record
  const list = (...names: readonly string[]) => names.flatMap((name) => listOf(fields[name]))
  // A repeating interval is a frequency that came into the wrong field.
  const modified = plainText(fields['modified'])
  const isInterval = /^R\d*\/P/i.test(modified ?? '')
  if (isInterval) record.note('invalid-date', `dct:modified: ${modified} is a frequency`)
  write(dataset, {
    identifier: fields['identifier'],
    otherIdentifiers: list('otherIdentifier').map((one) => plainFields(one)['notation'] ?? one),
    title: texts(fields, 'title'),
    description: fromHtml(texts(fields, 'description')),
    keyword: texts(fields, 'keyword'),
    themes: list('theme').flatMap((one) => themeNames(dataset, one)),
    language: fields['language'],
    issued: fields['issued'],
    created: fields['created'],
    modified: isInterval ? undefined : fields['modified'],
    frequency: [list('accrualPeriodicity').map(idOrLabel)],
    // There is one publisher at most.
    publisher: list('publisher')
      .slice(0, 1)
      .map((one) => agentIn(one)),
    creator: list('creator').map((one) => agentIn(one)),
    contributor: list('contributor').map((one) => agentIn(one)),
    rightsHolder: list('rightsHolder').map((one) => agentIn(one)),
    attributions: list('qualifiedAttribution').map((one) => {
      const { agent, hadRole } = plainFields(one)
      return { who: agentIn(agent), role: iriIn(hadRole) }
    }),
    contact: list('contactPoint').map(contactIn),
    accessLevel: fields['accessLevel'],
    ...conditions(fields),
    version: fields['version'],
    versionNotes: texts(fields, 'versionNotes'),
    landingPage: list('landingPage').map(addressIn),
    page: list('page', 'describedBy', 'references').map(addressIn),
    ...extent(list),
  })
  relations(dataset, fields)
  for (const one of list('distribution')) file(dataset, one, fields)
  return record
}

/** The names of a theme; a concept that only the source knows is described here, or becomes a keyword. */
function themeNames(dataset: Subject, value: unknown): readonly (readonly unknown[])[] {
  const [iri, label] = [iriIn(value), labelIn(value)]
  const { authorities } = dataset.record.options
  const isOwn = [iri, label].every((name) => themesOf(name, authorities).length === 0)
  if (isOwn && iri !== undefined && typeof value === 'object')
    dataset.part(dcat('theme'), skos('Concept'), iri).text(skos('prefLabel'), label)
  else if (isOwn && typeof label === 'object') dataset.text(dcat('keyword'), label)
  else return [[iri, label]]
  return []
}

const restrictions = [
  'rights',
  'accessRestriction',
  'useRestriction',
  'cuiRestriction',
  'liabilityStatement',
]

/** What datasets and files may both say of rights and standards. */
const conditions = (fields: Fields): PropertyValues => ({
  accessRights: listOf(fields['accessRights']).map((one) => [iriIn(one), labelIn(one)]),
  rights: restrictions
    .flatMap((name) => listOf(fields[name]))
    .map((one) => wordsIn(one).join('; ')),
  conformsTo: listOf(fields['conformsTo']).map(idOrLabel),
})

const sides = ['west', 'south', 'east', 'north']

function extent(list: (name: string) => readonly unknown[]): PropertyValues {
  const isPlace = (value: unknown) =>
    typeof value === 'object' && value !== null && fieldsOf(value)['coordinates'] === undefined
  const places = list('spatial')
    .filter(isPlace)
    .map((value) => {
      const { bbox, centroid, geometry } = plainFields(value)
      return { geometry: geometry ?? bbox ?? centroid, iri: iriIn(value), label: labelIn(value) }
    })
  const boxes = list('geographicBoundingBox').map((value) => {
    const box = plainFields(value)
    const side = (name: string) => box[`${name}BoundingLongitude`] ?? box[`${name}BoundingLatitude`]
    return { bbox: sides.map(side) }
  })
  const isPeriod = (value: unknown) => typeof value === 'object'
  const periods = list('temporal').filter(isPeriod).map(plainFields)
  return {
    places: [...places, ...boxes],
    spatial: list('spatial').filter((value) => !isPlace(value)),
    periods: periods.map(({ startDate: start, endDate: end }) => ({ start, end })),
    temporal: list('temporal').filter((value) => !isPeriod(value)),
    temporalResolution: list('temporalResolution')[0],
    spatialResolution: list('spatialResolutionInMeters')[0],
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
    for (const one of listOf(fields[name]))
      if (!dataset.iri(predicate, iriIn(one))) dataset.lost(predicate, wordsIn(one).join('; '))
  for (const value of listOf(fields['qualifiedRelation'])) {
    const { relation, hadRole } = plainFields(value)
    const part = dataset.part(dcat('qualifiedRelation'), dcat('Relationship'))
    part.iri(dct('relation'), iriIn(relation))
    part.iri(dcat('hadRole'), iriIn(hadRole))
  }
  for (const one of listOf(fields['provenance'])) {
    const part = dataset.part(dct('provenance'), dct('ProvenanceStatement'), iriIn(one))
    part.text(rdfs('label'), labelIn(one))
  }
}

/** The address of a file: the first of a field that may hold nodes and lists. */
const fileAddress = (value: unknown): unknown => {
  const [first] = listOf(value)
  return iriIn(first) ?? first
}

function file(dataset: Subject, value: unknown, fields: Fields): void {
  const one = plainFields(value)
  const licences = [...listOf(one['license']), ...listOf(fields['license'])]
  const { checksumValue, algorithm } = plainFields(one['checksum'])
  distribution(dataset, {
    iri: fieldsOf(value)['@id'],
    identifier: one['identifier'],
    title: fromHtml(texts(one, 'title')),
    description: fromHtml(texts(one, 'description')),
    accessUrl: fileAddress(one['accessURL']),
    downloadUrl: fileAddress(one['downloadURL']),
    format: idOrLabel(one['format']),
    mediaType: idOrLabel(one['mediaType']),
    compressFormat: idOrLabel(one['compressFormat']),
    packageFormat: idOrLabel(one['packageFormat']),
    size: one['byteSize'],
    checksum: { value: checksumValue, algorithm: idOrLabel(algorithm) },
    licences: licences.map((given) => ({ url: idOrLabel(given) })),
    issued: one['issued'],
    modified: one['modified'],
    language: one['language'],
    ...conditions(one),
    page: [...listOf(one['page']), ...listOf(one['describedBy'])].map(addressIn),
    status: idOrLabel(one['status']),
    availability: idOrLabel(one['availability']),
  })
}
