/** OpenDataSoft (Huwise) importer: reads the list of datasets page by page, or as one export if it is too long. */

import { Failure } from '../../errors.ts'
import { fieldsOf, listOf, plainText } from '../../vocabularies/loose-values.ts'
import { shownUrl } from '../../secrets.ts'
import { openJsonDocument } from './documents.ts'
import type { ImporterKind, ImportRun } from './importer.ts'
import { nextPage } from './next-page.ts'
import {
  datasetReader,
  opendatasoftConfig,
  type OpendatasoftConfig,
} from './opendatasoft-mapping.ts'
import {
  countOf,
  type EntryReader,
  envelopeFailure,
  entryItem,
  type ListPlace,
  listPages,
  portalOf,
  type PortalRun,
  siteRoot,
} from './portal.ts'
import type { ImportEvent } from './import-recorder.ts'
import type { JsonPage } from './source.ts'

type ImportEvents = AsyncGenerator<ImportEvent, void>
type Run = PortalRun<OpendatasoftConfig>

/** Importer of a domain; a plain key is sent in a header as `Apikey`, so that no address contains it. */
export const opendatasoftImporter: ImporterKind<OpendatasoftConfig> = {
  names: ['importing-opendatasoft', 'importing-ods', 'importing-huwise'],
  version: 2,
  config: opendatasoftConfig,
  credentials: (value, header) => ({
    [header]: header === 'Authorization' && !/\s/.test(value) ? `Apikey ${value}` : value,
  }),
  addressesOf: ({ address }, id) =>
    generations.map(({ path }) => ({
      url: `${siteOf(address)}${path}/catalog/datasets/${encodeURIComponent(id)}`,
    })),
  import: importOpendatasoft,
}

const siteOf = (address: string) => siteRoot(address, /\/(?:api|explore)(?:\/.*)?$/)

/** Upper bound of offset plus limit in the API. */
const offsetWindow = 10_000
/** Maximum datasets per page. */
const largestPage = 100

/** Generations of the API, newest first. */
const generations = [
  { path: '/api/explore/v2.1', size: 'limit', from: 'offset' },
  { path: '/api/v2', size: 'rows', from: 'start' },
] as const
/** Path of an API, and its parameters for page size and offset. */
type Generation = (typeof generations)[number]

/** Follows the links of pages if there are any, else counts the received datasets. */
async function* importOpendatasoft(importRun: ImportRun<OpendatasoftConfig>): ImportEvents {
  const { config } = importRun
  const root = siteOf(config.address)
  const run = await portalOf<OpendatasoftConfig>(importRun, root)
  const { api, first } = await firstPage(run)
  const read = datasetReader({ ...run, api: root + api.path })
  let answer = first
  const ask = async ({ page, offset, extra }: ListPlace) => {
    const { url, links } = answer
    const next =
      links?.next === undefined
        ? listAddress(
            run,
            api,
            Math.min(config.pageSize + extra, largestPage, offsetWindow - 1 - offset),
            offset,
          )
        : nextPage(links.next, { address: config.address, url, brokenHydra: false })
    if (page > 1) answer = await askPage(run, next)
    const isAtWindowEnd = offset + answer.entries.length >= offsetWindow - 1 || undefined
    return { ...answer, isLast: answer.links ? answer.links.next === undefined : isAtWindowEnd }
  }
  if (first.total === undefined || first.total < offsetWindow)
    // Pages with links say where the next one begins.
    yield* listPages(run, {
      read,
      ask,
      size: config.pageSize,
      overlaps: first.links === undefined,
    })
  else yield* importExport(run, api, read, first.total)
}

/** The newest API that the domain has, and its first page. */
async function firstPage(run: Run) {
  let missing: unknown
  for (const api of generations)
    try {
      return { api, first: await askPage(run, listAddress(run, api, run.config.pageSize, 0)) }
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'source-not-found') throw error
      missing ??= error
    }
  throw missing
}

/** A part of the list of datasets. */
const listAddress = (run: Run, { path, size, from }: Generation, limit: number, offset: number) =>
  `${run.root}${path}/catalog/datasets?${queryOf(run, { [size]: limit, [from]: offset })}`

