/** The Socrata (Tyler Data & Insights) importer: by the discovery API, or by what a site has in its place. */

import { Failure } from '../../errors.ts'
import type { Finding } from '../../pipe/message.ts'
import { shippedAuthorities } from '../../vocabularies/authorities.ts'
import { type Fields, fieldsOf, listOf, plainText } from '../../vocabularies/loose-values.ts'
import { mapPod, podIdentifier, podRestriction } from './datajson-mapping.ts'
import { countOf, type Entry, envelopeFailure, foundEntry } from './entry.ts'
import type { Found } from './found.ts'
import type { ImportConfig } from './import-config.ts'
import type { ImportContext, ImporterKind } from './importer.ts'
import { openJsonDocument } from './json-document.ts'
import { pageGuard } from './open-source.ts'
import { tellCounted } from './rdf-losses.ts'
import {
  assetIn,
  assetReader,
  isLink,
  socrataConfig,
  type SocrataConfig,
  type SocrataSite,
} from './socrata-mapping.ts'
import type { Source } from './source.ts'

// The Socrata discovery API: the assets of a domain in the order of their ids.

type Discovery = {
  readonly source: Source
  /** Where the API is, without a slash at its end. */
  readonly root: string
  /** Host whose assets are wanted. */
  readonly host: string
  readonly filters: Readonly<Record<string, string>>
}

type AssetPage = {
  readonly results: readonly unknown[]
  readonly findings: readonly Finding[]
}

/** `after`: id of an asset, `''` = from the beginning. */
type AssetQuery = { readonly type: string; readonly size: number; readonly after: string }

function discoveryAddress(
  { root, host, filters }: Discovery,
  { type, size, after }: AssetQuery,
): string {
  const query = new URLSearchParams({
    domains: host,
    search_context: host,
    only: type,
    published: 'true',
    audience: 'public',
    ...filters,
    limit: String(size),
    scroll_id: after,
  })
  return `${root}/api/catalog/v1?${query.toString()}`
}

/** How many assets of these types there are; `undefined` when the API does not tell. Throws what `Source.json` throws. */
async function assetCount(
  discovery: Discovery,
  types: readonly string[],
): Promise<number | undefined> {
  let sum = 0
  for (const type of types) {
    const url = discoveryAddress(discovery, { type, size: 1, after: '' })
    const { value } = await discovery.source.json(url, { paged: false })
    const count = countOf(fieldsOf(value)['resultSetSize'])
    if (count === undefined) {
      if (!Array.isArray(fieldsOf(value)['results'])) throw envelopeFailure(value, url)
      return undefined
    }
    sum += count
  }
  return sum
}

/**
 * The assets of one type behind an id. Each page begins behind the last id of the one before, so that nothing that comes or goes moves
 * the others; only an empty page is the end, because the service cuts pages silently. Throws `page-loop`,
 * `page-repeated` and what `Source.json` throws.
 */
async function* assetPages(
  discovery: Discovery,
  { type, size, after: first }: AssetQuery,
): AsyncGenerator<
  AssetPage & { /** Id behind which the next page begins. */ readonly last: string },
  void
> {
  const guard = pageGuard()
  for (let after = first; ;) {
    const url = discoveryAddress(discovery, { type, size, after })
    guard.visit(url)
    const { value, hash, findings } = await discovery.source.json(url, { paged: false })
    const { results } = fieldsOf(value)
    if (!Array.isArray(results)) throw envelopeFailure(value, url)
    if (results.length === 0) return
    guard.body(hash)
    const last = results.map(idOf).findLast((id) => id !== undefined)
    yield { results, findings, last: last ?? '' }
    if (last === undefined)
      throw new Failure('source-malformed', 'A page has no id behind which the next one begins.')
    after = last
  }
}

const idOf = (result: unknown) => plainText(fieldsOf(fieldsOf(result)['resource'])['id'])

// The list of assets that older Socrata sites have beside the discovery API, in the words of that API.

