/** A package of CKAN as a dataset of DCAT-AP, as ckanext-dcat and the schemas of scheming portals write it. */

import { adms, dcat, dcatap, dct, foaf, owl, prov, rdfs, skos } from '../../rdf/namespaces.ts'
import { namedNode } from '../../rdf/terms.ts'
import type { Authorities } from '../../vocabularies/authorities.ts'
import { accessOf } from '../../vocabularies/coded-values.ts'
import { isDataAddress } from '../../vocabularies/formats.ts'
import { textTag } from '../../vocabularies/coded-values.ts'
import type { LicenceNames } from '../../vocabularies/licences.ts'
import {
  type Fields,
  fieldsOf,
  listOf,
  plainText,
  saidText,
  structured,
  structuredList,
} from '../../vocabularies/loose-values.ts'
import { themesOf, themesOfTopic } from '../../vocabularies/themes.ts'
import { isUsableIri } from '../mapping/addresses.ts'
import { concept, concepts } from '../mapping/concepts.ts'
import { boxFrom, metres, outlineFrom, period, place, resolution } from '../mapping/coverage.ts'
import {
  distribution,
  type DistributionFields,
  rightsStatement,
  standards,
} from '../mapping/distribution.ts'
import type { MappingConfig } from '../mapping/record-options.ts'
import { MappedRecord } from '../mapping/record.ts'
import type { Subject } from '../mapping/subject.ts'
import { firstOf, type Reader, readerOf } from './ckan-fields.ts'
import { people } from './ckan-people.ts'
import { type Entry, foundEntry, lasting } from './entry.ts'
import type { Found } from './found.ts'
import type { ImportConfig } from './import-config.ts'

/** Deterministic; whatever the fields hold. */
export function mappedPackage(fields: Fields, portal: Portal): MappedRecord {
  const { root, config, authorities } = portal
  const reader = readerOf(fields)
  const id = plainText(fields['id']) ?? plainText(fields['name']) ?? ''
  const { timezone, dateOrder } = config
  const record = new MappedRecord({
    authorities,
    iri: saidText(reader.get('uri')),
    fallbackIri: `${root}/dataset/${encodeURIComponent(id.toWellFormed())}`,
    base: `${root}/`,
    language: textTag(structuredList(reader.get('language'))) ?? config.language,
    timezone,
    dateOrder,
  })
  const { dataset } = record
  if (isMarkedPrivate(fields)) record.note('private-record', 'private, in an answer to anybody')
  naming(dataset, reader, { id, html: portal.isDkan === true })
  subjects(dataset, reader)
  pages(dataset, reader, root)
  people(dataset, reader, portal.isDkan === true)
  times(dataset, reader)
  conditions(dataset, reader)
  relations(dataset, reader)
  extent(dataset, reader)
  resources(dataset, { fields, reader, portal })
  return record
}

const isMarkedPrivate = ({ private: mark }: Fields): boolean => mark === true || mark === 'true'

type Naming = { readonly id: string; readonly html: boolean }

function naming(dataset: Subject, reader: Reader, { id, html }: Naming): void {
  dataset.text(dct('title'), reader.translated('title'))
  dataset.text(dct('description'), reader.translated('notes'), { html })
  dataset.literal(dct('identifier'), structured(reader.get('identifier', 'guid') ?? id))
  for (const other of [reader.get('uri'), ...structuredList(reader.get('alternate_identifier'))])
    identifier(dataset, other)
  const version = firstOf(reader.get('version'))
  dataset.literal(dcat('version'), version)
  dataset.literal(owl('versionInfo'), version)
  dataset.text(adms('versionNotes'), reader.translated('version_notes'))
}

function identifier(dataset: Subject, value: unknown): void {
  if (saidText(value) === undefined) return
  dataset.part(adms('identifier'), adms('Identifier')).literal(skos('notation'), value)
}

