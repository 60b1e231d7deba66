/** The Socrata (Tyler Data & Insights) importer: by the discovery API, or by what a site has in its place. */

import { Failure } from '../../errors.ts'
import type { Fields } from '../../text/json.ts'
import { fieldsOf, listOf, plainText } from '../../vocabularies/loose-values.ts'
import { datasetsOf } from './datajson.ts'
import { openUnlessSame } from './documents.ts'
import type { ImporterKind } from './importer.ts'
import { addressWith, askList, countOf, listPages, portalOf, type PortalRun } from './portal.ts'
import type { ImportEvent } from './import-recorder.ts'
import {
  assetIn,
  assetReader,
  isLink,
  socrataConfig,
  type SocrataConfig,
} from './socrata-mapping.ts'
import { faultsOfOneAnswer } from './source.ts'

type Finds = AsyncGenerator<ImportEvent, void>
type Run = PortalRun<SocrataConfig>

/** Where the discovery API is, when a domain does not have it itself. */
const elsewhere = ['https://api.us.socrata.com', 'https://api.eu.socrata.com']

/** `roots`: where the discovery API is asked about domains that do not have it themselves. */
export const socrataImporterWith = (roots: readonly string[]): ImporterKind<SocrataConfig> => ({
  names: ['importing-socrata'],
  version: 2,
  config: socrataConfig,
  addressesOf: ({ address }, id) => [
    { url: `${new URL(address).origin}/api/views/${encodeURIComponent(id)}.json`, gone: [403] },
  ],
  credentials: (value, header) => ({
    [header === 'Authorization' ? 'X-App-Token' : header]: value,
  }),
  import: async function* importSocrata(given) {
    const run = await portalOf<SocrataConfig>(given, new URL(given.config.address).origin)
    const discovery = await discover(run, roots)
    yield* discovery ? importDiscovered(run, discovery) : otherLists(run)
  },
})

/** With the two hosts of the platform itself behind the domain's own API. */
export const socrataImporter: ImporterKind<SocrataConfig> = socrataImporterWith(elsewhere)

/** `after`: id of an asset, `''` = from the beginning. */
type AssetQuery = { readonly type: string; readonly size: number; readonly after: string }

/** A page of the discovery API: the assets of a domain in the order of their ids. Throws as `askList`. */
function assetPage({ root: site, config, source }: Run, root: string, query: AssetQuery) {
  const { host } = new URL(site)
  const url = addressWith(`${root}/api/catalog/v1`, {
    domains: host,
    search_context: host,
    only: query.type,
    published: 'true',
    audience: 'public',
    ...config.filters,
    limit: query.size,
    scroll_id: query.after,
  })
  // Not the questions for the count alone, which come again.
  if (query.size > 1) source.visit(url)
  return askList(source, url, 'results', { paged: false })
}

/** Number of assets of the chosen types; `undefined` when the API does not tell. Throws as `askList`. */
async function assetCount(run: Run, root: string): Promise<number | undefined> {
  let sum = 0
  for (const type of run.config.only) {
    const { fields } = await assetPage(run, root, { type, size: 1, after: '' })
    const count = countOf(fields['resultSetSize'])
    if (count === undefined) return undefined
    sum += count
  }
  return sum
}

/** An API that knows the domain, and how many assets it counts. */
type Discovery = { readonly root: string; readonly total: number | undefined }

/** The discovery API that knows the domain, and how many assets it tells; `undefined` when there is none. */
async function discover(run: Run, others: readonly string[]): Promise<Discovery | undefined> {
  for (const root of [run.root, ...others])
    try {
      const total = await assetCount(run, root)
      if (root === run.root || total) return { root, total }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      if (root === run.root && error.kind !== 'source-not-found') throw error
    }
  return undefined
}

/** All chosen types one after the other, counted before and after. */
async function* importDiscovered(run: Run, { root, total: before }: Discovery): Finds {
  const { only, pageSize: size } = run.config
  // An interrupted run goes on after an asset of a type that is still chosen.
  const [, resumed = '', last = ''] = /^(\S+) (.+)$/s.exec(run.resumeFrom ?? '') ?? []
  const isResumed = only.includes(resumed)
  // How many come before that asset is not to be known: such a run vouches for nothing.
  if (before !== undefined && !isResumed) yield { kind: 'total', total: before }
  for (const type of only.slice(isResumed ? only.indexOf(resumed) : 0))
    yield* assets(run, root, { type, size, after: isResumed && type === resumed ? last : '' })
  const total = isResumed ? undefined : await assetCount(run, root)
  if (total !== undefined) yield { kind: 'total', total }
  if (isResumed) yield { kind: 'end', as: 'incomplete' }
}

