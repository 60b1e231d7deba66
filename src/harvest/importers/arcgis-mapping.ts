/**
 * Maps ArcGIS Hub to DCAT-AP: records of its API, and repairs of known defects in its DCAT-AP feeds, which are then read as
 * any other `data.json`.
 */

import { dct } from '../../rdf/namespaces.ts'
import type { Fields } from '../../text/json.ts'
import type { Authorities } from '../../vocabularies/authorities.ts'
import { textFromHtml } from '../../vocabularies/html-text.ts'
import { licenceOf } from '../../vocabularies/licences.ts'
import { fieldsOf, listOf, plainText, meaningfulText } from '../../vocabularies/loose-values.ts'
import { type DatasetValues, exportFile } from '../mapping/distribution.ts'
import { fromHtml } from '../mapping/properties.ts'
import type { MappedRecord } from '../mapping/record.ts'
import type { Portal } from './portal.ts'

/** URL of a dataset's page. */
export const hubPage = ({ root }: Portal, id: string): string =>
  `${root}/datasets/${encodeURIComponent(id)}`

/** Id of an item and its layer (`{item}_{layer}`) in the identifier of a feed entry. */
export function itemIn(identifier: string): string | undefined {
  if (!/^https?:/i.test(identifier)) return undefined
  const item = /[?&]id=([\w-]+)/.exec(identifier)?.[1]
  const layer = /[?&]sublayer=(\d+)/.exec(identifier)?.[1]
  if (item !== undefined) return layer === undefined ? item : `${item}_${layer}`
  return /\/datasets\/(?:[^/?#]*::)?([0-9a-f]{32}(?:_\d+)?)(?:[/?#]|$)/i.exec(identifier)?.[1]
}

/**
 * Separates texts about rights: a text without an address is a licence only if its name is known, otherwise a rights
 * statement.
 */
function licenceIn(texts: readonly string[], authorities: Authorities) {
  const { licences = [], others = [] } = Object.groupBy(texts, (title) =>
    licenceOf({ title }, authorities)?.kind === 'iri' ? 'licences' : 'others',
  )
  const rightsTexts = others.flatMap((text) => meaningfulText(textFromHtml(text)) ?? [])
  return { licences, rights: rightsTexts.join('\n') || undefined }
}

const geoService = 'ArcGIS GeoService'

// Records of the API (OGC API - Records, part 1).

/** Values of a GeoJSON feature of the records API. */
export function featureValues(fields: Fields, site: Portal, sourceId: string): DatasetValues {
  const properties = fieldsOf(fields['properties'])
  const licenceFields = [
    fieldsOf(properties['structuredLicense'])['url'],
    properties['license'],
    properties['licenseInfo'],
  ]
  const licenceNames = licenceFields.flatMap(listOf).flatMap((value) => meaningfulText(value) ?? [])
  const { licences: titles, rights } = licenceIn(licenceNames, site.authorities)
  // A layer can be exported in every format; an item without one may be neither a table nor a map.
  const [, item, layer] = /^(.+)_(\d+)$/.exec(sourceId) ?? []
  const files = `${site.root}/api/download/v1/items/${encodeURIComponent(item ?? '')}`
  const names = item === undefined ? [] : ['csv', 'geojson', 'shapefile', 'kml']
  const exports = names.map((name) =>
    exportFile(sourceId, name, { rights, downloadUrl: `${files}/${name}?layers=${layer}` }),
  )
  const url = meaningfulText(properties['url'])
  const isService = /\/rest\/services\//i.test(url ?? '')
  const services = [{ title: { '': geoService }, endpoint: url }]
  const service = isService ? { title: geoService, format: geoService, services } : {}
  return {
    identifier: sourceId,
    title: properties['title'],
    description:
      meaningfulText(fromHtml(properties['description'])) ?? fromHtml(properties['snippet']),
    keywords: [properties['tags']],
    // `/Categories/Environment`: the last part is the theme.
    themes: listOf(properties['categories']).map((category) =>
      meaningfulText(category)?.replace(/^.*\//, ''),
    ),
    landingPage: hubPage(site, sourceId),
    publisher: { name: meaningfulText(properties['source']) ?? properties['owner'] },
    issued: properties['created'],
    modified: properties['modified'],
    places: [{ geometry: fields['geometry'] }],
    licences: titles.map((title) => ({ title })),
    distributions:
      url === undefined ? exports : [...exports, { accessUrl: url, ...service, rights }],
  }
}

// Datasets of a feed.

/** First text of a field, or the address of a node. */
const textOf = (value: unknown): string | undefined =>
  listOf(value)
    .map((item) => meaningfulText(item) ?? meaningfulText(fieldsOf(item)['@id']))
    .find(Boolean)

/** First text of a field, without the prefixes that abbreviate IRIs of EU authorities: `ftype:CSV`. */
const codeIn = (value: unknown) => textOf(value)?.replace(/^(?:ftype|lang):|^.*\/file-type\//, '')

/** Repairs a dataset of a DCAT-AP feed, given as a plain node. */
export function repairEntry(fields: Fields, record: MappedRecord): Fields {
  const { authorities } = record.options
  const licence = licenceIn(licenceTexts(fields['license']), authorities)
  const distributions = listOf(fields['distribution']).map((node) =>
    repairDistribution(fieldsOf(node)),
  )
  const isHubPage = ({ format, title }: Fields) =>
    /^html$/i.test(textOf(format) ?? '') && /^arcgis hub dataset$/i.test(textOf(title) ?? '')
  const pages = distributions
    .filter(isHubPage)
    .map((page) => page['accessURL'] ?? page['downloadURL'])
  const files = distributions
    .filter((distribution) => !isHubPage(distribution))
    .map((file) => {
      const fileLicence = licenceIn(licenceTexts(file['license']), authorities)
      const license = [...fileLicence.licences, ...licence.licences]
      return { ...file, license, rights: fileLicence.rights ?? licence.rights ?? file['rights'] }
    })
  return {
    ...fields,
    ...repairDescription(fields, record),
    issued: dateIn('issued', fields, record),
    modified: dateIn('modified', fields, record),
    // All datasets of all sites have this theme.
    theme: listOf(fields['theme']).filter((theme) => theme !== 'geospatial'),
    language: listOf(fields['language']).map(codeIn),
    contactPoint: listOf(fields['contactPoint']).map(repairContact),
    landingPage: [...listOf(fields['landingPage']), ...pages],
    license: undefined,
    distribution: files,
  }
}

const licenceTexts = (value: unknown): readonly string[] =>
  listOf(value).flatMap(
    (node) =>
      textOf(fieldsOf(node)['title']) ?? textOf(fieldsOf(node)['label']) ?? textOf(node) ?? [],
  )

/** A path on the publisher's machine in place of a description. */
const serverPath = /^(?:\\\\|[A-Za-z]:[\\/])\S[^\n]*$|^[^\n<]*\.(?:mxd|aprx|gdb|sde)$/i

/** Title as text, and description; one that is a path is replaced by the summary, else the title. */
function repairDescription({ description, snippet, title }: Fields, record: MappedRecord): Fields {
  const text = textOf(description)
  const isPath = text !== undefined && serverPath.test(textFromHtml(text).trim())
  if (isPath) record.dataset.noteLoss(dct('description'), text)
  return { title: fromHtml(title), description: isPath ? (snippet ?? title) : description }
}

/** Date in a field, unless it is before 1970, which means that it was never set. */
function dateIn(name: string, fields: Fields, record: MappedRecord): string | undefined {
  const text = plainText(listOf(fields[name])[0])
  if (text === undefined || (!/^0|^-/.test(text) && !(Date.parse(text) < 0))) return text
  record.note('invalid-date', text, `dct:${name}`)
  return undefined
}

/** Removes the contact's address if it is the page of a user. */
function repairContact(value: unknown): unknown {
  const { '@id': iri, ...fields } = fieldsOf(value)
  const isUser = fields['@type'] === 'Contact' || /\/sharing\/rest\//.test(plainText(iri) ?? '')
  return isUser ? fields : value
}

/** Repairs a distribution: the case of properties, archives of shape files, addresses of services. */
function repairDistribution(fields: Fields): Fields {
  const { accessUrl, downloadUrl, ...otherFields } = fields
  const accessURL = textOf(fields['accessURL']) ?? textOf(accessUrl)
  const downloadURL = textOf(fields['downloadURL']) ?? textOf(downloadUrl)
  const [title, code] = [textOf(fields['title']) ?? '', codeIn(fields['format']) ?? '']
  const format = /^zip$/i.test(code) && /shape\s*file/i.test(title) ? 'SHP' : code
  const endpointURL = accessURL ?? downloadURL
  const isService =
    /\/rest\/services\//i.test(endpointURL ?? '') &&
    (/^arcgis geoservice/i.test(title) || /^(?:json|arcgis geoservices?.*)$/i.test(format))
  const accessService = { title: { '': title || geoService }, endpointURL }
  return { ...otherFields, accessURL, downloadURL, format, ...(isService && { accessService }) }
}
