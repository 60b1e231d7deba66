/** The Socrata (Tyler Data & Insights) importer: by the discovery API, or by what a site has in its place. */

import { Failure } from '../../errors.ts'
import { shippedAuthorities } from '../../vocabularies/authorities.ts'
import { type Fields, fieldsOf, plainText } from '../../vocabularies/loose-values.ts'
import { mapPod, podIdentifier, podRestriction } from './datajson-mapping.ts'
import { type Entry, foundEntry } from './entry.ts'
import type { Found } from './found.ts'
import type { ImportConfig } from './import-config.ts'
import type { ImportContext, ImporterKind } from './importer.ts'
import { openJsonDocument } from './json-document.ts'
import { tellCounted } from './rdf-losses.ts'
import {
  assetCount,
  type AssetPage,
  assetPages,
  type Discovery,
  metadataPages,
} from './socrata-discovery.ts'
import {
  assetIn,
  entryReader,
  isLink,
  socrataConfig,
  type Site,
  type SocrataConfig,
} from './socrata-mapping.ts'
import type { Source } from './source.ts'

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
async function withLinks(source: Source, value: unknown, site: Site): Promise<unknown> {
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

type OtherFinds = AsyncGenerator<Found, void>

/** Never complete: a site that has its discovery API back would seem to have lost what these lists do not have. */
async function* otherLists(
  travel: Travel,
  finds: (page: AssetPage) => OtherFinds,
  signal: AbortSignal,
): OtherFinds {
  const isThere = yield* fromDataJson(travel, signal)
  if (!isThere) {
    const { source, site, config } = travel
    for await (const page of metadataPages(source, site.origin, config.pageSize)) {
      yield* finds(page)
      yield { kind: 'page' }
    }
  }
  const detail = 'The site has no discovery API; the list that it has in its place is not whole.'
  yield { kind: 'end', as: 'incomplete', problem: new Failure('source-error', detail) }
}

async function* fromDataJson(travel: Travel, signal: AbortSignal): AsyncGenerator<Found, boolean> {
  const { context, site } = travel
  const url = `${site.origin}/data.json`
  const document = await openJsonDocument(travel, url, { accepts: [404, 410] }, signal)
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
  ({ config, authorities, origin }: Site) =>
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

type Finds = AsyncGenerator<Found, void>

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

type Opening = Omit<Travel, 'site'> & { readonly roots: readonly string[] }

async function* importSocrata({ roots, ...opening }: Opening, signal: AbortSignal): Finds {
  const { config } = opening
  const { host, origin } = new URL(config.address)
  const site = { config, host, origin, authorities: await shippedAuthorities() }
  const travel = { ...opening, site }
  const discovery = await discover(travel, [origin, ...roots])
  if (discovery) yield* discovered(travel, discovery)
  else yield* otherLists(travel, (page) => finds(travel, page), signal)
}

type Known = Discovery & { readonly total: number | undefined }

/** The discovery API that knows the domain, and how many assets it tells. `undefined` when there is none. */
async function discover(
  { config, source, site }: Travel,
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

async function* discovered(travel: Travel, discovery: Known): Finds {
  const { config } = travel
  const resumed = placeOf(travel)
  // How many are in front of the place is not to be known: such a run vouches for nothing.
  if (discovery.total !== undefined && !resumed) yield { kind: 'total', total: discovery.total }
  const types = config.only.slice(resumed ? config.only.indexOf(resumed.type) : 0)
  for (const type of types) {
    const after = type === resumed?.type ? resumed.after : ''
    for await (const page of assetPages(discovery, { type, size: config.pageSize, after })) {
      yield* finds(travel, page)
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
function placeOf({ config, context }: Travel) {
  const [, type = '', after = ''] = /^(\S+) (.+)$/s.exec(context.resumeFrom ?? '') ?? []
  return config.only.some((one) => one === type) ? { type, after } : undefined
}

async function* finds({ source, context, site }: Travel, page: AssetPage): Finds {
  const read = entryReader(site)
  for (const value of page.results) {
    const whole = await withLinks(source, value, site)
    if (whole instanceof Failure) {
      const sourceId = plainText(assetIn(value)['id']) ?? ''
      yield { kind: 'refused', sourceId, problem: whole }
    } else yield foundEntry(whole, { output: context.output, read, findings: page.findings })
  }
}

/** One import. */
type Travel = {
  readonly config: SocrataConfig & ImportConfig
  readonly source: Source
  readonly context: ImportContext
  readonly site: Site
}