/** Pages until an empty one. Throws what `Source.json` throws. */
async function* metadataPages(
  source: Source,
  origin: string,
  size: number,
): AsyncGenerator<AssetPage, void> {
  for (let page = 1; ; page += 1) {
    const url = `${origin}/api/views/metadata/v1?page=${page}&limit=${size}`
    const { value, findings } = await source.json(url)
    if (!Array.isArray(value)) throw envelopeFailure(value, url)
    if (value.length === 0) return
    yield { results: value.map((one) => assetOf(fieldsOf(one))), findings }
  }
}

function assetOf(view: Fields): unknown {
  const id = plainText(view['id'])
  const custom = Object.entries(fieldsOf(view['customFields'])).flatMap(([set, fields]) =>
    Object.entries(fieldsOf(fields)).map(([field, value]) => ({
      key: `${set}_${field}`.replaceAll(' ', '-'),
      value,
    })),
  )
  return {
    resource: {
      id,
      type: 'dataset',
      name: view['name'],
      description: view['description'],
      attribution: view['attribution'],
      attribution_link: view['attributionLink'],
      provenance: view['provenance'],
      createdAt: view['createdAt'],
      updatedAt: view['updatedAt'],
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

// Where an asset that is only a link leads to: its own description has that, the list of assets does not.

/** Faults of one description, not of the source. */
const ownFaults = new Set<string>([
  'source-error',
  'source-html',
  'source-malformed',
  'source-empty',
  'too-large',
])

/**
 * The asset with the places it leads to, as it is when it leads nowhere or is gone, or why they are not known. Throws
 * what concerns the source as a whole.
 */
async function withLinks(source: Source, value: unknown, site: SocrataSite): Promise<unknown> {
  const id = plainText(assetIn(value)['id'])
  if (id === undefined || !isLink(value, site)) return value
  const url = `${site.origin}/api/views/${encodeURIComponent(id)}.json`
  try {
    const answer = await source.json(url, { paged: false, accepts: [403, 404, 410] })
    if (answer.status >= 400) return value
    const { accessPoints, additionalAccessPoints, attachments } = fieldsOf(
      fieldsOf(answer.value)['metadata'],
    )
    const metadata = { accessPoints, additionalAccessPoints, attachments }
    return { ...fieldsOf(value), view: { metadata } }
  } catch (error) {
    if (error instanceof Failure && ownFaults.has(error.kind)) return error
    throw error
  }
}

// What Socrata sites without the discovery API have: `data.json`, else a list of views. Both leave assets out.

type FoundAssets = AsyncGenerator<Found, void>

/** Never complete: a site that has its discovery API back would seem to have lost what these lists do not have. */
async function* otherLists(
  importing: SocrataImport,
  finds: (page: AssetPage) => FoundAssets,
  signal: AbortSignal,
): FoundAssets {
  const isThere = yield* fromDataJson(importing, signal)
  if (!isThere) {
    const { source, site, config } = importing
    for await (const page of metadataPages(source, site.origin, config.pageSize)) {
      yield* finds(page)
      yield { kind: 'page' }
    }
  }
  const detail = 'The site has no discovery API; the list that it has in its place is not whole.'
  yield { kind: 'end', as: 'incomplete', problem: new Failure('source-error', detail) }
}

async function* fromDataJson(
  importing: SocrataImport,
  signal: AbortSignal,
): AsyncGenerator<Found, boolean> {
  const { context, site } = importing
  const url = `${site.origin}/data.json`
  const document = await openJsonDocument(importing, url, { accepts: [404, 410] }, signal)
  if (!document) return false
  const read = podReader(site)
  const { output } = context
  const { findings } = document
  try {
    let services = 0
    for await (const { list, value } of document.members())
      if (list === 'dataset' || list === '') yield foundEntry(value, { output, read, findings })
      else if (list === 'service') services += 1
    tellCounted(context.sink, { count: services, first: [] }, url)
  } finally {
    await document.close()
  }
  yield { kind: 'page' }
  return true
}

const podReader =
  ({ config, authorities, origin }: SocrataSite) =>
  (fields: Fields): Entry => {
    const identifier = podIdentifier(fields)
    // `https://{host}/api/views/{id}`: the id is the same as in the discovery API.
    const sourceId = /\/([a-z0-9]{4}-[a-z0-9]{4})$/.exec(identifier)?.[1] ?? identifier
    const sourceUrl = plainText(fields['landingPage'])
    const fallbackIri = `${origin}/d/${encodeURIComponent(sourceId)}`
    return {
      sourceId,
      aliases: identifier === sourceId ? [] : [identifier],
      ...(sourceUrl !== undefined && { sourceUrl }),
      skipped: podRestriction(fields),
      lasting: fields,
      map: () => mapPod(fields, { ...config, authorities, fallbackIri, base: `${origin}/` }),
    }
  }

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
  import: (config, source, context, signal) =>
    importSocrata({ config, source, context, roots }, signal),
})

export const socrataImporter: ImporterKind<SocrataConfig> = socrataImporterWith(elsewhere)

type Opening = Omit<SocrataImport, 'site'> & { readonly roots: readonly string[] }

async function* importSocrata({ roots, ...opening }: Opening, signal: AbortSignal): FoundAssets {
  const { config } = opening
  const { host, origin } = new URL(config.address)
  const site = { config, host, origin, authorities: await shippedAuthorities() }
  const importing = { ...opening, site }
  const discovery = await discover(importing, [origin, ...roots])
  if (discovery) yield* discovered(importing, discovery)
  else yield* otherLists(importing, (page) => finds(importing, page), signal)
}

type Known = Discovery & { readonly total: number | undefined }

/** The discovery API that knows the domain, and how many assets it tells. `undefined` when there is none. */
async function discover(
  { config, source, site }: SocrataImport,
  [own = '', ...others]: readonly string[],
): Promise<Known | undefined> {
  const ask = async (root: string) => {
    const discovery = { source, root, host: site.host, filters: config.filters ?? {} }
    return { ...discovery, total: await assetCount(discovery, config.only) }
  }
  try {
    return await ask(own)
  } catch (error) {
    if (!isAbsent(error)) throw error
  }
  for (const root of others)
    try {
      const found = await ask(root)
      if (found.total !== undefined && found.total > 0) return found
    } catch (error) {
      if (!(error instanceof Failure)) throw error
    }
  return undefined
}

const isAbsent = (error: unknown) => error instanceof Failure && error.kind === 'source-not-found'

async function* discovered(importing: SocrataImport, discovery: Known): FoundAssets {
  const { config } = importing
  const resumed = placeOf(importing)
  // How many are in front of the place is not to be known: such a run vouches for nothing.
  if (discovery.total !== undefined && !resumed) yield { kind: 'total', total: discovery.total }
  const types = config.only.slice(resumed ? config.only.indexOf(resumed.type) : 0)
  for (const type of types) {
    const after = type === resumed?.type ? resumed.after : ''
    for await (const page of assetPages(discovery, { type, size: config.pageSize, after })) {
      yield* finds(importing, page)
      yield page.last === '' ? { kind: 'page' } : { kind: 'page', cursor: `${type} ${page.last}` }
    }
  }
  if (resumed) {
    yield { kind: 'end', as: 'incomplete' }
    return
  }
  const total = await assetCount(discovery, config.only)
  if (total !== undefined) yield { kind: 'total', total }
}

/** Where an interrupted run goes on: an asset of a type that is still wanted. */
function placeOf({ config, context }: SocrataImport) {
  const [, type = '', after = ''] = /^(\S+) (.+)$/s.exec(context.resumeFrom ?? '') ?? []
  return config.only.some((one) => one === type) ? { type, after } : undefined
}

async function* finds({ source, context, site }: SocrataImport, page: AssetPage): FoundAssets {
  const read = assetReader(site)
  for (const value of page.results) {
    const whole = await withLinks(source, value, site)
    if (whole instanceof Failure) {
      const sourceId = plainText(assetIn(value)['id']) ?? ''
      yield { kind: 'refused', sourceId, problem: whole }
    } else yield foundEntry(whole, { output: context.output, read, findings: page.findings })
  }
}

/** One import. */
type SocrataImport = {
  readonly config: SocrataConfig & ImportConfig
  readonly source: Source
  readonly context: ImportContext
  readonly site: SocrataSite
}
