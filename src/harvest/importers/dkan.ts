/** The DKAN importer: the metastore of version 2, and the CKAN-like calls of version 1. */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import { type Authorities, shippedAuthorities } from '../../vocabularies/authorities.ts'
import { fieldsOf, listOf } from '../../vocabularies/loose-values.ts'
import { mappingKeys } from '../mapping/record-options.ts'
import { action, portalRoot } from './ckan-api.ts'
import { packages, type Portal } from './ckan-mapping.ts'
import { datasetsOf, foundDataset, type PodSource } from './datajson-datasets.ts'
import { countOf, envelopeFailure } from './entry.ts'
import type { Found } from './found.ts'
import type { ImportConfig } from './import-config.ts'
import type { ImportContext, ImporterKind } from './importer.ts'
import { type JsonDocument, openUnlessSame } from './json-document.ts'
import { type Source, validatorOf } from './source.ts'

// What the config of a DKAN importer may say beside the common keys.

const dkanConfig = z.object({
  ...mappingKeys,
  /** Of the software; found out when `auto`. */
  version: z
    .union([z.enum(['auto', '1', '2']), z.literal(1), z.literal(2)])
    .default('auto')
    .transform(String),
  /** Records per page; version 2 gives at most 100. */
  pageSize: z.int().min(1).max(10_000).default(100),
})
type DkanConfig = z.infer<typeof dkanConfig>

export const dkanImporter: ImporterKind<DkanConfig> = {
  names: ['importing-dkan', 'importing-drupal'],
  version: 2,
  config: dkanConfig,
  check: ({ version, filters }) =>
    version === '1' && isFiltered(filters)
      ? [{ key: 'filters', detail: 'is of no use: version 1 has no search that they could go to' }]
      : [],
  import: (config, source, context, signal) => importDkan(config, { source, context }, signal),
}

const isFiltered = (filters: ImportConfig['filters']) => Object.keys(filters ?? {}).length > 0

type DkanSource = { readonly source: Source; readonly context: ImportContext }

export async function* importDkan(
  config: DkanConfig & ImportConfig,
  { source, context }: DkanSource,
  signal: AbortSignal,
): AsyncGenerator<Found, void> {
  const root = portalRoot(config.address)
  const authorities = await shippedAuthorities()
  const site: DkanSite = { root, config, source, context, authorities }
  const hasSearch = config.version === 'auto' ? await answersSearch(site) : config.version === '2'
  if (isFiltered(config.filters)) {
    if (!hasSearch) throw unfiltered()
    yield* searchPages(site)
    return
  }
  // One document with everything that is published; nothing counts against it but its absence.
  const asked = { url: documentAddress(site), absent }
  const document = config.version === '1' ? 'absent' : await openUnlessSame(site, asked, signal)
  if (document === 'unchanged') yield { kind: 'end', as: 'not-modified' }
  else if (document !== 'absent') yield* published(document, site)
  else yield* hasSearch ? searchPages(site) : packageLists(site)
}

/** Statuses that say that there is no such thing here. */
const absent = [400, 404, 405, 406, 410, 501]

async function answersSearch({ root, source }: DkanSite): Promise<boolean> {
  const url = `${root}/api/1/search?page-size=1`
  const { value, status } = await source.json(url, { accepts: absent, paged: false })
  return status < 400 && fieldsOf(value)['total'] !== undefined
}

const unfiltered = () =>
  new Failure('invalid-pipe', 'The site has no search that the filters of the pipe could go to.')

const documentAddress = ({ root }: DkanSite) => `${root}/data.json`

async function* published(document: JsonDocument, site: DkanSite): AsyncGenerator<Found, void> {
  try {
    site.context.validate(validatorOf(documentAddress(site), document.headers, document.hash))
    yield* datasetsOf(document, podSource(site), site.context.sink)
  } finally {
    await document.close()
  }
}

// A DKAN site as all ways of reading it see it.

