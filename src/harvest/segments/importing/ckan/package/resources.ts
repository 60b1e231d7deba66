/** The resources of a package as distributions. */
import { dcat, dct } from '../../../../../rdf/namespaces.ts'
import { isDataAddress } from '../../../../../vocabularies/formats.ts'
import type { LicenceNames } from '../../../../../vocabularies/licences.ts'
import { distribution, type DistributionFields } from '../../../mapping/distribution.ts'
import type { Subject } from '../../../mapping/subject.ts'
import {
  fieldsOf,
  listOf,
  plainText,
  saidText,
  structuredList,
  type Fields,
} from '../../../../../vocabularies/loose-values.ts'
import { firstOf, readerOf, type Reader } from './fields.ts'
import type { Portal } from './portal.ts'

type Package = { readonly fields: Fields; readonly reader: Reader; readonly portal: Portal }

export function resources(dataset: Subject, { fields, reader, portal }: Package): void {
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
