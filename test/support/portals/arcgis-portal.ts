/** An ArcGIS Hub site: feeds of the whole site in both vocabularies, and records page by page. */

import { createHash } from 'node:crypto'
import { json, portal, type Portal } from './portal.ts'
import type { FaultRule } from './faults.ts'

export type ArcgisRecord = {
  readonly id: string
  readonly title: string
  /** Members of the feed's entry that differ from those of an ordinary one; `undefined` leaves one out. */
  readonly entry?: Readonly<Record<string, unknown>>
  /** Members of the record's properties. */
  readonly properties?: Readonly<Record<string, unknown>>
  readonly geometry?: unknown
}

export type ArcgisPortalOptions = {
  /** Feeds that are switched on, `dcat-ap/2.1.1`. */
  readonly feeds?: readonly string[]
  /** Whether there is a records API. */
  readonly records?: boolean
  /** Of feeds: ETag and 304. */
  readonly conditional?: boolean
}

export type ArcgisPortal = Portal & {
  show(records: readonly ArcgisRecord[]): void
  /** What `numberMatched` says; the truth when undefined. */
  declare(total: (() => number) | undefined): void
}

export async function arcgisPortal(
  records: readonly ArcgisRecord[],
  { feeds = ['dcat-ap/2.1.1'], records: hasRecords = true, conditional }: ArcgisPortalOptions = {},
  rules: readonly FaultRule[] = [],
): Promise<ArcgisPortal> {
  let shown = records
  let declared: (() => number) | undefined
  const site = await portal((request) => {
    const { pathname, searchParams: query } = new URL(request.url)
    const feed = /^\/api\/feed\/(.*?)(?:\.json)?$/.exec(pathname)?.[1]
    if (feed !== undefined && feeds.includes(feed))
      return feedAnswer(feed.startsWith('dcat-us') ? podOf(shown) : catalogueOf(shown), request)
    if (hasRecords && pathname === '/api/search/v1/collections/dataset/items') return page(query)
    return Response.json(
      { message: 'Cannot GET', error: 'Not Found', statusCode: 404 },
      { status: 404 },
    )
  }, rules)

  function page(query: URLSearchParams): Response {
    const limit = Number(query.get('limit') ?? 10)
    const start = Number(query.get('startindex') ?? 1)
    if (limit > 100 || start < 1)
      return Response.json({ message: 'limit must be 0..100', statusCode: 400 }, { status: 400 })
    const features = shown.slice(start - 1, start - 1 + limit).map(featureOf)
    const numberMatched = declared?.() ?? shown.length
    const numberReturned = features.length
    return json({ type: 'FeatureCollection', features, numberMatched, numberReturned, links: [] })
  }

  function feedAnswer(document: unknown, request: Request): Response {
    const body = JSON.stringify(document)
    const ETag = `"${createHash('sha256').update(body).digest('hex').slice(0, 12)}"`
    if (conditional === true && request.headers.get('if-none-match') === ETag)
      return new Response(null, { status: 304 })
    const headers = { 'Content-Type': 'application/json', ...(conditional === true && { ETag }) }
    return new Response(body, { headers })
  }

  return {
    ...site,
    show: (published) => {
      shown = published
    },
    declare: (total) => {
      declared = total
    },
  }
}

const itemPage = (id: string) => `https://www.arcgis.com/home/item.html?id=${id}&sublayer=0`

const catalogueOf = (records: readonly ArcgisRecord[]) => ({
  '@context': {
    rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
    dcat: 'http://www.w3.org/ns/dcat#',
    dct: 'http://purl.org/dc/terms/',
    foaf: 'http://xmlns.com/foaf/0.1/',
    vcard: 'http://www.w3.org/2006/vcard/ns#',
    ftype: 'http://publications.europa.eu/resource/authority/file-type/',
    lang: 'http://publications.europa.eu/resource/authority/language/',
  },
  '@id': 'https://hub.city.example',
  '@type': 'dcat:Catalog',
  'dct:title': 'City Hub',
  'dcat:dataset': records.map(({ id, title, entry = {} }) => ({
    '@type': 'dcat:Dataset',
    '@id': itemPage(id),
    'dct:identifier': itemPage(id),
    'dct:title': title,
    'dct:description': `About ${title}`,
    'dct:publisher': 'City GIS',
    'dcat:theme': 'geospatial',
    'dcat:distribution': [],
    ...entry,
  })),
})

const podOf = (records: readonly ArcgisRecord[]) => ({
  '@context': 'https://project-open-data.cio.gov/v1.1/schema/catalog.jsonld',
  conformsTo: 'https://project-open-data.cio.gov/v1.1/schema',
  dataset: records.map(({ id, title }) => ({
    '@type': 'dcat:Dataset',
    identifier: itemPage(id),
    title,
    accessLevel: 'public',
  })),
})

const featureOf = ({ id, title, properties = {}, geometry = null }: ArcgisRecord) => ({
  id,
  type: 'Feature',
  geometry,
  properties: {
    title,
    description: `About ${title}`,
    tags: ['city'],
    owner: 'city_gis',
    created: 1_580_702_706_000,
    modified: 1_767_323_045_000,
    numViews: 7,
    ...properties,
  },
  links: [],
})
