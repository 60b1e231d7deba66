/** A package of CKAN as a dataset of DCAT-AP, as ckanext-dcat and the schemas of scheming portals write it. */

import type { NamedNode } from '@rdfjs/types'
import { adms, dcat, dcatap, dct, foaf, owl, prov, rdfs, skos } from '../../rdf/namespaces.ts'
import { namedNode } from '../../rdf/terms.ts'
import { accessOf, textTag } from '../../vocabularies/coded-values.ts'
import { isDataAddress } from '../../vocabularies/formats.ts'
import type { LicenceNames } from '../../vocabularies/licences.ts'
import {
  fieldsOf,
  listOf,
  plainText,
  saidText,
  structured,
  structuredList,
} from '../../vocabularies/loose-values.ts'
import type { Fields } from '../../text/json.ts'
import { themesOf, themesOfTopic } from '../../vocabularies/themes.ts'
import { isUsableIri } from '../mapping/addresses.ts'
import { agent, contact } from '../mapping/agents.ts'
import { concept, concepts } from '../mapping/concepts.ts'
import { boxFrom, metres, outlineFrom, period, place, resolution } from '../mapping/coverage.ts'
import { distribution, rightsStatement, standards } from '../mapping/distribution.ts'
import type { MappedRecord } from '../mapping/record.ts'
import type { Subject } from '../mapping/subject.ts'
import { firstOf, firstSaid, nodesIn, type Reader, readerOf } from './ckan-api.ts'
import { type Entry, foundEntry, lasting } from './entry.ts'
import type { Found } from './found.ts'
import type { ImportContext } from './importer.ts'
import { type Portal, recordIn } from './portal.ts'

export type CkanPortal = Portal<{
  readonly identifier: 'id' | 'name'
  readonly types?: readonly string[]
}> & {
  /** The portal is a DKAN of version 1: its texts are HTML, its groups publish, and its `private` says nothing. */
  readonly isDkan?: boolean
  readonly output: ImportContext['output']
}

/** What the importer offers of the packages: which are datasets for us, under which ids. */
export function* packages(values: readonly unknown[], portal: CkanPortal): Generator<Found, void> {
  const read = (fields: Fields) => entryOf(fields, portal)
  for (const value of values) yield foundEntry(value, { output: portal.output, read })
}

function entryOf(fields: Fields, portal: CkanPortal): Entry {
  const { root, config } = portal
  const id = plainText(fields['id']) ?? ''
  const name = plainText(fields['name']) ?? ''
  const [sourceId, alias] = config.identifier === 'id' ? [id, name] : [name, id]
  return {
    sourceId,
    aliases: [alias],
    sourceUrl: `${root}/dataset/${encodeURIComponent(name || id)}`,
    skipped: reasonToSkip(fields, portal),
    lasting: lasting(fields, ['tracking_summary', 'num_views']),
    map: () => mappedPackage(fields, portal),
  }
}

function reasonToSkip(fields: Fields, { config, isDkan }: CkanPortal): string | undefined {
  const { state, type } = fields
  const { types, auth, apikey, auth_key: authKey } = config
  if (typeof state === 'string' && state.toLowerCase() !== 'active') return `state ${state}`
  // DKAN 1 marks what it shows to everybody; only somebody who logged in sees what is private.
  const isHidden = isDkan !== true || [auth, apikey, authKey].some((one) => one !== undefined)
  if (isHidden && isMarkedPrivate(fields)) return 'private'
  const isOther =
    types && typeof type === 'string' && type !== '' && !types.includes(type.toLowerCase())
  return isOther ? `type ${type}` : undefined
}

const isMarkedPrivate = ({ private: mark }: Fields): boolean => mark === true || mark === 'true'

/** Deterministic; whatever the fields hold. */
export function mappedPackage(fields: Fields, portal: CkanPortal): MappedRecord {
  const { root, config, isDkan = false } = portal
  const reader = readerOf(fields)
  const id = plainText(fields['id']) ?? plainText(fields['name']) ?? ''
  const record = recordIn(portal, `${root}/dataset/${encodeURIComponent(id.toWellFormed())}`, {
    iri: saidText(reader.get('uri')),
    language: textTag(structuredList(reader.get('language'))) ?? config.language,
  })
  const { dataset } = record
  if (isMarkedPrivate(fields)) record.note('private-record', 'private, in an answer to anybody')
  naming(dataset, reader, { id, html: isDkan })
  subjects(dataset, reader)
  pages(dataset, reader, root)
  publisher(dataset, reader, isDkan)
  creators(dataset, reader)
  contacts(dataset, reader)
  times(dataset, reader)
  conditions(dataset, reader)
  relations(dataset, reader)
  extent(dataset, reader)
  for (const value of listOf(fields['resources']))
    resource(dataset, readerOf(fieldsOf(value)), {
      html: isDkan,
      package: packageLicence(reader, portal),
    })
  return record
}

