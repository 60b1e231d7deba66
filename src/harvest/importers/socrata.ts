/** Socrata (Tyler Data & Insights) importer: by the discovery API, or by the lists of a site. */

import { Failure } from '../../errors.ts'
import type { Fields } from '../../text/json.ts'
import { fieldsOf, listOf, plainText } from '../../vocabularies/loose-values.ts'
import { datasetsOf } from './datajson.ts'
import { openJsonDocument } from './documents.ts'
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

type ImportEvents = AsyncGenerator<ImportEvent, void>
type Run = PortalRun<SocrataConfig>

/** Central discovery APIs, for domains without their own. */
const centralApis = ['https://api.us.socrata.com', 'https://api.eu.socrata.com']

/** Creates the importer; `roots` are the central discovery APIs. */
export const socrataImporterWith = (roots: readonly string[]): ImporterKind<SocrataConfig> => ({
  names: ['importing-socrata'],
  version: 2,
  config: socrataConfig,
  addressesOf: ({ address }, id) => [
    {
      url: `${new URL(address).origin}/api/views/${encodeURIComponent(id)}.json`,
      goneStatuses: [403],
    },
  ],
  credentials: (value, header) => ({
    [header === 'Authorization' ? 'X-App-Token' : header]: value,
  }),
  import: async function* importSocrata(importRun) {
    const run = await portalOf<SocrataConfig>(importRun, new URL(importRun.config.address).origin)
    const discovery = await discover(run, roots)
    yield* discovery ? importDiscovered(run, discovery) : importOtherLists(run)
  },
})

/** Importer with the two central discovery APIs of Socrata. */
export const socrataImporter: ImporterKind<SocrataConfig> = socrataImporterWith(centralApis)

/** Page of assets, which is Socrata's word for datasets, files and links. `after`: id of an asset, `''` for the beginning. */
type AssetQuery = { readonly type: string; readonly size: number; readonly after: string }

/** Requests a page of the discovery API: assets of a domain in the order of their ids. Throws the failures of `askList`. */
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
  // Requests for the total only may repeat.
  if (query.size > 1) source.visit(url)
  return askList(source, url, 'results', { paged: false })
}

/** Number of assets of the chosen types; `undefined` if unknown. Throws the failures of `askList`. */
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

/** Finds the discovery API of the domain and its total; `undefined` if there is none. */
async function discover(run: Run, otherRoots: readonly string[]): Promise<Discovery | undefined> {
  for (const root of [run.root, ...otherRoots])
    try {
      const total = await assetCount(run, root)
      if (root === run.root || total) return { root, total }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      if (root === run.root && error.kind !== 'source-not-found') throw error
    }
  return undefined
}

/** Imports all chosen types one by one, counted before and after. */
async function* importDiscovered(run: Run, { root, total: totalBefore }: Discovery): ImportEvents {
  const { only, pageSize: size } = run.config
  // A resumed run continues after an asset, if its type is still chosen.
  const [, resumedType = '', lastId = ''] = /^(\S+) (.+)$/s.exec(run.resumeFrom ?? '') ?? []
  const isResumed = only.includes(resumedType)
  // The number of assets before that one is unknown, so a resumed run proves nothing.
  if (totalBefore !== undefined && !isResumed) yield { kind: 'total', total: totalBefore }
  for (const type of only.slice(isResumed ? only.indexOf(resumedType) : 0))
    yield* assets(run, root, { type, size, after: isResumed && type === resumedType ? lastId : '' })
  const total = isResumed ? undefined : await assetCount(run, root)
  if (total !== undefined) yield { kind: 'total', total }
  if (isResumed) yield { kind: 'end', outcome: 'incomplete' }
}

/**
 * Yields the assets of one type after an id. Each page begins after the last id of the previous one, so that changes do not
 * move entries. Only an empty page is the end, because the service shortens pages silently. Throws `page-loop`,
 * `page-repeated`, `source-malformed` and the failures of `askList`.
 */
function assets(run: Run, root: string, query: AssetQuery): ImportEvents {
  let after: string | undefined = query.after
  const ask = async () => {
    if (after === undefined)
      throw new Failure('source-malformed', 'A page has no id after which the next one begins.')
    const page = await assetPage(run, root, { ...query, after })
    if (page.entries.length === 0) return { ...page, isLast: true }
    run.source.recordBody(page.hash)
    after = page.entries.map((asset) => plainText(assetIn(asset)['id'])).findLast(Boolean)
    const cursor = after === undefined ? undefined : `${query.type} ${after}`
    const entries: unknown[] = []
    for (const value of page.entries) entries.push(await withLinks(run, value))
    return { ...page, entries, cursor }
  }
  return listPages(run, { ask, read: assetReader(run) })
}

/**
 * Adds the target of an asset that is only a link, from its own description. Returns the asset unchanged if it has no target
 * or is gone; `view.problem` is the failure of an unreadable description. Throws failures of the whole source.
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
    // Not the fault of the asset.
    if (error.kind === 'source-timeout' || error.kind === 'source-truncated') throw error
    return { ...fieldsOf(value), view: { problem: error } }
  }
}

/**
 * Reads sites without the discovery API: `data.json`, else the list of views. Both omit assets, so the import is never
 * complete.
 */
async function* importOtherLists(run: Run): ImportEvents {
  const { root } = run
  const url = `${root}/data.json`
  const document = await openJsonDocument(run, url, [404, 410])
  if (typeof document === 'string') yield* viewList(run)
  else {
    const pageOf = (id: string) => `${root}/d/${encodeURIComponent(id)}`
    // `https://{host}/api/views/{id}`: the id is the same as in the discovery API.
    const idIn = (identifier: string) => /\/([a-z0-9]{4}-[a-z0-9]{4})$/.exec(identifier)?.[1]
    yield* datasetsOf(run, { ...run, pageOf, idIn }, { document, url })
  }
  const detail =
    'The site has no discovery API, and the list that it offers instead is not complete.'
  yield { kind: 'end', outcome: 'incomplete', problem: new Failure('source-error', detail) }
}

/** The list of views that older sites have, until an empty page. */
function viewList(run: Run): ImportEvents {
  const ask = async ({ page }: { readonly page: number }) => {
    const query = { page, limit: run.config.pageSize }
    const list = await askList(run.source, addressWith(`${run.root}/api/views/metadata/v1`, query))
    return { ...list, entries: list.entries.map((view) => assetOf(fieldsOf(view))) }
  }
  return listPages(run, { ask, read: assetReader(run) })
}

/** Fields of an asset → fields of a view in the older list. */
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

/** Converts a view of the older list to the form of the discovery API. */
function assetOf(view: Fields): unknown {
  const custom = Object.entries(fieldsOf(view['customFields'])).flatMap(([set, fields]) =>
    Object.entries(fieldsOf(fields)).map(([field, value]) => ({
      key: `${set}_${field}`.replaceAll(' ', '-'),
      value,
    })),
  )
  const resourceFields = Object.entries(viewNames).map(([name, viewField]) => [
    name,
    view[viewField],
  ])
  return {
    resource: { id: plainText(view['id']), type: 'dataset', ...Object.fromEntries(resourceFields) },
    classification: {
      domain_category: view['category'],
      domain_tags: listOf(view['tags']),
      domain_metadata: custom,
    },
    metadata: { license: view['license'] },
    permalink: view['webUri'],
  }
}
