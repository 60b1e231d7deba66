/**
 * ArcGIS Hub importer: reads a feed of the whole site as one JSON document, or else its records page by page (OGC API -
 * Records, part 1).
 */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import { type Fields, isJsonObject } from '../../text/json.ts'
import { fieldsOf, plainText } from '../../vocabularies/loose-values.ts'
import { mappingKeys } from '../mapping/record.ts'
import { hubPage, itemIn, featureValues, repairEntry } from './arcgis-mapping.ts'
import type { PodOptions } from './datajson-mapping.ts'
import { datasetsOf } from './datajson.ts'
import { type JsonDocument, openJsonDocument } from './documents.ts'
import type { ImportConfig } from './import-config.ts'
import type { ImporterKind, ImportRun } from './importer.ts'
import {
  addressWith,
  askList,
  countOf,
  withoutVolatile,
  type ListPlace,
  listPages,
  type Portal,
  type PortalEntry,
  portalOf,
  type PortalRun,
  siteRoot,
} from './portal.ts'
import type { ImportEvent } from './import-recorder.ts'
import { faultsOfOneAnswer } from './source.ts'

/** Config of an ArcGIS Hub importer beside the common keys. */
export const arcgisConfig = z.object({
  ...mappingKeys,
  /** API to try first; `dcat-us/1.1` and the records are tried if a site does not have it. */
  feed: z
    .enum(['dcat-ap/2.1.1', 'dcat-ap/3.0.0', 'dcat-ap/2.0.1', 'dcat-us/1.1', 'records'])
    .default('dcat-ap/2.1.1'),
  /** Search query, passed on to feed and records. */
  q: z.string().optional(),
  filter: z.string().optional(),
  /** Records per page; feeds have no pages. */
  pageSize: z
    .int()
    .positive()
    .default(100)
    .transform((size) => Math.min(size, 100)),
})
type ArcgisConfig = z.infer<typeof arcgisConfig>

type Config = ArcgisConfig & ImportConfig

type ImportEvents = AsyncGenerator<ImportEvent, void>
type Run = PortalRun<ArcgisConfig>

/** Importer of feeds and records; a plain token is sent as a bearer token (RFC 6750). */
export const arcgisImporter: ImporterKind<ArcgisConfig> = {
  names: ['importing-arcgis', 'importing-arcgishub', 'importing-arcgis-hub'],
  version: 3,
  config: arcgisConfig,
  credentials: (value, header) => ({
    [header]: header === 'Authorization' && !/\s/.test(value) ? `Bearer ${value}` : value,
  }),
  addressesOf: ({ address }, id) => [{ url: `${itemsOf(address)}/${encodeURIComponent(id)}` }],
  import: importArcgis,
}

const hourMs = 3_600_000

/**
 * Imports the first feed that can be read, even an empty one, else the records. Feeds can be disabled, and may fail while they are
 * generated. Failures of the whole site (refused, unreachable) end the import.
 */
async function* importArcgis(importRun: ImportRun<ArcgisConfig>): ImportEvents {
  const run = await portalOf<ArcgisConfig>(importRun, siteOf(importRun.config.address))
  const { config, lastRun, now, signal } = run
  const since = config.incremental ? lastRun?.getTime() : undefined
  const hours = since === undefined ? undefined : Math.ceil((now() - since) / hourMs) + 1
  let failure: Failure | undefined
  for (const url of feedAddresses(config, hours))
    try {
      const document = await openJsonDocument(run, url)
      if (document === 'unchanged') yield { kind: 'end', outcome: 'not-modified' }
      // Never `absent`: no status is passed as such, so that a missing feed throws `source-not-found`.
      else if (document !== 'absent') yield* fromFeed(run, { document, url, failure })
      return
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof Failure) || !faultsOfOneAnswer.has(error.kind)) throw error
      failure ??= error
    }
  try {
    yield* recordPages(run)
  } catch (error) {
    const isAbsent = error instanceof Failure && error.kind === 'source-not-found'
    throw isAbsent ? (failure ?? error) : error
  }
}