type Naming = { readonly id: string; readonly html: boolean }

function naming(dataset: Subject, { get, translated }: Reader, { id, html }: Naming): void {
  dataset.text(dct('title'), translated('title'))
  dataset.text(dct('description'), translated('notes'), { html })
  dataset.literal(dct('identifier'), structured(get('identifier', 'guid') ?? id))
  for (const other of [get('uri'), ...structuredList(get('alternate_identifier'))])
    if (saidText(other) !== undefined)
      dataset.part(adms('identifier'), adms('Identifier')).literal(skos('notation'), other)
  const version = firstOf(get('version'))
  dataset.literal(dcat('version'), version)
  dataset.literal(owl('versionInfo'), version)
  dataset.text(adms('versionNotes'), translated('version_notes'))
}

/** What is no theme of the authority is a keyword; IRIs of other vocabularies stay themes. */
function subjects(dataset: Subject, { get }: Reader): void {
  const { authorities } = dataset.record.options
  const themes = (iris: readonly string[]) => {
    for (const iri of iris) dataset.add(dcat('theme'), namedNode(iri))
  }
  for (const value of structuredList(get('theme'))) theme(dataset, [value])
  for (const { name, display_name: shown, title } of listOf(get('groups')).map(fieldsOf))
    theme(dataset, [name, shown, title])
  for (const topic of structuredList(get('topic_category', 'topiccategory')))
    themes(themesOfTopic(topic, authorities))
  concept(dataset, dcatap('hvdCategory'), 'hvdCategory', get('hvd_category'))
  const byLanguage = structured(get('keywords'))
  const isList = Array.isArray(byLanguage) || typeof byLanguage !== 'object'
  if (!isList)
    for (const [language, words] of Object.entries(fieldsOf(byLanguage)))
      dataset.text(dcat('keyword'), listOf(words), { language })
  const tags = structuredList(get('tags'))
  for (const tag of tags) {
    const { display_name: shown, name } = fieldsOf(tag)
    const word = plainText(shown) ?? plainText(name) ?? plainText(tag)
    dataset.text(dcat('keyword'), word)
    themes(themesOf(word, authorities))
  }
  if (tags.length === 0 && isList) dataset.text(dcat('keyword'), listOf(byLanguage))
}

/** A theme by the first of its names that means one. */
function theme(dataset: Subject, names: readonly unknown[]): void {
  const { record } = dataset
  const said = names.filter((name) => saidText(name) !== undefined)
  const themes = said
    .map((name) => themesOf(name, record.options.authorities))
    .find(({ length }) => length > 0)
  for (const iri of themes ?? []) dataset.add(dcat('theme'), namedNode(iri))
  const text = plainText(said.at(-1))
  if (themes || text === undefined) return
  const isIri = /^https?:\/\//.test(text) && dataset.iri(dcat('theme'), text)
  if (isIri) record.note('unknown-theme', text)
  else dataset.text(dcat('keyword'), text)
}

function pages(dataset: Subject, { get }: Reader, root: string): void {
  const url = saidText(get('url')) ?? ''
  const name = plainText(get('name'))
  const isPage = /^https?:/i.test(url) && dataset.link(dcat('landingPage'), url)
  if (!isPage && name !== undefined)
    dataset.link(dcat('landingPage'), `${root}/dataset/${encodeURIComponent(name)}`)
  dataset.link(foaf('page'), structuredList(get('documentation')))
}

/** A field of an agent by its bare name: `name`, `uri`, `email`. */
type Get = (name: string) => unknown

/** From keys such as `publisher_name`. */
const keyed =
  ({ get }: Reader, role: string): Get =>
  (name) =>
    get(`${role}_${name}`)

/** From objects, as the schemas of scheming portals write them. */
const objectsIn = (value: unknown): readonly Get[] =>
  nodesIn(value).map((one) => {
    const { get, translated } = readerOf(fieldsOf(one))
    return (name) => (name === 'name' ? translated('name') : get(name))
  })

/** What stands in a field for IRIs and is none. */
const textOnly = (value: unknown) => (isUsableIri(saidText(value)) ? undefined : saidText(value))

