/**
 * From an ArcGIS Hub site to DCAT-AP: the records of its API, and the datasets of its DCAT-AP feeds, whose known defects are mended
 * here one by one.
 */

import type { NamedNode } from '@rdfjs/types'
import { dcat, dct, prefixes, rdf, xsd } from '../../rdf/namespaces.ts'
import { literal, namedNode } from '../../rdf/terms.ts'
import type { Fields } from '../../text/json.ts'
import type { Authorities } from '../../vocabularies/authorities.ts'
import { textFromHtml } from '../../vocabularies/html-text.ts'
import { type LicenceNames, licenceOf } from '../../vocabularies/licences.ts'
import { fieldsOf, listOf, plainText, saidText } from '../../vocabularies/loose-values.ts'
import { isUsableIri } from '../mapping/addresses.ts'
import type { AgentFields, ContactFields } from '../mapping/agents.ts'
import { outlineFrom } from '../mapping/coverage.ts'
import { distribution } from '../mapping/distribution.ts'
import { fromHtml, type PropertyValues, write } from '../mapping/properties.ts'
import type { MappedRecord, Subject } from '../mapping/record.ts'
import { type Portal, recordIn } from './portal.ts'

/** The page of a dataset. */
export const hubPage = ({ root }: Portal, id: string): string =>
  `${root}/datasets/${encodeURIComponent(id)}`

/** The licence of a dataset; `rights`: what is no licence may be of interest all the same. */
type Licence = { readonly licences: readonly LicenceNames[]; readonly rights: string | undefined }

/** Never a licence that is not there: text without an address is one only when its name is known. */
function licenceIn(value: unknown, authorities: Authorities): Licence {
  const texts = listOf(value).flatMap((one) => {
    const fields = fieldsOf(one)
    return plainValue(one) ?? saidText(fields['dct:title']) ?? saidText(fields['rdfs:label']) ?? []
  })
  const isLicence = (title: string) => licenceOf({ title }, authorities)?.kind === 'iri'
  const words = texts.filter((text) => !isLicence(text)).map((text) => saidText(textFromHtml(text)))
  return {
    licences: texts.filter(isLicence).map((title) => ({ title })),
    rights: words.filter(Boolean).join('\n') || undefined,
  }
}

const geoService = 'ArcGIS GeoService'

// Records of the API (OGC API - Records, part 1).

const formats = [
  { name: 'csv', format: 'CSV', mediaType: 'text/csv' },
  { name: 'geojson', format: 'GeoJSON', mediaType: 'application/geo+json' },
  { name: 'shapefile', format: 'SHP', mediaType: 'application/zip' },
  { name: 'kml', format: 'KML', mediaType: 'application/vnd.google-earth.kml+xml' },
]

