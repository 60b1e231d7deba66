/** The Socrata (Tyler Data & Insights) importer: by the discovery API, or by what a site has in its place. */

import { Failure } from '../../errors.ts'
import { fieldsOf, listOf, plainText } from '../../vocabularies/loose-values.ts'
import type { Fields } from '../../text/json.ts'
import { datasetsOf } from './datajson.ts'
import { openUnlessSame } from './documents.ts'
import type { ImportEvent } from './reception.ts'
import type { ImporterKind, ImportRun } from './importer.ts'
import { addressWith, askList, countOf, envelopeFailure, listPages, portalOf } from './portal.ts'
import {
  assetIn,
  assetReader,
  isLink,
  socrataConfig,
  type SocrataConfig,
  type SocrataSite,
} from './socrata-mapping.ts'
import { faultsOfOneAnswer, type ImportSource } from './source.ts'

type Finds = AsyncGenerator<ImportEvent, void>

/** One import. */
type Run = ImportRun<SocrataConfig> & { readonly site: SocrataSite }

/** Where the discovery API is, when a domain does not have it itself. */
const elsewhere = ['https://api.us.socrata.com', 'https://api.eu.socrata.com']

/** `roots`: where the discovery API is asked about domains that do not have it themselves. */
export const socrataImporterWith = (roots: readonly string[]): ImporterKind<SocrataConfig> => ({
  names: ['importing-socrata'],
  version: 2,
  config: socrataConfig,
  credentials: (value, header) => ({
    [header === 'Authorization' ? 'X-App-Token' : header]: value,
  }),
  import: async function* importSocrata(run) {
    const { origin } = new URL(run.config.address)
    const importing = { ...run, site: await portalOf(run, origin) }
    const discovery = await discover(importing, roots)
    if (discovery) yield* discovered(importing, discovery)
    else yield* otherLists(importing)
  },
})

export const socrataImporter: ImporterKind<SocrataConfig> = socrataImporterWith(elsewhere)

/** `after`: id of an asset, `''` = from the beginning. */
type AssetQuery = { readonly type: string; readonly size: number; readonly after: string }

/** A page of the discovery API: the assets of a domain in the order of their ids. */
function discoveryAddress({ site, config }: Run, root: string, query: AssetQuery): string {
  const { host } = new URL(site.root)
  return addressWith(`${root}/api/catalog/v1`, {
    domains: host,
    search_context: host,
    only: query.type,
    published: 'true',
    audience: 'public',
    ...config.filters,
    limit: query.size,
    scroll_id: query.after,
  })
}

/** How many assets there are of the wanted types; `undefined` when the API does not tell. Throws what `Source.json` throws. */
async function assetCount(run: Run, root: string): Promise<number | undefined> {
  let sum = 0
  for (const type of run.config.only) {
    const url = discoveryAddress(run, root, { type, size: 1, after: '' })
    const { value } = await run.source.json(url, { paged: false })
    const { resultSetSize, results } = fieldsOf(value)
    const count = countOf(resultSetSize)
    if (count === undefined && !Array.isArray(results)) throw envelopeFailure(value, url)
    if (count === undefined) return undefined
    sum += count
  }
  return sum
}

type Discovery = { readonly root: string; readonly total: number | undefined }

/** The discovery API that knows the domain, and how many assets it tells; `undefined` when there is none. */
async function discover(run: Run, others: readonly string[]): Promise<Discovery | undefined> {
  const own = run.site.root
  for (const root of [own, ...others])
    try {
      const total = await assetCount(run, root)
      if (root === own || total) return { root, total }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      if (root === own && error.kind !== 'source-not-found') throw error
    }
  return undefined
}

async function* discovered(run: Run, { root, total: before }: Discovery): Finds {
  const { only, pageSize: size } = run.config
  // An interrupted run goes on behind an asset of a type that is still wanted.
  const [, wanted = '', last = ''] = /^(\S+) (.+)$/s.exec(run.resumeFrom ?? '') ?? []
  const isResumed = only.includes(wanted)
  // How many are in front of the place is not to be known: such a run vouches for nothing.
  if (before !== undefined && !isResumed) yield { kind: 'total', total: before }
  for (const type of only.slice(isResumed ? only.indexOf(wanted) : 0))
    yield* assets(run, root, { type, size, after: isResumed && type === wanted ? last : '' })
  if (isResumed) {
    yield { kind: 'end', as: 'incomplete' }
    return
  }
  const total = await assetCount(run, root)
  if (total !== undefined) yield { kind: 'total', total }
}

/**
 * The assets of one type after an id. Each page begins after the last id of the one before, so that nothing that comes or goes
 * moves the others; only an empty page is the end, because the service cuts pages silently. Throws `page-loop`,
 * `page-repeated` and what `Source.json` throws.
 */
