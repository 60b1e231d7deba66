/**
 * Maps datasets of a `data.json` to DCAT-AP: Project Open Data (DCAT-US 1.1), DCAT-US 3, and JSON-LD in DCAT-AP terms, whose
 * names differ in their prefixes only.
 */

import { dcat, dct, prov, rdfs, skos } from '../../rdf/namespaces.ts'
import type { Fields } from '../../text/json.ts'
import { defaultTextTag, themesOf } from '../../vocabularies/coded-values.ts'
import {
  fieldsOf,
  isPlaceholder,
  listOf,
  plainText,
  meaningfulText,
} from '../../vocabularies/loose-values.ts'
import { type AgentFields, type ContactFields, outlineFrom } from '../mapping/parts.ts'
import type { DatasetValues, DistributionFields } from '../mapping/distribution.ts'
import { fromHtml, type PropertyValues } from '../mapping/properties.ts'
import { isUsableIri, type MappedRecord, type Subject } from '../mapping/record.ts'
import type { EntryReader, Portal } from './portal.ts'

/** Options for the datasets of one source, in Project Open Data terms (POD) or similar ones. */
export type PodOptions = {
  /** Absolute URL of a dataset's page by its id. */
  readonly pageOf: (id: string) => string
  /** Extracts the platform's id, which becomes the source id, from an identifier or IRI. By default the identifier is it. */
  readonly idIn?: (identifier: string) => string | undefined
  /** Base of relative addresses; by default the root of the portal. */
  readonly base?: string
  /** Repairs known defects of a platform. */
  readonly repair?: (fields: Fields, record: MappedRecord) => Fields
}

/** Makes the reader of datasets. `droppedKeywords`: those without meaning, because every record has them. */
export const podReader =
  (
    { config }: Portal,
    { pageOf, idIn, base, repair }: PodOptions,
    droppedKeywords: ReadonlySet<string> = new Set(),
  ): EntryReader =>
  (entry, listKey = '') => {
    const node = plainNode(entry)
    const isMeaningful = (word: unknown) => !droppedKeywords.has(plainText(word) ?? '')
    const isCut = droppedKeywords.size > 0 && Array.isArray(node['keyword'])
    const fields = isCut ? { ...node, keyword: listOf(node['keyword']).filter(isMeaningful) } : node
    // DKAN lists its datasets as `dkan_dataset/{id}`.
    const key = listKey.replace(/^[^/]*\//, '')
    const identifier = podIdentifier(fields) || key
    const iri = isUsableIri(fields['@id']) ? fields['@id'] : undefined
    const platformId = idIn && [identifier, iri ?? ''].map(idIn).find(Boolean)
    const sourceId = platformId ?? identifier
    const fallbackIri = pageOf(key || sourceId)
    const language = defaultTextTag(listOf(fields['language'])) ?? config.language
    const options = idIn ? { iri } : { iri: iri ?? sourceId, language }
    const level = meaningfulText(fields['accessLevel'])
    const isPublic = level === undefined || level.toLowerCase() === 'public'
    return {
      sourceId,
      title: texts(fields, 'title'),
      aliases: idIn ? [identifier, iri] : [key],
      sourceUrl: idIn ? plainText(listOf(fields['landingPage'])[0]) : fallbackIri,
      omitReason: isPublic || config.onlyPublic !== true ? undefined : `is ${level}`,
      // The hash excludes dropped keywords, which depend on the other datasets of the document.
      stableFields: isCut ? { ...entry, keyword: fields['keyword'] } : entry,
      recordOptions: { fallbackIri, ...options, ...(base !== undefined && { base }) },
      values: (record) => podValues(repair?.(fields, record) ?? fields, record),
    }
  }

/** First available id of an entry: its identifier, its IRI, another identifier, or its page; `''` without any. */
function podIdentifier(fields: Fields): string {
  const otherIds = listOf(fields['otherIdentifier']).map((other) => fieldsOf(other)['notation'])
  const ids = [...listOf(fields['identifier']), fields['@id'], ...otherIds]
  const candidates = [...ids, ...listOf(fields['landingPage'])].map(plainText)
  return (
    candidates.find((id) => id !== undefined && !isPlaceholder(id) && !id.startsWith('_:')) ?? ''
  )
}

/** The keywords of an entry. */
export const keywordsIn = (entry: Fields): readonly string[] =>
  listOf(plainNode(entry)['keyword']).flatMap((word) => plainText(word) ?? [])

// Reading of fields: JSON-LD may write a literal as `{"@value": …}`, a node as text, IRI or object, and names with prefixes.

const prefix = /^(?:adms|dcat|dcatap|dct|foaf|locn|org|owl|prov|rdfs|schema|skos|spdx|vcard):(?!\/)/

/** Name without its prefix: `title` for `dct:title`. */
export const unprefixed = (name: string): string => name.replace(prefix, '')

/** Maximum nesting depth. */
const maxDepth = 12

/** Node with local names and unwrapped literals; tagged literals become texts by language. */
function plainNode(value: unknown, depth = 0): Fields {
  const entries = Object.entries(fieldsOf(value))
  return fieldsOf(
    Object.fromEntries(
      entries.map(([name, child]) => [unprefixed(name), plainValue(child, depth)]),
    ),
  )
}

/**
 * Converts tagged literals to texts by language, unwraps others, and shortens names in nodes. Values below the maximum depth
 * stay unchanged, to protect the stack.
 */
function plainValue(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth === maxDepth) return value
  const tagOf = (item: unknown) => meaningfulText(fieldsOf(item)['@language'])
  const literalOf = (item: unknown) => fieldsOf(item)['@value'] ?? item
  if (listOf(value).some(tagOf)) {
    const byTag = Object.groupBy(listOf(value), (item) => tagOf(item) ?? '')
    return Object.fromEntries(
      Object.entries(byTag).map(([tag, tagged = []]) => [tag, tagged.map(literalOf)]),
    )
  }
  if (Array.isArray(value)) return value.map((item) => plainValue(item, depth + 1))
  const literal = literalOf(value)
  return literal === value ? plainNode(value, depth + 1) : literal
}

