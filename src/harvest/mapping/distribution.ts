/** Writes datasets with their distributions, from the values that the mapping of each platform returns. */

import { repairIri } from '../../rdf/iri.ts'
import { dcat, dct, rdfs, spdx, xsd } from '../../rdf/namespaces.ts'
import { literal, namedNode } from '../../rdf/terms.ts'
import { formatIri, formatOfAddress, mediaTypeIri } from '../../vocabularies/formats.ts'
import { type LicenceNames, licenceOf } from '../../vocabularies/licences.ts'
import { listOf, plainText, meaningfulText } from '../../vocabularies/loose-values.ts'
import { bytesOf } from '../../vocabularies/sizes.ts'
import { nameOf, separateAddresses, webAddress } from './addresses.ts'
import { type PropertyValues, writeProperties } from './properties.ts'
import type { Subject } from './record.ts'

/** Values of a distribution as given by the source. */
export type DistributionFields = PropertyValues & {
  readonly iri?: unknown
  /** Suffix to the dataset's IRI for a distribution without its own IRI. */
  readonly iriSuffix?: string
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
  /** Candidates in order of precedence; those of the dataset are appended. */
  readonly licences?: readonly LicenceNames[]
}

/** Values of a dataset as given by the source; the input of a mapping. */
export type DatasetValues = PropertyValues & {
  readonly distributions?: readonly DistributionFields[]
  /** Licences for distributions without their own. */
  readonly licences?: readonly LicenceNames[]
}

/** Writes a dataset with its distributions. If no distribution can be written, the dataset gets the licence. */
export function writeDataset(dataset: Subject, values: DatasetValues): void {
  const { distributions = [], licences = [] } = values
  writeProperties(dataset, values)
  const results = distributions.map((fields) =>
    writeDistribution(dataset, { ...fields, licences: [...(fields.licences ?? []), ...licences] }),
  )
  if (!results.includes(true))
    writeProperties(dataset, { rights: writeLicence(dataset, { licences }) })
}

/** Writes a distribution; `false` if there is no usable address. */
export function writeDistribution(dataset: Subject, fields: DistributionFields): boolean {
  const { record } = dataset
  const { accessUrl, downloadUrl } = fields
  const addresses = (value: unknown, where: string) =>
    separateAddresses(value, record, where).flatMap((text) => webAddress(text, record, where) ?? [])
  const downloads = addresses(downloadUrl, nameOf(dcat('downloadURL')))
  const accesses = addresses(accessUrl, nameOf(dcat('accessURL')))
  const [download] = downloads
  if (accesses.length + downloads.length === 0) {
    const name = meaningfulText(fields.title) ?? meaningfulText(fields.identifier) ?? ''
    if (meaningfulText(accessUrl) === undefined && meaningfulText(downloadUrl) === undefined)
      record.note('unmapped-value', name, nameOf(dcat('distribution')), 'it has no address')
    return false
  }
  const iri =
    meaningfulText(fields.iri) ?? (fields.iriSuffix && dataset.term.value + fields.iriSuffix)
  const part = dataset.part(dcat('distribution'), dcat('Distribution'), iri)
  for (const url of accesses.length > 0 ? accesses : downloads) part.iri(dcat('accessURL'), url)
  for (const url of downloads) part.iri(dcat('downloadURL'), url)
  const bytes = bytesOf(fields.size)
  if (bytes !== undefined) part.add(dcat('byteSize'), literal(bytes, xsd('nonNegativeInteger')))
  else if (!/^[0.]+$/.test(meaningfulText(fields.size) ?? '0'))
    part.noteLoss(dcat('byteSize'), fields.size)
  writeFileType(part, fields, download)
  writeChecksum(part, fields.checksum)
  writeProperties(part, { ...fields, rights: writeLicence(part, fields) })
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

/** Values of a platform's export in a format; its identifier is the dataset's id and the format's name. */
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
function writeFileType(
  part: Subject,
  fields: DistributionFields,
  download: string | undefined,
): void {
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
function writeChecksum(part: Subject, fields: DistributionFields['checksum']): void {
  const text = plainText(fields?.value)
    ?.replace(/^(?:md5|sha-?\d+):/i, '')
    .toLowerCase()
  if (text === undefined || !/^[0-9a-f]{8,128}$/.test(text)) {
    part.noteLoss(spdx('checksum'), fields?.value)
    return
  }
  const algorithm = meaningfulText(fields?.algorithm)
    ?.toLowerCase()
    .replace(/^.*[#/]/, '')
    .replace('checksumalgorithm_', '')
    .replaceAll(/[^a-z0-9]/g, '')
  const name = algorithm ?? algorithmByLength[text.length] ?? ''
  if (!algorithms.has(name)) {
    part.noteLoss(
      spdx('checksum'),
      fields?.value,
      `algorithm ${meaningfulText(fields?.algorithm) ?? 'missing'}`,
    )
    return
  }
  const sum = part.part(spdx('checksum'), spdx('Checksum'))
  sum.add(spdx('algorithm'), spdx(`checksumAlgorithm_${name}`))
  sum.add(spdx('checksumValue'), literal(text, xsd('hexBinary')))
}

/** Writes the licence, if any, and returns the rights: `rights`, or the text of a licence that is only a statement. */
function writeLicence(part: Subject, { licences = [], rights }: DistributionFields): unknown {
  const { record } = part
  const licence = licences
    .map((names) => licenceOf(names, record.options.authorities))
    .find(Boolean)
  if (licence?.kind === 'iri') {
    // As written by the source, apart from invalid characters.
    const [iri, where] = [repairIri(licence.iri), nameOf(dct('license'))]
    if (!part.iri(dct('license'), iri)) record.note('dropped-url', licence.iri, where)
    else if (iri !== licence.iri) record.note('repaired-iri', licence.iri, where, `became ${iri}`)
  }
  if (licence?.kind === 'label') {
    record.note('unknown-licence', licence.label)
    part.part(dct('license'), dct('LicenseDocument')).text(dct('title'), { '': licence.label })
  }
  const hasRights = listOf(rights).some((text) => meaningfulText(text) !== undefined)
  return hasRights || licence?.kind !== 'rights' ? rights : licence.text
}
