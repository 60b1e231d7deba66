/** The OpenDataSoft (Huwise) importer: the list of datasets page by page, or as one export when it is too long for that. */

import { Failure } from '../../errors.ts'
import type { Finding } from '../../pipe/message.ts'
import { shippedAuthorities } from '../../vocabularies/authorities.ts'
import { fieldsOf, listOf, plainText } from '../../vocabularies/loose-values.ts'
import { shownUrl } from './answers.ts'
import { countOf, envelopeFailure, foundEntry } from './entry.ts'
import type { Found } from './found.ts'
import type { ImportConfig } from './import-config.ts'
import type { ImportContext, ImporterKind } from './importer.ts'
import { openJsonDocument } from './json-document.ts'
import {
  datasetReader,
  opendatasoftConfig,
  type OpendatasoftConfig,
} from './opendatasoft-mapping.ts'
import { nextPage } from './next-page.ts'
import type { Source } from './source.ts'

type Config = OpendatasoftConfig & ImportConfig
type Finds = AsyncGenerator<Found, void>

export const opendatasoftImporter: ImporterKind<OpendatasoftConfig> = {
  names: ['importing-opendatasoft', 'importing-ods', 'importing-huwise'],
  version: 2,
  config: opendatasoftConfig,
  credentials: (value, header) => ({
    [header]: header === 'Authorization' && !/\s/.test(value) ? `Apikey ${value}` : value,
  }),
  import: importOpendatasoft,
}

/** Offset and limit together stay below this. */
const window = 10_000

type OpendatasoftImport = {
  readonly config: Config
  readonly source: Source
  readonly context: ImportContext
  readonly generation: Generation
  readonly since: Date | undefined
  readonly find: (value: unknown, page: Pick<ListPage, 'findings'>) => Found
}

async function* importOpendatasoft(
  config: Config,
  source: Source,
  context: ImportContext,
  signal: AbortSignal,
): Finds {
  const { output, lastRun } = context
  const since = config.incremental ? lastRun : undefined
  const { first, generation } = await firstPage({ config, source, context, since }, signal)
  const authorities = await shippedAuthorities()
  const api = domainOf(config.address) + generation.path
  const read = datasetReader({ config, authorities, api, domain: domainOf(config.address) })
  const find: OpendatasoftImport['find'] = (value, { findings }) =>
    foundEntry(value, { output, read, findings })
  yield* pages({ config, source, context, generation, since, find }, first, signal)
}

/** The first page of the newest API that the domain has. */
async function firstPage(
  importing: Omit<OpendatasoftImport, 'generation' | 'find'>,
  signal: AbortSignal,
): Promise<{ first: ListPage; generation: Generation }> {
  const { config, since } = importing
  let missing: unknown
  for (const generation of generations)
    try {
      const portion = { size: config.pageSize, from: 0 }
      const url = listAddress(config, generation, portion, since)
      return { first: listIn(await askPatiently(importing, url, signal)), generation }
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'source-not-found') throw error
      missing ??= error
    }
  throw missing
}

async function* pages(importing: OpendatasoftImport, first: ListPage, signal: AbortSignal): Finds {
  let met = 0
  for (let page = first; ;) {
    if (page.total !== undefined) yield { kind: 'total', total: page.total }
    if ((page.total ?? 0) >= window) {
      yield* exported(importing, signal)
      return
    }
    for (const value of page.entries) yield importing.find(value, page)
    yield { kind: 'page' }
    met += page.entries.length
    const next = nextAddress(importing, page, met)
    if (next === undefined) return
    page = listIn(await askPatiently(importing, next, signal))
  }
}

/**
 * By the link of the page where it has links, else by the number of datasets that came. Only a short page is the last: a
 * total that is too low must not hide what lies behind it.
 */
function nextAddress(
  importing: OpendatasoftImport,
  page: ListPage,
  met: number,
): string | undefined {
  const { config, generation, since } = importing
  if (page.next !== undefined)
    return nextPage(page.next, { address: config.address, url: page.url, brokenHydra: false })
  const { length } = page.entries
  const isShort = length < config.pageSize && met >= (page.total ?? Infinity)
  const isEnd = length === 0 || page.isLast || isShort
  if (isEnd || met >= window - 1) return undefined
  const size = Math.min(config.pageSize, window - 1 - met)
  return listAddress(config, generation, { size, from: met }, since)
}

async function* exported(importing: OpendatasoftImport, signal: AbortSignal): Finds {
  const { config, generation, since, find } = importing
  const document = await openJsonDocument(
    importing,
    exportAddress(config, generation, since),
    { paged: true },
    signal,
  )
  if (!document) return
  try {
    for await (const { list, value } of document.members())
      if (list === '') yield find(value, document)
  } finally {
    await document.close()
  }
  yield { kind: 'page' }
  const url = listAddress(config, generation, { size: 1, from: 0 }, since)
  const { total } = listIn(await askPatiently({ ...importing, isCount: true }, url, signal))
  if (total !== undefined) yield { kind: 'total', total }
}