/** Texts by language (`titleMap`) if present, else the plain field. */
const texts = (fields: Fields, name: string): unknown =>
  Object.keys(fieldsOf(fields[`${name}Map`])).length > 0 ? fields[`${name}Map`] : fields[name]

// Schemes of IRIs. Lower case only: `DOI:USGS` is the name of an office.
const addressLike = /^(?:https?|ftp|urn|info|tag|did|ark|mailto|doi):/

/** IRI of a node given as object or text. */
const iriIn = (value: unknown): string | undefined =>
  [meaningfulText(value), meaningfulText(fieldsOf(value)['@id'])].find(
    (text) => text !== undefined && addressLike.test(text) && isUsableIri(text),
  )

const labels = ['prefLabel', 'label', 'title', 'name', 'notation']

/** Label of a node given as object or text; it may be texts by language. */
function labelIn(value: unknown): unknown {
  if (typeof value !== 'object') return meaningfulText(value)
  const fields = fieldsOf(value)
  return labels.map((name) => texts(fields, name)).find((text) => text !== undefined)
}

/** IRI, or a text that may be the name of a concept. */
const idOrLabel = (value: unknown): unknown =>
  iriIn(value) ?? meaningfulText(labelIn(value)) ?? meaningfulText(fieldsOf(value)['@id'])

/** Address of a page or a telephone: a text, or `accessURL` or the IRI of a node. */
const addressIn = (value: unknown): unknown => {
  const { '@id': iri, accessURL: url } = fieldsOf(value)
  return url ?? iri ?? value
}

/** All texts of a node; its IRI if it has none. */
function wordsIn(value: unknown, depth = 0): readonly string[] {
  const text = meaningfulText(value)
  if (text !== undefined) return [text]
  if (typeof value !== 'object' || value === null || depth === maxDepth) return []
  const members = Object.entries(value).filter(([key]) => !key.startsWith('@'))
  const texts = members.flatMap(([, member]) => wordsIn(member, depth + 1))
  return texts.length > 0 ? texts : [iriIn(value) ?? []].flat()
}

/** Agent given as IRI, name or node; `subOrganizationOf` is nested. */
function agentIn(value: unknown, depth = 0): AgentFields {
  const [iri, name, fields] = [iriIn(value), labelIn(value), fieldsOf(value)]
  const parents = depth === maxDepth ? [] : listOf(fields['subOrganizationOf'])
  return {
    name: name === iri ? undefined : name,
    iri,
    email: idOrLabel(fields['mbox'] ?? fields['email']),
    url: addressIn(fields['homepage']),
    parents: parents.map((parent) => agentIn(parent, depth + 1)),
  }
}

