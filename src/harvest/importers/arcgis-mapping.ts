/** From a dataset of a DCAT-AP feed to DCAT-AP that holds: the platform's feeds have known defects, each mended here. */

import { dcat, dct, rdfs } from '../../rdf/namespaces.ts'
import type { Authorities } from '../../vocabularies/authorities.ts'
import { textFromHtml } from '../../vocabularies/html-text.ts'
import { type LicenceNames, licenceOf } from '../../vocabularies/licences.ts'
import { fieldsOf, listOf, plainText, saidText } from '../../vocabularies/loose-values.ts'
import type { Fields } from '../../text/json.ts'
import { agent, contact } from '../mapping/agents.ts'
import { concepts } from '../mapping/concepts.ts'
import {
  accessService,
  outlineFrom,
  period,
  periodFrom,
  place,
  placeFrom,
  themesOrKeywords,
} from '../mapping/coverage.ts'
import { distribution } from '../mapping/distribution.ts'
import type { MappedRecord } from '../mapping/record.ts'
import type { Subject } from '../mapping/subject.ts'
import { plainValue, sayRest, type TermContext } from './arcgis-terms.ts'
import { type Portal, recordIn } from './portal.ts'

type Placed = { readonly site: Portal; readonly sourceId: string; readonly terms: TermContext }

/** Said in a way of their own; all other properties are taken as they are. */
const known = new Set(
  (
    'dct:identifier dct:title dct:description dcat:keyword dcat:theme dct:issued dct:modified dct:publisher ' +
    'dct:creator dcat:contactPoint dct:accessRights dct:provenance dct:license dct:language dct:spatial ' +
    'dct:temporal dct:accrualPeriodicity dcat:landingPage dcat:distribution'
  ).split(' '),
)

export function mapEntry(fields: Fields, { site, sourceId, terms }: Placed): MappedRecord {
  const iri = plainText(fields['@id'])
  const page = `${site.root}/datasets/${encodeURIComponent(sourceId)}`
  const record = recordIn(site, page, { iri })
  const { dataset } = record
  dataset.literal(dct('identifier'), listOf(fields['dct:identifier']).map(plainValue))
  for (const title of listOf(fields['dct:title'])) words(dataset, 'title', title)
  description(dataset, fields)
  for (const one of listOf(fields['dcat:keyword'])) keyword(dataset, one)
  themes(dataset, fields['dcat:theme'])
  for (const name of ['issued', 'modified']) date(dataset, name, fields[`dct:${name}`])
  for (const role of ['publisher', 'creator']) people(dataset, role, fields[`dct:${role}`])
  for (const one of listOf(fields['dcat:contactPoint'])) contactPoint(dataset, one)
  accessAndOrigin(dataset, fields)
  coverage(dataset, fields)
  for (const one of listOf(fields['dcat:landingPage']))
    dataset.link(dcat('landingPage'), plainValue(one))
  const licence = licenceIn(fields['dct:license'], site.authorities)
  mapDistributions(dataset, fields['dcat:distribution'], { terms, licence })
  sayRest(dataset, fields, { terms, known })
  return record
}

function words(dataset: Subject, name: 'title' | 'description', value: unknown): boolean {
  const { '@language': language, '@value': told } = fieldsOf(value)
  return dataset.text(dct(name), told ?? value, { html: true, language })
}

/** A path of the publisher's own machines in place of words. */
const serverPath = /^(?:\\\\|[A-Za-z]:[\\/])\S[^\n]*$|^[^\n<]*\.(?:mxd|aprx|gdb|sde)$/i

function description(dataset: Subject, fields: Fields): void {
  const texts = listOf(fields['dct:description'])
  for (const value of texts) {
    const text = plainValue(value)
    const isPath = text !== undefined && serverPath.test(textFromHtml(text).trim())
    if (isPath) dataset.lost(dct('description'), text)
    if (!isPath) words(dataset, 'description', value)
    else words(dataset, 'description', fields['snippet'] ?? listOf(fields['dct:title'])[0])
  }
}