// The addresses of an OpenDataSoft domain.

/** The two generations of the API, newest first. */
const generations = [
  { path: '/api/explore/v2.1', count: 'limit', from: 'offset' },
  { path: '/api/v2', count: 'rows', from: 'start' },
] as const
type Generation = (typeof generations)[number]

/** Root of the domain without a slash at its end: an address of its API or of its pages is cut there. */
function domainOf(address: string): string {
  const { origin, pathname } = new URL(address)
  return origin + pathname.replace(/\/(?:api|explore)(?:\/.*)?$/, '').replace(/\/+$/, '')
}

type Portion = { readonly size: number; readonly from: number }

/** Address of a part of the list of datasets, in an order that renaming and editing do not change much. */
function listAddress(
  config: Config,
  { path, count, from }: Generation,
  portion: Portion,
  since?: Date,
): string {
  const query = listQuery(config, since)
  query.set(count, String(portion.size))
  query.set(from, String(portion.from))
  return `${domainOf(config.address)}${path}/catalog/datasets?${query.toString()}`
}

/** Address of the whole list as one document, which has no limit. */
function exportAddress(config: Config, { path, count }: Generation, since?: Date): string {
  const query = listQuery(config, since)
  query.set(count, '-1')
  return `${domainOf(config.address)}${path}/catalog/exports/json?${query.toString()}`
}

function listQuery(config: Config, since: Date | undefined): URLSearchParams {
  const { filters = {}, refine = [], exclude = [] } = config
  const query = new URLSearchParams({
    order_by: 'dataset_id',
    timezone: 'UTC',
    include_app_metas: 'true',
    ...filters,
  })
  const changed = since && `metadata_processed >= date'${since.toISOString()}'`
  const conditions = [config.where, filters['where'], changed].filter((one) => one !== undefined)
  if (conditions.length > 1) query.set('where', conditions.map((one) => `(${one})`).join(' and '))
  else if (conditions[0] !== undefined) query.set('where', conditions[0])
  for (const value of [refine].flat()) query.append('refine', value)
  for (const value of [exclude].flat()) query.append('exclude', value)
  return query
}

// One page of the list of datasets, as either generation of the API tells it.

type ListPage = {
  readonly url: string
  readonly total: number | undefined
  readonly entries: readonly unknown[]
  /** Link to the next page, where pages have links. */
  readonly next: string | undefined
  /** The page has links, and none leads further. */
  readonly isLast: boolean
  readonly findings: readonly Finding[]
}

type Answer = Awaited<ReturnType<Source['json']>>

/** Throws `source-error-envelope` and `source-malformed`. */
function listIn({ value, url, findings }: Answer): ListPage {
  const fields = fieldsOf(value)
  const total = countOf(fields['total_count'])
  if (Array.isArray(fields['results']))
    return { url, total, entries: fields['results'], next: undefined, isLast: false, findings }
  if (!Array.isArray(fields['datasets'])) throw envelopeFailure(value, url)
  const entries = fields['datasets'].map((one: unknown) => fieldsOf(one)['dataset'])
  const link = listOf(fields['links'])
    .map(fieldsOf)
    .find((one) => one['rel'] === 'next')
  const next = plainText(link?.['href'])
  return { url, total, entries, next, isLast: next === undefined, findings }
}

type Asking = {
  readonly source: Source
  readonly context: ImportContext
  /** A question for the total alone, which may come again. */
  readonly isCount?: boolean
}

/** Domains have a daily quota and say in the body when it begins anew. */
const mostWaits = 3

/** Throws what `Source.json` throws; `source-throttled` names the time at which the quota begins anew. */
async function askPatiently(
  { source, context, isCount = false }: Asking,
  url: string,
  signal: AbortSignal,
): Promise<Answer> {
  for (let waits = 0; ; waits += 1) {
    const paged = waits === 0 && !isCount
    const answer = await source.json(url, { accepts: [429], paged })
    if (answer.status !== 429) return answer
    const wait = waitIn(answer, context.now())
    if (wait > context.limits.retryAfterMaxMs || waits === mostWaits) throw throttled(answer, wait)
    await context.pause(wait, signal)
  }
}

/** Milliseconds until the quota begins anew; without end when nobody tells. */
function waitIn({ value }: Answer, now: number): number {
  const reset = Date.parse(plainText(fieldsOf(value)['reset_time']) ?? '')
  return Number.isNaN(reset) ? Infinity : Math.max(0, reset - now)
}

function throttled({ value, url, headers }: Answer, wait: number): Failure {
  const time = plainText(fieldsOf(value)['reset_time'])?.slice(0, 40)
  const later = wait === Infinity ? Number(headers.get('retry-after') ?? Number.NaN) : wait / 1000
  const when = wait === Infinity ? '' : ` and asks us to come back at ${time}`
  return new Failure('source-throttled', `${shownUrl(url)} answered 429${when}.`, {
    ...(Number.isFinite(later) && { retryAfter: Math.ceil(later) }),
  })
}