/** What is no theme of the authority is a keyword; IRIs of other vocabularies stay themes. */
function subjects(dataset: Subject, reader: Reader): void {
  const groups = listOf(reader.get('groups')).map(fieldsOf)
  for (const value of structuredList(reader.get('theme'))) theme(dataset, [value])
  for (const { name, display_name: shown, title } of groups) theme(dataset, [name, shown, title])
  for (const topic of structuredList(reader.get('topic_category', 'topiccategory')))
    addThemes(dataset, themesOfTopic(topic, dataset.record.options.authorities))
  concept(dataset, dcatap('hvdCategory'), 'hvdCategory', reader.get('hvd_category'))
  const byLanguage = structured(reader.get('keywords'))
  const isList = Array.isArray(byLanguage) || typeof byLanguage !== 'object'
  if (!isList)
    for (const [language, words] of Object.entries(fieldsOf(byLanguage)))
      dataset.text(dcat('keyword'), listOf(words), { language })
  const tags = listOf(structured(reader.get('tags')))
  for (const tag of tags) {
    const { display_name: shown, name } = fieldsOf(tag)
    const word = plainText(shown) ?? plainText(name) ?? plainText(tag)
    dataset.text(dcat('keyword'), word)
    addThemes(dataset, themesOf(word, dataset.record.options.authorities))
  }
  if (tags.length === 0 && isList) dataset.text(dcat('keyword'), listOf(byLanguage))
}

function theme(dataset: Subject, names: readonly unknown[]): void {
  const { record } = dataset
  const said = names.filter((name) => saidText(name) !== undefined)
  for (const name of said) {
    const found = themesOf(name, record.options.authorities)
    addThemes(dataset, found)
    if (found.length > 0) return
  }
  const text = plainText(said.at(-1))
  if (text === undefined) return
  const isIri = /^https?:\/\//.test(text) && dataset.iri(dcat('theme'), text)
  if (isIri) record.note('unknown-theme', text)
  else dataset.text(dcat('keyword'), text)
}

function addThemes(dataset: Subject, themes: readonly string[]): void {
  for (const iri of themes) dataset.add(dcat('theme'), namedNode(iri))
}

function pages(dataset: Subject, reader: Reader, root: string): void {
  const url = saidText(reader.get('url'))
  const name = plainText(reader.get('name'))
  const isPage =
    url !== undefined && /^https?:/i.test(url) && dataset.link(dcat('landingPage'), url)
  if (!isPage && name !== undefined)
    dataset.link(dcat('landingPage'), `${root}/dataset/${encodeURIComponent(name)}`)
  dataset.link(foaf('page'), structuredList(reader.get('documentation')))
}

function times(dataset: Subject, reader: Reader): void {
  const either = (predicate: Parameters<Subject['date']>[0], own: unknown, of: unknown) =>
    dataset.date(predicate, own) || dataset.date(predicate, of)
  either(dct('issued'), reader.get('issued'), reader.get('metadata_created'))
  either(dct('modified'), reader.get('modified'), reader.get('metadata_modified'))
  concepts(
    dataset,
    dct('accrualPeriodicity'),
    'frequency',
    firstOf(reader.get('frequency', 'frequency_of_update', 'accrual_periodicity')),
  )
}

function conditions(dataset: Subject, reader: Reader): void {
  const { authorities } = dataset.record.options
  concepts(dataset, dct('language'), 'language', reader.get('language'))
  concept(dataset, dct('type'), 'datasetType', reader.get('dcat_type'))
  standards(dataset, structuredList(reader.get('conforms_to')))
  const access = saidText(firstOf(reader.get('access_rights')))
  const known = accessOf(access, authorities)
  if (known !== undefined || isUsableIri(access)) dataset.iri(dct('accessRights'), known ?? access)
  else if (access !== undefined)
    dataset.part(dct('accessRights'), dct('RightsStatement')).text(rdfs('label'), access)
  rightsStatement(dataset, reader.get('rights'))
  for (const one of structuredList(reader.translated('provenance')))
    dataset.part(dct('provenance'), dct('ProvenanceStatement')).text(rdfs('label'), one)
  for (const law of structuredList(reader.get('applicable_legislation')))
    if (!dataset.iri(dcatap('applicableLegislation'), saidText(law)))
      dataset.lost(dcatap('applicableLegislation'), law)
}

