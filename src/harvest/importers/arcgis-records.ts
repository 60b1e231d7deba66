/** From a record of a site (a GeoJSON feature) to DCAT-AP. */

import { Failure } from '../../errors.ts'
import { dcat, dct } from '../../rdf/namespaces.ts'
import {
  type Fields,
  fieldsOf,
  listOf,
  plainText,
  saidText,
} from '../../vocabularies/loose-values.ts'
import { agent } from '../mapping/agents.ts'
import { accessService, place, themesOrKeywords } from '../mapping/coverage.ts'
import { distribution } from '../mapping/distribution.ts'
import { MappedRecord } from '../mapping/record.ts'
import type { Subject } from '../mapping/subject.ts'
import { licenceIn, type LicenceTold } from './arcgis-mapping.ts'
import { mappingOf, recordsAddress, type ArcgisSite, type ArcgisImport } from './arcgis-site.ts'
import { countOf, type Entry, envelopeFailure, foundEntry } from './entry.ts'
import type { Found } from './found.ts'

export function mapFeature(fields: Fields, site: ArcgisSite, sourceId: string): MappedRecord {
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

type Downloads = {
  readonly site: ArcgisSite
  readonly sourceId: string
  readonly licence: LicenceTold
}

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

// The records of a site (OGC API - Records, part 1), page by page in the order in which they were made.

/** How many records the site has; `undefined` when it does not tell. */
export async function recordCount({ source, config }: ArcgisImport): Promise<number | undefined> {
  try {
    const { value } = await source.json(recordsAddress(config, 0), { paged: false })
    return countOf(fieldsOf(value)['numberMatched'])
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/** Only a short page is the last: a total that is too low must not hide what lies behind it. */
export async function* recordPages({
  source,
  config,
  context,
  site,
}: ArcgisImport): AsyncGenerator<Found, void> {
  const read = featureReader(site)
  const { output } = context
  for (let from = 1; ;) {
    const url = recordsAddress(config, config.pageSize, from)
    const { value, findings } = await source.json(url, { accept })
    const { features, numberMatched } = fieldsOf(value)
    if (!Array.isArray(features)) throw envelopeFailure(value, url)
    const total = countOf(numberMatched)
    if (total !== undefined) yield { kind: 'total', total }
    for (const one of features) yield foundEntry(one, { output, read, findings })
    yield { kind: 'page' }
    from += features.length
    const isShort = features.length < config.pageSize && from > (total ?? Infinity)
    if (features.length === 0 || isShort) return
  }
}

const accept = 'application/geo+json, application/json;q=0.9'

const featureReader =
  (site: ArcgisSite) =>
  (fields: Fields): Entry => {
    const sourceId = plainText(fields['id']) ?? ''
    const { properties } = fields
    const isWhole = typeof properties === 'object' && properties !== null
    return {
      sourceId,
      aliases: [],
      sourceUrl: `${site.root}/datasets/${encodeURIComponent(sourceId)}`,
      flaw: isWhole ? undefined : 'The record has no properties.',
      lasting: lasting(fields),
      map: () => mapFeature(fields, site, sourceId),
    }
  }

/** Counts of visitors change without the record, links with the request. */
function lasting({ properties, links: _links, ...rest }: Fields): unknown {
  const {
    numViews: _views,
    avgRating: _rating,
    numRatings: _ratings,
    ...lasts
  } = fieldsOf(properties)
  return { ...rest, properties: lasts }
}