/** How the datasets of a site are read, wherever they were found. */
const podSource = ({ root, config, context, authorities }: DkanSite): PodSource => ({
  config,
  output: context.output,
  authorities,
  base: `${root}/`,
  pageOf: (id) => `${root}/dataset/${encodeURIComponent(id.toWellFormed())}`,
})

type DkanSite = {
  readonly root: string
  readonly config: DkanConfig & ImportConfig
  readonly source: Source
  readonly context: ImportContext
  readonly authorities: Authorities
}

// The search of DKAN 2, page by page.

/** What the search gives at most. */
const largestPage = 100
/** Empty pages in a row that are passed over. */
const patience = 10

/**
 * A page may be shorter than asked for with more behind it: records that are in the search and no longer in the
 * metastore are dropped on the way. So the total alone says when the end is reached.
 */
async function* searchPages(site: DkanSite): AsyncGenerator<Found, void> {
  const { config, source } = site
  const size = Math.min(config.pageSize, largestPage)
  const pods = podSource(site)
  let empty = 0
  for (let page = 1; ; page += 1) {
    const { value, url } = await source.json(addressOf(site, size, page))
    const { total, results } = fieldsOf(value)
    const count = countOf(total)
    if (count === undefined || typeof results !== 'object') throw envelopeFailure(value, url)
    // Without results there is a list in place of an object.
    const found = Object.entries(fieldsOf(results))
    const isEmpty = found.length === 0
    if (!isEmpty || page === 1) yield { kind: 'total', total: count }
    for (const [key, one] of found)
      yield foundDataset(one, pods, { key: key.replace(/^[^/]*\//, '') })
    yield { kind: 'page' }
    const isWhole = page * size >= count
    // A full page may have one behind it that the total does not know of.
    if (isWhole && found.length < size) return
    empty = isEmpty ? empty + 1 : 0
    // What the total promises further back is for the count to miss.
    if (empty > patience) return
  }
}

const addressOf = ({ root, config }: DkanSite, size: number, page: number) => {
  const own = Object.entries(config.filters ?? {}).map(
    ([key, value]) => `&${encodeURIComponent(key)}=${encodeURIComponent(value)}`,
  )
  // Facets over the whole index would be counted for every page.
  return `${root}/api/1/search?page-size=${size}&page=${page}&sort=title&sort-order=asc&facets=0${own.join('')}`
}

// The lists of DKAN 1, which speaks the action API of CKAN with its own accent.

/** There is no count: the list of names, asked for before and after, says how many there should be. */
async function* packageLists(site: DkanSite): AsyncGenerator<Found, void> {
  const { root, config, source, context, authorities } = site
  const portal: Portal = {
    root,
    config: { ...config, identifier: 'id' },
    isDkan: true,
    output: context.output,
    authorities,
    licence: () => undefined,
  }
  const total = await nameCount(site)
  if (total !== undefined) yield { kind: 'total', total }
  for (let offset = 0; ;) {
    const query = { limit: String(config.pageSize), offset: String(offset) }
    const call = { root, name: 'current_package_list_with_resources', query }
    const answer = await action(source, call)
    if (!answer.ok) throw new Failure('source-error', `The list answered ${answer.status}.`)
    const found = listOf(answer.result).flat()
    if (found.length === 0) break
    yield* packages(found, portal)
    yield { kind: 'page' }
    offset += found.length
  }
  const after = await nameCount(site)
  if (after !== undefined) yield { kind: 'total', total: after }
  else yield { kind: 'end', as: 'incomplete', problem: uncounted }
}

const uncounted = new Failure(
  'total-mismatch',
  'The site does not list its datasets, so that nobody knows whether these are all.',
)

async function nameCount({ root, source }: DkanSite): Promise<number | undefined> {
  const accepts = [400, 403, 404, 405, 409]
  const answer = await action(source, { root, name: 'package_list' }, { accepts, paged: false })
  return answer.ok && Array.isArray(answer.result) ? new Set(answer.result).size : undefined
}
