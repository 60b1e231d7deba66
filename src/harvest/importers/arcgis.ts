/**
 * The ArcGIS Hub importer: a feed of the whole site as one JSON document, or its records page by page (OGC API - Records, part 1) when it
 * has none.
 */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import type { Fields } from '../../text/json.ts'
import { fieldsOf, listOf, plainText } from '../../vocabularies/loose-values.ts'
import { mappingKeys } from '../mapping/record.ts'
import { contextOf, hubPage, mapEntry, mapFeature, plainValue } from './arcgis-mapping.ts'
import { podReader } from './datajson-mapping.ts'
import { type JsonDocument, openUnlessSame } from './documents.ts'
import type { ImportEvent } from './reception.ts'
import type { ImportConfig } from './import-config.ts'
import type { ImporterKind, ImportRun } from './importer.ts'
import {
  addressWith,
  countOf,
  documentFailure,
  type PortalEntry,
  envelopeFailure,
  foundEntry,
  lasting,
  listPages,
  type Portal,
  portalOf,
  siteRoot,
} from './portal.ts'
import { reportServices } from './rdf-document.ts'
import { faultsOfOneAnswer, validatorOf } from './source.ts'

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
type ArcgisConfig = z.infer<typeof arcgisConfig>

type Config = ArcgisConfig & ImportConfig
type Site = Portal<ArcgisConfig>

/** One import. */
type Run = ImportRun<ArcgisConfig> & { readonly site: Site }
type Finds = AsyncGenerator<ImportEvent, void>

export const arcgisImporter: ImporterKind<ArcgisConfig> = {
  names: ['importing-arcgis', 'importing-arcgishub', 'importing-arcgis-hub'],
  version: 2,
  config: arcgisConfig,
  credentials: (value, header) => ({
    [header]: header === 'Authorization' && !/\s/.test(value) ? `Bearer ${value}` : value,
  }),
  import: async function* importArcgis(run) {
    yield* importFrom({ ...run, site: await portalOf(run, siteOf(run.config.address)) })
  },
}

const hour = 3_600_000

async function* importFrom(run: Run): Finds {
  const { config, lastRun, now } = run
  const since = config.incremental ? lastRun?.getTime() : undefined
  const hours = since === undefined ? undefined : Math.ceil((now() - since) / hour) + 1
  let failure: Failure | undefined
  for (const url of feedAddresses(config, hours)) {
    const feed = await openFeed(run, url)
    if (feed instanceof Failure) {
      failure ??= feed
      continue
    }
    if (feed === 'unchanged') yield { kind: 'end', as: 'not-modified' }
    else yield* fromFeed(run, feed, url, failure)
    return
  }
  try {
    yield* recordPages(run)
  } catch (error) {
    const isAbsent = error instanceof Failure && error.kind === 'source-not-found'
    throw isAbsent ? (failure ?? error) : error
  }
}

// Addresses of a site, and the ids of its items.

/** Root of the site without a slash at its end: a feed or an API of it is cut off. */
const siteOf = (address: string): string =>
  siteRoot(address, /\/(?:api\/(?:feed|search|v\d)(?:\/.*)?|data\.json|search)$/i)

