/** The OpenDataSoft (Huwise) importer: the list of datasets page by page, or as one export when it is too long for that. */

import { Failure } from '../../errors.ts'
import type { Finding } from '../../pipe/message.ts'
import { fieldsOf, listOf, plainText } from '../../vocabularies/loose-values.ts'
import { openUnlessSame } from './documents.ts'
import type { Found, FoundItem } from './reception.ts'
import type { ImporterKind, ImportRun } from './importer.ts'
import { nextPage } from './next-page.ts'
import {
  datasetReader,
  opendatasoftConfig,
  type OpendatasoftConfig,
} from './opendatasoft-mapping.ts'
import { countOf, envelopeFailure, foundEntry, listPages, portalOf, rootOf } from './portal.ts'
import { type JsonPage, shownUrl } from './source.ts'

type Run = ImportRun<OpendatasoftConfig>

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

/** The two generations of the API, newest first. */
const generations = [
  { path: '/api/explore/v2.1', count: 'limit', from: 'offset' },
  { path: '/api/v2', count: 'rows', from: 'start' },
] as const

/** Addresses of one generation of the API. */
type Addresses = {
  readonly api: string
  /** A part of the list of datasets. */
  readonly list: (size: number, from: number) => string
  /** The whole list as one document, which has no limit. */
  readonly export: string
}

/** Goes by the link of the page where it has links, else by the number of datasets that came. */
async function* importOpendatasoft(run: Run): AsyncGenerator<Found, void> {
  const { config, output } = run
  const root = rootOf(config.address, /\/(?:api|explore)(?:\/.*)?$/)
  const { first, addresses } = await firstPage(run, root)
  const read = datasetReader({ ...(await portalOf(run, root)), api: addresses.api })
  const find = (value: unknown, findings: readonly Finding[]) =>
    foundEntry(value, { output, read, findings })
  if (first.total !== undefined && first.total >= window) {
    yield { kind: 'total', total: first.total }
    yield* exported(run, addresses, find)
    return
  }
  let answer = first
  yield* listPages(async ({ page, met }) => {
    if (page > 1) {
      const { url, links } = answer
      const next =
        links?.next === undefined
          ? addresses.list(Math.min(config.pageSize, window - 1 - met), met)
          : nextPage(links.next, { address: config.address, url, brokenHydra: false })
      answer = listIn(await askPatiently(run, next))
    }
    const { total, entries, findings, links } = answer
    const count = entries.length
    const isLast = links ? links.next === undefined : met + count >= window - 1 || undefined
    return { count, total, finds: entries.values().map((one) => find(one, findings)), isLast }
  }, config.pageSize)
}

/** The first page of the newest API that the domain has. */
async function firstPage(run: Run, root: string) {
  let missing: unknown
  for (const { path, count, from } of generations) {
    const list = (size: number, at: number) =>
      `${root}${path}/catalog/datasets?${queryOf(run, { [count]: size, [from]: at })}`
    const all = `${root}${path}/catalog/exports/json?${queryOf(run, { [count]: -1 })}`
    const addresses: Addresses = { api: root + path, list, export: all }
    try {
      return { first: listIn(await askPatiently(run, list(run.config.pageSize, 0))), addresses }
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'source-not-found') throw error
      missing ??= error
    }
  }
  throw missing
}

/** In an order that renaming and editing do not change much. */
function queryOf({ config, lastRun }: Run, portion: Readonly<Record<string, number>>): string {
  const { filters = {}, refine = [], exclude = [], incremental } = config
  const order = { order_by: 'dataset_id', timezone: 'UTC', include_app_metas: 'true' }
  const query = new URLSearchParams({ ...order, ...filters })
  const changed =
    incremental && lastRun ? `metadata_processed >= date'${lastRun.toISOString()}'` : undefined
  const conditions = [config.where, filters['where'], changed].filter((one) => one !== undefined)
  if (conditions.length > 1) query.set('where', conditions.map((one) => `(${one})`).join(' and '))
  else if (conditions[0] !== undefined) query.set('where', conditions[0])
  for (const value of [refine].flat()) query.append('refine', value)
  for (const value of [exclude].flat()) query.append('exclude', value)
  for (const [name, number] of Object.entries(portion)) query.set(name, String(number))
  return query.toString()
}

async function* exported(
  run: Run,
  addresses: Addresses,
  find: (value: unknown, findings: readonly Finding[]) => FoundItem,
): AsyncGenerator<Found, void> {
  const document = await openUnlessSame(run, addresses.export)
  if (typeof document === 'string') return
  try {
    for await (const { list, value } of document.members())
      if (list === '') yield find(value, document.findings)
  } finally {
    await document.close()
  }
  yield { kind: 'page' }
  // A question for the total alone may come again.
  const { total } = listIn(await askPatiently(run, addresses.list(1, 0), false))
  if (total !== undefined) yield { kind: 'total', total }
}

/** One page of the list of datasets, as either generation of the API tells it. */
type ListPage = {
  readonly url: string
  readonly total: number | undefined
  readonly entries: readonly unknown[]
  /** Where pages have links: the one to the next page, unless this is the last. */
  readonly links?: { readonly next: string | undefined }
  readonly findings: readonly Finding[]
}

/** Throws `source-error-envelope` and `source-malformed`. */
function listIn({ value, url, findings }: JsonPage): ListPage {
  const { total_count: count, results, datasets, links } = fieldsOf(value)
  const total = countOf(count)
  if (Array.isArray(results)) return { url, total, entries: results, findings }
  if (!Array.isArray(datasets)) throw envelopeFailure(value, url)
  const entries = datasets.map((one: unknown) => fieldsOf(one)['dataset'])
  const link = listOf(links)
    .map(fieldsOf)
    .find((one) => one['rel'] === 'next')
  return { url, total, entries, links: { next: plainText(link?.['href']) }, findings }
}

/** Domains have a daily quota and say in the body when it begins anew. */
const mostWaits = 3

/** Throws what `Source.json` throws; `source-throttled` names the time at which the quota begins anew. */
async function askPatiently(run: Run, url: string, paged = true): Promise<JsonPage> {
  const { source, limits, signal, now, pause } = run
  for (let waits = 0; ; waits += 1) {
    const answer = await source.json(url, { accepts: [429], paged: paged && waits === 0 })
    if (answer.status !== 429) return answer
    const time = plainText(fieldsOf(answer.value)['reset_time']) ?? ''
    const wait = Math.max(0, Date.parse(time) - now())
    if (wait <= limits.retryAfterMaxMs && waits < mostWaits) await pause(wait, signal)
    else {
      const isTold = !Number.isNaN(wait)
      const seconds = isTold ? wait / 1000 : Number(answer.headers.get('retry-after') ?? Number.NaN)
      const when = isTold ? ` and asks us to come back at ${time.slice(0, 40)}` : ''
      throw new Failure('source-throttled', `${shownUrl(answer.url)} answered 429${when}.`, {
        ...(Number.isFinite(seconds) && { retryAfter: Math.ceil(seconds) }),
      })
    }
  }
}
