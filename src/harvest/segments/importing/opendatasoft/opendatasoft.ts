/** The OpenDataSoft (Huwise) importer: the list of datasets page by page, or as one export when it is too long for that. */
import { Failure } from '../../../../errors.ts'
import type { Found } from '../../found.ts'
import type { ImportConfig } from '../../import-config.ts'
import type { ImportContext, ImporterKind } from '../../importer.ts'
import { shippedAuthorities } from '../../../../vocabularies/authorities.ts'
import type { Source } from '../../source.ts'
import { foundEntry } from '../documents/entry.ts'
import { openJsonDocument } from '../documents/json-document.ts'
import { nextPage } from '../rdf/next-page.ts'
import { domainOf, exportAddress, generations, listAddress, type Generation } from './addresses.ts'
import { opendatasoftConfig, type OpendatasoftConfig } from './config.ts'
import { entryReader } from './entry-reader.ts'
import { askPatiently, listIn, type ListPage } from './list-page.ts'

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

type Travel = {
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
  const read = entryReader({ config, authorities, api, domain: domainOf(config.address) })
  const find: Travel['find'] = (value, { findings }) =>
    foundEntry(value, { output, read, findings })
  yield* pages({ config, source, context, generation, since, find }, first, signal)
}

/** The first page of the newest API that the domain has. */
async function firstPage(
  travel: Omit<Travel, 'generation' | 'find'>,
  signal: AbortSignal,
): Promise<{ first: ListPage; generation: Generation }> {
  const { config, since } = travel
  let missing: unknown
  for (const generation of generations)
    try {
      const portion = { size: config.pageSize, from: 0 }
      const url = listAddress(config, generation, portion, since)
      return { first: listIn(await askPatiently(travel, url, signal)), generation }
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'source-not-found') throw error
      missing ??= error
    }
  throw missing
}

async function* pages(travel: Travel, first: ListPage, signal: AbortSignal): Finds {
  let met = 0
  for (let page = first; ;) {
    if (page.total !== undefined) yield { kind: 'total', total: page.total }
    if ((page.total ?? 0) >= window) {
      yield* exported(travel, signal)
      return
    }
    for (const value of page.entries) yield travel.find(value, page)
    yield { kind: 'page' }
    met += page.entries.length
    const next = nextAddress(travel, page, met)
    if (next === undefined) return
    page = listIn(await askPatiently(travel, next, signal))
  }
}

/**
 * By the link of the page where it has links, else by the number of datasets that came. Only a short page is the last: a
 * total that is too low must not hide what lies behind it.
 */
function nextAddress(travel: Travel, page: ListPage, met: number): string | undefined {
  const { config, generation, since } = travel
  if (page.next !== undefined)
    return nextPage(page.next, { address: config.address, url: page.url, brokenHydra: false })
  const { length } = page.entries
  const isShort = length < config.pageSize && met >= (page.total ?? Infinity)
  const isEnd = length === 0 || page.isLast || isShort
  if (isEnd || met >= window - 1) return undefined
  const size = Math.min(config.pageSize, window - 1 - met)
  return listAddress(config, generation, { size, from: met }, since)
}

async function* exported(travel: Travel, signal: AbortSignal): Finds {
  const { config, generation, since, find } = travel
  const document = await openJsonDocument(
    travel,
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
  const { total } = listIn(await askPatiently({ ...travel, isCount: true }, url, signal))
  if (total !== undefined) yield { kind: 'total', total }
}