/** Root of a site without trailing slash; the path of a feed or an API is removed. */
const siteOf = (address: string): string =>
  siteRoot(address, /\/(?:api\/(?:feed|search|v\d)(?:\/.*)?|data\.json|search)$/i)

/** Addresses of feeds in order of preference; an address that is a feed comes first. `hours`: only changes of the last hours. */
function feedAddresses(config: Config, hours?: number): readonly string[] {
  const { address, feed, q, filter, filters } = config
  const isFeed = /\/(?:api\/feed\/dcat[^?#]*|data\.json)$/i.test(new URL(address).pathname)
  if (feed === 'records' && !isFeed) return []
  const query = { ...filters, q, filter, updated: hours }
  const addressOf = (name: string) => addressWith(`${siteOf(address)}/api/feed/${name}.json`, query)
  return [...new Set([isFeed ? address : addressOf(feed), addressOf('dcat-us/1.1')])]
}

const itemsOf = (address: string) => `${siteOf(address)}/api/search/v1/collections/dataset/items`

/** Address of a page of the records API; without `from`, a request for the total only. */
function recordsAddress(config: Config, limit: number, from?: number): string {
  const { address, q, filter, filters } = config
  const order = from === undefined ? {} : { startindex: from, sortBy: '+properties.created' }
  return addressWith(itemsOf(address), { ...filters, limit, ...order, q, filter })
}

/** An opened feed and its requested address. */
type Feed = {
  readonly document: JsonDocument
  readonly url: string
  /** Reason why the preferred feed was not used. */
  readonly failure: Failure | undefined
}

/**
 * Imports a feed. It has no total, so a full run asks the records API before and after. Throws if the document is no feed,
 * before it yields a record.
 */
async function* fromFeed(run: Run, { document, url, failure }: Feed): ImportEvents {
  const before = run.config.incremental ? undefined : await recordCount(run)
  if (before !== undefined) yield { kind: 'total', total: before }
  // Feeds in the DCAT-US vocabulary do not have these defects.
  const repair = /"dcat:dataset"|"@graph"/.test(document.start) ? repairEntry : undefined
  const podOptions: PodOptions = { pageOf: (id) => hubPage(run, id), idIn: itemIn, repair }
  yield* datasetsOf(run, podOptions, { document, url })
  const after = before === undefined ? undefined : await recordCount(run)
  if (after !== undefined) yield { kind: 'total', total: after }
  // Another feed may not have the same datasets as the preferred one.
  else if (failure) yield { kind: 'end', outcome: 'incomplete', problem: failure }
}

/** Number of records of the site; `undefined` if unknown. */
async function recordCount({ source, config }: Run): Promise<number | undefined> {
  try {
    const { value } = await source.json(recordsAddress(config, 0), { paged: false })
    return countOf(fieldsOf(value)['numberMatched'])
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/** Records, page by page in the order in which they were made. */
function recordPages(run: Run): ImportEvents {
  const { source, config } = run
  const accept = 'application/geo+json, application/json;q=0.9'
  const ask = async ({ offset, extra }: ListPlace) => {
    const url = recordsAddress(config, Math.min(config.pageSize + extra, 100), offset + 1)
    const page = await askList(source, url, 'features', { accept })
    return { ...page, total: countOf(page.fields['numberMatched']) }
  }
  return listPages(run, { ask, overlaps: true, read: (feature) => featureEntry(feature, run) })
}

/** A GeoJSON feature of the records API; its id is that of the item and, after `_`, of the layer. */
function featureEntry(fields: Fields, site: Portal): PortalEntry {
  const sourceId = plainText(fields['id']) ?? ''
  // Visitor counts change without the record, links with the request.
  const { properties, links: _links, ...otherFields } = fields
  const page = hubPage(site, sourceId)
  const stableProperties = withoutVolatile(fieldsOf(properties), [
    'numViews',
    'avgRating',
    'numRatings',
  ])
  return {
    sourceId,
    title: fieldsOf(properties)['title'],
    sourceUrl: page,
    flaw: isJsonObject(properties) ? undefined : 'The record has no properties.',
    stableFields: { ...otherFields, properties: stableProperties },
    recordOptions: { fallbackIri: page },
    values: () => featureValues(fields, site, sourceId),
  }
}