export function mapFeature(fields: Fields, site: Portal, sourceId: string): MappedRecord {
  const own = fieldsOf(fields['properties'])
  const page = hubPage(site, sourceId)
  const record = recordIn(site, page)
  const { dataset } = record
  write(dataset, {
    identifier: sourceId,
    title: own['title'],
    description: saidText(fromHtml(own['description'])) ?? fromHtml(own['snippet']),
    keyword: own['tags'],
    // `/Categories/Environment`: the last step says what it is.
    themes: listOf(own['categories']).map((one) => saidText(one)?.replace(/^.*\//, '')),
    landingPage: page,
    publisher: { name: saidText(own['source']) ?? own['owner'] },
    issued: own['created'],
    modified: own['modified'],
    places: [{ geometry: fields['geometry'] }],
  })
  const given = [fieldsOf(own['structuredLicense'])['url'], own['license'], own['licenseInfo']]
  const licence = licenceIn(given.filter(Boolean), site.authorities)
  // A layer can be had in every format; an item without one is not known to be a table or a map.
  const [, item, layer] = /^(.+)_(\d+)$/.exec(sourceId) ?? []
  const files = `${site.root}/api/download/v1/items/${encodeURIComponent(item ?? '')}`
  for (const { name, ...format } of item === undefined ? [] : formats) {
    const identifier = `${sourceId}/${name}`
    const downloadUrl = `${files}/${name}?layers=${layer}`
    distribution(dataset, { identifier, ...format, ...licence, downloadUrl })
  }
  const url = saidText(own['url'])
  const isService = /\/rest\/services\//i.test(url ?? '')
  const services = [{ title: { '': geoService }, endpoint: url }]
  const service = isService ? { title: geoService, format: geoService, services } : {}
  if (url !== undefined) distribution(dataset, { accessUrl: url, ...service, ...licence })
  return record
}

// JSON-LD as the feeds write it: names with prefixes, values as text, as typed text, as links or as nested nodes.

/** Names and prefixes → IRIs. Contexts of the feeds have prefixes only; nothing of them is ever fetched. */
type TermContext = ReadonlyMap<string, string>

const usual = {
  ...prefixes,
  gsp: 'http://www.opengis.net/ont/geosparql#',
  ftype: 'http://publications.europa.eu/resource/authority/file-type/',
  lang: 'http://publications.europa.eu/resource/authority/language/',
}

export function contextOf(terms: Fields): TermContext {
  const own = Object.entries(terms).flatMap(([name, value]) => {
    const iri = plainText(value) ?? plainText(fieldsOf(value)['@id'])
    return iri === undefined || name.startsWith('@') ? [] : [[name, iri] as const]
  })
  return new Map([...Object.entries(usual), ...own])
}

/** The IRI that a name stands for; `undefined` for names that JSON-LD would pass over. */
function expanded(name: unknown, terms: TermContext): string | undefined {
  const text = plainText(name) ?? ''
  const whole = terms.get(text) ?? text
  const [, prefix = '', local = ''] = /^([^:/]*):(?!\/\/)(.*)$/s.exec(whole) ?? []
  const namespace = terms.get(prefix)
  const iri = namespace === undefined ? whole : namespace + local
  return isUsableIri(iri) && iri.includes(':') ? iri : undefined
}

/** The text of a value, however it is wrapped: `"x"`, `{ "@value": "x" }`, `{ "@id": "x" }`. */
export function plainValue(value: unknown): string | undefined {
  const fields = fieldsOf(value)
  return saidText(value) ?? saidText(fields['@value']) ?? saidText(fields['@id'])
}

/** Text with its language. */
function tagged(value: unknown): unknown {
  const { '@language': language, '@value': text = value } = fieldsOf(value)
  return typeof language === 'string' ? { [language]: text } : text
}

/** Deeper than any feed nests; what lies further has lost its way. */
const deepest = 8

/** Writes all properties of a node but those that are `known`: each as the feed has it. */
function writeRest(
  subject: Subject,
  fields: Fields,
  { terms, known, depth = 0 }: { terms: TermContext; known?: ReadonlySet<string>; depth?: number },
): void {
  for (const [name, value] of Object.entries(fields)) {
    const iri = expanded(name, terms)
    if (name.startsWith('@') || known?.has(name) === true) continue
    if (iri === undefined || iri === rdf('type').value) continue
    for (const one of listOf(value))
      if (typeof one === 'boolean')
        subject.add(namedNode(iri), literal(String(one), xsd('boolean')))
      else if (typeof one === 'object' && one !== null)
        writeNode(subject, namedNode(iri), { fields: fieldsOf(one), terms, depth })
      else subject.text(namedNode(iri), one)
  }
}

type NestedNode = { readonly fields: Fields; readonly terms: TermContext; readonly depth: number }

function writeNode(subject: Subject, predicate: NamedNode, nested: NestedNode): void {
  const { fields, terms, depth } = nested
  const { '@value': value, '@type': type } = fields
  const iri = expanded(fields['@id'], terms)
  if ('@value' in fields) {
    const datatype = expanded(type, terms)
    if (datatype === undefined) subject.text(predicate, tagged(fields))
    else if (/#(?:dateTime|date|gYearMonth|gYear)$/.test(datatype)) subject.date(predicate, value)
    else subject.literal(predicate, value, namedNode(datatype))
  } else if (Object.keys(fields).every((name) => name === '@id')) subject.iri(predicate, iri)
  else if (depth < deepest) {
    const part = subject.part(predicate, undefined, iri)
    for (const one of [type].flat()) part.iri(rdf('type'), expanded(one, terms))
    writeRest(part, fields, { terms, depth: depth + 1 })
  }
}

// Datasets of a feed.

/** Written in a way of their own; all other properties are taken as they are. */
const known = new Set(
  (
    'dct:identifier dct:title dct:description dcat:keyword dcat:theme dct:issued dct:modified dct:publisher ' +
    'dct:creator dcat:contactPoint dct:accessRights dct:provenance dct:license dct:language dct:spatial ' +
    'dct:temporal dct:accrualPeriodicity dcat:landingPage dcat:distribution'
  ).split(' '),
)

/** Every dataset of every site has this theme, whatever it is about. */
const constantTheme = 'geospatial'

type HubDataset = { readonly site: Portal; readonly sourceId: string; readonly terms: TermContext }

export function mapEntry(fields: Fields, { site, sourceId, terms }: HubDataset): MappedRecord {
  const record = recordIn(site, hubPage(site, sourceId), { iri: plainText(fields['@id']) })
  const { dataset } = record
  const list = (name: string) => listOf(fields[name])
  const plain = (name: string) => list(name).map(plainValue)
  for (const title of list('dct:title')) dataset.text(dct('title'), fromHtml(tagged(title)))
  for (const text of descriptions(dataset, fields)) dataset.text(dct('description'), text)
  for (const word of list('dcat:keyword')) dataset.text(dcat('keyword'), tagged(word))
  write(dataset, {
    identifier: plain('dct:identifier'),
    themes: plain('dcat:theme').filter((theme) => theme !== constantTheme),
    landingPage: plain('dcat:landingPage'),
    publisher: list('dct:publisher').map(agentIn),
    creator: list('dct:creator').map(agentIn),
    contact: list('dcat:contactPoint').map(contactIn),
    issued: dateIn(dataset, 'issued', fields),
    modified: dateIn(dataset, 'modified', fields),
    frequency: [plain('dct:accrualPeriodicity')],
    language: plain('dct:language').map((tag) => tag?.replace(/^lang:/, '')),
    accessRights: plain('dct:accessRights'),
    provenance: list('dct:provenance').map(
      (one) => saidText(one) ?? listOf(fieldsOf(one)['rdfs:label']).map(plainValue)[0],
    ),
  })
  for (const one of list('dct:spatial')) write(dataset, spatial(dataset, one))
  for (const one of list('dct:temporal')) write(dataset, temporal(dataset, one))
  const licence = licenceIn(fields['dct:license'], site.authorities)
  for (const one of list('dcat:distribution')) mapFile(dataset, fieldsOf(one), { terms, licence })
  writeRest(dataset, fields, { terms, known })
  return record
}

/** A path of the publisher's own machines in place of words. */
const serverPath = /^(?:\\\\|[A-Za-z]:[\\/])\S[^\n]*$|^[^\n<]*\.(?:mxd|aprx|gdb|sde)$/i

const descriptions = (dataset: Subject, fields: Fields): readonly unknown[] =>
  listOf(fields['dct:description']).map((value) => {
    const text = plainValue(value)
    const isPath = text !== undefined && serverPath.test(textFromHtml(text).trim())
    if (isPath) dataset.lost(dct('description'), text)
    const better = fields['snippet'] ?? listOf(fields['dct:title'])[0]
    return fromHtml(tagged(isPath ? better : value))
  })

/** Years before there were computers stand for a date that nobody set. */
function dateIn(dataset: Subject, name: string, fields: Fields): string | undefined {
  const text = plainValue(listOf(fields[`dct:${name}`])[0])
  if (text === undefined || (!/^0|^-/.test(text) && !(Date.parse(text) < 0))) return text
  dataset.record.note('invalid-date', `dct:${name}: ${text}`)
  return undefined
}

function agentIn(value: unknown): AgentFields {
  const fields = fieldsOf(value)
  const names = listOf(fields['foaf:name']).map(plainValue)
  const [email, url] = ['foaf:mbox', 'foaf:homepage'].map((name) => plainValue(fields[name]))
  return { name: saidText(value) ?? names[0] ?? fields['name'], iri: fields['@id'], email, url }
}

/** The node's own address is the page of a user, not of a contact. */
function contactIn(value: unknown): ContactFields {
  const fields = fieldsOf(value)
  const iri = plainText(fields['@id'])
  const isUser = fields['@type'] === 'Contact' || /\/sharing\/rest\//.test(iri ?? '')
  return {
    name: saidText(value) ?? listOf(fields['vcard:fn']).map(plainValue)[0],
    iri: isUser ? undefined : iri,
    email: plainValue(fields['vcard:hasEmail']),
    phone: plainValue(fields['vcard:hasTelephone']),
    url: plainValue(fields['vcard:hasURL']),
  }
}

/** What a place may have for its outline; one of them is enough. */
const outlines = ['locn:geometry', 'dcat:bbox', 'dcat:centroid']

function spatial(dataset: Subject, value: unknown): PropertyValues {
  const fields = fieldsOf(value)
  const shapes = outlines.flatMap((name) => listOf(fields[name])).map(plainValue)
  const geometry = shapes.find((text) => outlineFrom(text) !== undefined) ?? shapes[0]
  const label = plainValue(fields['skos:prefLabel'])
  if (geometry !== undefined) return { places: [{ geometry, label }] }
  const name = plainValue(value) ?? label
  if (name === undefined) dataset.lost(dct('spatial'), value)
  return { spatial: name }
}

function temporal(dataset: Subject, value: unknown): PropertyValues {
  const fields = fieldsOf(value)
  const end = (name: string) =>
    plainValue(fields[`dcat:${name}Date`]) ?? plainValue(fields[`schema:${name}Date`])
  const period = { start: end('start'), end: end('end') }
  if (period.start !== undefined || period.end !== undefined) return { periods: [period] }
  const text = plainValue(value)
  if (text === undefined) dataset.lost(dct('temporal'), value)
  return { temporal: text }
}

// Distributions of a feed's dataset, with the defects that they are known for.

/** Properties come without a prefix from the item's own metadata, and some in the wrong case. */
const ofFile = {
  accessUrl: ['dcat:accessURL', 'dcat:accessUrl', 'accessURL', 'accessUrl'],
  downloadUrl: ['dcat:downloadURL', 'dcat:downloadUrl', 'downloadURL', 'downloadUrl'],
  title: ['dct:title', 'title'],
  description: ['dct:description', 'description'],
  format: ['dct:format', 'format'],
  mediaType: ['dcat:mediaType', 'mediaType'],
  licence: ['dct:license', 'license'],
  issued: ['dct:issued', 'issued'],
  modified: ['dct:modified', 'modified'],
  size: ['dcat:byteSize', 'byteSize'],
  identifier: ['dct:identifier', 'identifier'],
} as const

const knownOfFile = new Set<string>(Object.values(ofFile).flat())

type FileContext = { readonly terms: TermContext; readonly licence: Licence }

function mapFile(dataset: Subject, fields: Fields, { terms, licence }: FileContext): void {
  const told = (property: keyof typeof ofFile) =>
    ofFile[property].map((name) => plainValue(listOf(fields[name])[0])).find(Boolean)
  const [title, accessUrl, downloadUrl] = [told('title'), told('accessUrl'), told('downloadUrl')]
  const address = accessUrl ?? downloadUrl
  // Of an authority's IRI or its short form the code; archives of shape files are shape files.
  const code = told('format')?.replace(/^(?:ftype:|.*\/file-type\/)/, '') ?? ''
  const format = /^zip$/i.test(code) && /shape\s*file/i.test(title ?? '') ? 'SHP' : code
  if (/^html$/i.test(format) && /^arcgis hub dataset$/i.test(title ?? '')) {
    dataset.link(dcat('landingPage'), address)
    return
  }
  const given = ofFile.licence.map((name) => fields[name]).find(Boolean)
  const own = licenceIn(given, dataset.record.options.authorities)
  const isService =
    /\/rest\/services\//i.test(address ?? '') &&
    (/^arcgis geoservice/i.test(title ?? '') || /^(?:json|arcgis geoservices?.*)$/i.test(format))
  const made = distribution(dataset, {
    iri: plainText(fields['@id']),
    identifier: told('identifier'),
    title: fromHtml(title),
    description: fromHtml(told('description')),
    accessUrl,
    downloadUrl,
    format,
    mediaType: told('mediaType'),
    size: told('size'),
    licences: [...own.licences, ...licence.licences],
    rights: own.rights ?? licence.rights,
    issued: told('issued'),
    modified: told('modified'),
    services: isService ? [{ title: { '': title ?? geoService }, endpoint: address }] : [],
  })
  if (made) writeRest(made, fields, { terms, known: knownOfFile })
}