function keyword(dataset: Subject, value: unknown): void {
  const { '@language': language, '@value': told } = fieldsOf(value)
  dataset.text(dcat('keyword'), told ?? value, { language })
}

/** Every dataset of every site has this theme, whatever it is about. */
const constantTheme = 'geospatial'

function themes(dataset: Subject, value: unknown): void {
  const told = listOf(value).map(plainValue)
  for (const theme of told.filter((one) => one !== undefined && one !== constantTheme)) {
    if (/^https?:/i.test(theme ?? '')) dataset.iri(dcat('theme'), theme)
    else themesOrKeywords(dataset, theme)
  }
}

/** Years before there were computers stand for a date that nobody set. */
function date(dataset: Subject, name: string, value: unknown): void {
  const text = plainValue(listOf(value)[0])
  if (text === undefined) return
  if (/^0|^-/.test(text) || Date.parse(text) < 0)
    dataset.record.note('invalid-date', `dct:${name}: ${text}`)
  else dataset.date(dct(name), text)
}

function people(dataset: Subject, role: string, value: unknown): void {
  for (const one of listOf(value)) {
    const fields = fieldsOf(one)
    const name = saidText(one) ?? listOf(fields['foaf:name']).map(plainValue)[0] ?? fields['name']
    const email = plainValue(fields['foaf:mbox'])
    const url = plainValue(fields['foaf:homepage'])
    agent(dataset, dct(role), { name, iri: fields['@id'], email, url })
  }
}

/** The node's own address is the page of a user, not of a contact. */
function contactPoint(dataset: Subject, value: unknown): void {
  const fields = fieldsOf(value)
  const iri = plainText(fields['@id'])
  const isUser = fields['@type'] === 'Contact' || /\/sharing\/rest\//.test(iri ?? '')
  contact(dataset, dcat('contactPoint'), {
    name: saidText(value) ?? listOf(fields['vcard:fn']).map(plainValue)[0],
    iri: isUser ? undefined : iri,
    email: plainValue(fields['vcard:hasEmail']),
    phone: plainValue(fields['vcard:hasTelephone']),
    url: plainValue(fields['vcard:hasURL']),
  })
}

function accessAndOrigin(dataset: Subject, fields: Fields): void {
  for (const one of listOf(fields['dct:accessRights'])) {
    const text = plainValue(one)
    if (concepts(dataset, dct('accessRights'), 'access', text)) continue
    if (dataset.iri(dct('accessRights'), text)) continue
    dataset.part(dct('accessRights'), dct('RightsStatement')).text(rdfs('label'), text)
  }
  for (const one of listOf(fields['dct:provenance'])) {
    const label = saidText(one) ?? listOf(fieldsOf(one)['rdfs:label']).map(plainValue)[0]
    dataset.part(dct('provenance'), dct('ProvenanceStatement')).text(rdfs('label'), label)
  }
}

/** What a place may have for its outline; one of them is enough. */
const outlines = ['locn:geometry', 'dcat:bbox', 'dcat:centroid']

function coverage(dataset: Subject, fields: Fields): void {
  for (const one of listOf(fields['dct:spatial'])) {
    const shapes = outlines.flatMap((name) => listOf(fieldsOf(one)[name])).map(plainValue)
    const geometry = shapes.find((text) => outlineFrom(text) !== undefined) ?? shapes[0]
    const label = plainValue(fieldsOf(one)['skos:prefLabel'])
    if (geometry !== undefined) place(dataset, { geometry, label })
    else if (!placeFrom(dataset, plainValue(one) ?? label)) dataset.lost(dct('spatial'), one)
  }
  for (const one of listOf(fields['dct:temporal'])) {
    const ends = ['start', 'end'].map((end) => {
      const names = [`dcat:${end}Date`, `schema:${end}Date`]
      return names.map((name) => plainValue(fieldsOf(one)[name])).find(Boolean)
    })
    if (ends.some(Boolean)) period(dataset, { start: ends[0], end: ends[1] })
    else if (plainValue(one) === undefined) dataset.lost(dct('temporal'), one)
    else periodFrom(dataset, plainValue(one))
  }
  for (const one of listOf(fields['dct:language']))
    concepts(dataset, dct('language'), 'language', plainValue(one)?.replace(/^lang:/, ''))
  for (const one of listOf(fields['dct:accrualPeriodicity']))
    concepts(dataset, dct('accrualPeriodicity'), 'frequency', plainValue(one))
}