/** Contact given as vCard node, IRI or name. */
function contactIn(value: unknown): ContactFields {
  const fields = fieldsOf(value)
  const iri = iriIn(value)
  const [mail] = listOf(fields['hasEmail'] ?? fields['email'])
  return {
    iri,
    name: texts(fields, 'fn') ?? (iri === undefined ? meaningfulText(value) : undefined),
    email: fieldsOf(mail)['@id'] ?? mail,
    phone: addressIn(listOf(fields['tel'] ?? fields['hasTelephone'])[0]),
    url: addressIn(fields['hasURL']),
    organization: texts(fields, 'organization-name'),
    title: texts(fields, 'title'),
    addresses: listOf(fields['address']).map(fieldsOf),
  }
}

/** Values of a dataset, given as a node of `plainNode`. */
function podValues(fields: Fields, record: MappedRecord): DatasetValues {
  const { dataset } = record
  const list = (...names: readonly string[]) => names.flatMap((name) => listOf(fields[name]))
  // A repeating interval belongs to the frequency.
  const modified = plainText(fields['modified'])
  const isInterval = /^R\d*\/P/i.test(modified ?? '')
  if (isInterval) record.note('invalid-date', modified ?? '', 'dct:modified', 'a frequency')
  relations(dataset, fields)
  return {
    identifier: fields['identifier'],
    otherIdentifiers: list('otherIdentifier').map((node) => fieldsOf(node)['notation'] ?? node),
    title: texts(fields, 'title'),
    description: fromHtml(texts(fields, 'description')),
    keywords: [texts(fields, 'keyword')],
    themes: list('theme').flatMap((theme) => themeNames(dataset, theme)),
    language: list('language').map(idOrLabel),
    issued: fields['issued'],
    created: fields['created'],
    modified: isInterval ? undefined : fields['modified'],
    frequency: [list('accrualPeriodicity').map(idOrLabel)],
    // DCAT-AP permits one publisher.
    publisher: list('publisher')
      .slice(0, 1)
      .map((node) => agentIn(node)),
    creator: list('creator').map((node) => agentIn(node)),
    contributor: list('contributor').map((node) => agentIn(node)),
    rightsHolder: list('rightsHolder').map((node) => agentIn(node)),
    attributions: list('qualifiedAttribution').map((node) => {
      const { agent, hadRole } = fieldsOf(node)
      return { agent: agentIn(agent), role: iriIn(hadRole) }
    }),
    contact: list('contactPoint').map(contactIn),
    accessLevel: fields['accessLevel'],
    ...conditions(fields),
    legislation: list('applicableLegislation').map(idOrLabel),
    hvdCategory: list('hvdCategory').map(idOrLabel),
    version: wordsIn(fields['version']),
    versionNotes: texts(fields, 'versionNotes'),
    landingPage: list('landingPage').map(addressIn),
    page: list('page', 'describedBy', 'references').map(addressIn),
    ...coverage(dataset, list),
    licences: licencesIn(fields),
    distributions: list('distribution').map((node) => distributionOf(fieldsOf(node))),
  }
}

const licencesIn = ({ license }: Fields) =>
  listOf(license).map((node) => ({ url: idOrLabel(node) }))

/**
 * Names of a theme. If the EU authority does not have it, a node with an IRI is written here as a concept, and a label by
 * language as a keyword; then there are none.
 */