const links = [
  ['source', dct('source')],
  ['sample', adms('sample')],
  ['has_version', dcat('hasVersion')],
  ['is_version_of', dct('isVersionOf')],
  ['is_referenced_by', dct('isReferencedBy')],
  ['related_resource', dct('relation')],
  ['was_generated_by', prov('wasGeneratedBy')],
] as const

function relations(dataset: Subject, reader: Reader): void {
  for (const [name, predicate] of links)
    for (const value of structuredList(reader.get(name))) {
      const text = saidText(value)
      const isLink = text !== undefined && /^[a-z][a-z0-9+.-]*:/i.test(text)
      if (!isLink || !dataset.iri(predicate, text)) dataset.lost(predicate, value)
    }
}

// A portal as the mapping of its packages sees it.

/** What is the same for all packages of a run. */
export type Portal = {
  readonly root: string
  readonly config: ImportConfig &
    MappingConfig & { readonly identifier: 'id' | 'name'; readonly types?: readonly string[] }
  /** The portal is a DKAN of version 1: its texts are HTML, its groups publish, and its `private` says nothing. */
  readonly isDkan?: boolean
  readonly output: 'dcat-ap' | 'source'
  readonly authorities: Authorities
  readonly licence: (id: string) => LicenceNames | undefined
}

// Where and when the data of a package are.

function extent(dataset: Subject, { get }: Reader): void {
  own(dataset, get)
  for (const one of structuredList(get('spatial_coverage'))) {
    const { uri, text, geom, bbox, centroid } = fieldsOf(one)
    const geometry = [geom, bbox, centroid].find((value) => outlineFrom(value))
    place(dataset, { geometry, iri: uri ?? saidText(one), label: text })
  }
  period(dataset, { start: get('temporal_start'), end: get('temporal_end') })
  for (const one of structuredList(get('temporal_coverage'))) {
    const { start, end } = fieldsOf(one)
    period(dataset, { start, end })
  }
  resolution(dataset, firstOf(get('temporal_resolution')))
  metres(dataset, firstOf(get('spatial_resolution_in_meters')))
}

/** `spatial` is GeoJSON, a box of four numbers, an IRI, or the name of a place. */
function own(dataset: Subject, get: Reader['get']): void {
  const spatial = get('spatial')
  const isShape = outlineFrom(spatial) !== undefined
  // An object without a geometry is told as lost.
  const geometry = isShape || typeof structured(spatial) === 'object' ? spatial : undefined
  const sides = ['west_long', 'south_lat', 'east_long', 'north_lat'].map((side) =>
    get(`bbox_${side}`),
  )
  const bbox = [structured(spatial), sides].find((four) => boxFrom(four))
  const text =
    geometry === undefined && !boxFrom(structured(spatial)) ? saidText(spatial) : undefined
  const isIri = text !== undefined && /^https?:/i.test(text) && isUsableIri(text)
  const isName = text !== undefined && !isIri && typeof structured(text) === 'string'
  const label = get('spatial_text') ?? (isName ? text : undefined)
  place(dataset, { geometry, bbox, iri: get('spatial_uri') ?? (isIri ? text : undefined), label })
}

// The resources of a package as distributions.

type Package = { readonly fields: Fields; readonly reader: Reader; readonly portal: Portal }

function resources(dataset: Subject, { fields, reader, portal }: Package): void {
  const ofPackage = packageLicence(reader, portal)
  for (const value of listOf(fields['resources'])) {
    const resource = readerOf(fieldsOf(value))
    const state = resource.get('state')
    if (typeof state === 'string' && state.toLowerCase() === 'deleted') continue
    const licences = [resourceLicence(resource), ofPackage]
    const part = distribution(dataset, {
      ...fieldsFor(dataset, resource),
      html: portal.isDkan === true,
      licences,
    })
    if (part) services(part, resource)
  }
}