/**
 * The assets of one type after an id. Each page begins after the last id of the one before, so that nothing that comes or goes
 * moves the others; only an empty page is the end, because the service cuts pages silently. Throws `page-loop`,
 * `page-repeated` and what `askList` throws.
 */
function assets(run: Run, root: string, query: AssetQuery): Finds {
  let after: string | undefined = query.after
  const ask = async () => {
    if (after === undefined)
      throw new Failure('source-malformed', 'A page has no id after which the next one begins.')
    const page = await assetPage(run, root, { ...query, after })
    if (page.entries.length === 0) return { ...page, isLast: true }
    run.source.meetBody(page.hash)
    after = page.entries.map((one) => plainText(assetIn(one)['id'])).findLast(Boolean)
    const cursor = after === undefined ? undefined : `${query.type} ${after}`
    const entries: unknown[] = []
    for (const value of page.entries) entries.push(await withLinks(run, value))
    return { ...page, entries, cursor }
  }
  return listPages(run, { ask, read: assetReader(run) })
}

/**
 * Where an asset that is only a link leads to: its own description has that, the list of assets does not. The asset with the
 * places it leads to, or with the problem of its description; as it is when it leads nowhere or is gone. Throws what concerns
 * the source as a whole.
 */
async function withLinks(run: Run, value: unknown): Promise<unknown> {
  const id = plainText(assetIn(value)['id'])
  if (id === undefined || !isLink(value, run)) return value
  const url = `${run.root}/api/views/${encodeURIComponent(id)}.json`
  try {
    const answer = await run.source.json(url, { paged: false, accepts: [403, 404, 410] })
    if (answer.status >= 400) return value
    const { metadata } = fieldsOf(answer.value)
    const { accessPoints, additionalAccessPoints, attachments } = fieldsOf(metadata)
    const view = { metadata: { accessPoints, additionalAccessPoints, attachments } }
    return { ...fieldsOf(value), view }
  } catch (error) {
    if (!(error instanceof Failure) || !faultsOfOneAnswer.has(error.kind)) throw error
    // A slow or broken connection is no fault of the asset.
    if (error.kind === 'source-timeout' || error.kind === 'source-truncated') throw error
    return { ...fieldsOf(value), view: { problem: error } }
  }
}

/**
 * Lists of sites without the discovery API: `data.json`, else a list of views. Both leave assets out. Never complete: a site that has
 * its discovery API back would seem to have lost what these lists do not have.
 */
async function* otherLists(run: Run): Finds {
  const { root } = run
  const url = `${root}/data.json`
  const document = await openUnlessSame(run, url, [404, 410])
  if (typeof document === 'string') yield* viewList(run)
  else {
    const pageOf = (id: string) => `${root}/d/${encodeURIComponent(id)}`
    // `https://{host}/api/views/{id}`: the id is the same as in the discovery API.
    const idIn = (identifier: string) => /\/([a-z0-9]{4}-[a-z0-9]{4})$/.exec(identifier)?.[1]
    yield* datasetsOf(run, { ...run, pageOf, idIn }, { document, url })
  }
  const detail =
    'The site has no discovery API, and the list that it offers instead is not complete.'
  yield { kind: 'end', as: 'incomplete', problem: new Failure('source-error', detail) }
}

/** The list of views that older sites have, until an empty page. */
function viewList(run: Run): Finds {
  const ask = async ({ page }: { readonly page: number }) => {
    const query = { page, limit: run.config.pageSize }
    const list = await askList(run.source, addressWith(`${run.root}/api/views/metadata/v1`, query))
    return { ...list, entries: list.entries.map((one) => assetOf(fieldsOf(one))) }
  }
  return listPages(run, { ask, read: assetReader(run) })
}

/** Fields of an asset → of a view in the older list. */
const viewNames = {
  name: 'name',
  description: 'description',
  attribution: 'attribution',
  attribution_link: 'attributionLink',
  provenance: 'provenance',
  createdAt: 'createdAt',
  updatedAt: 'updatedAt',
  data_updated_at: 'dataUpdatedAt',
  metadata_updated_at: 'metadataUpdatedAt',
}

/** A view of the older list in the words of the discovery API. */
function assetOf(view: Fields): unknown {
  const custom = Object.entries(fieldsOf(view['customFields'])).flatMap(([set, fields]) =>
    Object.entries(fieldsOf(fields)).map(([field, value]) => ({
      key: `${set}_${field}`.replaceAll(' ', '-'),
      value,
    })),
  )
  const own = Object.entries(viewNames).map(([name, given]) => [name, view[given]])
  return {
    resource: { id: plainText(view['id']), type: 'dataset', ...Object.fromEntries(own) },
    classification: {
      domain_category: view['category'],
      domain_tags: listOf(view['tags']),
      domain_metadata: custom,
    },
    metadata: { license: view['license'] },
    permalink: view['webUri'],
  }
}