function assets(run: Run, root: string, query: AssetQuery): Finds {
  const { source, site, output } = run
  let after: string | undefined = query.after
  const ask = async () => {
    if (after === undefined)
      throw new Failure('source-malformed', 'A page has no id after which the next one begins.')
    const url = discoveryAddress(run, root, { ...query, after })
    source.visit(url)
    const page = await askList(source, url, 'results', { paged: false })
    if (page.entries.length === 0) return { ...page, isLast: true }
    source.meetBody(page.hash)
    after = page.entries.map((one) => plainText(assetIn(one)['id'])).findLast(Boolean)
    const cursor = after === undefined ? undefined : `${query.type} ${after}`
    return { ...page, entries: await withLinks(run, page.entries), cursor }
  }
  return listPages({ output, ask, read: assetReader(site) })
}

async function withLinks(run: Run, page: readonly unknown[]) {
  const entries: unknown[] = []
  for (const value of page) entries.push(await withLink(run.source, value, run.site))
  return entries
}

/**
 * Where an asset that is only a link leads to: its own description has that, the list of assets does not. The asset with the
 * places it leads to, or with the problem of its description; as it is when it leads nowhere or is gone. Throws what concerns
 * the source as a whole.
 */
async function withLink(source: ImportSource, value: unknown, site: SocrataSite): Promise<unknown> {
  const id = plainText(assetIn(value)['id'])
  if (id === undefined || !isLink(value, site)) return value
  const url = `${site.root}/api/views/${encodeURIComponent(id)}.json`
  try {
    const answer = await source.json(url, { paged: false, accepts: [403, 404, 410] })
    if (answer.status >= 400) return value
    const { accessPoints, additionalAccessPoints, attachments } = fieldsOf(
      fieldsOf(answer.value)['metadata'],
    )
    const metadata = { accessPoints, additionalAccessPoints, attachments }
    return { ...fieldsOf(value), view: { metadata } }
  } catch (error) {
    const isSlow = (kind: string) => kind === 'source-timeout' || kind === 'source-truncated'
    if (!(error instanceof Failure) || isSlow(error.kind)) throw error
    if (!faultsOfOneAnswer.has(error.kind)) throw error
    return { ...fieldsOf(value), view: { problem: error } }
  }
}

/**
 * What sites without the discovery API have: `data.json`, else a list of views. Both leave assets out. Never complete: a site
 * that has its discovery API back would seem to have lost what these lists do not have.
 */
async function* otherLists(run: Run): Finds {
  if (!(yield* fromDataJson(run))) yield* viewList(run)
  const detail = 'The site has no discovery API; the list that it has in its place is not whole.'
  yield { kind: 'end', as: 'incomplete', problem: new Failure('source-error', detail) }
}

/** The list of views that older sites have, until an empty page. */
function viewList(run: Run): Finds {
  const { source, site, config, output } = run
  const ask = async ({ page }: { readonly page: number }) => {
    const query = { page, limit: config.pageSize }
    const list = await askList(source, addressWith(`${site.root}/api/views/metadata/v1`, query))
    return { ...list, entries: list.entries.map((one) => assetOf(fieldsOf(one))) }
  }
  return listPages({ output, ask, read: assetReader(site) })
}

/** A view of the older list in the words of the discovery API. */
function assetOf(view: Fields): unknown {
  const custom = Object.entries(fieldsOf(view['customFields'])).flatMap(([set, fields]) =>
    Object.entries(fieldsOf(fields)).map(([field, value]) => ({
      key: `${set}_${field}`.replaceAll(' ', '-'),
      value,
    })),
  )
  const { name, description, attribution, provenance, createdAt, updatedAt } = view
  return {
    resource: {
      id: plainText(view['id']),
      type: 'dataset',
      name,
      description,
      attribution,
      attribution_link: view['attributionLink'],
      provenance,
      createdAt,
      updatedAt,
      data_updated_at: view['dataUpdatedAt'],
      metadata_updated_at: view['metadataUpdatedAt'],
    },
    classification: {
      domain_category: view['category'],
      domain_tags: listOf(view['tags']),
      domain_metadata: custom,
    },
    metadata: { license: view['license'] },
    permalink: view['webUri'],
  }
}

/** Whether there is such a document. `https://{host}/api/views/{id}`: the id is the same as in the discovery API. */
async function* fromDataJson(run: Run): AsyncGenerator<ImportEvent, boolean> {
  const { root } = run.site
  const url = `${root}/data.json`
  const document = await openUnlessSame(run, url, [404, 410])
  if (typeof document === 'string') return false
  const pageOf = (id: string) => `${root}/d/${encodeURIComponent(id)}`
  const idIn = (identifier: string) => /\/([a-z0-9]{4}-[a-z0-9]{4})$/.exec(identifier)?.[1]
  yield* datasetsOf(run, { ...run.site, pageOf, idIn }, { document, url })
  return true
}
