/** The resources of uData: files and services as distributions, the others as pages about the dataset. */
import { dcat, dct, foaf } from '../../../../rdf/namespaces.ts'
import type { LicenceNames } from '../../../../vocabularies/licences.ts'
import { distribution, standards } from '../../mapping/distribution.ts'
import type { Subject } from '../../mapping/subject.ts'
import {
  fieldsOf,
  plainText,
  saidText,
  type Fields,
} from '../../../../vocabularies/loose-values.ts'

/** Kinds of resources that are about the data. */
const about = new Set(['documentation', 'code'])

export function resources(
  dataset: Subject,
  values: readonly unknown[],
  licence: LicenceNames,
): void {
  for (const value of values) {
    const resource = fieldsOf(value)
    const type = plainText(resource['type'])
    if (type !== undefined && about.has(type))
      dataset.link(foaf('page'), resource['url'] ?? resource['latest'])
    else if (type === 'api') service(dataset, resource, licence)
    else file(dataset, resource, licence)
  }
}

/** The permanent link is where to get it; the address of the file changes with every upload. */
function file(dataset: Subject, resource: Fields, licence: LicenceNames): void {
  const { url, latest } = resource
  const part = distribution(dataset, {
    ...described(dataset, resource, licence),
    accessUrl: latest ?? url,
    downloadUrl: url,
    size: resource['filesize'],
    checksum: checksumOf(resource['checksum']),
  })
  if (part) schema(part, resource['schema'])
}

function service(dataset: Subject, resource: Fields, licence: LicenceNames): void {
  const { url, title } = resource
  const part = distribution(dataset, { ...described(dataset, resource, licence), accessUrl: url })
  if (!part) return
  schema(part, resource['schema'])
  const access = part.part(dcat('accessService'), dcat('DataService'))
  if (access.link(dcat('endpointURL'), url)) access.text(dct('title'), title)
}

function described(dataset: Subject, resource: Fields, licence: LicenceNames) {
  const id = saidText(resource['id'])
  const of = dataset.term.termType === 'NamedNode' ? dataset.term.value : ''
  return {
    iri: id === undefined ? undefined : `${of}#/resources/${encodeURIComponent(id)}`,
    identifier: id,
    title: resource['title'],
    description: resource['description'],
    format: resource['format'],
    mediaType: resource['mime'],
    issued: resource['created_at'],
    modified: resource['last_modified'],
    licences: [licence],
  }
}

function checksumOf(value: unknown) {
  const { type, value: sum } = fieldsOf(value)
  return { value: sum, algorithm: type }
}

function schema(part: Subject, value: unknown): void {
  const { url, name } = fieldsOf(value)
  standards(part, url ?? name ?? plainText(value))
}
