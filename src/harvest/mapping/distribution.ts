/** Distributions: one writer for what all platforms know of a file or a service. */

import { repairIri } from '../../rdf/iri.ts'
import { adms, dcat, dcatap, dct, foaf, rdfs, spdx, xsd } from '../../rdf/namespaces.ts'
import { literal, namedNode } from '../../rdf/terms.ts'
import { formatIri, formatOfAddress, mediaTypeIri } from '../../vocabularies/formats.ts'
import { type LicenceNames, licenceOf } from '../../vocabularies/licences.ts'
import { listOf, plainText, saidText } from '../../vocabularies/loose-values.ts'
import { nameOf, webAddress } from './addresses.ts'
import { concept, concepts } from './concepts.ts'
import type { Subject } from './subject.ts'

/** Every value as the source gives it. */
export type DistributionFields = {
  readonly iri?: unknown
  readonly identifier?: unknown
  readonly title?: unknown
  readonly description?: unknown
  /** The title and the description are HTML. */
  readonly html?: boolean
  /** When absent the download address counts. */
  readonly accessUrl?: unknown
  readonly downloadUrl?: unknown
  /** Several are tried in order: `format`, then `mediaType`, then the ending of the download address. */
  readonly format?: unknown
  readonly mediaType?: unknown
  readonly compressFormat?: unknown
  readonly packageFormat?: unknown
  readonly size?: unknown
  readonly checksum?: { readonly value: unknown; readonly algorithm?: unknown }
  /** The first that says something counts: the file's own, then the dataset's. */
  readonly licences?: readonly LicenceNames[]
  readonly rights?: unknown
  readonly issued?: unknown
  readonly modified?: unknown
  readonly language?: unknown
  readonly conformsTo?: unknown
  readonly documentation?: unknown
  readonly status?: unknown
  readonly availability?: unknown
}

/** `undefined`, and nothing written, when there is no usable address. */
export function distribution(dataset: Subject, fields: DistributionFields): Subject | undefined {
  const { record } = dataset
  const download = webAddress(fields.downloadUrl, record, nameOf(dcat('downloadURL')))
  const access = webAddress(fields.accessUrl, record, nameOf(dcat('accessURL'))) ?? download
  if (access === undefined) {
    const isSilent = [fields.accessUrl, fields.downloadUrl].every(
      (url) => saidText(url) === undefined,
    )
    const name = saidText(fields.title) ?? saidText(fields.identifier)
    if (isSilent) dataset.lost(dcat('distribution'), `${name ?? 'one'} has no address`)
    return undefined
  }
  const part = dataset.part(dcat('distribution'), dcat('Distribution'), saidText(fields.iri))
  part.add(dcat('accessURL'), namedNode(access))
  if (download !== undefined) part.add(dcat('downloadURL'), namedNode(download))
  const { html = false } = fields
  part.literal(dct('identifier'), fields.identifier)
  part.text(dct('title'), fields.title, { html })
  part.text(dct('description'), fields.description, { html })
  part.date(dct('issued'), fields.issued)
  part.date(dct('modified'), fields.modified)
  const bytes = bytesOf(fields.size)
  if (bytes === undefined && !/^[0.]+$/.test(saidText(fields.size) ?? '0'))
    part.lost(dcat('byteSize'), fields.size)
  part.count(dcat('byteSize'), bytes)
  fileType(part, fields, download)
  checksum(part, fields.checksum)
  licence(part, fields)
  part.link(foaf('page'), fields.documentation)
  standards(part, fields.conformsTo)
  concepts(part, dct('language'), 'language', fields.language)
  concept(part, adms('status'), 'distributionStatus', fields.status)
  concept(part, dcatap('availability'), 'availability', fields.availability)
  return part
}

function fileType(part: Subject, fields: DistributionFields, download: string | undefined): void {
  const { record } = part
  const { authorities } = record.options
  const format =
    formatIri(fields.format, authorities) ??
    formatIri(fields.mediaType, authorities) ??
    formatOfAddress(download, authorities)
  const said = saidText(fields.format)
  if (format !== undefined) part.add(dct('format'), namedNode(format))
  else if (said !== undefined) {
    record.note('unknown-format', said)
    const unknown = part.part(dct('format'), dct('MediaTypeOrExtent'))
    unknown.literal(rdfs('label'), said)
  }
  const type =
    mediaTypeIri(fields.mediaType, authorities) ?? mediaTypeIri(fields.format, authorities)
  if (type === undefined && formatIri(fields.mediaType, authorities) === undefined)
    part.lost(dcat('mediaType'), fields.mediaType)
  part.iri(dcat('mediaType'), type)
  part.iri(dcat('compressFormat'), mediaTypeIri(fields.compressFormat, authorities))
  part.iri(dcat('packageFormat'), mediaTypeIri(fields.packageFormat, authorities))
}