/** Each field falls back by itself: an e-mail address alone does not hide the organization's name. */
function publisher(dataset: Subject, reader: Reader, isDkan: boolean): void {
  const { get } = reader
  // There is one publisher at most.
  const sources = [...objectsIn(get('publisher')).slice(0, 1), keyed(reader, 'publisher')]
  const first = (name: string) => firstSaid(sources.map((source) => source(name)))
  const uris = sources.map((source) => source('uri'))
  const organization = readerOf(fieldsOf(structured(get('organization'))))
  // Version 1 of DKAN has groups in place of organizations.
  const group: Fields = isDkan ? fieldsOf(listOf(get('groups'))[0]) : {}
  agent(dataset, dct('publisher'), {
    name: firstSaid([
      first('name'),
      ...uris.map(textOnly),
      saidText(get('publisher')),
      organization.translated('title'),
      organization.get('name'),
      group['title'],
      group['display_name'],
      group['name'],
    ]),
    iri: uris.find((uri) => isUsableIri(saidText(uri))),
    email: first('email'),
    url: first('url'),
    type: first('type'),
    identifier: first('identifier'),
  })
}

function creators(dataset: Subject, reader: Reader): void {
  const write = (get: Get) => {
    const [iri, email, url] = [get('uri'), get('email'), get('url')]
    const [type, identifier] = [get('type'), get('identifier')]
    const name = firstSaid([get('name'), textOnly(iri)])
    return agent(dataset, dct('creator'), { name, iri, email, url, type, identifier }) !== undefined
  }
  const written = objectsIn(reader.get('creator')).map(write)
  if (written.includes(true) || write(keyed(reader, 'creator'))) return
  const fields = { name: reader.get('author'), email: reader.get('author_email') }
  agent(dataset, dct('creator'), fields)
}

function contacts(dataset: Subject, { get }: Reader): void {
  const written = nodesIn(get('contact')).map((one) => {
    const each = readerOf(fieldsOf(one))
    return contact(dataset, dcat('contactPoint'), {
      name: each.translated('name'),
      iri: each.get('uri'),
      phone: each.get('telephone', 'phone'),
      email: each.get('email'),
      url: each.get('url'),
    })
  })
  if (written.includes(true)) return
  const first = [
    {
      name: firstSaid([get('contact_name'), textOnly(get('contact_uri'))]),
      email: get('contact_email'),
      iri: get('contact_uri'),
      phone: get('contact_telephone', 'contact_phone'),
    },
    { name: get('maintainer'), email: get('maintainer_email') },
    { name: get('author'), email: get('author_email') },
  ].find((one) => Object.values(one).some((value) => saidText(value) !== undefined))
  if (first) contact(dataset, dcat('contactPoint'), first)
}

function times(dataset: Subject, { get }: Reader): void {
  for (const [name, fallback] of [
    ['issued', 'metadata_created'],
    ['modified', 'metadata_modified'],
  ] as const)
    if (!dataset.date(dct(name), get(name))) dataset.date(dct(name), get(fallback))
  const frequency = firstOf(get('frequency', 'frequency_of_update', 'accrual_periodicity'))
  concepts(dataset, dct('accrualPeriodicity'), 'frequency', frequency)
}

function conditions(dataset: Subject, { get, translated }: Reader): void {
  concepts(dataset, dct('language'), 'language', get('language'))
  concept(dataset, dct('type'), 'datasetType', get('dcat_type'))
  standards(dataset, structuredList(get('conforms_to')))
  const access = saidText(firstOf(get('access_rights')))
  const right = accessOf(access, dataset.record.options.authorities) ?? access
  if (!dataset.iri(dct('accessRights'), right) && access !== undefined)
    dataset.part(dct('accessRights'), dct('RightsStatement')).text(rdfs('label'), access)
  rightsStatement(dataset, get('rights'))
  for (const one of structuredList(translated('provenance')))
    dataset.part(dct('provenance'), dct('ProvenanceStatement')).text(rdfs('label'), one)
  for (const law of structuredList(get('applicable_legislation')))
    if (!dataset.iri(dcatap('applicableLegislation'), saidText(law)))
      dataset.lost(dcatap('applicableLegislation'), law)
}

const links: readonly (readonly [string, NamedNode])[] = [
  ['source', dct('source')],
  ['sample', adms('sample')],
  ['has_version', dcat('hasVersion')],
  ['is_version_of', dct('isVersionOf')],
  ['is_referenced_by', dct('isReferencedBy')],
  ['related_resource', dct('relation')],
  ['was_generated_by', prov('wasGeneratedBy')],
]

