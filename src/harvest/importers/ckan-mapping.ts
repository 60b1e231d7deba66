/**
 * Maps packages, the datasets of CKAN and DKAN 1, to DCAT-AP. The keys are those of its extensions for DCAT (ckanext-dcat) and
 * for schemas (ckanext-scheming).
 */

import { type Fields, isJsonObject } from '../../text/json.ts'
import type { Authorities } from '../../vocabularies/authorities.ts'
import { defaultTextTag, themesOf, themesOfTopic } from '../../vocabularies/coded-values.ts'
import { isDataAddress } from '../../vocabularies/formats.ts'
import { looksLikeGeometry } from '../../vocabularies/geometry-text.ts'
import type { LicenceNames } from '../../vocabularies/licences.ts'
import {
  fieldsOf,
  listOf,
  plainText,
  meaningfulText,
  parseEmbeddedJson,
  embeddedList,
} from '../../vocabularies/loose-values.ts'
import {
  type AgentFields,
  boxFrom,
  type ContactFields,
  isContact,
  isNamed,
  outlineFrom,
} from '../mapping/parts.ts'
import type { DatasetValues, DistributionFields } from '../mapping/distribution.ts'
import { fromHtml, type PropertyValues } from '../mapping/properties.ts'
import { isUsableIri } from '../mapping/record.ts'
import { type EntryReader, withoutVolatile, type Portal } from './portal.ts'

/** A portal and how to interpret its packages. */
type CkanPortal = Portal<{
  readonly identifier: 'id' | 'name'
  readonly types?: readonly string[]
}> & {
  /** Finds a licence by the id in a package. */
  readonly licence: (id: string) => LicenceNames | undefined
  /** DKAN 1: texts are HTML, groups are publishers, `private` counts only for a run with credentials. */
  readonly isDkan?: boolean
}

/** Creates the reader that decides which packages are imported and under which ids. */
export const packageReader =
  (portal: CkanPortal): EntryReader =>
  (fields) => {
    const { root, config } = portal
    const id = plainText(fields['id']) ?? ''
    const name = plainText(fields['name']) ?? ''
    const isById = config.identifier === 'id'
    const reader = readerOf(fields)
    return {
      sourceId: isById ? id : name,
      title: fields['title'],
      aliases: [isById ? name : id],
      sourceUrl: `${root}/dataset/${encodeURIComponent(name || id)}`,
      skipReason: reasonToSkip(fields, portal),
      stableFields: withoutVolatile(fields, ['tracking_summary', 'num_views']),
      recordOptions: {
        fallbackIri: `${root}/dataset/${encodeURIComponent(id || name)}`,
        iri: meaningfulText(reader.get('uri')),
        language: defaultTextTag(embeddedList(reader.get('language'))) ?? config.language,
      },
      values: (record) => {
        if (isMarkedPrivate(fields))
          record.note('private-record', 'private, in an answer to anybody')
        return packageValues(fields, reader, portal)
      },
    }
  }

/** Reason to skip a package: deleted, a draft, private, or no dataset (harvest sources are packages too). */
function reasonToSkip(fields: Fields, { config, isDkan }: CkanPortal): string | undefined {
  const { state, type } = fields
  const { types, auth, apikey, auth_key: authKey } = config
  if (typeof state === 'string' && state.toLowerCase() !== 'active') return `state ${state}`
  // DKAN 1 sets the mark also on public packages; private ones are only visible after a login.
  const isHidden =
    isDkan !== true || [auth, apikey, authKey].some((credential) => credential !== undefined)
  if (isHidden && isMarkedPrivate(fields)) return 'private'
  const isOtherType =
    types && typeof type === 'string' && type !== '' && !types.includes(type.toLowerCase())
  return isOtherType ? `type ${type}` : undefined
}

const isMarkedPrivate = ({ private: isPrivate }: Fields): boolean =>
  isPrivate === true || isPrivate === 'true'

// Reading of fields: portals store them at top level or as extras, in one or several languages, as lists or single values.

type Reader = {
  /**
   * Value of the first name that has one; with `-` or `_`, with or without the prefix `dcat_`; the top level takes
   * precedence.
   */
  readonly get: (...names: readonly string[]) => unknown
  /** Text by language, from `{name}_translated`, an object, or keys such as `{name}_de`; else the plain value. */
  readonly translated: (name: string) => unknown
}