const algorithms: Readonly<Record<string, string>> = {
  md5: 'checksumAlgorithm_md5',
  sha1: 'checksumAlgorithm_sha1',
  sha224: 'checksumAlgorithm_sha224',
  sha256: 'checksumAlgorithm_sha256',
  sha384: 'checksumAlgorithm_sha384',
  sha512: 'checksumAlgorithm_sha512',
}
const algorithmByLength: Readonly<Record<number, string>> = { 32: 'md5', 40: 'sha1', 64: 'sha256' }

function checksum(part: Subject, given: DistributionFields['checksum']): void {
  const text = plainText(given?.value)
    ?.replace(/^(?:md5|sha-?\d+):/i, '')
    .toLowerCase()
  if (text === undefined || !/^[0-9a-f]{8,128}$/.test(text)) {
    part.lost(spdx('checksum'), given?.value)
    return
  }
  const named = saidText(given?.algorithm)
    ?.toLowerCase()
    .replace(/^.*[#/]/, '')
    .replace('checksumalgorithm_', '')
    .replaceAll(/[^a-z0-9]/g, '')
  const name = named ?? algorithmByLength[text.length]
  if (name === undefined || !Object.hasOwn(algorithms, name)) {
    part.lost(spdx('checksum'), `${named ?? ''} ${text}`)
    return
  }
  const sum = part.part(spdx('checksum'), spdx('Checksum'))
  sum.add(spdx('algorithm'), spdx(algorithms[name] ?? ''))
  sum.add(spdx('checksumValue'), literal(text, xsd('hexBinary')))
}

function licence(part: Subject, { licences = [], rights }: DistributionFields): void {
  const { record } = part
  const { authorities } = record.options
  const found = licences.map((names) => licenceOf(names, authorities)).find(Boolean)
  if (found?.kind === 'iri') licenceIri(part, found.iri)
  if (found?.kind === 'label') {
    record.note('unknown-licence', found.label)
    part
      .part(dct('license'), dct('LicenseDocument'))
      .text(dct('title'), found.label, { language: '' })
  }
  const isSaid = listOf(rights).some((one) => saidText(one) !== undefined)
  rightsStatement(part, isSaid ? rights : found?.kind === 'rights' ? found.text : undefined)
}

/** As the source wrote it, but for characters that no IRI may hold. */
function licenceIri(part: Subject, given: string): void {
  const iri = repairIri(given)
  const where = nameOf(dct('license'))
  if (!part.iri(dct('license'), iri)) part.record.note('dropped-url', `${where}: ${given}`)
  else if (iri !== given) part.record.note('repaired-iri', `${where}: ${iri}`)
}

/** One statement about rights: the IRI of one, or everything that is said in words. */
export function rightsStatement(subject: Subject, value: unknown): void {
  const said = listOf(value)
    .map(saidText)
    .filter((text) => text !== undefined)
  const [first, ...more] = said
  if (first === undefined) return
  const isAddress = more.length === 0 && /^https?:\/\/\S+$/.test(first)
  if (isAddress && subject.iri(dct('rights'), first)) return
  subject.part(dct('rights'), dct('RightsStatement')).text(rdfs('label'), said)
}

/** Standards by IRI, or by name as a `dct:Standard`. */
export function standards(subject: Subject, value: unknown): void {
  for (const one of listOf(value)) {
    const text = saidText(one)
    if (text === undefined) continue
    const isAddress = /^[a-z][a-z0-9+.-]*:\S+$/i.test(text) && subject.iri(dct('conformsTo'), text)
    if (!isAddress) subject.part(dct('conformsTo'), dct('Standard')).text(dct('title'), text)
  }
}

// Sizes of files, as numbers of bytes or as people write them.

const factors: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  byte: 1,
  bytes: 1,
  octets: 1,
  k: 1e3,
  kb: 1e3,
  ko: 1e3,
  m: 1e6,
  mb: 1e6,
  mo: 1e6,
  g: 1e9,
  gb: 1e9,
  go: 1e9,
  t: 1e12,
  tb: 1e12,
  to: 1e12,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
  tib: 1024 ** 4,
}

/** Whole bytes as text; `undefined` for zero, for negative numbers and for what is no size. */
export function bytesOf(value: unknown): string | undefined {
  const text = plainText(value)?.replaceAll(/[\s\u00a0]/g, '')
  if (text === undefined) return undefined
  if (/^\d{16,30}$/.test(text)) return BigInt(text) === 0n ? undefined : String(BigInt(text))
  // A point or a comma for decimals; a comma before three digits may be for thousands, so that nobody knows.
  if (/,\d{3}(?!\d)/.test(text)) return undefined
  const [, number = '', unit = ''] = /^(\d{1,15}(?:[.,]\d{1,15})?)([A-Za-z]*)$/.exec(text) ?? []
  const factor = Object.hasOwn(factors, unit.toLowerCase())
    ? factors[unit.toLowerCase()]
    : undefined
  if (number === '' || factor === undefined) return undefined
  const bytes = Math.round(Number(number.replace(',', '.')) * factor)
  return bytes > 0 && bytes <= Number.MAX_SAFE_INTEGER ? String(bytes) : undefined
}
