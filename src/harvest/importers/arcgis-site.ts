/** An ArcGIS Hub site as all parts of its import see it: the config, the addresses, the ids of items. */

import { z } from 'zod'
import type { Authorities } from '../../vocabularies/authorities.ts'
import { mappingKeys } from '../mapping/record-options.ts'
import type { ImportConfig } from './import-config.ts'
import type { ImportContext } from './importer.ts'
import type { Source } from './source.ts'

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

export type ArcgisSite = {
  readonly config: ArcgisConfig & ImportConfig
  readonly authorities: Authorities
  /** Root of the site, without a slash at its end. */
  readonly root: string
}

/** One import. */
export type ArcgisImport = {
  readonly config: ArcgisConfig & ImportConfig
  readonly source: Source
  readonly context: ImportContext
  readonly site: ArcgisSite
}

/** What the mapping of every dataset of a site begins with. */
export const mappingOf = ({ config, authorities, root }: ArcgisSite, sourceId: string) => ({
  ...config,
  authorities,
  language: config.language,
  fallbackIri: `${root}/datasets/${encodeURIComponent(sourceId)}`,
  base: `${root}/`,
})

type Config = ArcgisConfig & ImportConfig

const ofFeed = /\/(?:api\/feed\/dcat[^?#]*|data\.json)$/i

/** Root of the site without a slash at its end: a feed or an API of it is cut off. */
export function siteOf(address: string): string {
  const { origin, pathname } = new URL(address)
  const root = pathname.replace(/\/(?:api\/(?:feed|search|v\d)(?:\/.*)?|data\.json|search)$/i, '')
  return origin + root.replace(/\/+$/, '')
}

/** The feeds that are tried, in their order; an address that is one comes first as it is. */
export function feedAddresses(config: Config, since?: number): readonly string[] {
  const { address, feed } = config
  const isFeed = ofFeed.test(new URL(address).pathname)
  if (feed === 'records' && !isFeed) return []
  const site = siteOf(address)
  const own = isFeed ? address : withQuery(`${site}/api/feed/${feed}.json`, config, since)
  return [...new Set([own, withQuery(`${site}/api/feed/dcat-us/1.1.json`, config, since)])]
}

/** `hours`: only what was changed in so many. */
function withQuery(url: string, { q, filter, filters }: Config, hours: number | undefined): string {
  const query = new URLSearchParams({
    ...filters,
    ...(q !== undefined && { q }),
    ...(filter !== undefined && { filter }),
    ...(hours !== undefined && { updated: String(hours) }),
  })
  return query.size === 0 ? url : `${url}?${query.toString()}`
}

/** A page of the records API; without `from` the number of records alone. */
export function recordsAddress(config: Config, size: number, from?: number): string {
  const { address, q, filter, filters } = config
  const query = new URLSearchParams({
    ...filters,
    limit: String(size),
    ...(from !== undefined && { startindex: String(from), sortBy: '+properties.created' }),
    ...(q !== undefined && { q }),
    ...(filter !== undefined && { filter }),
  })
  return `${siteOf(address)}/api/search/v1/collections/dataset/items?${query.toString()}`
}

/** The id of an item and its layer (`{item}_{layer}`) in what a feed calls an identifier. */
export function itemIn(identifier: string): string | undefined {
  if (!/^https?:/i.test(identifier)) return undefined
  const item = /[?&]id=([\w-]+)/.exec(identifier)?.[1]
  const layer = /[?&]sublayer=(\d+)/.exec(identifier)?.[1]
  if (item !== undefined) return layer === undefined ? item : `${item}_${layer}`
  return /\/datasets\/(?:[^/?#]*::)?([0-9a-f]{32}(?:_\d+)?)(?:[/?#]|$)/i.exec(identifier)?.[1]
}