/** Creates the reader of a package, a resource or a nested object, which store fields in the same ways. */
function readerOf(fields: Fields): Reader {
  const { extras, ...top } = fields
  const extraEntries = listOf(parseEmbeddedJson(extras)).map((extra): [string, unknown] => {
    const { key, value } = fieldsOf(extra)
    return [plainText(key) ?? '', value]
  })
  const values = new Map<string, unknown>()
  for (const [key, value] of [...Object.entries(top), ...extraEntries]) {
    const name = key.toLowerCase().replaceAll('-', '_')
    if (listOf(value).length > 0 && !values.has(name)) values.set(name, value)
  }
  const get = (...names: readonly string[]) =>
    names
      .map((name) => values.get(name) ?? values.get(`dcat_${name}`))
      .find((value) => value !== undefined)
  const translated = (name: string) => {
    const value = parseEmbeddedJson(get(name))
    const byLanguage = [parseEmbeddedJson(get(`${name}_translated`)), value].find((value) =>
      Object.values(fieldsOf(value)).some((text) => plainText(text) !== undefined),
    )
    if (byLanguage !== undefined) return byLanguage
    const isTagged = ([key]: [string, unknown]) =>
      key.startsWith(`${name}_`) && /^[a-z]{2}$/.test(key.slice(name.length + 1))
    const keyed = [...values].filter(isTagged).map(([key, text]) => [key.slice(-2), text] as const)
    if (keyed.length > 0) return Object.fromEntries(keyed)
    // A text that looks like JSON but is none stays a text.
    return typeof value === 'object' ? get(name) : value
  }
  return { get, translated }
}

/** The first value of a list, or the value itself. */
const firstOf = (value: unknown): unknown => embeddedList(value)[0]

/** Readers of the objects in a list. */
const nodesIn = (value: unknown) =>
  embeddedList(value)
    .filter((item) => typeof item === 'object')
    .map((item) => readerOf(fieldsOf(item)))

/** First value with a text, plain or by language. */
const firstWithText = (values: readonly unknown[]) =>
  values.find((value) =>
    (isJsonObject(value) ? Object.values(value).flatMap(listOf) : listOf(value)).some(
      meaningfulText,
    ),
  )

/** Values of a package in the terms of ckanext-dcat. Any key may be missing or have any type. */
function packageValues(fields: Fields, reader: Reader, portal: CkanPortal): DatasetValues {
  const { isDkan = false } = portal
  const { get, translated } = reader
  const [url, name] = [meaningfulText(get('url')) ?? '', plainText(get('name'))]
  const ownPage =
    name === undefined ? undefined : `${portal.root}/dataset/${encodeURIComponent(name)}`
  return {
    identifier: parseEmbeddedJson(get('identifier', 'guid') ?? plainText(fields['id']) ?? name),
    otherIdentifiers: [get('uri'), ...embeddedList(get('alternate_identifier'))],
    title: translated('title'),
    description: isDkan ? fromHtml(translated('notes')) : translated('notes'),
    ...subjects(reader, portal.authorities),
    hvdCategory: get('hvd_category'),
    type: get('dcat_type'),
    firstLandingPage: [/^https?:/i.test(url) ? url : undefined, ownPage],
    page: embeddedList(get('documentation')),
    publisher: publisher(reader, isDkan),
    creator: creators(reader),
    contact: contacts(reader),
    issued: [get('issued'), get('metadata_created')],
    modified: [get('modified'), get('metadata_modified')],
    frequency: firstOf(get('frequency', 'frequency_of_update', 'accrual_periodicity')),
    language: get('language'),
    accessRights: meaningfulText(firstOf(get('access_rights'))),
    rights: get('rights'),
    provenance: embeddedList(translated('provenance')),
    conformsTo: embeddedList(get('conforms_to')),
    legislation: get('applicable_legislation'),
    version: firstOf(get('version')),
    versionNotes: translated('version_notes'),
    ...coverage(get),
    ...relations(get),
    licences: [packageLicence(get, portal)],
    distributions: listOf(fields['resources'])
      .map((resource) => readerOf(fieldsOf(resource)))
      .filter(({ get: getField }) => String(getField('state')).toLowerCase() !== 'deleted')
      .map((resource) => distributionOf(resource, portal)),
  }
}