// The licence of a feed's dataset: an address in it, a known name, or words about rights.

export type LicenceTold = {
  readonly licences: readonly LicenceNames[]
  /** What is no licence all the same may be of interest. */
  readonly rights: string | undefined
}

/** Never a licence that is not there: text without an address is one only when its name is known. */
export function licenceIn(value: unknown, authorities: Authorities): LicenceTold {
  const texts = listOf(value)
    .map(
      (one) =>
        plainValue(one) ??
        saidText(fieldsOf(one)['dct:title']) ??
        saidText(fieldsOf(one)['rdfs:label']),
    )
    .filter((text) => text !== undefined)
  const licences: LicenceNames[] = []
  const rights: string[] = []
  for (const text of texts) {
    if (licenceOf({ title: text }, authorities)?.kind === 'iri') licences.push({ title: text })
    else rights.push(saidText(textFromHtml(text)) ?? '')
  }
  const words = rights.filter((one) => one !== '').join('\n')
  return { licences, rights: words === '' ? undefined : words }
}

// The distributions of a feed's dataset, with the defects that they are known for.

type Setting = { readonly terms: TermContext; readonly licence: LicenceTold }

/** Property → the names that it comes under: without a prefix from the item's own metadata, or in the wrong case. */
const spellings = {
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
type Property = keyof typeof spellings

const knownOfFile = new Set<string>(Object.values(spellings).flat())

function mapDistributions(dataset: Subject, value: unknown, setting: Setting): void {
  for (const one of listOf(value)) mapDistribution(dataset, fieldsOf(one), setting)
}

function mapDistribution(dataset: Subject, fields: Fields, { terms, licence }: Setting): void {
  const told = (property: Property) =>
    spellings[property].map((name) => listOf(fields[name]).map(plainValue)[0]).find(Boolean)
  const [title, format] = [told('title'), fileFormat(told('format'), told('title'))]
  const address = told('accessUrl') ?? told('downloadUrl')
  if (isHubPage(title, format)) {
    dataset.link(dcat('landingPage'), address)
    return
  }
  const own = licenceIn(
    spellings.licence.map((name) => fields[name]).find(Boolean),
    dataset.record.options.authorities,
  )
  const made = distribution(dataset, {
    iri: plainText(fields['@id']),
    identifier: told('identifier'),
    title,
    description: told('description'),
    html: true,
    accessUrl: told('accessUrl'),
    downloadUrl: told('downloadUrl'),
    format,
    mediaType: told('mediaType'),
    size: told('size'),
    licences: [...own.licences, ...licence.licences],
    rights: own.rights ?? licence.rights,
    issued: told('issued'),
    modified: told('modified'),
  })
  if (!made) return
  if (isService(title, format, address))
    accessService(made, { title: title ?? 'ArcGIS GeoService', endpoint: address ?? '' })
  sayRest(made, fields, { terms, known: knownOfFile })
}

/** Of an authority's IRI or its short form the code; archives of shape files are shape files. */
function fileFormat(told: string | undefined, title: string | undefined): string | undefined {
  const format = told?.replace(/^(?:ftype:|.*\/file-type\/)/, '')
  return /^zip$/i.test(format ?? '') && /shape\s*file/i.test(title ?? '') ? 'SHP' : format
}

const isHubPage = (title: string | undefined, format: string | undefined) =>
  /^html$/i.test(format ?? '') && /^arcgis hub dataset$/i.test(title ?? '')

const isService = (
  title: string | undefined,
  format: string | undefined,
  address: string | undefined,
) =>
  address !== undefined &&
  /\/rest\/services\//i.test(address) &&
  (/^arcgis geoservice/i.test(title ?? '') ||
    /^(?:json|arcgis geoservices?.*)$/i.test(format ?? ''))