function relations(dataset: Subject, { get }: Reader): void {
  for (const [name, predicate] of links)
    for (const value of structuredList(get(name))) {
      const text = saidText(value)
      const isLink = text !== undefined && /^[a-z][a-z0-9+.-]*:/i.test(text)
      if (!isLink || !dataset.iri(predicate, text)) dataset.lost(predicate, value)
    }
}

/** Where and when the data of a package are. */
function extent(dataset: Subject, { get }: Reader): void {
  ownPlace(dataset, get)
  for (const one of structuredList(get('spatial_coverage'))) {
    const { uri, text, geom, bbox, centroid } = fieldsOf(one)
    const geometry = [geom, bbox, centroid].find((value) => outlineFrom(value))
    place(dataset, { geometry, iri: uri ?? saidText(one), label: text })
  }
  period(dataset, { start: get('temporal_start'), end: get('temporal_end') })
  for (const one of structuredList(get('temporal_coverage'))) period(dataset, fieldsOf(one))
  resolution(dataset, firstOf(get('temporal_resolution')))
  metres(dataset, firstOf(get('spatial_resolution_in_meters')))
}

/** `spatial` is GeoJSON, a box of four numbers, an IRI, or the name of a place. */
function ownPlace(dataset: Subject, get: Reader['get']): void {
  const spatial = get('spatial')
  const json = structured(spatial)
  // An object without a geometry is told as lost.
  const geometry = outlineFrom(spatial) || typeof json === 'object' ? spatial : undefined
  const sides = ['west_long', 'south_lat', 'east_long', 'north_lat'].map((side) =>
    get(`bbox_${side}`),
  )
  const bbox = [json, sides].find((four) => boxFrom(four))
  const text = geometry === undefined && !boxFrom(json) ? saidText(spatial) : undefined
  const iri = /^https?:/i.test(text ?? '') && isUsableIri(text) ? text : undefined
  const name = iri === undefined && typeof structured(text) === 'string' ? text : undefined
  const label = get('spatial_text') ?? name
  place(dataset, { geometry, bbox, iri: get('spatial_uri') ?? iri, label })
}

/** What the package says, and what the portal knows of the licence that it names. */
function packageLicence({ get }: Reader, portal: CkanPortal): LicenceNames {
  const id = plainText(get('license_id'))
  const known = id === undefined ? undefined : portal.licence(id)
  const [url, title] = [get('license_url') ?? known?.url, get('license_title') ?? known?.title]
  return { id, url, title }
}

type Belonging = { readonly html: boolean; readonly package: LicenceNames }

function resource(dataset: Subject, { get, translated }: Reader, belonging: Belonging): void {
  const state = get('state')
  if (typeof state === 'string' && state.toLowerCase() === 'deleted') return
  const url = get('url')
  const isFile =
    plainText(get('url_type')) === 'upload' ||
    isDataAddress(url, dataset.record.options.authorities)
  const id = saidText(get('id'))
  const own = {
    id: get('license', 'license_id'),
    url: get('license_url'),
    title: get('license_title'),
  }
  const part = distribution(dataset, {
    iri: saidText(get('uri')) ?? dataset.below('/resource/', id),
    identifier: get('identifier') ?? id,
    title: translated('name'),
    description: translated('description'),
    html: belonging.html,
    accessUrl: get('access_url') ?? url,
    downloadUrl: get('download_url') ?? (isFile ? url : undefined),
    format: get('format'),
    mediaType: get('mimetype'),
    compressFormat: get('compress_format'),
    packageFormat: get('package_format'),
    size: get('size'),
    checksum: { value: get('hash'), algorithm: get('hash_algorithm') },
    licences: [own, belonging.package],
    rights: structuredList(get('rights')),
    issued: get('issued') ?? get('created'),
    modified: get('modified') ?? get('last_modified') ?? get('metadata_modified'),
    language: get('language'),
    conformsTo: structuredList(get('conforms_to')),
    documentation: structuredList(get('documentation')),
    status: firstOf(get('status')),
    availability: firstOf(get('availability')),
  })
  if (part) services(part, get('access_services'))
}

/** Services as the schemas of ckanext-dcat describe them. */
function services(part: Subject, values: unknown): void {
  for (const value of structuredList(values)) {
    const fields = fieldsOf(value)
    const service = part.part(dcat('accessService'), dcat('DataService'), saidText(fields['uri']))
    service.text(dct('title'), fields['title'])
    service.text(dct('description'), fields['description'])
    service.link(dcat('endpointURL'), structuredList(fields['endpoint_url']))
    service.link(dcat('endpointDescription'), fields['endpoint_description'])
  }
}