/**
 * Keywords and themes. Tags are keywords, and themes too if the authority has them; a plain `keywords` counts only without
 * tags. Groups are themes, which become keywords if the authority does not have them.
 */
function subjects({ get }: Reader, authorities: Authorities): PropertyValues {
  const groups = listOf(get('groups')).map(fieldsOf)
  const topics = embeddedList(get('topic_category', 'topiccategory'))
  const tags = embeddedList(get('tags')).map((tag) => {
    const { display_name: displayName, name } = fieldsOf(tag)
    return plainText(displayName) ?? plainText(name) ?? plainText(tag)
  })
  const keywords = parseEmbeddedJson(get('keywords'))
  return {
    keywords: isJsonObject(keywords) ? [keywords, tags] : [tags.length > 0 ? tags : keywords],
    themes: [
      ...embeddedList(get('theme')),
      ...groups.map(({ name, display_name: displayName, title }) => [name, displayName, title]),
      ...topics.flatMap((topic) => themesOfTopic(topic, authorities)),
      ...tags.flatMap((tag) => themesOf(tag, authorities)),
    ],
  }
}

type Person = AgentFields & ContactFields

/** People in a role: objects of ckanext-scheming, and keys such as `publisher_name`. Text in place of an IRI is a name. */
function peopleIn({ get }: Reader, role: string) {
  const person = (getField: Reader['get'], name: unknown): Person => {
    const uri = meaningfulText(getField('uri'))
    const iri = isUsableIri(uri) ? uri : undefined
    return {
      name: firstWithText([name, iri === undefined ? uri : undefined]),
      iri,
      email: getField('email'),
      phone: getField('telephone', 'phone'),
      url: getField('url'),
      type: getField('type'),
      identifier: getField('identifier'),
    }
  }
  const objects = nodesIn(get(role)).map((object) => person(object.get, object.translated('name')))
  const key = (name: string) => `${role}_${name}`
  return { objects, keyed: person((...names) => get(...names.map(key)), get(key('name'))) }
}

/** Publisher; each member has its own fallback, so that an e-mail address alone does not hide the organisation's name. */
function publisher(reader: Reader, isDkan: boolean): AgentFields {
  const { get } = reader
  const { objects, keyed } = peopleIn(reader, 'publisher')
  const organization = readerOf(fieldsOf(parseEmbeddedJson(get('organization'))))
  // DKAN 1 uses groups as organisations.
  const group: Fields = isDkan ? fieldsOf(listOf(get('groups'))[0]) : {}
  const names = [
    meaningfulText(get('publisher')),
    organization.translated('title'),
    organization.get('name'),
    group['title'],
    group['display_name'],
    group['name'],
  ]
  // DCAT-AP permits one publisher.
  const sources: readonly Person[] = [...objects.slice(0, 1), keyed]
  const first = (key: keyof Person) => firstWithText(sources.map((source) => source[key]))
  const keys = ['iri', 'email', 'url', 'type', 'identifier'] as const
  const otherMembers = Object.fromEntries(keys.map((key) => [key, first(key)]))
  return { ...otherMembers, name: firstWithText([first('name'), ...names]) }
}

/** Person in the plain fields of a package. */
const personIn = ({ get }: Reader, role: string): Person => ({
  name: get(role),
  email: get(`${role}_email`),
})

/** Creators: objects, else keys, else the author. */
function creators(reader: Reader): readonly AgentFields[] {
  const { objects, keyed } = peopleIn(reader, 'creator')
  if (objects.some(isNamed)) return objects
  return [isNamed(keyed) ? keyed : personIn(reader, 'author')]
}

/** Contacts: objects, else the first of keys such as `contact_name`, the maintainer and the author that has a value. */
function contacts(reader: Reader): readonly ContactFields[] {
  const { objects, keyed } = peopleIn(reader, 'contact')
  if (objects.some(isContact)) return objects
  const fallbacks = ['maintainer', 'author'].map((role) => personIn(reader, role))
  return [keyed, ...fallbacks].filter(isContact).slice(0, 1)
}

const relations = (get: Reader['get']): PropertyValues => ({
  source: get('source'),
  sample: get('sample'),
  hasVersion: get('has_version'),
  isVersionOf: get('is_version_of'),
  isReferencedBy: get('is_referenced_by'),
  relation: get('related_resource'),
  wasGeneratedBy: get('was_generated_by'),
})

