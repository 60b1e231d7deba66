/** The distributions of a feed's dataset, with the defects that they are known for. */
import { dcat } from '../../../../rdf/namespaces.ts'
import { distribution } from '../../mapping/distribution.ts'
import type { Subject } from '../../mapping/subject.ts'
import { fieldsOf, listOf, plainText, type Fields } from '../../../../vocabularies/loose-values.ts'
import { accessService } from '../documents/subjects.ts'
import { licenceIn, type LicenceTold } from './licences.ts'
import { plain, sayRest, type TermContext } from './terms.ts'

type Setting = { readonly terms: TermContext; readonly licence: LicenceTold }

/** Property → the names that it comes under: without a prefix from the item's own metadata, or in the wrong case. */
const spellings = {
  accessUrl: ['dcat:accessURL', 'dcat:accessUrl', 'accessURL', 'accessUrl'],
  downloadUrl: ['dcat:downloadURL', 'dcat:downloadUrl', 'downloadURL', 'downloadUrl'],
  title: ['dct:title', 'title'],
  description: ['dct:description', 'description'],
  format: ['dct:format', 'format'],
  mediaType: ['dcat:mediaType', 'mediaType'],
  licence: ['dct:license', 'license'],
  issued: ['dct:issued', 'issued'],
  modified: ['dct:modified', 'modified'],
  size: ['dcat:byteSize', 'byteSize'],
  identifier: ['dct:identifier', 'identifier'],
} as const
type Property = keyof typeof spellings

const known = new Set<string>(Object.values(spellings).flat())

export function mapDistributions(dataset: Subject, value: unknown, setting: Setting): void {
  for (const one of listOf(value)) mapDistribution(dataset, fieldsOf(one), setting)
}

function mapDistribution(dataset: Subject, fields: Fields, { terms, licence }: Setting): void {
  const told = (property: Property) =>
    spellings[property].map((name) => listOf(fields[name]).map(plain)[0]).find(Boolean)
  const [title, format] = [told('title'), formatOf(told('format'), told('title'))]
  const address = told('accessUrl') ?? told('downloadUrl')
  if (isHubPage(title, format)) {
    dataset.link(dcat('landingPage'), address)
    return
  }
  const own = licenceIn(
    spellings.licence.map((name) => fields[name]).find(Boolean),
    dataset.record.options.authorities,
  )
  const made = distribution(dataset, {
    iri: plainText(fields['@id']),
    identifier: told('identifier'),
    title,
    description: told('description'),
    html: true,
    accessUrl: told('accessUrl'),
    downloadUrl: told('downloadUrl'),
    format,
    mediaType: told('mediaType'),
    size: told('size'),
    licences: [...own.licences, ...licence.licences],
    rights: own.rights ?? licence.rights,
    issued: told('issued'),
    modified: told('modified'),
  })
  if (!made) return
  if (isService(title, format, address))
    accessService(made, { title: title ?? 'ArcGIS GeoService', endpoint: address ?? '' })
  sayRest(made, fields, { terms, known })
}

/** Of an authority's IRI or its short form the code; archives of shape files are shape files. */
function formatOf(told: string | undefined, title: string | undefined): string | undefined {
  const format = told?.replace(/^(?:ftype:|.*\/file-type\/)/, '')
  return /^zip$/i.test(format ?? '') && /shape\s*file/i.test(title ?? '') ? 'SHP' : format
}

const isHubPage = (title: string | undefined, format: string | undefined) =>
  /^html$/i.test(format ?? '') && /^arcgis hub dataset$/i.test(title ?? '')

const isService = (
  title: string | undefined,
  format: string | undefined,
  address: string | undefined,
) =>
  address !== undefined &&
  /\/rest\/services\//i.test(address) &&
  (/^arcgis geoservice/i.test(title ?? '') ||
    /^(?:json|arcgis geoservices?.*)$/i.test(format ?? ''))