function themeNames(dataset: Subject, value: unknown): readonly (readonly unknown[])[] {
  const [iri, label] = [iriIn(value), labelIn(value)]
  const { authorities } = dataset.record.options
  const isUnknown = [iri, label].every((name) => themesOf(name, authorities).length === 0)
  if (isUnknown && iri !== undefined && typeof value === 'object')
    dataset.part(dcat('theme'), skos('Concept'), iri).text(skos('prefLabel'), label)
  else if (isUnknown && typeof label === 'object') dataset.text(dcat('keyword'), label)
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

/** Rights and standards, of datasets and distributions. */
const conditions = (fields: Fields): PropertyValues => ({
  accessRights: listOf(fields['accessRights']).map((node) => [iriIn(node), labelIn(node)]),
  rights: restrictions
    .flatMap((name) => listOf(fields[name]))
    .map((node) => wordsIn(node).join('; ')),
  conformsTo: listOf(fields['conformsTo']).map(idOrLabel),
})

const sides = ['west', 'south', 'east', 'north']

/** Spatial and temporal coverage; uninterpretable values are reported. */
function coverage(dataset: Subject, list: (name: string) => readonly unknown[]): PropertyValues {
  const isNode = (value: unknown) => typeof value === 'object' && value !== null
  const isPlace = (value: unknown) => isNode(value) && fieldsOf(value)['coordinates'] === undefined
  const places = list('spatial')
    .filter(isPlace)
    .map((value) => {
      const { geometry, bbox, centroid } = fieldsOf(value)
      const outlines = [geometry, bbox, centroid].flatMap(listOf)
      const outline =
        outlines.find((candidate) => outlineFrom(candidate) !== undefined) ?? outlines[0]
      const [iri, label] = [iriIn(value), labelIn(value)]
      if ((outline ?? iri ?? label) === undefined) dataset.noteLoss(dct('spatial'), value)
      return { geometry: outline, iri, label }
    })
  const boxes = list('geographicBoundingBox').map((value) => {
    const box = fieldsOf(value)
    const side = (name: string) => box[`${name}BoundingLongitude`] ?? box[`${name}BoundingLatitude`]
    return { bbox: sides.map(side) }
  })
  const periods = list('temporal').filter(isNode).map(fieldsOf)
  return {
    places: [...places, ...boxes],
    spatial: list('spatial').filter((value) => !isPlace(value)),
    periods: periods.map((period) => {
      const { startDate: start, endDate: end } = period
      if ((start ?? end) === undefined) dataset.noteLoss(dct('temporal'), period)
      return { start, end }
    }),
    temporal: list('temporal').filter((value) => !isNode(value)),
    temporalResolution: list('temporalResolution')[0],
    spatialResolution: list('spatialResolutionInMeters')[0],
  }
}

const relationPredicates = [
  ['inSeries', dcat('inSeries')],
  ['isPartOf', dcat('inSeries')],
  ['hasVersion', dcat('hasVersion')],
  ['isVersionOf', dct('isVersionOf')],
  ['previousVersion', dcat('previousVersion')],
  ['source', dct('source')],
  ['relation', dct('relation')],
  ['replaces', dct('replaces')],
  ['isReferencedBy', dct('isReferencedBy')],
  ['subject', dct('subject')],
  ['category', dct('type')],
  ['type', dct('type')],
  ['wasGeneratedBy', prov('wasGeneratedBy')],
] as const

/** Writes relations as IRIs and reports those without one; qualified relations and provenance become nested nodes. */
function relations(dataset: Subject, fields: Fields): void {
  for (const [name, predicate] of relationPredicates)
    for (const node of listOf(fields[name]))
      if (!dataset.iri(predicate, iriIn(node)))
        dataset.noteLoss(predicate, wordsIn(node).join('; '))
  for (const value of listOf(fields['qualifiedRelation'])) {
    const { relation, hadRole } = fieldsOf(value)
    const part = dataset.part(dcat('qualifiedRelation'), dcat('Relationship'))
    part.iri(dct('relation'), iriIn(relation))
    part.iri(dcat('hadRole'), iriIn(hadRole))
  }
  for (const node of listOf(fields['provenance'])) {
    const part = dataset.part(dct('provenance'), dct('ProvenanceStatement'), iriIn(node))
    part.text(rdfs('label'), labelIn(node))
  }
}

/** First address of a field that may contain nodes and lists. */
const fileAddress = (value: unknown): unknown => {
  const [first] = listOf(value)
  return iriIn(first) ?? fieldsOf(first)['@id'] ?? first
}

/** Values of a distribution; `describedBy` is a page such as a data dictionary. */
function distributionOf(fields: Fields): DistributionFields {
  const { checksumValue, algorithm } = fieldsOf(fields['checksum'])
  return {
    iri: fields['@id'],
    identifier: fields['identifier'],
    title: fromHtml(texts(fields, 'title')),
    description: fromHtml(texts(fields, 'description')),
    accessUrl: fileAddress(fields['accessURL']),
    downloadUrl: fileAddress(fields['downloadURL']),
    format: idOrLabel(fields['format']),
    mediaType: idOrLabel(fields['mediaType']),
    compressFormat: idOrLabel(fields['compressFormat']),
    packageFormat: idOrLabel(fields['packageFormat']),
    size: fields['byteSize'],
    checksum: { value: checksumValue, algorithm: idOrLabel(algorithm) },
    licences: licencesIn(fields),
    issued: fields['issued'],
    modified: fields['modified'],
    language: listOf(fields['language']).map(idOrLabel),
    ...conditions(fields),
    page: [...listOf(fields['page']), ...listOf(fields['describedBy'])].map(addressIn),
    status: idOrLabel(fields['status']),
    availability: idOrLabel(fields['availability']),
    services: listOf(fields['accessService']).map((service) => {
      const { '@id': iri, title, endpointURL } = fieldsOf(service)
      return { iri, title, endpoint: fileAddress(endpointURL) }
    }),
  }
}
