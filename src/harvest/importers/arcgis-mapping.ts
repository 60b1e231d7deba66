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
  const words = others.flatMap((text) => meaningfulText(textFromHtml(text)) ?? [])
  return { licences, rights: words.join('\n') || undefined }
}

const geoService = 'ArcGIS GeoService'

// Records of the API (OGC API - Records, part 1).

/** Values of a GeoJSON feature of the records API. */
export function featureValues(fields: Fields, site: Portal, sourceId: string): DatasetValues {
  const own = fieldsOf(fields['properties'])
  const given = [fieldsOf(own['structuredLicense'])['url'], own['license'], own['licenseInfo']]
  const said = given.flatMap(listOf).flatMap((one) => meaningfulText(one) ?? [])
  const { licences: titles, rights } = licenceIn(said, site.authorities)
  // A layer can be exported in every format; an item without one may be neither a table nor a map.
  const [, item, layer] = /^(.+)_(\d+)$/.exec(sourceId) ?? []
  const files = `${site.root}/api/download/v1/items/${encodeURIComponent(item ?? '')}`
  const names = item === undefined ? [] : ['csv', 'geojson', 'shapefile', 'kml']
  const exports = names.map((name) =>
    exportFile(sourceId, name, { rights, downloadUrl: `${files}/${name}?layers=${layer}` }),
  )
  const url = meaningfulText(own['url'])
  const isService = /\/rest\/services\//i.test(url ?? '')
  const services = [{ title: { '': geoService }, endpoint: url }]
  const service = isService ? { title: geoService, format: geoService, services } : {}
  return {
    identifier: sourceId,
    title: own['title'],
    description: meaningfulText(fromHtml(own['description'])) ?? fromHtml(own['snippet']),
    keywords: [own['tags']],
    // `/Categories/Environment`: the last part is the theme.
    themes: listOf(own['categories']).map((one) => meaningfulText(one)?.replace(/^.*\//, '')),
    landingPage: hubPage(site, sourceId),
    publisher: { name: meaningfulText(own['source']) ?? own['owner'] },
    issued: own['created'],
    modified: own['modified'],
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
    .map((one) => meaningfulText(one) ?? meaningfulText(fieldsOf(one)['@id']))
    .find(Boolean)

/** Texts without the prefixes that abbreviate the IRIs of the authority. */
const bare = (value: unknown) => textOf(value)?.replace(/^(?:ftype|lang):|^.*\/file-type\//, '')

/** Repairs a dataset of a DCAT-AP feed, given as a plain node. */
export function mendEntry(fields: Fields, record: MappedRecord): Fields {
  const { authorities } = record.options
  const licence = licenceIn(licenceTexts(fields['license']), authorities)
  const all = listOf(fields['distribution']).map((one) => mendFile(fieldsOf(one)))
  const isHubPage = ({ format, title }: Fields) =>
    /^html$/i.test(textOf(format) ?? '') && /^arcgis hub dataset$/i.test(textOf(title) ?? '')
  const pages = all.filter(isHubPage).map((one) => one['accessURL'] ?? one['downloadURL'])
  const files = all
    .filter((one) => !isHubPage(one))
    .map((one) => {
      const own = licenceIn(licenceTexts(one['license']), authorities)
      const license = [...own.licences, ...licence.licences]
      return { ...one, license, rights: own.rights ?? licence.rights ?? one['rights'] }
    })
  return {
    ...fields,
    ...described(fields, record),
    issued: dateIn('issued', fields, record),
    modified: dateIn('modified', fields, record),
    // All datasets of all sites have this theme.
    theme: listOf(fields['theme']).filter((theme) => theme !== 'geospatial'),
    language: listOf(fields['language']).map(bare),
    contactPoint: listOf(fields['contactPoint']).map(mendContact),
    landingPage: [...listOf(fields['landingPage']), ...pages],
    license: undefined,
    distribution: files,
  }
}

const licenceTexts = (value: unknown): readonly string[] =>
  listOf(value).flatMap(
    (one) => textOf(fieldsOf(one)['title']) ?? textOf(fieldsOf(one)['label']) ?? textOf(one) ?? [],
  )

/** A path on the publisher's machine in place of a description. */
const serverPath = /^(?:\\\\|[A-Za-z]:[\\/])\S[^\n]*$|^[^\n<]*\.(?:mxd|aprx|gdb|sde)$/i

/** Replaces a description that is a path by the summary, else the title. */
function described({ description, snippet, title }: Fields, record: MappedRecord): Fields {
  const text = textOf(description)
  const isPath = text !== undefined && serverPath.test(textFromHtml(text).trim())
  if (isPath) record.dataset.noteLoss(dct('description'), text)
  return { title: fromHtml(title), description: isPath ? (snippet ?? title) : description }
}

/** Date in a field, unless its year is implausibly early, which means that it was never set. */
function dateIn(name: string, fields: Fields, record: MappedRecord): string | undefined {
  const text = plainText(listOf(fields[name])[0])
  if (text === undefined || (!/^0|^-/.test(text) && !(Date.parse(text) < 0))) return text
  record.note('invalid-date', text, `dct:${name}`)
  return undefined
}

/** Removes the contact's address, which is the page of a user. */
function mendContact(value: unknown): unknown {
  const { '@id': iri, ...fields } = fieldsOf(value)
  const isUser = fields['@type'] === 'Contact' || /\/sharing\/rest\//.test(plainText(iri) ?? '')
  return isUser ? fields : value
}

/** Repairs a distribution: the case of properties, archives of shape files, addresses of services. */
function mendFile(fields: Fields): Fields {
  const { accessUrl, downloadUrl, ...rest } = fields
  const accessURL = textOf(fields['accessURL']) ?? textOf(accessUrl)
  const downloadURL = textOf(fields['downloadURL']) ?? textOf(downloadUrl)
  const [title, code] = [textOf(fields['title']) ?? '', bare(fields['format']) ?? '']
  const format = /^zip$/i.test(code) && /shape\s*file/i.test(title) ? 'SHP' : code
  const endpointURL = accessURL ?? downloadURL
  const isService =
    /\/rest\/services\//i.test(endpointURL ?? '') &&
    (/^arcgis geoservice/i.test(title) || /^(?:json|arcgis geoservices?.*)$/i.test(format))
  const accessService = { title: { '': title || geoService }, endpointURL }
  return { ...rest, accessURL, downloadURL, format, ...(isService && { accessService }) }
}
