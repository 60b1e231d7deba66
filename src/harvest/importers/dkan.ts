/** DKAN importer: the metastore of version 2, and the CKAN-like actions of version 1. */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import { fieldsOf, listOf } from '../../vocabularies/loose-values.ts'
import { mappingKeys } from '../mapping/record.ts'
import { callAction, packageAddress, packageNames, portalRoot } from './ckan-api.ts'
import { packageReader } from './ckan-mapping.ts'
import { type PodOptions, podReader } from './datajson-mapping.ts'
import { datasetsOf } from './datajson.ts'
import { openJsonDocument } from './documents.ts'
import type { ImportEvent } from './import-recorder.ts'
import type { ImportConfig } from './import-config.ts'
import type { ImporterKind, ImportRun } from './importer.ts'
import type { RecordAddress } from './removal-check.ts'
import {
  addressWith,
  countOf,
  envelopeFailure,
  type ListPlace,
  listPages,
  portalOf,
  type PortalRun,
} from './portal.ts'

/** Config of a DKAN importer beside the common keys. */
const dkanConfig = z.object({
  ...mappingKeys,
  /** Version of the software; detected when `auto`. */
  version: z
    .union([z.enum(['auto', '1', '2']), z.literal(1), z.literal(2)])
    .default('auto')
    .transform(String),
  /** Records per page; version 2 gives at most 100. */
  pageSize: z.int().min(1).max(10_000).default(100),
})
type DkanConfig = z.infer<typeof dkanConfig>
type Run = ImportRun<DkanConfig>
type DkanRun = PortalRun<DkanConfig>
type ImportEvents = AsyncGenerator<ImportEvent, void>

/** Importer of both versions; filters need the search of version 2. */
export const dkanImporter: ImporterKind<DkanConfig> = {
  names: ['importing-dkan', 'importing-drupal'],
  // The version of the importer; that of DKAN is in the configuration.
  version: 2,
  config: dkanConfig,
  check: ({ version, filters }) =>
    version === '1' && isFiltered(filters)
      ? [{ key: 'filters', detail: 'cannot be used: DKAN 1 has no search to filter with' }]
      : [],
  addressesOf: dkanAddresses,
  import: importDkan,
}

/** Addresses of one dataset in version 2 and version 1. */
export function dkanAddresses(
  { address }: Pick<ImportConfig, 'address'>,
  id: string,
): readonly RecordAddress[] {
  const items = `${portalRoot(address)}/api/1/metastore/schemas/dataset/items`
  return [
    { url: `${items}/${encodeURIComponent(id.toWellFormed())}` },
    { url: packageAddress(address, id), goneStatuses: [403] },
  ]
}

const isFiltered = (filters: ImportConfig['filters']) => Object.keys(filters ?? {}).length > 0

/** Statuses of a missing API or `data.json`. */
const absent = [400, 404, 405, 406, 410, 501]

/**
 * Reads `data.json` if it exists, no filter is set and the version is not 1; else the search of version 2 or lists of 1. With
 * filters only the search is read; throws `invalid-pipe` if the site has none.
 */
export async function* importDkan(importRun: Run): ImportEvents {
  const run = await portalOf<DkanConfig>(importRun, portalRoot(importRun.config.address))
  const { config, root } = run
  const pageOf = (id: string) => `${root}/dataset/${encodeURIComponent(id.toWellFormed())}`
  const podOptions: PodOptions = { pageOf }
  const hasSearch = config.version === 'auto' ? await hasSearchApi(run) : config.version === '2'
  if (isFiltered(config.filters)) {
    if (!hasSearch)
      throw new Failure(
        'invalid-pipe',
        'The site has no search to filter with: remove the filters of the pipe.',
      )
    yield* searchPages(run, podOptions)
    return
  }
  // `data.json` contains everything that is published.
  const url = `${root}/data.json`
  const document = config.version === '1' ? 'absent' : await openJsonDocument(run, url, absent)
  if (document === 'unchanged') yield { kind: 'end', outcome: 'not-modified' }
  else if (document !== 'absent') yield* datasetsOf(run, podOptions, { document, url })
  else yield* hasSearch ? searchPages(run, podOptions) : packageLists(run)
}

/** Whether the site has the search of version 2, by a request for one result. */
async function hasSearchApi({ source, root }: DkanRun): Promise<boolean> {
  const url = `${root}/api/1/search?page-size=1`
  const { value, status } = await source.json(url, { accepts: absent, paged: false })
  return status < 400 && fieldsOf(value)['total'] !== undefined
}

/** Maximum page size of the search. */
const largestPage = 100
/** Number of consecutive empty pages that are skipped. */
const mostEmptyPages = 1

/**
 * Reads the search of DKAN 2. A page can be too short, because records that are in the search but no longer in the metastore
 * are dropped. So the total marks the end, or two empty pages in a row.
 */
function searchPages(run: DkanRun, podOptions: PodOptions): ImportEvents {
  const { config, source, root } = run
  const size = Math.min(config.pageSize, largestPage)
  let emptyPages = 0
  const ask = async ({ page }: { readonly page: number }) => {
    // Facets of the whole index would be computed for every page.
    const order = { sort: 'title', 'sort-order': 'asc', facets: 0 }
    const query = { 'page-size': size, page, ...order, ...config.filters }
    const { value, url } = await source.json(addressWith(`${root}/api/1/search`, query))
    const { total: declared, results } = fieldsOf(value)
    const total = countOf(declared)
    if (total === undefined || typeof results !== 'object') throw envelopeFailure(value, url)
    // An empty result is a list instead of an object.
    const entries = fieldsOf(results)
    const count = Object.keys(entries).length
    emptyPages = count === 0 ? emptyPages + 1 : 0
    // After a full page there may be another one beyond the total.
    const isLast = (page * size >= total && count < size) || emptyPages > mostEmptyPages
    return { entries, pointer: '/results', total, isLast }
  }
  return listPages(run, { ask, read: podReader(run, podOptions) })
}

/**
 * Reads the lists of DKAN 1 through its variant of the CKAN action API. It has no total; the list of names, requested before
 * and after, gives the number.
 */
async function* packageLists(run: DkanRun): ImportEvents {
  const { config, source, root } = run
  const read = packageReader({
    ...run,
    config: { ...config, identifier: 'id' },
    licence: () => undefined,
    isDkan: true,
  })
  const before = await packageNames(source, root)
  if (before) yield { kind: 'total', total: before.size }
  const ask = async ({ offset, extra }: ListPlace) => {
    const query = { limit: String(config.pageSize + extra), offset: String(offset) }
    const call = { root, name: 'current_package_list_with_resources', query }
    const answer = await callAction(source, call)
    if (!answer.ok) throw new Failure('source-error', `The list answered ${answer.status}.`)
    return { entries: listOf(answer.result).flat(), pointer: '/result' }
  }
  yield* listPages(run, { read, ask, overlaps: true })
  const after = await packageNames(source, root)
  if (after) yield { kind: 'total', total: after.size }
  else yield { kind: 'end', outcome: 'incomplete', problem: uncounted }
}

const uncounted = new Failure(
  'total-mismatch',
  'The site does not list its datasets, so it is not known whether these are all of them.',
)
