/** Datasets as packages of CKAN. What a package has in CKAN is there in any case: `null` or an empty list says that nothing is known. */

import { type Fields, isJsonObject } from '../../text/json.ts'
import { at, chosenAt, listAt, textAt } from '../record-values.ts'

/** English, else the main language of the record. */
const main = 'en'

type Package = Readonly<Record<string, unknown>>

/** The package of a record of the dataset index. */
export function packageOf(record: Fields): Package {
  const id = textAt(record, 'id') ?? ''
  const resources = listAt(record, 'distributions').map((distribution, position) =>
    resourceOf(distribution, { record, id, position }),
  )
  const tags = listAt(record, 'keywords').flatMap(tagOf)
  return {
    id,
    name: id,
    title: chosenAt(record, 'title', main)?.text ?? id,
    notes: chosenAt(record, 'description', main)?.text ?? null,
    title_translated: mapAt(record, 'title'),
    notes_translated: mapAt(record, 'description'),
    url:
      listAt(record, 'landing_page').flatMap((page) => textAt(page, 'resource') ?? [])[0] ?? null,
    type: 'dataset',
    state: 'active',
    private: false,
    metadata_created: textAt(record, 'catalog_record.issued') ?? null,
    metadata_modified: textAt(record, 'catalog_record.modified') ?? null,
    ...organizationOf(record),
    ...peopleOf(record),
    ...licenceOf(record),
    tags,
    num_tags: tags.length,
    groups: listAt(record, 'categories').flatMap((theme) => groupOf(theme, record)),
    resources,
    num_resources: resources.length,
    extras: extrasOf(record),
  }
}

/** A language map, or nothing where the profile knows plain texts only. */
function mapAt(record: Fields, path: string): Fields {
  const texts = at(record, path)
  return isJsonObject(texts) ? texts : {}
}

function organizationOf(record: Fields): Package {
  const id = textAt(record, 'catalog.id')
  if (id === undefined) return { organization: null, owner_org: null }
  const title = chosenAt(record, 'catalog.title', main)?.text ?? id
  return { organization: { id, name: id, title, type: 'organization' }, owner_org: id }
}

function peopleOf(record: Fields): Package {
  const [contact] = listAt(record, 'contact_point')
  const email = textAt(contact, 'email')?.replace(/^mailto:/i, '')
  return {
    author: textAt(record, 'publisher.name') ?? null,
    maintainer: textAt(contact, 'name') ?? null,
    maintainer_email: email ?? null,
  }
}

/** That of the first distribution which has one. */
function licenceOf(record: Fields): Package {
  const licence = listAt(record, 'distributions')
    .map((one) => at(one, 'license'))
    .find(isJsonObject)
  return {
    license_id: textAt(licence, 'id') ?? null,
    license_title: textAt(licence, 'label') ?? null,
    license_url: textAt(licence, 'la_url') ?? textAt(licence, 'resource') ?? null,
  }
}

/** The name is what `fq=tags:…` takes. */
function tagOf(keyword: unknown): readonly Package[] {
  const name = textAt(keyword, 'id')
  if (name === undefined) return []
  return [{ name, display_name: textAt(keyword, 'label') ?? name }]
}

function groupOf(theme: unknown, record: Fields): readonly Package[] {
  const name = textAt(theme, 'id')
  if (name === undefined) return []
  const labelled = { label: at(theme, 'label'), catalog: record['catalog'] }
  const title = chosenAt(labelled, 'label', main)?.text ?? name
  return [{ name, title, display_name: title }]
}

/** Lists are JSON, as the harvesters of CKAN write and read them. */
function extrasOf(record: Fields): readonly Package[] {
  const iris = (path: string) =>
    listAt(record, path).flatMap((one) => textAt(one, 'resource') ?? [])
  const languages = listAt(record, 'language').flatMap((one) => textAt(one, 'id') ?? [])
  const [spatial] = listAt(record, 'spatial')
  const known: readonly (readonly [string, string | undefined])[] = [
    ['issued', textAt(record, 'issued')],
    ['modified', textAt(record, 'modified')],
    ['uri', textAt(record, 'resource')],
    ['publisher_uri', textAt(record, 'publisher.resource')],
    ['theme', listed(iris('categories'))],
    ['language', listed(languages)],
    ['spatial', isJsonObject(spatial) ? JSON.stringify(spatial) : undefined],
  ]
  return known.flatMap(([key, value]) => (value === undefined ? [] : [{ key, value }]))
}

const listed = (texts: readonly string[]): string | undefined =>
  texts.length === 0 ? undefined : JSON.stringify(texts)

// Distributions as resources of CKAN.

type Owner = {
  /** The dataset. */
  readonly record: Fields
  readonly id: string
  readonly position: number
}

function resourceOf(distribution: unknown, owner: Owner): Fields {
  const text = (path: string) => textAt(distribution, path) ?? null
  // A distribution has the main language of its dataset.
  const spoken = (path: string) => {
    const texts = { [path]: at(distribution, path), catalog: owner.record['catalog'] }
    return chosenAt(texts, path, 'en')?.text ?? null
  }
  const [url = null] = ['download_url', 'access_url'].flatMap((name) => listAt(distribution, name))
  const size = at(distribution, 'byte_size')
  return {
    id: text('id'),
    package_id: owner.id,
    position: owner.position,
    name: spoken('title'),
    description: spoken('description'),
    url,
    format: textAt(distribution, 'format.label') ?? textAt(distribution, 'format.id') ?? null,
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