/** The feeds that are tried, in their order; an address that is one comes first as it is. `hours`: only what was changed in so many. */
function feedAddresses(config: Config, hours?: number): readonly string[] {
  const { address, feed, q, filter, filters } = config
  const isFeed = /\/(?:api\/feed\/dcat[^?#]*|data\.json)$/i.test(new URL(address).pathname)
  if (feed === 'records' && !isFeed) return []
  const query = { ...filters, q, filter, updated: hours }
  const addressOf = (name: string) => addressWith(`${siteOf(address)}/api/feed/${name}.json`, query)
  return [...new Set([isFeed ? address : addressOf(feed), addressOf('dcat-us/1.1')])]
}

/** A page of the records API; without `from` the number of records alone. */
function recordsAddress(config: Config, limit: number, from?: number): string {
  const { address, q, filter, filters } = config
  const order = from === undefined ? {} : { startindex: from, sortBy: '+properties.created' }
  const url = `${siteOf(address)}/api/search/v1/collections/dataset/items`
  return addressWith(url, { ...filters, limit, ...order, q, filter })
}

/** The id of an item and its layer (`{item}_{layer}`) in what a feed calls an identifier. */
export function itemIn(identifier: string): string | undefined {
  if (!/^https?:/i.test(identifier)) return undefined
  const item = /[?&]id=([\w-]+)/.exec(identifier)?.[1]
  const layer = /[?&]sublayer=(\d+)/.exec(identifier)?.[1]
  if (item !== undefined) return layer === undefined ? item : `${item}_${layer}`
  return /\/datasets\/(?:[^/?#]*::)?([0-9a-f]{32}(?:_\d+)?)(?:[/?#]|$)/i.exec(identifier)?.[1]
}

// Feeds.

/** DCAT-AP feeds have the first, or the second when somebody has reordered them; DCAT-US has the last. */
const lists = new Set(['dcat:dataset', '@graph', 'dataset'])
const serviceLists = new Set(['dcat:service', 'service'])

/**
 * The feed, if it has datasets or services or says that it has none; else why it is of no use, when another may be. Throws
 * everything else.
 */
async function openFeed(run: Run, url: string): Promise<JsonDocument | 'unchanged' | Failure> {
  try {
    const document = await openUnlessSame(run, url)
    if (typeof document === 'string') return 'unchanged'
    for await (const { list } of document.members())
      if (lists.has(list) || serviceLists.has(list)) return document
    if (/"(?:dcat:dataset|@graph|dataset)"\s*:/.test(document.start)) return document
    await document.close()
    return documentFailure(document)
  } catch (error) {
    run.signal.throwIfAborted()
    // Feeds can be switched off, and break off while they are made; what is said of the site as a whole is final.
    if (error instanceof Failure && faultsOfOneAnswer.has(error.kind)) return error
    throw error
  }
}

/**
 * The records API tells how many there are, before and after: a feed has no total of its own. `failure`: why this is not the feed that
 * was wanted.
 */
async function* fromFeed(run: Run, feed: JsonDocument, url: string, failure?: Failure): Finds {
  const before = run.config.incremental ? undefined : await recordCount(run)
  if (before !== undefined) yield { kind: 'total', total: before }
  try {
    run.validate(validatorOf(url, feed.headers, feed.hash))
    yield* feedEntries(run, feed)
    yield { kind: 'page' }
  } finally {
    await feed.close()
  }
  const after = before === undefined ? undefined : await recordCount(run)
  if (after !== undefined) yield { kind: 'total', total: after }
  // Nobody can tell whether another feed has the same datasets as the one that was wanted.
  else if (failure) yield { kind: 'end', as: 'incomplete', problem: failure }
}

/** The datasets of a feed, whichever of the two vocabularies it speaks. */
async function* feedEntries({ site, output, sink }: Run, document: JsonDocument): Finds {
  const { findings } = document
  const terms: Record<string, unknown> = {}
  let only: Record<string, unknown> | undefined
  const readPod = podReader({ ...site, pageOf: (id) => hubPage(site, id), idIn: itemIn })
  let readEntry = entryReader(site, terms)
  const find = (list: string, value: unknown) =>
    foundEntry(value, { output, read: list === 'dataset' ? readPod : readEntry, findings })
  const services = new Set<string>()
  for await (const { list, key, value } of document.members())
    if (serviceLists.has(list)) {
      // A single one may be written without being a list: its members come one by one.
      services.add(typeof key === 'number' ? `${list} ${key}` : list)
    } else if (list === '@context') {
      terms[key] = value
      readEntry = entryReader(site, terms)
    } else if (lists.has(list)) {
      if (list === '@graph' && isService(value)) services.add(`${list} ${key}`)
      else if (typeof key === 'number') yield find(list, value)
      // A list of one may be written without being a list.
      else only = { ...only, [key]: value }
    }
  if (only) yield find('dcat:dataset', only)
  reportServices(sink, { count: services.size, first: [] }, document.url)
}

/** Among the nodes of a graph there are others than datasets. */
const isService = (value: unknown) =>
  listOf(fieldsOf(value)['@type']).some((type) => plainText(type) === 'dcat:DataService')

function entryReader(site: Site, context: Fields): (fields: Fields) => PortalEntry {
  const terms = contextOf(context)
  return (fields) => {
    const own = [fields['dct:identifier']].flat().map(plainValue).find(Boolean)
    const ids = [own, plainText(fields['@id'])].filter((id) => id !== undefined)
    const sourceId = ids.map(itemIn).find((id) => id !== undefined) ?? ids[0] ?? ''
    return {
      sourceId,
      aliases: ids.filter((id) => id !== sourceId),
      sourceUrl: [fields['dcat:landingPage']].flat().map(plainValue)[0],
      lasting: fields,
      map: () => mapEntry(fields, { site, sourceId, terms }),
    }
  }
}

// Records, page by page in the order in which they were made.

/** How many records the site has; `undefined` when it does not tell. */
async function recordCount({ source, config }: Run): Promise<number | undefined> {
  try {
    const { value } = await source.json(recordsAddress(config, 0), { paged: false })
    return countOf(fieldsOf(value)['numberMatched'])
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

async function* recordPages({ source, config, output, site }: Run): Finds {
  const accept = 'application/geo+json, application/json;q=0.9'
  const read = (fields: Fields) => featureEntry(fields, site)
  yield* listPages(async ({ met }) => {
    const url = recordsAddress(config, config.pageSize, met + 1)
    const { value, findings } = await source.json(url, { accept })
    const { features, numberMatched } = fieldsOf(value)
    if (!Array.isArray(features)) throw envelopeFailure(value, url)
    const finds = features.values().map((one) => foundEntry(one, { output, read, findings }))
    return { count: features.length, finds, total: countOf(numberMatched) }
  }, config.pageSize)
}

function featureEntry(fields: Fields, site: Site): PortalEntry {
  const sourceId = plainText(fields['id']) ?? ''
  // Counts of visitors change without the record, links with the request.
  const { properties, links: _links, ...rest } = fields
  const isWhole = typeof properties === 'object' && properties !== null
  const lasts = lasting(fieldsOf(properties), ['numViews', 'avgRating', 'numRatings'])
  return {
    sourceId,
    aliases: [],
    sourceUrl: hubPage(site, sourceId),
    flaw: isWhole ? undefined : 'The record has no properties.',
    lasting: { ...rest, properties: lasts },
    map: () => mapFeature(fields, site, sourceId),
  }
}
