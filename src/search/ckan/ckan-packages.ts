/** Datasets as packages of CKAN. Members of a package are always present: `null` or an empty list when unknown. */

import { type Fields, isJsonObject, memberFields, textAt, valueAt } from '../../text/json.ts'
import { textInLanguage, valuesAtPath } from '../record-values.ts'

/** Makes the package of a record of the dataset index. */
export function packageOf(record: Fields): Fields {
  const id = textAt(record, 'id') ?? ''
  const text = (path: string) => textAt(record, path) ?? null
  const englishAt = (path: string) => englishText(record, path, record)
  const resources = valuesAtPath(record, 'distributions').map((distribution, position) =>
    resourceOf(distribution, record, id, position),
  )
  const tags = valuesAtPath(record, 'keywords').flatMap(tagOf)
  const [contact] = valuesAtPath(record, 'contact_point')
  const [page] = valuesAtPath(record, 'landing_page').flatMap(
    (landingPage) => textAt(landingPage, 'resource') ?? [],
  )
  // Licence of the first distribution that has one.
  const licence = valuesAtPath(record, 'distributions')
    .map((distribution) => valueAt(distribution, 'license'))
    .find(isJsonObject)
  const catalogue = textAt(record, 'catalog.id') ?? null
  return {
    id,
    name: id,
    title: englishAt('title') ?? id,
    notes: englishAt('description'),
    title_translated: mapAt(record, 'title'),
    notes_translated: mapAt(record, 'description'),
    url: page ?? null,
    type: 'dataset',
    state: 'active',
    private: false,
    metadata_created: text('catalog_record.issued'),
    metadata_modified: text('catalog_record.modified'),
    organization: catalogue && {
      id: catalogue,
      name: catalogue,
      title: englishAt('catalog.title') ?? catalogue,
      type: 'organization',
    },
    owner_org: catalogue,
    author: text('publisher.name'),
    maintainer: textAt(contact, 'name') ?? null,
    maintainer_email: textAt(contact, 'email')?.replace(/^mailto:/i, '') ?? null,
    license_id: textAt(licence, 'id') ?? null,
    license_title: textAt(licence, 'label') ?? null,
    license_url: textAt(licence, 'la_url') ?? textAt(licence, 'resource') ?? null,
    tags,
    num_tags: tags.length,
    groups: valuesAtPath(record, 'categories').flatMap((theme) => groupOf(theme, record)),
    resources,
    num_resources: resources.length,
    extras: extrasOf(record),
  }
}

/** Makes a tag; its name is the value for `fq=tags:…`. */
function tagOf(keyword: unknown): readonly Fields[] {
  const name = textAt(keyword, 'id')
  return name === undefined ? [] : [{ name, display_name: textAt(keyword, 'label') ?? name }]
}

function groupOf(theme: unknown, record: Fields): readonly Fields[] {
  const name = textAt(theme, 'id')
  const title = englishText(theme, 'label', record) ?? name
  return name === undefined ? [] : [{ name, title, display_name: title }]
}

/** Returns a text in English, else in the main language of the record. */
const englishText = (part: unknown, path: string, record: Fields): string | null =>
  textInLanguage(part, path, 'en', record)?.text ?? null

/** Returns a language map; empty where the profile has plain texts only. */
function mapAt(record: Fields, path: string): Fields {
  return memberFields(valueAt(record, path))
}

/** Makes the extras of a package. Lists are JSON texts, as in the harvesters of CKAN. */
function extrasOf(record: Fields): readonly Fields[] {
  const jsonList = (path: string, key: string) => {
    const texts = valuesAtPath(record, path).flatMap((value) => textAt(value, key) ?? [])
    return texts.length === 0 ? undefined : JSON.stringify(texts)
  }
  const [spatial] = valuesAtPath(record, 'spatial')
  const extras = {
    issued: textAt(record, 'issued'),
    modified: textAt(record, 'modified'),
    uri: textAt(record, 'resource'),
    publisher_uri: textAt(record, 'publisher.resource'),
    theme: jsonList('categories', 'resource'),
    language: jsonList('language', 'id'),
    spatial: isJsonObject(spatial) ? JSON.stringify(spatial) : undefined,
  }
  return Object.entries(extras).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value }],
  )
}

/** Makes the CKAN resource of a distribution. */
function resourceOf(distribution: unknown, record: Fields, id: string, position: number): Fields {
  const text = (path: string) => textAt(distribution, path) ?? null
  const [url = null] = ['download_url', 'access_url'].flatMap((name) =>
    valuesAtPath(distribution, name),
  )
  const size = valueAt(distribution, 'byte_size')
  return {
    id: text('id'),
    package_id: id,
    position,
    name: englishText(distribution, 'title', record),
    description: englishText(distribution, 'description', record),
    url,
    format: text('format.label') ?? text('format.id'),
    mimetype: text('media_type'),
    size: typeof size === 'number' ? size : null,
    hash: text('checksum.checksum_value'),
    hash_algorithm: text('checksum.algorithm'),
    created: text('issued'),
    last_modified: text('modified'),
    license: text('license.resource'),
    state: 'active',
  }
}