/** Spatial and temporal coverage. */
const coverage = (get: Reader['get']): PropertyValues => ({
  places: [
    spatialPlace(get),
    ...embeddedList(get('spatial_coverage')).map((place) => {
      const { uri, text, geom, bbox, centroid } = fieldsOf(place)
      const geometry = [geom, bbox, centroid].find((value) => outlineFrom(value))
      return { geometry, iri: uri ?? meaningfulText(place), label: text }
    }),
  ],
  periods: [
    { start: get('temporal_start'), end: get('temporal_end') },
    ...embeddedList(get('temporal_coverage')).map(fieldsOf),
  ],
  temporalResolution: firstOf(get('temporal_resolution')),
  spatialResolution: firstOf(get('spatial_resolution_in_meters')),
})

/** Place in the keys `spatial…` and `bbox_…`: a geometry, a box of four numbers, an IRI, or a name. */
function spatialPlace(get: Reader['get']) {
  const spatial = get('spatial')
  const json = parseEmbeddedJson(spatial)
  // A value that looks like a geometry but is invalid is reported.
  const isDrawn = typeof json === 'object' || looksLikeGeometry(meaningfulText(spatial) ?? '')
  const geometry = isDrawn ? spatial : undefined
  const sideNames = ['west_long', 'south_lat', 'east_long', 'north_lat']
  const bbox = [json, sideNames.map((side) => get(`bbox_${side}`))].find((sides) => boxFrom(sides))
  const text = geometry === undefined && !boxFrom(json) ? meaningfulText(spatial) : undefined
  const iri = /^https?:/i.test(text ?? '') && isUsableIri(text) ? text : undefined
  const name = iri === undefined && typeof parseEmbeddedJson(text) === 'string' ? text : undefined
  const label = get('spatial_text') ?? name
  return { geometry, bbox, iri: get('spatial_uri') ?? iri, label }
}

/** Names of a package's licence: its own, and those in the portal's list for its id. */
function packageLicence(get: Reader['get'], portal: CkanPortal): LicenceNames {
  const id = plainText(get('license_id'))
  const listed = id === undefined ? undefined : portal.licence(id)
  const [url, title] = [get('license_url') ?? listed?.url, get('license_title') ?? listed?.title]
  return { id, url, title }
}

/** Distribution of a resource. Its address is a download only if it was uploaded or has a suffix of data; otherwise a page. */
function distributionOf({ get, translated }: Reader, portal: CkanPortal): DistributionFields {
  const text = (name: string) => (portal.isDkan ? fromHtml(translated(name)) : translated(name))
  const [url, id] = [get('url'), meaningfulText(get('id'))]
  const isUpload = plainText(get('url_type')) === 'upload'
  const isFile = isUpload || isDataAddress(url, portal.authorities)
  const [licence, title] = [get('license', 'license_id'), get('license_title')]
  return {
    iri: meaningfulText(get('uri')),
    iriSuffix: id && `/resource/${encodeURIComponent(id)}`,
    identifier: get('identifier') ?? id,
    title: text('name'),
    description: text('description'),
    accessUrl: get('access_url') ?? url,
    downloadUrl: get('download_url') ?? (isFile ? url : undefined),
    format: get('format'),
    mediaType: get('mimetype'),
    compressFormat: get('compress_format'),
    packageFormat: get('package_format'),
    size: get('size'),
    checksum: { value: get('hash'), algorithm: get('hash_algorithm') },
    licences: [{ id: licence, url: get('license_url'), title }],
    rights: embeddedList(get('rights')),
    issued: get('issued') ?? get('created'),
    modified: get('modified') ?? get('last_modified') ?? get('metadata_modified'),
    language: get('language'),
    conformsTo: embeddedList(get('conforms_to')),
    page: embeddedList(get('documentation')),
    status: firstOf(get('status')),
    availability: firstOf(get('availability')),
    services: embeddedList(get('access_services')).map((service) => {
      const { uri, endpoint_url: url, endpoint_description, ...fields } = fieldsOf(service)
      const endpoint = embeddedList(url)
      return { ...fields, iri: uri, endpoint, endpointDescription: endpoint_description }
    }),
  }
}
