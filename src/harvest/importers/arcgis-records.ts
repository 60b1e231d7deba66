/**
 * An ArcGIS Hub site: its config and addresses, the ids of its items, and its records (OGC API - Records, part 1) as they are read and
 * mapped to DCAT-AP.
 */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import { dcat, dct } from '../../rdf/namespaces.ts'
import { fieldsOf, listOf, plainText, saidText } from '../../vocabularies/loose-values.ts'
import type { Fields } from '../../text/json.ts'
import { agent } from '../mapping/agents.ts'
import { accessService, place, themesOrKeywords } from '../mapping/coverage.ts'
import { distribution } from '../mapping/distribution.ts'
import { mappingKeys } from '../mapping/record-options.ts'
import type { MappedRecord } from '../mapping/record.ts'
import type { Subject } from '../mapping/subject.ts'
import { licenceIn, type LicenceTold } from './arcgis-mapping.ts'
import { countOf, type Entry, envelopeFailure, foundEntry, lasting } from './entry.ts'
import type { Found } from './found.ts'
import type { ImportConfig } from './import-config.ts'
import type { ImportRun } from './importer.ts'
import { addressWith, type Portal, recordIn, rootOf } from './portal.ts'

export const arcgisConfig = z.object({
  ...mappingKeys,
  /** What is asked first; the next ones are tried when a site has it not. */
  feed: z
    .enum(['dcat-ap/2.1.1', 'dcat-ap/3.0.0', 'dcat-ap/2.0.1', 'dcat-us/1.1', 'records'])
    .default('dcat-ap/2.1.1'),
  /** Passed on to feed and records. */
  q: z.string().optional(),
  filter: z.string().optional(),
  /** Of records; feeds have no pages. */
  pageSize: z
    .int()
    .positive()
    .default(100)
    .transform((size) => Math.min(size, 100)),
})
export type ArcgisConfig = z.infer<typeof arcgisConfig>

type Config = ArcgisConfig & ImportConfig
export type ArcgisSite = Portal<ArcgisConfig>

/** One import. */
export type ArcgisRun = ImportRun<ArcgisConfig> & { readonly site: ArcgisSite }

const ofFeed = /\/(?:api\/feed\/dcat[^?#]*|data\.json)$/i

/** Root of the site without a slash at its end: a feed or an API of it is cut off. */
export const siteOf = (address: string): string =>
  rootOf(address, /\/(?:api\/(?:feed|search|v\d)(?:\/.*)?|data\.json|search)$/i)

/** The feeds that are tried, in their order; an address that is one comes first as it is. `hours`: only what was changed in so many. */
export function feedAddresses(config: Config, hours?: number): readonly string[] {
  const { address, feed, q, filter, filters } = config
  const isFeed = ofFeed.test(new URL(address).pathname)
  if (feed === 'records' && !isFeed) return []
  const feedAddress = (name: string) =>
    addressWith(`${siteOf(address)}/api/feed/${name}.json`, {
      ...filters,
      q,
      filter,
      updated: hours,
    })
  const own = isFeed ? address : feedAddress(feed)
  return [...new Set([own, feedAddress('dcat-us/1.1')])]
}

/** A page of the records API; without `from` the number of records alone. */
function recordsAddress(config: Config, limit: number, from?: number): string {
  const { address, q, filter, filters } = config
  const place = from === undefined ? {} : { startindex: from, sortBy: '+properties.created' }
  const url = `${siteOf(address)}/api/search/v1/collections/dataset/items`
  return addressWith(url, { ...filters, limit, ...place, q, filter })
}

/** The id of an item and its layer (`{item}_{layer}`) in what a feed calls an identifier. */
export function itemIn(identifier: string): string | undefined {
  if (!/^https?:/i.test(identifier)) return undefined
  const item = /[?&]id=([\w-]+)/.exec(identifier)?.[1]
  const layer = /[?&]sublayer=(\d+)/.exec(identifier)?.[1]
  if (item !== undefined) return layer === undefined ? item : `${item}_${layer}`
  return /\/datasets\/(?:[^/?#]*::)?([0-9a-f]{32}(?:_\d+)?)(?:[/?#]|$)/i.exec(identifier)?.[1]
}

export function mapFeature(fields: Fields, site: ArcgisSite, sourceId: string): MappedRecord {
  const own = fieldsOf(fields['properties'])
  const record = recordIn(site, `${site.root}/datasets/${encodeURIComponent(sourceId)}`)
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
export async function recordCount({ source, config }: ArcgisRun): Promise<number | undefined> {
  try {
    const { value } = await source.json(recordsAddress(config, 0), { paged: false })
    return countOf(fieldsOf(value)['numberMatched'])
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

const accept = 'application/geo+json, application/json;q=0.9'

/** Only a short page is the last: a total that is too low must not hide what lies behind it. */
export async function* recordPages(run: ArcgisRun): AsyncGenerator<Found, void> {
  const { source, config, output, site } = run
  const read = featureReader(site)
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

const featureReader =
  (site: ArcgisSite) =>
  (fields: Fields): Entry => {
    const sourceId = plainText(fields['id']) ?? ''
    // Counts of visitors change without the record, links with the request.
    const { properties, links: _links, ...rest } = fields
    const isWhole = typeof properties === 'object' && properties !== null
    const lasts = lasting(fieldsOf(properties), ['numViews', 'avgRating', 'numRatings'])
    return {
      sourceId,
      aliases: [],
      sourceUrl: `${site.root}/datasets/${encodeURIComponent(sourceId)}`,
      flaw: isWhole ? undefined : 'The record has no properties.',
      lasting: { ...rest, properties: lasts },
      map: () => mapFeature(fields, site, sourceId),
    }
  }
