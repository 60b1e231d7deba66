/** Writer of distributions, shared by all platforms. */

import { repairIri } from '../../rdf/iri.ts'
import { dcat, dct, rdfs, spdx, xsd } from '../../rdf/namespaces.ts'
import { literal, namedNode } from '../../rdf/terms.ts'
import { formatIri, formatOfAddress, mediaTypeIri } from '../../vocabularies/formats.ts'
import { type LicenceNames, licenceOf } from '../../vocabularies/licences.ts'
import { listOf, plainText, meaningfulText } from '../../vocabularies/loose-values.ts'
import { bytesOf } from '../../vocabularies/sizes.ts'
import { nameOf, separateAddresses, webAddress } from './addresses.ts'
import { type PropertyValues, write } from './properties.ts'
import type { Subject } from './record.ts'

/** Values of a distribution as given by the source. */
export type DistributionFields = PropertyValues & {
  readonly iri?: unknown
  /** Suffix to the dataset's IRI for a distribution without its own IRI. */
  readonly below?: string
  /** Defaults to the download address. */
  readonly accessUrl?: unknown
  readonly downloadUrl?: unknown
  /** Format; the fallbacks are `mediaType` and the suffix of the download address. */
  readonly format?: unknown
  readonly mediaType?: unknown
  readonly compressFormat?: unknown
  readonly packageFormat?: unknown
  readonly size?: unknown
  readonly checksum?: { readonly value: unknown; readonly algorithm?: unknown }
  /** Candidates in order of precedence: the distribution's own, then the dataset's. */
  readonly licences?: readonly LicenceNames[]
}

/** Values of a dataset as given by the source; the input of a mapping. */
export type DatasetValues = PropertyValues & {
  readonly distributions?: readonly DistributionFields[]
  /** Licences for distributions without their own. */
  readonly licences?: readonly LicenceNames[]
}

/** Writes a dataset with its distributions. Without distributions, the licence is written to the dataset. */
export function writeDataset(dataset: Subject, values: DatasetValues): void {
  const { distributions = [], licences = [] } = values
  write(dataset, values)
  const written = distributions.map((one) =>
    distribution(dataset, { ...one, licences: [...(one.licences ?? []), ...licences] }),
  )
  if (!written.includes(true)) write(dataset, { rights: licence(dataset, { licences }) })
}

/** Writes a distribution; `false` if there is no usable address. */
export function distribution(dataset: Subject, fields: DistributionFields): boolean {
  const { record } = dataset
  const { accessUrl, downloadUrl } = fields
  const addresses = (given: unknown, where: string) =>
    separateAddresses(given, record, where).flatMap((one) => webAddress(one, record, where) ?? [])
  const downloads = addresses(downloadUrl, nameOf(dcat('downloadURL')))
  const accesses = addresses(accessUrl, nameOf(dcat('accessURL')))
  const [download] = downloads
  if (accesses.length + downloads.length === 0) {
    const name = meaningfulText(fields.title) ?? meaningfulText(fields.identifier) ?? ''
    if (meaningfulText(accessUrl) === undefined && meaningfulText(downloadUrl) === undefined)
      record.note('unmapped-value', name, nameOf(dcat('distribution')), 'it has no address')
    return false
  }
  const iri = meaningfulText(fields.iri) ?? (fields.below && dataset.term.value + fields.below)
  const part = dataset.part(dcat('distribution'), dcat('Distribution'), iri)
  for (const url of accesses.length > 0 ? accesses : downloads) part.iri(dcat('accessURL'), url)
  for (const url of downloads) part.iri(dcat('downloadURL'), url)
  const bytes = bytesOf(fields.size)
  if (bytes !== undefined) part.add(dcat('byteSize'), literal(bytes, xsd('nonNegativeInteger')))
  else if (!/^[0.]+$/.test(meaningfulText(fields.size) ?? '0'))
    part.noteLoss(dcat('byteSize'), fields.size)
  fileType(part, fields, download)
  checksum(part, fields.checksum)
  write(part, { ...fields, rights: licence(part, fields) })
  return true
}