/** What the package says, and what the portal knows of the licence that it names. */
function packageLicence({ get }: Reader, portal: Portal): LicenceNames {
  const id = plainText(get('license_id'))
  const known = id === undefined ? undefined : portal.licence(id)
  return {
    id,
    url: get('license_url') ?? known?.url,
    title: get('license_title') ?? known?.title,
  }
}

const resourceLicence = ({ get }: Reader): LicenceNames => ({
  id: get('license', 'license_id'),
  url: get('license_url'),
  title: get('license_title'),
})

function fieldsFor(dataset: Subject, resource: Reader): DistributionFields {
  const { get, translated } = resource
  const url = get('url')
  const isFile =
    plainText(get('url_type')) === 'upload' ||
    isDataAddress(url, dataset.record.options.authorities)
  const id = saidText(get('id'))
  const of = dataset.term.termType === 'NamedNode' ? dataset.term.value : ''
  const made = id === undefined ? undefined : `${of}/resource/${encodeURIComponent(id)}`
  return {
    iri: saidText(get('uri')) ?? made,
    identifier: get('identifier') ?? id,
    title: translated('name'),
    description: translated('description'),
    accessUrl: get('access_url') ?? url,
    downloadUrl: get('download_url') ?? (isFile ? url : undefined),
    format: get('format'),
    mediaType: get('mimetype'),
    compressFormat: get('compress_format'),
    packageFormat: get('package_format'),
    size: get('size'),
    checksum: { value: get('hash'), algorithm: get('hash_algorithm') },
    rights: structuredList(get('rights')),
    issued: get('issued') ?? get('created'),
    modified: get('modified') ?? get('last_modified') ?? get('metadata_modified'),
    language: get('language'),
    conformsTo: structuredList(get('conforms_to')),
    documentation: structuredList(get('documentation')),
    status: firstOf(get('status')),
    availability: firstOf(get('availability')),
  }
}

/** Services as the schemas of ckanext-dcat describe them. */
function services(part: Subject, { get }: Reader): void {
  for (const value of structuredList(get('access_services'))) {
    const fields = fieldsOf(value)
    const service = part.part(dcat('accessService'), dcat('DataService'), saidText(fields['uri']))
    service.text(dct('title'), fields['title'])
    service.text(dct('description'), fields['description'])
    service.link(dcat('endpointURL'), structuredList(fields['endpoint_url']))
    service.link(dcat('endpointDescription'), fields['endpoint_description'])
  }
}

// From packages to what the importer offers: which are datasets for us, under which ids.

const volatile = new Set(['tracking_summary', 'num_views'])

export function* packages(values: readonly unknown[], portal: Portal): Generator<Found, void> {
  const read = (fields: Fields) => entryOf(fields, portal)
  for (const value of values) yield foundEntry(value, { output: portal.output, read })
}

function entryOf(fields: Fields, portal: Portal): Entry {
  const { root, config } = portal
  const id = plainText(fields['id']) ?? ''
  const name = plainText(fields['name']) ?? ''
  const [sourceId, alias] = config.identifier === 'id' ? [id, name] : [name, id]
  return {
    sourceId,
    aliases: [alias],
    sourceUrl: `${root}/dataset/${encodeURIComponent(name || id)}`,
    skipped: reasonToSkip(fields, portal),
    lasting: lasting(fields, volatile),
    map: () => mappedPackage(fields, portal),
  }
}

function reasonToSkip(fields: Fields, { config, isDkan }: Portal): string | undefined {
  const { state, type } = fields
  const { types } = config
  if (typeof state === 'string' && state.toLowerCase() !== 'active') return `state ${state}`
  // DKAN 1 marks what it shows to everybody; only somebody who logged in sees what is private.
  const isHidden = isDkan !== true || hasCredentials(config)
  if (isHidden && isMarkedPrivate(fields)) return 'private'
  const isOther =
    types && typeof type === 'string' && type !== '' && !types.includes(type.toLowerCase())
  return isOther ? `type ${type}` : undefined
}

const hasCredentials = ({ auth, apikey, auth_key: authKey }: Portal['config']) =>
  auth !== undefined || apikey !== undefined || authKey !== undefined
