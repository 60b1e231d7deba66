/** From a record of a site (a GeoJSON feature) to DCAT-AP. */
import { dcat, dct } from '../../../../rdf/namespaces.ts'
import { agent } from '../../mapping/agents.ts'
import { place } from '../../mapping/coverage.ts'
import { distribution } from '../../mapping/distribution.ts'
import { MappedRecord } from '../../mapping/record.ts'
import type { Subject } from '../../mapping/subject.ts'
import { fieldsOf, listOf, saidText, type Fields } from '../../../../vocabularies/loose-values.ts'
import { accessService, themesOrKeywords } from '../documents/subjects.ts'
import { licenceIn, type LicenceTold } from './licences.ts'
import { mappingOf, type Site } from './site.ts'

export function mapFeature(fields: Fields, site: Site, sourceId: string): MappedRecord {
  const own = fieldsOf(fields['properties'])
  const record = new MappedRecord(mappingOf(site, sourceId))
  const { dataset } = record
  dataset.literal(dct('identifier'), sourceId)
  dataset.text(dct('title'), own['title'])
  if (!dataset.text(dct('description'), own['description'], { html: true }))
    dataset.text(dct('description'), own['snippet'], { html: true })
  dataset.text(dcat('keyword'), own['tags'])
  // `/Categories/Environment`: the last step says what it is.
  const categories = listOf(own['categories']).map((one) => saidText(one)?.replace(/^.*\//, ''))
  themesOrKeywords(dataset, categories)
  agent(dataset, dct('publisher'), { name: saidText(own['source']) ?? own['owner'] })
  dataset.date(dct('issued'), own['created'])
  dataset.date(dct('modified'), own['modified'])
  place(dataset, { geometry: fields['geometry'] })
  dataset.link(dcat('landingPage'), `${site.root}/datasets/${encodeURIComponent(sourceId)}`)
  const licence = licenceIn(
    [fieldsOf(own['structuredLicense'])['url'], own['license'], own['licenseInfo']].filter(Boolean),
    site.authorities,
  )
  downloads(dataset, { site, sourceId, licence })
  service(dataset, own, licence)
  return record
}

type Downloads = { readonly site: Site; readonly sourceId: string; readonly licence: LicenceTold }

const formats = [
  { name: 'csv', format: 'CSV', mediaType: 'text/csv' },
  { name: 'geojson', format: 'GeoJSON', mediaType: 'application/geo+json' },
  { name: 'shapefile', format: 'SHP', mediaType: 'application/zip' },
  { name: 'kml', format: 'KML', mediaType: 'application/vnd.google-earth.kml+xml' },
]

/** A layer can be had in every format; an item without one is not known to be a table or a map. */
function downloads(dataset: Subject, { site, sourceId, licence }: Downloads): void {
  const [, item = '', layer = ''] = /^(.+)_(\d+)$/.exec(sourceId) ?? []
  if (item === '') return
  for (const { name, format, mediaType } of formats) {
    const path = `api/download/v1/items/${encodeURIComponent(item)}/${name}`
    const url = `${site.root}/${path}?layers=${layer}`
    const identifier = `${sourceId}/${name}`
    const known = { identifier, format, mediaType, ...licence }
    distribution(dataset, { ...known, accessUrl: url, downloadUrl: url })
  }
}

function service(dataset: Subject, own: Fields, licence: LicenceTold): void {
  const url = saidText(own['url'])
  if (url === undefined) return
  if (!/\/rest\/services\//i.test(url)) {
    distribution(dataset, { accessUrl: url, ...licence })
    return
  }
  const title = 'ArcGIS GeoService'
  const made = distribution(dataset, { title, accessUrl: url, format: title, ...licence })
  accessService(made, { title, endpoint: url })
}
