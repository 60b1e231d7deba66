/** The Socrata (Tyler Data & Insights) importer: by the discovery API, or by what a site has in its place. */
import { Failure } from '../../../../errors.ts'
import type { Found } from '../../found.ts'
import type { ImporterKind } from '../../importer.ts'
import { shippedAuthorities } from '../../../../vocabularies/authorities.ts'
import { plainText } from '../../../../vocabularies/loose-values.ts'
import { foundEntry } from '../documents/entry.ts'
import { assetCount, assetPages, type AssetPage, type Discovery } from './catalogue.ts'
import { socrataConfig, type SocrataConfig } from './config.ts'
import { assetIn, entryReader } from './entry-reader.ts'
import { withLinks } from './linked-files.ts'
import { otherLists } from './other-lists.ts'
import type { Travel } from './site.ts'

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