/** Query in a stable order, which renaming and editing hardly change. */
function queryOf({ config, lastRun }: Run, portion: Readonly<Record<string, number>>): string {
  const { filters = {}, refine = [], exclude = [], incremental } = config
  const order = { order_by: 'dataset_id', timezone: 'UTC', include_app_metas: 'true' }
  const query = new URLSearchParams({ ...order, ...filters })
  const changedSince =
    incremental && lastRun && `metadata_processed >= date'${lastRun.toISOString()}'`
  const conditions = [config.where, filters['where'], changedSince].filter(Boolean)
  const where = conditions.length > 1 ? conditions.map((condition) => `(${condition})`) : conditions
  if (where.length > 0) query.set('where', where.join(' and '))
  for (const value of [refine].flat()) query.append('refine', value)
  for (const value of [exclude].flat()) query.append('exclude', value)
  for (const [name, number] of Object.entries(portion)) query.set(name, String(number))
  return query.toString()
}

/** Reads the whole list as one unlimited document. `total`: number of datasets, requested again at the end. */
async function* importExport(
  run: Run,
  api: Generation,
  read: EntryReader,
  total: number,
): ImportEvents {
  yield { kind: 'total', total }
  const address = `${run.root}${api.path}/catalog/exports/json?${queryOf(run, { [api.size]: -1 })}`
  const document = await openJsonDocument(run, address)
  if (typeof document === 'string') return
  try {
    for await (const { list, key, value } of document.members())
      if (list === '') yield entryItem(run, value, { read, pointer: `/${key}` })
  } finally {
    await document.close()
  }
  yield { kind: 'page' }
  // A request for the total only may repeat an address.
  const after = await askPage(run, listAddress(run, api, 1, 0), false)
  if (after.total !== undefined) yield { kind: 'total', total: after.total }
}

/** Requests a page from either generation of the API. Throws the failures of `ImportSource.json`. */
async function askPage(run: Run, address: string, paged = true) {
  const { value, url } = await askWithinQuota(run, address, paged)
  const { total_count: count, results, datasets, links } = fieldsOf(value)
  const common = { url, total: countOf(count), links: undefined }
  if (Array.isArray(results)) {
    const entries: readonly unknown[] = results
    return { ...common, entries, pointer: '/results' }
  }
  if (!Array.isArray(datasets)) throw envelopeFailure(value, url)
  const entries = datasets.map((entry: unknown) => fieldsOf(entry)['dataset'])
  const nextLink = listOf(links)
    .map(fieldsOf)
    .find((link) => link['rel'] === 'next')
  // If pages have links, a page without one is the last.
  return {
    ...common,
    entries,
    pointer: '/datasets',
    links: { next: plainText(nextLink?.['href']) },
  }
}

/** Maximum number of waits for the daily quota; the error body says when it resets. */
const mostWaits = 3

/**
 * Requests a page and waits for the quota. Throws the failures of `ImportSource.json`; `source-throttled` contains the time
 * of the reset.
 */
async function askWithinQuota(run: Run, url: string, paged: boolean): Promise<JsonPage> {
  const { source, limits, signal, now, pause } = run
  for (let waits = 0; ; waits += 1) {
    const answer = await source.json(url, { accepts: [429], paged: paged && waits === 0 })
    if (answer.status !== 429) return answer
    const time = plainText(fieldsOf(answer.value)['reset_time']) ?? ''
    const wait = Math.max(0, Date.parse(time) - now())
    if (wait <= limits.retryAfterMaxMs && waits < mostWaits) await pause(wait, signal)
    else {
      const hasResetTime = !Number.isNaN(wait)
      const seconds = hasResetTime
        ? wait / 1000
        : Number(answer.headers.get('retry-after') ?? Number.NaN)
      const when = hasResetTime ? ` and asks us to come back at ${time.slice(0, 40)}` : ''
      throw new Failure('source-throttled', `${shownUrl(answer.url)} answered 429${when}.`, {
        ...(Number.isFinite(seconds) && { retryAfter: Math.ceil(seconds) }),
      })
    }
  }
}