/** Media types of export formats. */
const exportTypes: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  geojson: 'application/geo+json',
  json: 'application/json',
  jsonld: 'application/ld+json',
  kml: 'application/vnd.google-earth.kml+xml',
  rdf: 'application/rdf+xml',
  shapefile: 'application/zip',
  shp: 'application/zip',
  ttl: 'text/turtle',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

/** Distribution for a platform's export in a format; its IRI has the dataset's id and the format's name. */
export const exportFile = (
  id: string,
  name: string,
  fields: DistributionFields,
): DistributionFields => ({
  identifier: `${id}/${name}`,
  format: name,
  mediaType: exportTypes[name],
  ...fields,
})

/** Format by name, else by media type, else by the suffix of the address; an unknown name becomes a label. */
function fileType(part: Subject, fields: DistributionFields, download: string | undefined): void {
  const { record } = part
  const { authorities } = record.options
  const format =
    formatIri(fields.format, authorities) ??
    formatIri(fields.mediaType, authorities) ??
    formatOfAddress(download, authorities)
  const name = meaningfulText(fields.format)
  if (format !== undefined) part.add(dct('format'), namedNode(format))
  else if (name !== undefined) {
    record.note('unknown-format', name)
    part.part(dct('format'), dct('MediaTypeOrExtent')).literal(rdfs('label'), name)
  }
  const type =
    mediaTypeIri(fields.mediaType, authorities) ?? mediaTypeIri(fields.format, authorities)
  if (type === undefined && formatIri(fields.mediaType, authorities) === undefined)
    part.noteLoss(dcat('mediaType'), fields.mediaType)
  part.iri(dcat('mediaType'), type)
  for (const property of ['compressFormat', 'packageFormat'] as const)
    part.iri(dcat(property), mediaTypeIri(fields[property], authorities))
}

/** Algorithms of SPDX 2.2 in use; some are recognised by the length of the checksum. */
const algorithms = new Set(['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'])
const algorithmByLength: Readonly<Record<number, string>> = { 32: 'md5', 40: 'sha1', 64: 'sha256' }

/** Writes a checksum whose algorithm is given or recognised by length; others are reported. */
function checksum(part: Subject, given: DistributionFields['checksum']): void {
  const text = plainText(given?.value)
    ?.replace(/^(?:md5|sha-?\d+):/i, '')
    .toLowerCase()
  if (text === undefined || !/^[0-9a-f]{8,128}$/.test(text)) {
    part.noteLoss(spdx('checksum'), given?.value)
    return
  }
  const named = meaningfulText(given?.algorithm)
    ?.toLowerCase()
    .replace(/^.*[#/]/, '')
    .replace('checksumalgorithm_', '')
    .replaceAll(/[^a-z0-9]/g, '')
  const name = named ?? algorithmByLength[text.length] ?? ''
  if (!algorithms.has(name)) {
    part.noteLoss(
      spdx('checksum'),
      given?.value,
      `algorithm ${meaningfulText(given?.algorithm) ?? 'missing'}`,
    )
    return
  }
  const sum = part.part(spdx('checksum'), spdx('Checksum'))
  sum.add(spdx('algorithm'), spdx(`checksumAlgorithm_${name}`))
  sum.add(spdx('checksumValue'), literal(text, xsd('hexBinary')))
}

/** Writes the licence, if any, and returns the statement about rights. */
function licence(part: Subject, { licences = [], rights }: DistributionFields): unknown {
  const { record } = part
  const found = licences.map((names) => licenceOf(names, record.options.authorities)).find(Boolean)
  if (found?.kind === 'iri') {
    // As written by the source, apart from invalid characters.
    const [iri, where] = [repairIri(found.iri), nameOf(dct('license'))]
    if (!part.iri(dct('license'), iri)) record.note('dropped-url', found.iri, where)
    else if (iri !== found.iri) record.note('repaired-iri', found.iri, where, `became ${iri}`)
  }
  if (found?.kind === 'label') {
    record.note('unknown-licence', found.label)
    part.part(dct('license'), dct('LicenseDocument')).text(dct('title'), { '': found.label })
  }
  const isSaid = listOf(rights).some((one) => meaningfulText(one) !== undefined)
  return isSaid || found?.kind !== 'rights' ? rights : found.text
}
